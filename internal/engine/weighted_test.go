package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/selection/weighted"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// weightedLayouts make views with the elements of a.
var weightedLayouts = []struct {
	name string
	lay  func(a nd.Array) nd.Array
}{
	{"c", func(a nd.Array) nd.Array { return a }},
	{"fortran", func(a nd.Array) nd.Array {
		shape := slices.Clone(a.Shape())
		slices.Reverse(shape)
		return copyTo(transposed(must(nd.New(a.DType, shape...))), a)
	}},
	{"strided", func(a nd.Array) nd.Array {
		shape := slices.Clone(a.Shape())
		for i := range shape {
			shape[i] *= 2
		}
		view := must(nd.New(a.DType, shape...))
		for i, n := range a.Shape() {
			view = must(view.Slice(i, 0, 2*n, 2))
		}
		return copyTo(view, a)
	}},
	{"negative", func(a nd.Array) nd.Array {
		view := must(nd.New(a.DType, a.Shape()...))
		for i, n := range a.Shape() {
			view = must(view.Slice(i, n-1, -1, -1))
		}
		return copyTo(view, a)
	}},
	{"rotated", func(a nd.Array) nd.Array {
		if a.NDim() < 2 {
			return a
		}
		shape, order := slices.Clone(a.Shape()), make([]int, a.NDim())
		shape = append(shape[1:], shape[0])
		for i := range order {
			order[i] = i - 1 // dimension 0 is the last
		}
		return copyTo(transposed(must(nd.New(a.DType, shape...)), order...), a)
	}},
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func transposed(a nd.Array, order ...int) nd.Array { return must(a.Transpose(order...)) }

func copyTo(view, a nd.Array) nd.Array {
	nd.Copy(&view, &a)
	return view
}

// arrayOf returns the elements of an oracle's array.
func arrayOf(a *oracle.Array) nd.Array {
	return must(nd.FromBytes(a.DType, aligned(a.Bytes()), nil, a.Shape...))
}

func aligned(b []byte) []byte {
	dst := testkit.Aligned(len(b))
	copy(dst, b)
	return dst
}

// weightedCase is one call with weights.
type weightedCase struct {
	x, w    *oracle.Array
	method  rank.Method
	qs      []float64
	axes    []int // nil for all
	skip    bool
	keep    bool
	layoutX int
	layoutW int
	workers int
	indices bool
}

func (c *weightedCase) String() string {
	return fmt.Sprintf("x %v%v %s, weights %v%v %s, %v %v axes %v skip %v keep %v workers %d", c.x.DType, c.x.Shape, weightedLayouts[c.layoutX].name,
		c.w.DType, c.w.Shape, weightedLayouts[c.layoutW].name, c.method, c.qs, c.axes, c.skip, c.keep, c.workers)
}

// plan returns the plan of the case.
func (c *weightedCase) plan(arg bool, weights *nd.Array) (*Plan, error) {
	qs := make([]rank.Q, len(c.qs))
	for i, q := range c.qs {
		qs[i] = rank.At(q)
	}
	p := &Plan{Config: Config{Config: crew.Config{Workers: c.workers}}}
	return p, p.InitOrder(c.x.DType, c.x.Shape, &Order{
		Set: rank.NewSet(c.method, qs), Vector: true, SkipNaN: c.skip, EmptyNaN: c.skip, Arg: arg,
		AllAxes: c.axes == nil, Axes: c.axes, KeepDims: c.keep, Weights: weights,
	})
}

// options are the oracle's.
func (c *weightedCase) options() oracle.Options {
	return oracle.Options{Axes: c.axes, KeepDims: c.keep, Method: c.method.String(), Weights: c.w, SkipNaN: c.skip}
}

// check runs the case and compares values and indices.
func (c *weightedCase) check(t *testing.T) {
	t.Helper()
	want, wantErr := oracle.Quantile(c.x, oracle.Ats(c.qs...), false, c.options())
	x := weightedLayouts[c.layoutX].lay(arrayOf(c.x))
	w := weightedLayouts[c.layoutW].lay(arrayOf(c.w))
	p, err := c.plan(false, &w)
	if (err != nil) != (wantErr != nil) || err != nil && !strings.HasSuffix(kindOf(err), wantErr.Error()) {
		t.Fatalf("%v: got %v, want %v", c, err, wantErr)
	}
	if err != nil {
		return
	}
	out := must(nd.New(p.DType(), p.Shape()...))
	var indices *nd.Array
	var wantIndices *oracle.Array
	if c.indices {
		wantIndices = must(oracle.ArgQuantile(c.x, oracle.Ats(c.qs...), false, c.options()))
		array := must(nd.New(dtype.Int64, p.Shape()...))
		indices = &array
	}
	if err := p.Run(&x, &out, indices); err != nil {
		t.Fatal(err)
	}
	if got := oracle.FromBytes(out.DType, out.Bytes(), out.Shape()...); !slices.Equal(got.Bits, want.Bits) {
		t.Fatalf("%v: got %x, want %x", c, got.Bits, want.Bits)
	}
	if !c.indices {
		return
	}
	if got := nd.Slice[int64](indices); !slices.EqualFunc(got, wantIndices.Bits, func(i int64, b oracle.Bits) bool { return uint64(i) == b.Re }) {
		t.Fatalf("%v: got indices %d, want %d", c, got, wantIndices.Bits)
	}
}

// kindOf names the sentinel of an error as the oracle does.
func kindOf(err error) string {
	for kind, name := range map[error]string{errs.ErrWeights: "ErrWeights", errs.ErrMethod: "ErrMethod", errs.ErrEmpty: "ErrEmpty", errs.ErrAxis: "ErrAxis"} {
		if errors.Is(err, kind) {
			return name
		}
	}
	return err.Error()
}

// drawCase draws a case with an input of the shape.
func drawCase(r *rand.Rand, shape []int) *weightedCase {
	ordered := slices.DeleteFunc(dtype.All(), func(d dtype.DType) bool { return !d.IsOrdered() })
	c := &weightedCase{skip: r.IntN(2) == 0, keep: r.IntN(2) == 0, workers: 1 + r.IntN(4)}
	dt := ordered[r.IntN(len(ordered))]
	kinds := testkit.Kinds(dt)
	n := 1
	for _, d := range shape {
		n *= d
	}
	c.x = oracle.FromBytes(dt, testkit.Fill(kinds[r.IntN(len(kinds))], dt, n, r.Uint64()), shape...)
	if ndim := len(shape); ndim > 0 && r.IntN(4) > 0 {
		c.axes = r.Perm(ndim)[:1+r.IntN(ndim)]
	}
	along := slices.Clone(shape)
	if c.axes != nil && r.IntN(2) == 0 {
		along = nil
		for _, a := range c.axes {
			along = append(along, shape[a])
		}
	}
	c.w = oracle.New(ordered[r.IntN(len(ordered))], along...)
	fillWeights(r, c.w)
	methods := rank.Methods()
	c.method = methods[r.IntN(len(methods))]
	if c.w.DType.IsFloat() && r.IntN(20) > 0 {
		c.method = rank.InvertedCDF
	}
	c.indices = c.method.Discrete() && r.IntN(2) == 0
	special := []float64{0, 0.1, 0.25, 1. / 3, 0.5, 2. / 3, 0.9, 1, 5e-324, math.Nextafter(1, 0)}
	for range 1 + r.IntN(4) {
		c.qs = append(c.qs, special[r.IntN(len(special))])
	}
	c.layoutX, c.layoutW = r.IntN(len(weightedLayouts)), r.IntN(len(weightedLayouts))
	return c
}

// fillWeights draws weights of one style, some of them 0.
func fillWeights(r *rand.Rand, w *oracle.Array) {
	style := r.IntN(3)
	for i := range w.Bits {
		v := float64(r.IntN(5))
		if w.DType.IsFloat() && style > 0 {
			v = r.Float64()
		}
		switch {
		case w.DType == dtype.Float64 && style == 2:
			v = []float64{5e-324, 1e308, 1, 1e-200}[r.IntN(4)]
		case w.DType == dtype.Bool:
			v = float64(r.IntN(2))
		case w.DType.Size() == 8 && w.DType.IsInteger() && style == 2:
			v = float64(r.Int64N((1<<53 - 1) / int64(len(w.Bits))))
		}
		if r.IntN(4) == 0 {
			v = 0
		}
		if w.DType.IsFloat() {
			w.Bits[i] = oracle.Floats(w.DType, []float64{v}).Bits[0]
		} else {
			w.Bits[i] = oracle.Ints(w.DType, []int64{int64(v)}).Bits[0]
		}
	}
}

// withLimits runs a test with limits that take it through the given regime.
func withLimits(t *testing.T, lane, pairs int, test func(t *testing.T)) {
	t.Helper()
	before := tuning.Default
	defer func() { tuning.Default = before }()
	tuning.Default.BigBytes, tuning.Default.CollectBytes = lane*weighted.PairBytes, 2*pairs*weighted.PairBytes
	if lane < 1<<17 {
		tuning.Default.SoloWork, tuning.Default.ChunkBytes = 0, 4000
	}
	t.Run(fmt.Sprintf("lane=%d,pairs=%d", lane, pairs), test)
}

func TestWeighted(t *testing.T) {
	for _, limits := range [][2]int{{1 << 17, 1 << 20}, {0, 1 << 20}, {0, 3}, {30, 100}} {
		withLimits(t, limits[0], limits[1], func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(limits[1])))
			shapes := [][]int{{}, {1}, {7}, {100}, {3, 4}, {40, 3}, {3, 40}, {5, 1, 6}, {2, 3, 4}, {4, 3, 2, 5}, {300, 5}}
			rounds := 1500
			if testing.Short() {
				rounds = 200
			}
			for range rounds {
				drawCase(r, shapes[r.IntN(len(shapes))]).check(t)
			}
		})
	}
}

