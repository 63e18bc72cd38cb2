package ogive_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// TestResultDTypes: it depends on x and the method, not on how q was given.
func TestResultDTypes(t *testing.T) {
	for _, dt := range ordered {
		x := ogive.Must(ogive.Zeros(dt, 3))
		for _, m := range rank.Methods() {
			want := dt
			if !slices.Contains(discrete, m) && !dt.IsFloat() {
				want = dtype.Float64
			}
			for name, got := range map[string]*ogive.Tensor{
				"Quantile":         ogive.Must(x.Quantile(0.3, ogive.Method(m))),
				"Quantiles":        ogive.Must(x.Quantiles([]float64{0.3}, ogive.Method(m))),
				"NaNQuantile":      ogive.Must(x.NaNQuantile(0.3, ogive.Method(m))),
				"Percentile":       ogive.Must(x.Percentile(30, ogive.Method(m))),
				"NaNPercentiles":   ogive.Must(x.NaNPercentiles([]float64{30, 3}, ogive.Method(m))),
				"QuantileRatio":    ogive.Must(x.QuantileRatio(3, 10, ogive.Method(m))),
				"NaNQuantileRatio": ogive.Must(x.NaNQuantileRatio(3, 10, ogive.Method(m))),
			} {
				if got.DType() != want {
					t.Errorf("%s of %v by %v is %v, want %v", name, dt, m, got.DType(), want)
				}
			}
		}
		average := dt
		if !dt.IsFloat() {
			average = dtype.Float64
		}
		for mode, want := range map[ogive.MedianMode]dtype.DType{ogive.ModeAvg: average, ogive.ModeLower: dt, ogive.ModeUpper: dt} {
			if got := ogive.Must(x.Median(ogive.Mode(mode))); got.DType() != want {
				t.Errorf("median of %v by mode %v is %v, want %v", dt, mode, got.DType(), want)
			}
			if got := ogive.Must(x.NaNMedian(ogive.Mode(mode))); got.DType() != want {
				t.Errorf("nanmedian of %v by mode %v is %v, want %v", dt, mode, got.DType(), want)
			}
		}
	}
}

// TestResultShapes is the table of shapes for x (2, 3, 4) and two q.
func TestResultShapes(t *testing.T) {
	x := ogive.Must(ogive.Zeros(dtype.Float32, 2, 3, 4))
	cases := []struct {
		axes       []int // nil is none given
		want, kept []int
	}{
		{nil, []int{2}, []int{2, 1, 1, 1}},
		{[]int{0}, []int{2, 3, 4}, []int{2, 1, 3, 4}},
		{[]int{-1}, []int{2, 2, 3}, []int{2, 2, 3, 1}},
		{[]int{0, 2}, []int{2, 3}, []int{2, 1, 3, 1}},
		{[]int{2, 0}, []int{2, 3}, []int{2, 1, 3, 1}},
		{[]int{-1, 0}, []int{2, 3}, []int{2, 1, 3, 1}},
		{[]int{2, 1, 0}, []int{2}, []int{2, 1, 1, 1}},
	}
	for _, c := range cases {
		var opts []ogive.Option
		if c.axes != nil {
			opts = append(opts, ogive.Axis(c.axes...))
		}
		for _, form := range []struct {
			name string
			lead []int
			run  func(...ogive.Option) (*ogive.Tensor, error)
		}{
			{"two q", []int{2}, func(o ...ogive.Option) (*ogive.Tensor, error) { return x.Quantiles([]float64{0.5, 0.1}, o...) }},
			{"one q in a list", []int{1}, func(o ...ogive.Option) (*ogive.Tensor, error) { return x.Quantiles([]float64{0.5}, o...) }},
			{"scalar q", nil, func(o ...ogive.Option) (*ogive.Tensor, error) { return x.Quantile(0.5, o...) }},
			{"median", nil, func(o ...ogive.Option) (*ogive.Tensor, error) { return x.Median(o...) }},
		} {
			for _, keep := range []bool{false, true} {
				want, o := slices.Concat(form.lead, c.want[1:]), opts
				if keep {
					want, o = slices.Concat(form.lead, c.kept[1:]), append(slices.Clone(opts), ogive.KeepDims())
				}
				got, err := form.run(o...)
				if err != nil {
					t.Errorf("%s, axes %v, keepdims %v: %v", form.name, c.axes, keep, err)
				} else if !slices.Equal(got.Shape(), want) {
					t.Errorf("%s, axes %v, keepdims %v: shape %v, want %v", form.name, c.axes, keep, got.Shape(), want)
				}
			}
		}
	}
}

// TestQMayRepeatInAnyOrder: unsorted, repeated, signed zero.
func TestQMayRepeatInAnyOrder(t *testing.T) {
	got, err := vec(3.0, 1, 2).Quantiles([]float64{1, 0.5, negZero, 0.5, 0, 0.25})
	wantFloats(t, "q as given", got, err, []int{6}, 3, 2, 1, 2, 1, 1.5)
	got, err = vec(3.0, 1, 2).Percentiles([]float64{100, 50, negZero, 50, 25})
	wantFloats(t, "p as given", got, err, []int{5}, 3, 2, 1, 2, 1.5)
}

