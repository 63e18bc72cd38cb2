package ogive_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// badCall is a call that must fail before any work. x and out are filled in by
// the test, which looks at their memory afterwards.
type badCall struct {
	name     string
	op       ogive.Op
	dt       dtype.DType // of x; Invalid makes x nil
	shape    []int
	param    parameter      // of the function; an option of Prepare
	opts     []ogive.Option // of both forms
	out      []int          // with outType: the shape of an output
	outType  dtype.DType
	sentinel error
	message  string
}

// The parameters where nothing is wrong with them, and a nil test.
var (
	q1     = quantilesOf(0.5)
	p1     = percentsOf(50)
	noTest = testOf(nil)
)

const methodList = "linear, lower, higher, nearest, nearest_down, midpoint, inverted_cdf, averaged_inverted_cdf, closest_observation, " +
	"interpolated_inverted_cdf, hazen, weibull, median_unbiased, normal_unbiased"

func badCalls() []badCall {
	f8, c8, i8, none := dtype.Float64, dtype.Complex64, dtype.Int64, dtype.Invalid
	cube, square := []int{2, 3, 4}, []int{3, 4}
	lower := ogive.Method(rank.Lower)
	return []badCall{
		{"q above 1", ogive.OpQuantile, f8, cube, quantilesOf(0, 1, 1.1), nil, nil, none, ogive.ErrQ, `quantile: q[2] = 1.1 is outside [0, 1]`},
		{"scalar q", ogive.OpQuantile, f8, cube, quantilesOf(-0.25), nil, nil, none, ogive.ErrQ, `quantile: q[0] = -0.25 is outside [0, 1]`},
		{"q is -5e-324", ogive.OpNaNQuantile, f8, cube, quantilesOf(-5e-324), nil, nil, none, ogive.ErrQ, `nanquantile: q[0] = -5e-324 is outside [0, 1]`},
		{"q is just above 1", ogive.OpQuantile, f8, cube, quantilesOf(1 + 0x1p-52), nil, nil, none, ogive.ErrQ, `quantile: q[0] = 1.0000000000000002 is outside [0, 1]`},
		{"q infinite", ogive.OpQuantile, f8, cube, quantilesOf(inf), nil, nil, none, ogive.ErrQ, `quantile: q[0] = +Inf is outside [0, 1]`},
		{"q NaN", ogive.OpQuantile, f8, cube, quantilesOf(nan), nil, nil, none, ogive.ErrQ, `quantile: q[0] is NaN`},
		{"the first bad q", ogive.OpQuantile, f8, cube, quantilesOf(0.5, nan, 7), nil, nil, none, ogive.ErrQ, `quantile: q[1] is NaN`},
		{"q empty", ogive.OpQuantile, f8, cube, parameter{set: "Q", list: true}, nil, nil, none, ogive.ErrQ, `quantile: q is empty`},
		{"q of argquantile", ogive.OpArgQuantile, f8, cube, quantilesOf(2), []ogive.Option{lower}, nil, none, ogive.ErrQ, `argquantile: q[0] = 2 is outside [0, 1]`},
		{"p above 100", ogive.OpPercentile, f8, cube, percentsOf(101), nil, nil, none, ogive.ErrQ, `percentile: p[0] = 101 is outside [0, 100]`},
		{"p is checked before it is divided", ogive.OpNaNPercentile, f8, cube, percentsOf(50, 100.00000000000001), nil, nil, none, ogive.ErrQ, `nanpercentile: p[1] = 100.00000000000001 is outside [0, 100]`},
		{"p NaN", ogive.OpPercentile, f8, cube, percentsOf(nan), nil, nil, none, ogive.ErrQ, `percentile: p[0] is NaN`},
		{"p empty", ogive.OpNaNPercentile, f8, cube, parameter{set: "P", list: true}, nil, nil, none, ogive.ErrQ, `nanpercentile: p is empty`},
		{"fraction above 1", ogive.OpQuantile, f8, cube, parameter{set: "Ratio", list: true, nums: []int64{1, 4}, den: 3}, nil, nil, none, ogive.ErrQ, `quantile: q[1] = 4/3 is outside [0, 1]`},
		{"fraction below 0", ogive.OpNaNQuantile, f8, cube, parameter{set: "Ratio", nums: []int64{-1}, den: 3}, nil, nil, none, ogive.ErrQ, `nanquantile: q[0] = -1/3 is outside [0, 1]`},
		{"no fractions", ogive.OpQuantile, f8, cube, parameter{set: "Ratio", list: true, den: 3}, nil, nil, none, ogive.ErrQ, `quantile: q is empty`},

		{"axis out of range", ogive.OpQuantile, f8, cube, q1, []ogive.Option{ogive.Axis(3)}, nil, none, ogive.ErrAxis, `quantile: axis 3 is out of range for a 3-d tensor (allowed -3..2)`},
		{"negative axis out of range", ogive.OpNaNMedian, f8, cube, parameter{}, []ogive.Option{ogive.Axis(0, -4)}, nil, none, ogive.ErrAxis, `nanmedian: axis -4 is out of range for a 3-d tensor (allowed -3..2)`},
		{"axis of a scalar", ogive.OpQuantile, f8, scalar, q1, []ogive.Option{ogive.Axis(1)}, nil, none, ogive.ErrAxis, `quantile: axis 1 is out of range for a 0-d tensor (allowed -1..0)`},
		{"axis twice", ogive.OpQuantile, f8, cube, q1, []ogive.Option{ogive.Axis(0, 0)}, nil, none, ogive.ErrAxis, `quantile: axis 0 given twice (positions 0 and 1)`},
		{"axis twice, wrapped", ogive.OpQuantile, f8, cube, q1, []ogive.Option{ogive.Axis(2, 1, -1)}, nil, none, ogive.ErrAxis, `quantile: axis 2 given twice (positions 0 and 2)`},
		{"axis of a scalar twice", ogive.OpQuantile, f8, scalar, q1, []ogive.Option{ogive.Axis(0, -1)}, nil, none, ogive.ErrAxis, `quantile: axis 0 given twice (positions 0 and 1)`},
		{"no axes", ogive.OpQuantile, f8, cube, q1, []ogive.Option{ogive.Axis()}, nil, none, ogive.ErrAxis, `quantile: axes list is empty; leave it out to reduce all axes`},
		{"more axes than there can be", ogive.OpQuantile, f8, cube, q1, []ogive.Option{ogive.Axis(slices.Repeat([]int{1}, 40)...)}, nil, none, ogive.ErrAxis, `quantile: axis 1 given twice (positions 0 and 1)`},

		{"x nil", ogive.OpQuantile, none, nil, q1, nil, nil, none, ogive.ErrShape, `quantile: x is nil`},
		{"elements nil", ogive.OpIsIn, none, nil, noTest, nil, nil, none, ogive.ErrShape, `isin: x is nil`},
		{"complex", ogive.OpQuantile, c8, cube, q1, nil, nil, none, ogive.ErrDType, `quantile: complex64 has no order`},
		{"complex median", ogive.OpNaNMedian, dtype.Complex128, cube, parameter{}, nil, nil, none, ogive.ErrDType, `nanmedian: complex128 has no order`},
		{"empty slice", ogive.OpQuantile, f8, []int{0, 3}, q1, []ogive.Option{ogive.Axis(0)}, nil, none, ogive.ErrEmpty, `quantile: axes [0] of shape [0 3] reduce 0 elements`},
		{"empty slice, all axes", ogive.OpPercentile, f8, []int{0}, p1, nil, nil, none, ogive.ErrEmpty, `percentile: axes [0] of shape [0] reduce 0 elements`},
		{"empty slice, no NaN", ogive.OpMedian, i8, []int{2, 0}, parameter{}, []ogive.Option{ogive.Axis(-1), ogive.Mode(ogive.ModeLower)}, nil, none, ogive.ErrEmpty, `median: axes [1] of shape [2 0] reduce 0 elements`},

		{"unknown method", ogive.OpQuantile, f8, cube, q1, []ogive.Option{ogive.Method(200)}, nil, none, ogive.ErrMethod, `quantile: unknown method method(200); known: ` + methodList},
		{"argquantile by linear", ogive.OpArgQuantile, f8, cube, q1, []ogive.Option{ogive.Method(rank.Linear)}, nil, none, ogive.ErrMethod, `argquantile: method linear does not choose an element; use one of lower, higher, nearest, nearest_down, inverted_cdf, closest_observation`},
		{"argquantile interpolates", ogive.OpNaNArgQuantile, f8, cube, q1, []ogive.Option{ogive.Method(rank.AveragedInvertedCDF)}, nil, none, ogive.ErrMethod, `nanargquantile: method averaged_inverted_cdf does not choose an element; use one of lower, higher, nearest, nearest_down, inverted_cdf, closest_observation`},
		{"unknown mode", ogive.OpMedian, f8, cube, parameter{}, []ogive.Option{ogive.Mode(7)}, nil, none, ogive.ErrOption, `median: unknown mode 7; known: avg, lower (min), upper`},

		{"out's shape", ogive.OpQuantile, f8, cube, q1, []ogive.Option{ogive.Axis(0)}, []int{2, 2}, f8, ogive.ErrOut, `quantile: out has shape [2 2], want [3 4]`},
		{"out is not resized", ogive.OpQuantile, f8, cube, q1, []ogive.Option{ogive.Axis(0)}, []int{12}, f8, ogive.ErrOut, `quantile: out has shape [12], want [3 4]`},
		{"out lacks the q dimension", ogive.OpQuantile, f8, cube, parameter{set: "Q", list: true, numbers: []float64{0.5}}, []ogive.Option{ogive.Axis(0)}, square, f8, ogive.ErrOut, `quantile: out has shape [3 4], want [1 3 4]`},
		{"out's dtype", ogive.OpQuantile, f8, cube, q1, []ogive.Option{ogive.Axis(0)}, square, i8, ogive.ErrOut, `quantile: out dtype int64 cannot hold a float64 result`},
		{"out's dtype, integers", ogive.OpQuantile, dtype.Int32, cube, q1, []ogive.Option{ogive.Axis(0), lower}, square, i8, ogive.ErrOut, `quantile: out dtype int64 cannot hold a int32 result`},
		{"out's dtype, integers in floats", ogive.OpMedian, i8, cube, parameter{}, []ogive.Option{ogive.Axis(0), ogive.Mode(ogive.ModeUpper)}, square, f8, ogive.ErrOut, `median: out dtype float64 cannot hold a int64 result`},
		{"out of argquantile", ogive.OpArgQuantile, f8, cube, q1, []ogive.Option{ogive.Axis(0), lower}, square, dtype.Int32, ogive.ErrOut, `argquantile: out dtype int32 cannot hold a int64 result`},
		{"out of isnan", ogive.OpIsNaN, f8, square, parameter{}, nil, square, dtype.Uint8, ogive.ErrOut, `isnan: out dtype uint8 cannot hold a bool result`},

		{"negative weight", ogive.OpQuantile, f8, square, q1, []ogive.Option{ogive.Weights(of([]int64{1, 1, 1, 1, 1, 1, -2, 1, 1, 1, 1, 1}, 3, 4))}, nil, none, ogive.ErrWeights, `quantile: weights[1 2] = -2 is negative`},
		{"weight NaN", ogive.OpQuantile, f8, square, q1, []ogive.Option{ogive.Axis(1), ogive.Method(rank.InvertedCDF), ogive.Weights(vec(1, 0, nan, 1))}, nil, none, ogive.ErrWeights, `quantile: weights[2] = NaN is not finite`},
		{"weight infinite", ogive.OpQuantile, f8, square, q1, []ogive.Option{ogive.Axis(1), ogive.Method(rank.InvertedCDF), ogive.Weights(vec(1, 0, 1, inf))}, nil, none, ogive.ErrWeights, `quantile: weights[3] = +Inf is not finite`},
		{"weight negative, float", ogive.OpNaNQuantile, f8, square, q1, []ogive.Option{ogive.Axis(1), ogive.Method(rank.InvertedCDF), ogive.Weights(vec(1, -0.5, 1, 1))}, nil, none, ogive.ErrWeights, `nanquantile: weights[1] = -0.5 is negative`},
		{"no weight", ogive.OpMedian, f8, square, parameter{}, []ogive.Option{ogive.Weights(ogive.Must(ogive.Zeros(i8, 3, 4)))}, nil, none, ogive.ErrWeights, `median: weights sum to 0, want a positive sum`},
		{"no weight in a slice", ogive.OpMedian, f8, square, parameter{}, []ogive.Option{ogive.Axis(1), ogive.Weights(of([]int64{1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1}, 3, 4))}, nil, none, ogive.ErrWeights, `median: weights of slice [1] sum to 0, want a positive sum`},
		{"too many repeats", ogive.OpMedian, f8, square, parameter{}, []ogive.Option{ogive.Axis(1), ogive.Weights(vec[int64](1<<52, 1<<52, 0, 0))}, nil, none, ogive.ErrWeights, `median: weights sum to 2^53 or more, which is too large for frequencies`},
		{"shape of weights", ogive.OpQuantile, f8, cube, q1, []ogive.Option{ogive.Axis(2, 0), ogive.Weights(ogive.Must(ogive.Zeros(i8, 2, 4)))}, nil, none, ogive.ErrWeights, `quantile: weights have shape [2 4], want x's [2 3 4] or [4 2], its shape along axes [2 0]`},
		{"weights complex", ogive.OpQuantile, f8, square, q1, []ogive.Option{ogive.Weights(ogive.Must(ogive.Zeros(c8, 3, 4)))}, nil, none, ogive.ErrWeights, `quantile: weights are complex64, want a real dtype`},
		{"weights nil", ogive.OpQuantile, f8, square, q1, []ogive.Option{ogive.Weights(nil)}, nil, none, ogive.ErrWeights, `quantile: the weights are nil`},
		{"float weights and linear", ogive.OpQuantile, f8, square, q1, []ogive.Option{ogive.Weights(ogive.Must(ogive.Zeros(f8, 3, 4)))}, nil, none, ogive.ErrMethod, `quantile: float64 weights take method inverted_cdf only, got linear; integer and bool weights take every method`},
		{"float weights and median", ogive.OpMedian, f8, square, parameter{}, []ogive.Option{ogive.Weights(ogive.Must(ogive.Zeros(f8, 3, 4)))}, nil, none, ogive.ErrMethod, `median: float64 weights take mode lower only, got avg; integer and bool weights take every mode`},

		{"isposinf of complex", ogive.OpIsPosInf, dtype.Complex128, square, parameter{}, nil, nil, none, ogive.ErrDType, `isposinf: complex128 is ambiguous; test its real or imaginary part`},
		{"isneginf of complex", ogive.OpIsNegInf, c8, square, parameter{}, nil, nil, none, ogive.ErrDType, `isneginf: complex64 is ambiguous; test its real or imaginary part`},
		{"signbit of complex", ogive.OpSignBit, c8, square, parameter{}, nil, nil, none, ogive.ErrDType, `signbit: complex64 is ambiguous; test its real or imaginary part`},
		{"test nil", ogive.OpIsIn, f8, square, noTest, nil, nil, none, ogive.ErrShape, `isin: test is nil`},
		{"unknown kind", ogive.OpIsIn, i8, square, testOf(vec(1)), []ogive.Option{ogive.Kind(9)}, nil, none, ogive.ErrOption, `isin: unknown kind 9; known: auto, sort, table, hash`},
		{"table too large", ogive.OpIsIn, i8, square, testOf(vec[int64](1, 1e14)), []ogive.Option{ogive.Kind(ogive.KindTable)}, nil, none, ogive.ErrOption, `isin: kind table needs 93132 GiB, limit 1 GiB`},
		{"table of everything", ogive.OpIsIn, i8, square, testOf(vec[int64](math.MinInt64, math.MaxInt64)), []ogive.Option{ogive.Kind(ogive.KindTable)}, nil, none, ogive.ErrOption, `isin: kind table needs 17179869184 GiB, limit 1 GiB`},
		{"table of floats", ogive.OpIsIn, i8, square, testOf(vec(1.0)), []ogive.Option{ogive.Kind(ogive.KindTable)}, nil, none, ogive.ErrDType, `isin: kind table takes integers and bool, got float64`},
		{"table for floats", ogive.OpIsIn, dtype.Float32, square, testOf(vec(1)), []ogive.Option{ogive.Kind(ogive.KindTable)}, nil, none, ogive.ErrDType, `isin: kind table takes integers and bool, got float32`},
	}
}