// TestWeightedLong is lanes of several blocks and chunks, and more cells than
// one pass can collect.
func TestWeightedLong(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for _, limits := range [][2]int{{1 << 17, 1 << 20}, {1000, 2000}} {
		withLimits(t, limits[0], limits[1], func(t *testing.T) {
			for range rounds {
				drawCase(r, [][]int{{90_000}, {9_000, 10}, {10, 9_000}, {300, 5, 40}}[r.IntN(4)]).check(t)
			}
		})
	}
}

// TestWeightedSorted is a lane of one worker's size and one beyond it, whose
// answer is known without an oracle.
func TestWeightedSorted(t *testing.T) {
	for _, n := range []int{1 << 17, 1<<17 + 1, 1_500_000} {
		x, w := must(nd.New(dtype.Float32, n)), must(nd.New(dtype.Float64, n))
		values, weights := nd.Slice[float32](&x), nd.Slice[float64](&w)
		for i := range n {
			at := int(uint64(i) * 7_368_787 % uint64(n)) // a prime that does not divide n
			values[at] = float32(i)
			weights[at] = 0.1
		}
		qs := []rank.Q{rank.At(0.3), rank.At(0.5), rank.At(0.25), rank.At(1), rank.At(0)}
		want := rank.NewSet(rank.InvertedCDF, qs).Positions(nil, int64(n))
		for workers := 1; workers <= 3; workers++ {
			p := &Plan{Config: Config{Config: crew.Config{Workers: workers}}}
			if err := p.InitOrder(x.DType, x.Shape(), &Order{Set: rank.NewSet(rank.InvertedCDF, qs), Vector: true, Arg: true, AllAxes: true, Weights: &w}); err != nil {
				t.Fatal(err)
			}
			out := must(nd.New(dtype.Int64, len(qs)))
			if err := p.Run(&x, &out, nil); err != nil {
				t.Fatal(err)
			}
			for i, at := range nd.Slice[int64](&out) {
				if got := values[at]; got != float32(want[i].Lo) {
					t.Errorf("n = %d, %d workers, q %v: got %v, want %v", n, workers, qs[i], got, want[i].Lo)
				}
			}
		}
	}
}

