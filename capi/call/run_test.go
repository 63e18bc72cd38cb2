package call

import (
	"errors"
	"math"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/rank"
)

// TestValues: a call is what the function of package ogive is for the same parameters.
func TestValues(t *testing.T) {
	x, view := sample(6, 50), ogive.Must(ogive.Must(sample(50, 12).Transpose()).Slice(0, 10, -1, -2))
	weights := cast(sample(6, 50), dtype.Int32)
	for _, c := range []struct {
		name string
		op   ogive.Op
		x    *ogive.Tensor
		set  func(a *asker)
		opts []ogive.Option
	}{
		{"scalar", ogive.OpQuantile, x, func(a *asker) { a.c.Q = floats(a, 0.3) }, []ogive.Option{ogive.Q(0.3)}},
		{"list", ogive.OpNaNQuantile, x, func(a *asker) { a.c.Q, a.c.NQ = floats(a, 0.3, 0.9), 2 }, []ogive.Option{ogive.Q(0.3, 0.9)}},
		{"list of one", ogive.OpQuantile, x, func(a *asker) { a.c.Q, a.c.NQ = floats(a, 0.3), 1 }, []ogive.Option{ogive.Qs([]float64{0.3})}},
		{"percent", ogive.OpPercentile, x, func(a *asker) { a.c.Q, a.c.NQ = floats(a, 30.0, 90.0), 2 }, []ogive.Option{ogive.P(30, 90)}},
		{"one percentile", ogive.OpNaNPercentile, x, func(a *asker) { a.c.Q = floats(a, 31.0) }, []ogive.Option{ogive.P(31)}},
		{"fraction", ogive.OpQuantile, x, func(a *asker) { a.c.Num, a.c.Den = floats[int64](a, 29), floats[int64](a, 100) }, []ogive.Option{ogive.Ratio(29, 100)}},
		{"fractions and floats", ogive.OpQuantile, x, func(a *asker) {
			a.c.Num, a.c.Den, a.c.Q, a.c.NQ = floats[int64](a, 1, 0), floats[int64](a, 3, 0), floats(a, 7, 0.5), 2
		}, []ogive.Option{ogive.Fractions(rank.Ratio(1, 3), rank.At(0.5))}},
		{"axis, method, keepdims", ogive.OpQuantile, x, func(a *asker) {
			a.c.Q, a.c.Axes, a.c.NAxes, a.c.Method, a.c.Flags, a.c.Workers = floats(a, 0.3), floats[int64](a, -1), 1, 10, keepDims, 1
		}, []ogive.Option{ogive.Q(0.3), ogive.Axis(1), ogive.Method(rank.Hazen), ogive.KeepDims()}},
		{"strides", ogive.OpMedian, view, func(a *asker) { a.c.Axes, a.c.NAxes = floats[int64](a, 0), 1 }, []ogive.Option{ogive.Axis(0)}},
		{"mode", ogive.OpMedian, x, func(a *asker) { a.c.Mode = 2 }, []ogive.Option{ogive.Mode(ogive.ModeUpper)}},
		{"weights", ogive.OpNaNMedian, x, func(a *asker) { a.c.Weights = a.tensor(weights) }, []ogive.Option{ogive.Weights(weights)}},
		{"argquantile", ogive.OpArgQuantile, x, func(a *asker) { a.c.Q = floats(a, 0.3) }, []ogive.Option{ogive.Q(0.3)}},
		{"isfinite", ogive.OpIsFinite, view, func(*asker) {}, nil},
		{"isin", ogive.OpIsIn, view, func(a *asker) { a.c.Test, a.c.Flags, a.c.Kind = a.tensor(x), invert|assumeUnique|equalNaN, 3 },
			[]ogive.Option{ogive.Test(x), ogive.Invert(), ogive.AssumeUnique(), ogive.EqualNaN(), ogive.Kind(ogive.KindHash)}},
	} {
		for _, dt := range []dtype.DType{dtype.Float64, dtype.Float16, dtype.BFloat16, dtype.Uint8} {
			x := c.x
			if dt != dtype.Float64 {
				x = cast(c.x, dt)
			}
			p, err := ogive.Prepare(c.op, dt, x.Shape(), c.opts...)
			if err != nil {
				t.Fatal(c.name, err)
			}
			want := ogive.Must(ogive.Zeros(p.DType(), p.Shape()...))
			if err := p.Run(x, want); err != nil {
				t.Fatal(c.name, err)
			}
			a := ask(t, verbValue, uint32(c.op), 4096)
			a.c.X = a.tensor(x)
			c.set(a)
			same(t, c.name, a.must().answer(0), want)

			// Without room the answer is described alone.
			none := ask(t, verbValue, uint32(c.op), 0)
			none.c.X = none.tensor(x)
			c.set(none)
			if status, _ := none.run(); status != statusOf(errRoom) || none.room[0][0] != 0 || none.results[0].NDim != int32(want.NDim()) {
				t.Errorf("%s without room: status %d", c.name, status)
			}

			// A result that is given is written where it lies.
			given := ogive.Must(ogive.Zeros(p.DType(), p.Shape()...))
			a.give(given)
			same(t, c.name+", given", func() *ogive.Tensor { a.must(); return given }(), want)
		}
	}
}