// TestErrors is the table of section 4: the exact message, the sentinel, and
// nothing touched, not even where x may be overwritten; and Prepare fails alike.
func TestErrors(t *testing.T) {
	for _, c := range badCalls() {
		t.Run(c.name, func(t *testing.T) {
			opts := slices.Clone(c.opts)
			var x *ogive.Tensor
			watch := map[string]*ogive.Tensor{}
			if c.dt.Valid() {
				x = junkTensor(t, c.dt, c.shape)
				watch["x"] = x
			}
			if c.outType.Valid() {
				out := junkTensor(t, c.outType, c.out)
				watch["out"] = out
				opts = append(opts, ogive.Out(out))
			} else if c.op.String() != "isin" && !strings.HasPrefix(c.op.String(), "is") && c.op != ogive.OpSignBit {
				opts = append(opts, ogive.Overwrite())
			}
			before := map[string][]byte{}
			for name, w := range watch {
				before[name] = slices.Clone(content(t, w))
			}
			got, err := callWith(c.op, x, c.param, opts)
			wantError(t, "eager", err, c.sentinel, c.message)
			if got != nil {
				t.Error("a result beside the error")
			}
			for name, w := range watch {
				if !bytes.Equal(content(t, w), before[name]) {
					t.Errorf("%s was touched", name)
				}
			}
			if x == nil || c.outType.Valid() {
				return
			}
			p, err := ogive.Prepare(c.op, c.dt, c.shape, c.param.with(c.opts)...)
			wantError(t, "Prepare", err, c.sentinel, c.message)
			if p != nil {
				t.Error("a plan beside the error")
			}
		})
	}
}