// TestPercentDividesInFloat64: 100·(p/100) is not p for some p, and p decides
// what is allowed.
func TestPercentDividesInFloat64(t *testing.T) {
	v := make([]float64, 101)
	for i := range v {
		v[i] = float64(i)
	}
	got, err := of(v).Percentiles([]float64{55, 56, 57, 58, 7, 14})
	// 0.55·100 and the others in float64.
	wantFloats(t, "percentiles", got, err, []int{6}, 0x1.b800000000001p+5, 0x1.c000000000001p+5, 0x1.c7fffffffffffp+5, 0x1.cffffffffffffp+5, 0x1.c000000000001p+2, 0x1.c000000000001p+3)
}

// TestZeroDimensional: a 0-d tensor takes no axis, 0 or -1.
func TestZeroDimensional(t *testing.T) {
	x := ogive.Scalar(7.5)
	for _, opts := range [][]ogive.Option{nil, {ogive.Axis(0)}, {ogive.Axis(-1)}, {ogive.KeepDims()}, {ogive.Axis(-1), ogive.KeepDims()}} {
		got, err := x.Quantile(0.3, opts...)
		wantFloats(t, "quantile", got, err, scalar, 7.5)
		got, err = x.Quantiles([]float64{0.3, 1}, opts...)
		wantFloats(t, "quantiles", got, err, []int{2}, 7.5, 7.5)
		value, index, err := x.MedianWithIndex(opts...)
		wantFloats(t, "median", value, err, scalar, 7.5)
		wantInts(t, "index", index, err, scalar, 0)
		_, index, err = ogive.Scalar(nan).NaNMedianWithIndex(opts...)
		wantInts(t, "index of NaN", index, err, scalar, -1)
	}
}

// TestEmptySlices is the table of slices without elements: NaN (index -1) for
// median and nan* where the result is floating, ErrEmpty elsewhere.
func TestEmptySlices(t *testing.T) {
	type result = func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, error)
	index := func(f func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, *ogive.Tensor, error)) result {
		return func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) {
			_, i, err := f(x, o...)
			return i, err
		}
	}
	ops := []struct {
		name     string
		run      result
		nan      bool // for floats
		discrete bool
		arg      bool
	}{
		{"quantile", func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) { return x.Quantile(0.5, o...) }, false, false, false},
		{"percentile", func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) { return x.Percentile(50, o...) }, false, false, false},
		{"argquantile", func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) {
			return x.ArgQuantile(0.5, append(o, ogive.Method(rank.Lower))...)
		}, false, true, true},
		{"nanquantile", func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) { return x.NaNQuantile(0.5, o...) }, true, false, false},
		{"nanquantile lower", func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) {
			return x.NaNQuantile(0.5, append(o, ogive.Method(rank.Lower))...)
		}, true, true, false},
		{"nanpercentile", func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) { return x.NaNPercentile(50, o...) }, true, false, false},
		{"nanargquantile", func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) {
			return x.NaNArgQuantile(0.5, append(o, ogive.Method(rank.Lower))...)
		}, true, true, true},
		{"median", ogive.Median, true, false, false}, {"nanmedian", ogive.NaNMedian, true, false, false},
		{"median's index", index(ogive.MedianWithIndex), true, true, true},
		{"nanmedian's index", index(ogive.NaNMedianWithIndex), true, true, true},
	}
	canonical := map[dtype.DType]uint64{dtype.Float64: 0x7FF8000000000000}
	for _, f := range floatTypes {
		canonical[f.dt] = f.nan
	}
	for _, op := range ops {
		for _, dt := range ordered {
			what := fmt.Sprintf("%s of %v", op.name, dt)
			result := dt
			if !op.discrete && !dt.IsFloat() {
				result = dtype.Float64
			}
			want, ok := canonical[result]
			if op.arg {
				result, want = dtype.Int64, math.MaxUint64
			}
			for _, s := range []struct {
				shape, axes, result []int
			}{{[]int{0}, []int{0}, scalar}, {[]int{0, 3}, []int{0}, []int{3}}, {[]int{2, 0}, []int{-1}, []int{2}}, {[]int{2, 0, 2}, []int{1}, []int{2, 2}}, {[]int{2, 0, 2}, []int{0, 1, 2}, scalar}} {
				got, err := op.run(ogive.Must(ogive.Zeros(dt, s.shape...)), ogive.Axis(s.axes...))
				if !op.nan || !ok {
					wantError(t, what, err, ogive.ErrEmpty, fmt.Sprintf("%s: axes %v of shape %v reduce 0 elements", opOf(op.name), wrapped(s.axes, len(s.shape)), s.shape))
					continue
				}
				n := 1
				for _, d := range s.result {
					n *= d
				}
				wantBits(t, what, got, err, result, s.result, slices.Repeat([]uint64{want}, n)...)
			}
			// An output with no elements is no error.
			got, err := op.run(ogive.Must(ogive.Zeros(dt, 0, 3)), ogive.Axis(1))
			wantBits(t, what+" without outputs", got, err, result, []int{0})
			got, err = op.run(ogive.Must(ogive.Zeros(dt, 0, 0)), ogive.Axis(1))
			wantBits(t, what+" of nothing without outputs", got, err, result, []int{0})
		}
	}
}