// TestIndices: medians with the positions of their elements, of the lower mode by default.
func TestIndices(t *testing.T) {
	x := sample(5, 8)
	values, indices, err := x.MedianWithIndex(ogive.Axis(1))
	if err != nil {
		t.Fatal(err)
	}
	a := ask(t, verbIndex, uint32(ogive.OpMedian), 64)
	a.c.X, a.c.Axes, a.c.NAxes = a.tensor(x), floats[int64](a, 1), 1
	same(t, "values", a.must().answer(0), values)
	same(t, "indices", a.answer(1), indices)
	a.results[1].Room = 0
	if status, _ := a.run(); status != statusOf(errRoom) {
		t.Errorf("no room for indices: status %d", status)
	}
}

// TestGroups: groups and windows, of which the answer's shape is told before it is known.
func TestGroups(t *testing.T) {
	x := sample(12, 3)
	keys := ogive.Must(ogive.FromSlice([]int16{3, 1, 3, 1, 1, 3, 9, 9, 1, 3, 1, 3}))
	groups, values, err := ogive.QuantilesBy(x, keys, []float64{0.25, 0.5}, ogive.Axis(-2))
	if err != nil {
		t.Fatal(err)
	}
	a := ask(t, verbValue, uint32(ogive.OpQuantile), 0)
	a.c.X, a.c.Keys, a.c.Axes, a.c.NAxes, a.c.Q, a.c.NQ = a.tensor(x), a.tensor(keys), floats[int64](a, -2), 1, floats(a, 0.25, 0.5), 2
	if status, _ := a.run(); status != statusOf(errRoom) || a.shapes[0][0] != 3 || a.shapes[1] != [16]int64{2, 3, 3} {
		t.Fatalf("status %d, shapes %v", status, a.shapes)
	}
	big := ask(t, verbValue, uint32(ogive.OpQuantile), 256)
	a.results, a.room, a.shapes = big.results, big.room, big.shapes
	a.c.Results = big.c.Results
	if status, text := a.run(); status != 0 {
		t.Fatal(status, text)
	}
	same(t, "groups", big.answer(0), groups)
	same(t, "values", big.answer(1), values)
}

func TestWindows(t *testing.T) {
	x := sample(4, 30)
	want := ogive.Must(ogive.RollingQuantile(x, 0.5, 7, ogive.Axis(-1), ogive.MinCount(3)))
	a := ask(t, verbValue, uint32(ogive.OpQuantile), 8*4*30)
	a.c.X, a.c.Axes, a.c.NAxes, a.c.Q, a.c.Window, a.c.MinCount = a.tensor(x), floats[int64](a, -1), 1, floats(a, 0.5), 7, 3
	same(t, "windows", a.must().answer(0), want)
	a.c.Window, a.c.MinCount = 31, 0
	if status, text := a.run(); status != statusOf(ogive.ErrShape) {
		t.Errorf("a window that is too long: %d %s", status, text)
	}
}