// TestPlanRunErrors are those of the tensors given to a plan.
func TestPlanRunErrors(t *testing.T) {
	x := of([]float64{3, 1, 2, 4}, 2, 2)
	p := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float64, []int{2, 2}, ogive.Axis(1), ogive.Mode(ogive.ModeLower)))
	out, index := ogive.Must(ogive.Zeros(dtype.Float64, 2)), ogive.Must(ogive.Zeros(dtype.Int64, 2))
	average := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float64, []int{2, 2}, ogive.Axis(1)))
	arg := ogive.Must(ogive.Prepare(ogive.OpArgQuantile, dtype.Float64, []int{2, 2}, ogive.Axis(1), ogive.Q(0.5), ogive.Method(rank.Lower)))
	const needs = `indices need values that are elements of x: a median of mode lower or upper, or a discrete method`
	for _, c := range []struct {
		name     string
		err      error
		sentinel error
		message  string
	}{
		{"x nil", p.Run(nil, out), ogive.ErrShape, `median: x is nil`},
		{"x's dtype", p.Run(of([]float32{1, 2, 3, 4}, 2, 2), out), ogive.ErrDType, `median: x is float32, the plan takes float64`},
		{"x's shape", p.Run(of([]float64{1, 2, 3, 4}, 4, 1), out), ogive.ErrShape, `median: x has shape [4 1], the plan takes [2 2]`},
		{"out nil", p.Run(x, nil), ogive.ErrOut, `median: out is nil`},
		{"out's shape", p.Run(x, x), ogive.ErrOut, `median: out has shape [2 2], want [2]`},
		{"out's dtype", p.Run(x, index), ogive.ErrOut, `median: out dtype int64 cannot hold a float64 result`},
		{"out repeats", p.Run(x, ogive.Must(ogive.Scalar(1.0).BroadcastTo(2))), ogive.ErrOut, `median: out overlaps itself: shape [2] has strides [0]`},
		{"indices nil", p.RunIndex(x, out, nil), ogive.ErrOut, `median: indices is nil`},
		{"indices' dtype", p.RunIndex(x, out, out), ogive.ErrOut, `median: out dtype float64 cannot hold a int64 result`},
		{"out and indices overlap", p.RunIndex(x, out, overlapping(out)), ogive.ErrOut, `median: out and indices overlap`},
		{"no index of a mean", average.RunIndex(x, out, index), ogive.ErrOption, `median: ` + needs},
		{"no index of an index", arg.RunIndex(x, index, index), ogive.ErrOption, `argquantile: ` + needs},
	} {
		wantError(t, c.name, c.err, c.sentinel, c.message)
	}
	if err := p.RunIndex(x, nil, index); err != nil {
		t.Errorf("out may be nil: %v", err)
	}
	wantInts(t, "indices alone", index, nil, []int{2}, 1, 0)
}