// opOf is the operation's name in front of a blank or an apostrophe.
func opOf(name string) string {
	for i, c := range name {
		if c == ' ' || c == '\'' {
			return name[:i]
		}
	}
	return name
}

// wrapped counts axes from the front.
func wrapped(axes []int, ndim int) []int {
	list := slices.Clone(axes)
	for i, a := range list {
		if a < 0 {
			list[i] = a + ndim
		}
	}
	return list
}

// TestViewsOfAnyStride: negative and zero strides give what a copy gives.
func TestViewsOfAnyStride(t *testing.T) {
	x := of([]float64{1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}, 4, 3)
	cases := []struct {
		name string
		view *ogive.Tensor
		want []float64 // the quantiles 0, .5, 1 along axis 0, q first
	}{
		{"as it is", x, []float64{1, 5, 9, 2.5, 6.5, 10.5, 4, 8, 12}},
		{"reversed", ogive.Must(x.Slice(0, 3, -1, -1)), []float64{1, 5, 9, 2.5, 6.5, 10.5, 4, 8, 12}},
		{"every second, from the end", ogive.Must(x.Slice(0, 3, -1, -2)), []float64{2, 6, 10, 3, 7, 11, 4, 8, 12}},
		{"columns reversed", ogive.Must(x.Slice(1, 2, -1, -1)), []float64{9, 5, 1, 10.5, 6.5, 2.5, 12, 8, 4}},
		{"transposed", ogive.Must(x.Transpose()), []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{"one row repeated", ogive.Must(ogive.Must(x.Slice(0, 1, 2, 1)).BroadcastTo(5, 3)), []float64{2, 6, 10, 2, 6, 10, 2, 6, 10}},
		{"one column repeated", ogive.Must(ogive.Must(x.Slice(1, 0, 1, 1)).BroadcastTo(4, 2)), []float64{1, 1, 2.5, 2.5, 4, 4}},
		{"one value", ogive.Must(ogive.Scalar(3.0).BroadcastTo(6, 2)), []float64{3, 3, 3, 3, 3, 3}},
	}
	for _, c := range cases {
		got, err := c.view.Quantiles([]float64{0, 0.5, 1}, ogive.Axis(0))
		wantFloats(t, c.name, got, err, []int{3, c.view.Shape()[1]}, c.want...)
		// The same lanes as rows.
		got, err = ogive.Must(c.view.Transpose()).Quantiles([]float64{0, 0.5, 1}, ogive.Axis(1))
		wantFloats(t, c.name+", as rows", got, err, []int{3, c.view.Shape()[1]}, c.want...)
	}
	// A value repeated to more elements than there is memory.
	long := ogive.Must(vec(1.5, 2.5).Reshape(2, 1))
	got, err := ogive.Must(long.BroadcastTo(2, 100_000)).Median(ogive.Axis(1))
	wantFloats(t, "long broadcast", got, err, []int{2}, 1.5, 2.5)
	value, index, err := ogive.Must(long.BroadcastTo(2, 100_000)).MedianWithIndex(ogive.Axis(0))
	if err != nil || value.Len() != 100_000 || bitsOf(t, index)[99_999] != 0 {
		t.Errorf("columns of a broadcast: %v %v", value, err)
	}
}

// TestAxisOrderChangesNothing: the result is one set of values, but for the
// order of per-axis weights.
func TestAxisOrderChangesNothing(t *testing.T) {
	v := make([]float64, 4*5*6)
	for r := range v {
		v[shuffled(len(v))(r)] = float64(r)
	}
	x := of(v, 4, 5, 6)
	for _, axes := range [][2][]int{{{0, 1}, {1, 0}}, {{0, 2}, {-1, 0}}, {{0, 1, 2}, {2, 0, 1}}, {{1, 2}, {2, -2}}} {
		a, ai, err := x.MedianWithIndex(ogive.Axis(axes[0]...))
		if err != nil {
			t.Fatal(err)
		}
		b, bi, err := x.MedianWithIndex(ogive.Axis(axes[1]...))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(bitsOf(t, a), bitsOf(t, b)) || !slices.Equal(bitsOf(t, ai), bitsOf(t, bi)) {
			t.Errorf("axes %v and %v differ", axes[0], axes[1])
		}
	}
	got, err := x.Quantiles([]float64{0, 1}, ogive.Axis(2, 1, 0))
	wantFloats(t, "all axes, by name", got, err, []int{2}, 0, 119)
}
