package ogive_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// TestFrequencyWeightsRepeat: integer weights are repetition, for every method,
// mode and dtype of weights.
func TestFrequencyWeightsRepeat(t *testing.T) {
	x, repeats := []float64{30, 10, 20, 40}, []int64{2, 1, 0, 3}
	repeated := vec(30.0, 30, 10, 40, 40, 40)
	qs := []float64{0, 0.1, 0.3, 0.5, 0.7, 1}
	for _, dt := range []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64} {
		w := ogive.Must(of(repeats).Cast(dt))
		for _, m := range rank.Methods() {
			want := ogive.Must(ogive.Values[float64](ogive.Must(repeated.Quantiles(qs, ogive.Method(m)))))
			got, err := of(x).Quantiles(qs, ogive.Method(m), ogive.Weights(w))
			wantFloats(t, fmt.Sprintf("%v weights, %v", dt, m), got, err, []int{6}, want...)
		}
		got, err := of(x).Median(ogive.Weights(w)) // 10 30 30 40 40 40
		wantFloats(t, "median", got, err, scalar, 35)
		for mode, want := range map[ogive.MedianMode]int64{ogive.ModeLower: 0, ogive.ModeUpper: 3} {
			value, index, err := of(x).MedianWithIndex(ogive.Weights(w), ogive.Mode(mode))
			wantFloats(t, "value", value, err, scalar, x[want])
			wantInts(t, "an index names the original element", index, err, scalar, want)
		}
	}
	got, err := of(x).Median(ogive.Weights(vec(true, false, true, false)))
	wantFloats(t, "bool weights", got, err, scalar, 25)
	got, err = of(x).QuantileRatio(1, 3, ogive.Weights(of(repeats)), ogive.Method(rank.Linear))
	wantFloats(t, "1/3 of six", got, err, scalar, 30+0*10) // v = 5/3 between 30 and 30
	got, err = vec[int8](-128, 127).Quantiles([]float64{0.25, 0.5}, ogive.Weights(vec[uint16](40000, 40000)))
	wantFloats(t, "many repeats", got, err, []int{2}, -128, -0.5)
	// The largest sum allowed.
	got, err = vec(1.0, 2).Quantiles([]float64{0.5, 1}, ogive.Weights(vec[int64](1<<52, 1<<52-1)), ogive.Method(rank.Lower))
	wantFloats(t, "2^53 - 1 repeats", got, err, []int{2}, 1, 2)
}

// TestFloatWeightsAreExact is inverted_cdf: the first value in order with a
// positive weight and RN(C / W) ≥ q, sums exact.
func TestFloatWeightsAreExact(t *testing.T) {
	cdf := ogive.Method(rank.InvertedCDF)
	cases := []struct {
		name string
		x, w []float64
		q    float64
		want float64
	}{
		{"halves", []float64{3, 1, 2}, []float64{1, 1, 2}, 0.25, 1},
		{"just above a step", []float64{3, 1, 2}, []float64{1, 1, 2}, 0.25 + 0x1p-54, 2},
		{"q = 0 skips weight 0", []float64{1, 2, 3}, []float64{0, 1, 1}, 0, 2},
		{"q = 1 skips weight 0", []float64{1, 2, 3}, []float64{1, 1, 0}, 1, 2},
		{"integral floats are no frequencies", []float64{1, 2}, []float64{3, 1}, 0.75, 1},
		{"lost in a float64 sum", []float64{1, 2, 3}, []float64{1e300, 1, 1e-300}, 1, 1},
		{"ten tenths in float64", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, slices.Repeat([]float64{0.1}, 10), 0.3, 3},
		{"sum beyond float64", []float64{1, 2}, []float64{math.MaxFloat64, math.MaxFloat64}, 0.5, 1},
		{"sum beyond float64, upper", []float64{1, 2}, []float64{math.MaxFloat64, math.MaxFloat64}, 0.5 + 0x1p-53, 2},
		{"subnormal", []float64{2, 1}, []float64{5e-324, 5e-324}, 0.5, 1},
		{"wide", []float64{1, 2, 3}, []float64{5e-324, math.MaxFloat64, 5e-324}, 5e-324, 2},
		{"the quotient is rounded once", []float64{1, 2}, []float64{1, 2}, 1.0 / 3, 1},
		{"the quotient is rounded once, next", []float64{1, 2}, []float64{1, 2}, math.Nextafter(1.0/3, 1), 2},
	}
	for _, c := range cases {
		got, err := of(c.x).Quantile(c.q, cdf, ogive.Weights(of(c.w)))
		wantFloats(t, c.name, got, err, scalar, c.want)
		place, err := of(c.x).ArgQuantile(c.q, cdf, ogive.Weights(of(c.w)))
		wantInts(t, c.name, place, err, scalar, int64(slices.Index(c.x, c.want)))
	}
	for _, f := range floatTypes {
		got, err := vec(3.0, 1, 2).Quantiles([]float64{0.25, 0.26, 0.75, 0.76}, cdf, ogive.Weights(fromBits(t, f.dt, []uint64{f.one, f.one, f.two})))
		wantFloats(t, f.dt.String(), got, err, []int{4}, 1, 2, 2, 3)
	}
}