// overlapping returns an int64 tensor over the memory of t.
func overlapping(t *ogive.Tensor) *ogive.Tensor {
	return ogive.Must(ogive.FromBytes(dtype.Int64, ogive.Must(t.Bytes()), t.Shape()...))
}

// TestOutErrors are those of outputs that the table cannot make.
func TestOutErrors(t *testing.T) {
	x := of([]float64{3, 1, 2, 4}, 2, 2)
	_, err := x.Median(ogive.Out(nil))
	wantError(t, "out nil", err, ogive.ErrOut, `median: out is nil`)
	_, err = x.Median(ogive.Axis(0), ogive.Out(ogive.Must(ogive.Scalar(1.0).BroadcastTo(2))))
	wantError(t, "out repeats", err, ogive.ErrOut, `median: out overlaps itself: shape [2] has strides [0]`)
	_, _, err = x.MedianWithIndex(ogive.OutIndices(nil))
	wantError(t, "indices nil", err, ogive.ErrOut, `median: indices is nil`)
	_, _, err = x.MedianWithIndex(ogive.Axis(0), ogive.OutIndices(ogive.Must(ogive.Zeros(dtype.Int64, 3))))
	wantError(t, "indices' shape", err, ogive.ErrOut, `median: out has shape [3], want [2]`)
	_, _, err = x.NaNMedianWithIndex(ogive.Mode(ogive.ModeAvg))
	wantError(t, "avg has no index", err, ogive.ErrOption, `nanmedian: mode avg has no index; use lower or upper`)
	got, err := ogive.Must(ogive.Scalar(1.0).BroadcastTo(1)).Median(ogive.Axis(0), ogive.KeepDims(), ogive.Out(ogive.Must(ogive.Scalar(9.0).BroadcastTo(1))))
	wantFloats(t, "stride 0 of length 1 does not overlap", got, err, []int{1}, 1)
}