func TestWeightErrors(t *testing.T) {
	floats := func(values []float64, shape ...int) *oracle.Array {
		return oracle.Floats(dtype.Float64, values, shape...)
	}
	ints := func(values []int64, shape ...int) *oracle.Array {
		return oracle.Ints(dtype.Int64, values, shape...)
	}
	for _, c := range []struct {
		shape   []int
		axes    []int
		method  rank.Method
		weights *oracle.Array
		kind    error
		message string
	}{
		{[]int{3}, nil, rank.Linear, floats([]float64{1, 1, 1}), errs.ErrMethod, "float64 weights take method inverted_cdf only, got linear; integer and bool weights take every method"},
		{[]int{3}, nil, rank.InvertedCDF, oracle.New(dtype.Complex64, 3), errs.ErrWeights, "weights are complex64, want a real dtype"},
		{[]int{3}, nil, rank.InvertedCDF, floats([]float64{1, -2, math.NaN()}), errs.ErrWeights, "weights[1] = -2 is negative"},
		{[]int{3}, nil, rank.InvertedCDF, floats([]float64{1, 2, math.NaN()}), errs.ErrWeights, "weights[2] = NaN is not finite"},
		{[]int{3}, nil, rank.InvertedCDF, floats([]float64{math.Inf(1), 2, 3}), errs.ErrWeights, "weights[0] = +Inf is not finite"},
		{[]int{3}, nil, rank.InvertedCDF, floats([]float64{1, 2, math.Inf(-1)}), errs.ErrWeights, "weights[2] = -Inf is negative"},
		{[]int{2, 3}, []int{1}, rank.Linear, ints([]int64{1, 2, 3, 4, -5, 6}, 2, 3), errs.ErrWeights, "weights[1 1] = -5 is negative"},
		{[]int{2, 3}, []int{0}, rank.Linear, ints([]int64{1, 2, 3, 4, -5, 6}, 2, 3), errs.ErrWeights, "weights[1 1] = -5 is negative"},
		{[]int{2, 3}, []int{1, 0}, rank.Linear, ints([]int64{1, 2, 3, -4, 5, 6}, 3, 2), errs.ErrWeights, "weights[1 1] = -4 is negative"},
		{[]int{}, nil, rank.Linear, ints([]int64{-4}, []int{}...), errs.ErrWeights, "weights[0] = -4 is negative"},
		{[]int{2}, nil, rank.Linear, ints([]int64{0, 0}), errs.ErrWeights, "weights sum to 0, want a positive sum"},
		{[]int{2, 3}, []int{0}, rank.Linear, ints([]int64{1, 0, 1, 1, 0, 1}, 2, 3), errs.ErrWeights, "weights of slice [1] sum to 0, want a positive sum"},
		{[]int{2, 3}, []int{0}, rank.InvertedCDF, floats([]float64{0, 0}), errs.ErrWeights, "weights sum to 0, want a positive sum"},
		{[]int{2, 3}, []int{1}, rank.Linear, ints([]int64{1, 2, 3, 1 << 52, 1 << 52, 0}, 2, 3), errs.ErrWeights, "weights of slice [1] sum to 2^53 or more, which is too large for frequencies"},
		{[]int{1}, nil, rank.Linear, oracle.Ints(dtype.Uint64, []int64{-1}), errs.ErrWeights, "weights[0] = 18446744073709551615; frequencies must sum to less than 2^53"},
		{[]int{2, 3}, nil, rank.Linear, ints([]int64{1, 2}), errs.ErrWeights, "weights have shape [2], want x's [2 3]"},
		{[]int{2, 3}, []int{1, 0}, rank.Linear, ints([]int64{1, 2}), errs.ErrWeights, "weights have shape [2], want x's [2 3] or [3 2], its shape along axes [1 0]"},
		{[]int{2, 3}, []int{1}, rank.Linear, ints([]int64{1, 2}), errs.ErrWeights, "weights have shape [2], want x's [2 3] or [3], its shape along axes [1]"},
		{[]int{0, 3}, []int{1}, rank.Linear, ints([]int64{-1, 0, 0}), nil, ""},
		{[]int{2}, nil, rank.Linear, ints([]int64{1<<53 - 2, 1}), nil, ""},
	} {
		if len(c.shape) == 0 {
			c.weights.Shape = nil
			c.message = "weights = -4 is negative"
		}
		tc := weightedCase{x: oracle.New(dtype.Float64, c.shape...), w: c.weights, method: c.method, qs: []float64{0.5}, axes: c.axes}
		w := arrayOf(c.weights)
		_, err := tc.plan(false, &w)
		switch {
		case c.kind == nil && err != nil, c.kind != nil && (!errors.Is(err, c.kind) || err.Error() != c.message):
			t.Errorf("%v: got %v, want %v", &tc, err, c.message)
		}
	}
}