// TestWeightsAndNaN: weight 0 does not hide a NaN; nan* drop value and weight.
func TestWeightsAndNaN(t *testing.T) {
	x, cdf := vec(1.0, nan, 3), ogive.Method(rank.InvertedCDF)
	for name, w := range map[string]*ogive.Tensor{"frequencies": vec[int64](1, 0, 1), "floats": vec(1.0, 0, 1)} {
		got, err := x.Quantile(0.5, cdf, ogive.Weights(w))
		wantFloats(t, name, got, err, scalar, nan)
		got, err = x.NaNQuantile(0.5, cdf, ogive.Weights(w))
		wantFloats(t, name+", nan", got, err, scalar, 1)
	}
	for name, w := range map[string]*ogive.Tensor{"frequencies": vec[int64](0, 2, 0), "floats": vec(0.0, 2, 0)} {
		got, err := x.NaNQuantile(0.5, cdf, ogive.Weights(w))
		wantFloats(t, name+" that leave no weight", got, err, scalar, nan)
		got, err = x.NaNArgQuantile(0.5, cdf, ogive.Weights(w))
		wantInts(t, name+" that leave no weight", got, err, scalar, -1)
	}
}

// TestWeightShapes are x's shape, or x's along the axes in the order given.
func TestWeightShapes(t *testing.T) {
	x := of([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 2, 2, 3)
	got, err := x.Median(ogive.Axis(2), ogive.Weights(vec[int64](0, 0, 1)))
	wantFloats(t, "along one axis", got, err, []int{2, 2}, 3, 6, 9, 12)
	got, err = x.Median(ogive.Axis(0, 2), ogive.Weights(of([]int64{0, 0, 1, 0, 0, 0}, 2, 3)))
	wantFloats(t, "along axes 0, 2", got, err, []int{2}, 3, 6)
	got, err = x.Median(ogive.Axis(2, 0), ogive.Weights(of([]int64{0, 1, 0, 0, 0, 0}, 3, 2)))
	wantFloats(t, "along axes 2, 0", got, err, []int{2}, 7, 10)
	_, index, err := x.MedianWithIndex(ogive.Axis(2, 0), ogive.Weights(of([]int64{0, 1, 0, 0, 0, 0}, 3, 2)))
	wantInts(t, "indices count in increasing axis order", index, err, []int{2}, 3, 3)
	got, err = x.Quantile(1, ogive.Axis(1), ogive.Weights(of([]int8{1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1}, 2, 2, 3)))
	wantFloats(t, "of x's shape", got, err, []int{2, 3}, 1, 2, 3, 7, 8, 12)
	w := of([]int8{1, 0}, 1, 2)
	got, err = x.Quantile(1, ogive.Axis(0, 1), ogive.Weights(ogive.Must(w.BroadcastTo(2, 2))))
	wantFloats(t, "a broadcast view", got, err, []int{3}, 7, 8, 9)
	got, err = ogive.Scalar(4.0).Median(ogive.Weights(ogive.Scalar(int64(3))))
	wantFloats(t, "0-d", got, err, scalar, 4)
}

// TestOutIsCastFromTheResultDType: the result is rounded to its own dtype, then
// to out's.
func TestOutIsCastFromTheResultDType(t *testing.T) {
	// 1 + 2^-24 + 2^-53 is above float32's tie, but rounds to it in float64.
	x := vec(1, 1+0x1p-23+0x1p-52)
	out := ogive.Must(ogive.Zeros(dtype.Float32))
	got, err := x.Quantile(0.5, ogive.Out(out))
	if got != out {
		t.Error("the result is not the tensor given")
	}
	wantBits(t, "float64 to float32, a tie", got, err, dtype.Float32, scalar, 0x3F800000)
	wide := ogive.Must(ogive.Zeros(dtype.Float64))
	got, err = vec[float32](1, 1+0x1p-23).Quantile(0.75, ogive.Out(wide))
	wantFloats(t, "float32 to float64 keeps float32's rounding", got, err, scalar, 1+0x1p-23)
	got, err = vec[int32](1, 4).Median(ogive.Out(out))
	wantBits(t, "int32's float64 to float32", got, err, dtype.Float32, scalar, 0x40200000)
	half := ogive.Must(ogive.Zeros(dtype.Float16))
	got, err = vec(1e6).Median(ogive.Out(half))
	wantBits(t, "overflow", got, err, dtype.Float16, scalar, 0x7C00)
	got, err = vec(-1e-300).Median(ogive.Out(half))
	wantBits(t, "underflow", got, err, dtype.Float16, scalar, 0x8000)
}

// TestOutMayOverlapInputs: the answer is as if it did not.
func TestOutMayOverlapInputs(t *testing.T) {
	x := of([]float64{4, 1, 3, 2, 8, 5, 7, 6}, 2, 4)
	row := ogive.Must(ogive.Must(x.Slice(0, 0, 1, 1)).Reshape(4))
	got, err := x.Quantile(0.5, ogive.Axis(0), ogive.Out(row))
	wantFloats(t, "over x's first row", got, err, []int{4}, 6, 3, 5, 4)
	y := of([]float64{4, 1, 3, 2, 8, 5, 7, 6}, 2, 4)
	back := ogive.Must(ogive.Must(y.Reshape(8)).Slice(0, 3, 1, -1))
	got, err = y.Median(ogive.Axis(1), ogive.Out(back))
	wantFloats(t, "over x, reversed", got, err, []int{2}, 2.5, 6.5)
	w := vec[int64](0, 1, 0, 0)
	place := ogive.Must(w.Slice(0, 1, 3, 1))
	got, err = of([]float64{4, 1, 3, 2, 8, 5, 7, 6}, 2, 4).ArgQuantile(0.5, ogive.Axis(1), ogive.Method(rank.Lower), ogive.Weights(w), ogive.Out(place))
	wantInts(t, "over the weights", got, err, []int{2}, 1, 1)
	b := vec(true, false, true)
	got, err = b.IsIn(ogive.Must(b.Slice(0, 1, 2, 1)), ogive.Out(ogive.Must(b.Slice(0, 2, -1, -1))))
	wantBools(t, "isin over both", got, err, []int{3}, "010")
	p := vec(true, false)
	got, err = p.IsFinite(ogive.Out(p))
	wantBools(t, "isfinite over x", got, err, []int{2}, "11")
}

// TestOverwriteKeepsTheResult: x may be reordered, the answer stays; what lies
// outside of x stays too.
func TestOverwriteKeepsTheResult(t *testing.T) {
	for _, n := range []int{5, 100, 5000, 300_000} {
		v := make([]float32, 3*n)
		at := shuffled(n)
		for r := range n {
			v[n+at(r)] = float32(r)
		}
		x := ogive.Must(of(v, 3, n).Slice(0, 1, 2, 1))
		got, err := x.Quantiles([]float64{0, 1}, ogive.Axis(1), ogive.Overwrite())
		wantBits(t, fmt.Sprint(n), got, err, dtype.Float32, []int{2, 1}, 0, uint64(math.Float32bits(float32(n-1))))
		if slices.Max(v[:n]) != 0 || slices.Max(v[2*n:]) != 0 {
			t.Errorf("n = %d: the rows beside x were written", n)
		}
	}
	// Elements that several indices share are no scratch space.
	shared := vec(3.0, 1, 2)
	got, err := ogive.Must(shared.BroadcastTo(2, 3)).Median(ogive.Axis(1), ogive.Overwrite())
	wantFloats(t, "a broadcast x", got, err, []int{2}, 2, 2)
}

// TestShapesWithZeros: empty in, empty out, whatever the operation.
func TestShapesWithZeros(t *testing.T) {
	for _, dt := range dtype.All() {
		x := ogive.Must(ogive.Zeros(dt, 2, 0, 3))
		got, err := x.IsFinite()
		wantBools(t, "isfinite", got, err, []int{2, 0, 3}, "")
		got, err = x.IsIn(ogive.Must(ogive.Zeros(dt, 2)))
		wantBools(t, "isin", got, err, []int{2, 0, 3}, "")
		if !dt.IsOrdered() {
			continue
		}
		got, err = x.Quantile(0.5, ogive.Axis(0), ogive.Method(rank.Lower))
		wantBits(t, "quantile", got, err, dt, []int{0, 3})
		got, err = x.Quantiles([]float64{0.5, 1}, ogive.Axis(0, 2), ogive.Method(rank.Lower), ogive.KeepDims())
		wantBits(t, "quantiles", got, err, dt, []int{2, 1, 0, 1})
		value, index, err := x.NaNMedianWithIndex(ogive.Axis(-1))
		wantBits(t, "nanmedian", value, err, dt, []int{2, 0})
		wantInts(t, "indices", index, err, []int{2, 0})
		got, err = x.ArgQuantile(0.5, ogive.Axis(0), ogive.Method(rank.Lower), ogive.Weights(ogive.Must(ogive.Zeros(dtype.Int64, 2))))
		wantInts(t, "argquantile", got, err, []int{0, 3})
	}
}

// TestScalarWeights: a tensor without dimensions takes axis 0, and weights without dimensions
// for its element, not a vector.
func TestScalarWeights(t *testing.T) {
	x := ogive.Scalar(7.0)
	got, err := x.Quantile(0.5, ogive.Axis(0), ogive.Weights(ogive.Scalar(int64(3))))
	wantFloats(t, "a scalar weight", got, err, scalar, 7)
	if _, err := x.Quantile(0.5, ogive.Axis(0), ogive.Weights(vec[int64](3))); !errors.Is(err, ogive.ErrWeights) {
		t.Errorf("a vector: error %v, want ErrWeights", err)
	}
}