// TestParsedNames are the messages of names, as the command prints them behind
// the operation's.
func TestParsedNames(t *testing.T) {
	_, err := rank.Parse("liner")
	wantError(t, "method", err, ogive.ErrMethod, `unknown method "liner"; did you mean "linear"? known: `+methodList)
	_, err = ogive.ParseMode("max")
	wantError(t, "mode", err, ogive.ErrOption, `unknown mode "max"; known: avg, lower (min), upper`)
	_, err = ogive.ParseKind("foo")
	wantError(t, "kind", err, ogive.ErrOption, `unknown kind "foo"; known: auto, sort, table, hash`)
	_, err = ogive.ParseOp("mean")
	wantError(t, "operation", err, ogive.ErrOption, `unknown operation "mean"; known: quantile, nanquantile, percentile, nanpercentile, median, nanmedian, argquantile, `+
		`nanargquantile, isposinf, isneginf, isinf, isnan, isfinite, signbit, isreal, isin`)
	for op := ogive.OpQuantile; op <= ogive.OpIsIn; op++ {
		if got, err := ogive.ParseOp(op.String()); got != op || err != nil {
			t.Errorf("ParseOp(%q) is %v, %v", op, got, err)
		}
	}
	for name, want := range map[string]ogive.MedianMode{"avg": ogive.ModeAvg, "lower": ogive.ModeLower, "min": ogive.ModeLower, "upper": ogive.ModeUpper} {
		if got, err := ogive.ParseMode(name); got != want || err != nil {
			t.Errorf("ParseMode(%q) is %v, %v", name, got, err)
		}
	}
	for i, name := range []string{"auto", "sort", "table", "hash"} {
		if got, err := ogive.ParseKind(name); int(got) != i || err != nil {
			t.Errorf("ParseKind(%q) is %v, %v", name, got, err)
		}
	}
	for _, op := range []ogive.Op{0, ogive.OpIsIn + 1, 255} {
		if _, err := ogive.Prepare(op, dtype.Float64, nil); !errors.Is(err, ogive.ErrOption) {
			t.Errorf("Prepare(%d): %v", op, err)
		}
	}
	if s := fmt.Sprint(ogive.OpNaNPercentile, ogive.Op(200)); s != "nanpercentile op(200)" {
		t.Error(s)
	}
}