// TestWeightedEmpty is lanes without elements: NaN is decided before weights.
func TestWeightedEmpty(t *testing.T) {
	w := must(nd.New(dtype.Int64, 0))
	c := weightedCase{x: oracle.New(dtype.Float32, 2, 0), w: oracle.New(dtype.Int64, 0), method: rank.Lower, qs: []float64{0.5}, axes: []int{1}, skip: true}
	p, err := c.plan(false, &w)
	if err != nil {
		t.Fatal(err)
	}
	x, out, indices := must(nd.New(dtype.Float32, 2, 0)), must(nd.New(dtype.Float32, 1, 2)), must(nd.New(dtype.Int64, 1, 2))
	if err := p.Run(&x, &out, &indices); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if v, at := nd.Slice[float32](&out)[i], nd.Slice[int64](&indices)[i]; v == v || at != -1 {
			t.Errorf("lane %d: got %v at %d, want NaN at -1", i, v, at)
		}
	}
	c.skip = false
	if _, err := c.plan(false, &w); !errors.Is(err, errs.ErrEmpty) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
}

// TestWeightedAllocs is that a run allocates nothing once warm, in short lanes or in
// long ones.
func TestWeightedAllocs(t *testing.T) {
	for _, limit := range []int{1 << 17, 0} {
		withLimits(t, limit, 1<<20, func(t *testing.T) {
			for _, dt := range []dtype.DType{dtype.Int32, dtype.Float64} {
				for _, shape := range [][]int{{5}, {200, 30}} {
					checkWeightedAllocs(t, dt, shape)
				}
			}
		})
	}
}