// TestDerivatives: gradients, slopes and ends are package grad's, and what values lie between.
func TestDerivatives(t *testing.T) {
	x := sample(3, 11)
	_, pull, err := grad.Quantiles(x, []float64{0.25, 0.75}, ogive.Axis(1))
	if err != nil {
		t.Fatal(err)
	}
	dy := sample(2, 3)
	want := ogive.Must(pull(dy))
	set := func(a *asker) *asker {
		a.c.X, a.c.Axes, a.c.NAxes, a.c.Q, a.c.NQ = a.tensor(x), floats[int64](a, 1), 1, floats(a, 0.25, 0.75), 2
		return a
	}
	a := set(ask(t, 2, uint32(ogive.OpQuantile), 264))
	a.c.Upstream = a.tensor(dy)
	same(t, "gradient", a.must().answer(0), want)
	a = set(ask(t, 3, uint32(ogive.OpQuantile), 64))
	same(t, "slope", a.must().answer(0), ogive.Must(grad.QuantilesQ(x, []float64{0.25, 0.75}, ogive.Axis(1))))
	a = set(ask(t, 4, uint32(ogive.OpQuantile), 64)).must()
	lo, hi, g := ogive.Must(a.answer(0).Float64s()), ogive.Must(a.answer(1).Float64s()), ogive.Must(a.answer(2).Float64s())
	for i, v := range ogive.Must(ogive.Must(x.Quantiles([]float64{0.25, 0.75}, ogive.Axis(1))).Float64s()) {
		if got := lo[i] + g[i]*(hi[i]-lo[i]); got != v || lo[i] > hi[i] {
			t.Errorf("%d: %v between %v and %v by %v, want %v", i, got, lo[i], hi[i], g[i], v)
		}
	}
	nan := math.NaN()
	for _, c := range []struct {
		op    ogive.Op
		flags uint32
		want  []float64
	}{
		{ogive.OpMedian, 0, []float64{0, 0, 0, 1, 0}},
		{ogive.OpMedian, byIndex, []float64{0, 0, 0, 1, 0}},
		{ogive.OpNaNMedian, 0, []float64{0.5, 0, 0.5, 0, 0}},
		{ogive.OpNaNMedian, byIndex, []float64{1, 0, 0, 0, 0}},
	} {
		a := ask(t, 2, uint32(c.op), 40)
		a.c.X, a.c.Flags, a.c.Upstream = a.tensor(ogive.Must(ogive.FromSlice([]float64{2, 1, 2, nan, 3}))), c.flags, a.tensor(ogive.Scalar(1.0))
		same(t, c.op.String(), a.must().answer(0), ogive.Must(ogive.FromSlice(c.want)))
	}
}

// TestEveryError: a status for each sentinel, with the message of package ogive.
func TestEveryError(t *testing.T) {
	x := sample(2, 3)
	for _, c := range []struct {
		want error
		set  func(a *asker)
	}{
		{ogive.ErrAxis, func(a *asker) { a.c.Axes, a.c.NAxes = floats[int64](a, 3), 1 }},
		{ogive.ErrAxis, func(a *asker) { a.c.Axes = floats[int64](a, 3) }},
		{ogive.ErrAxis, func(a *asker) { a.c.Axes, a.c.NAxes = floats[int64](a, -1<<63), 1 }},
		{ogive.ErrQ, func(a *asker) { a.c.Q = floats(a, 1.5) }},
		{ogive.ErrQ, func(a *asker) { a.c.Q = 0 }},
		{ogive.ErrQ, func(a *asker) { a.c.NQ = 0 }},
		{ogive.ErrMethod, func(a *asker) { a.c.Method = 99 }},
		{ogive.ErrMethod, func(a *asker) { a.c.Method = 1000 }},
		{ogive.ErrOption, func(a *asker) { a.c.Flags = invert }},
		{ogive.ErrOption, func(a *asker) { a.c.Op = 0 }},
		{ogive.ErrOption, func(a *asker) { a.c.Op = 1 << 31 }},
		{ogive.ErrOption, func(a *asker) { a.c.Window, a.c.Keys = 3, a.tensor(x) }},
		{ogive.ErrDType, func(a *asker) { a.c.X = a.tensor(cast(x, dtype.Complex64)) }},
		{ogive.ErrShape, func(a *asker) { a.c.X = 0 }},
		{ogive.ErrEmpty, func(a *asker) { a.c.X = a.tensor(ogive.Must(ogive.Zeros(dtype.Float64, 0))) }},
		{ogive.ErrOut, func(a *asker) { a.give(x) }},
		{ogive.ErrWeights, func(a *asker) { a.c.Weights = a.tensor(ogive.Must(ogive.Zeros(dtype.Int8, 5))) }},
		{ogive.ErrDevice, func(a *asker) { (*Tensor)(unsafePointer(a.c.X)).DeviceType = 2 }},
		{ogive.ErrFormat, func(a *asker) { a.c.Verb, a.c.X = 14, a.tensor(ogive.Must(ogive.FromSlice([]byte("none")))) }},
	} {
		a := ask(t, verbValue, uint32(ogive.OpQuantile), 64)
		a.c.X, a.c.Q = a.tensor(x), floats(a, 0.5)
		c.set(a)
		status, text := a.run()
		if status == 0 || int(status) >= len(statuses) || !errors.Is(statuses[status], c.want) || text == "" {
			t.Errorf("%v: status %d, %q", c.want, status, text)
		}
	}
}

func BenchmarkMedianOf5(b *testing.B) {
	a := ask(b, verbValue, uint32(ogive.OpMedian), 64)
	a.c.X = a.tensor(ogive.Must(ogive.FromSlice([]float64{3, 1, 2, 5, 4})))
	b.ReportAllocs()
	for b.Loop() {
		a.must()
	}
}