// checkWeightedAllocs runs a plan with weights of the dtype along axis 0.
func checkWeightedAllocs(t *testing.T, dt dtype.DType, shape []int) {
	t.Helper()
	elements := 1
	for _, n := range shape {
		elements *= n
	}
	c := weightedCase{x: oracle.FromBytes(dtype.Float32, testkit.Fill("normal", dtype.Float32, elements, 1), shape...), method: rank.InvertedCDF, qs: []float64{0.1, 0.5}, axes: []int{0}, workers: 1}
	c.w = oracle.New(dt, shape[0])
	fillWeights(rand.New(rand.NewPCG(1, 1)), c.w)
	x, w := arrayOf(c.x), arrayOf(c.w)
	p, err := c.plan(false, &w)
	if err != nil {
		t.Fatal(err)
	}
	out, indices := must(nd.New(p.DType(), p.Shape()...)), must(nd.New(dtype.Int64, p.Shape()...))
	// The race detector makes pools forget now and then: the best run counts.
	least := math.Inf(1)
	for i := 0; i < 1000 && least > 0; i++ {
		least = min(least, testing.AllocsPerRun(1, func() {
			if err := p.Run(&x, &out, &indices); err != nil {
				t.Fatal(err)
			}
		}))
	}
	if least != 0 {
		t.Errorf("%v: %v allocations", &c, least)
	}
}

// TestWeightedMeter is that progress counts every pass.
func TestWeightedMeter(t *testing.T) {
	withLimits(t, 0, 10, func(t *testing.T) {
		c := drawCase(rand.New(rand.NewPCG(2, 2)), []int{5000})
		x, w := arrayOf(c.x), must(nd.New(dtype.Uint8, 5000))
		for i := range 5000 {
			nd.Slice[uint8](&w)[i] = uint8(1 + i%3)
		}
		c.axes = nil
		p, err := c.plan(false, &w)
		if err != nil {
			t.Fatal(err)
		}
		m := new(Meter)
		p.Config.Meter = m
		out := must(nd.New(p.DType(), p.Shape()...))
		if err := p.Run(&x, &out, nil); err != nil {
			t.Fatal(err)
		}
		if done, total := m.Done.Load(), m.Total.Load(); done != total || done < 5000 {
			t.Errorf("done %d of %d", done, total)
		}
	})
}
