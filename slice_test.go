package ogive_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// Element types with names of their own.
type (
	celsius float32
	count   uint64
	flag    bool
)

// asFloat64s widens a tensor's elements without package dtype.
func asFloat64s[T dtype.Element](t *testing.T, x *ogive.Tensor) []float64 {
	t.Helper()
	var wide []float64
	if x.DType() == dtype.Float64 {
		return ogive.Must(ogive.Values[float64](x))
	}
	for _, v := range ogive.Must(ogive.Values[T](x)) {
		var f float64
		switch r := reflect.ValueOf(v); {
		case r.Kind() == reflect.Struct:
			f = any(v).(interface{ Float64() float64 }).Float64()
		case r.Kind() == reflect.Bool && r.Bool():
			f = 1
		case r.Kind() == reflect.Bool:
		case r.CanInt():
			f = float64(r.Int())
		case r.CanUint():
			f = float64(r.Uint())
		default:
			f = r.Float()
		}
		if f != f {
			f = math.Float64frombits(0x7FF8000000000000)
		}
		wide = append(wide, f)
	}
	return wide
}

// wantSlice fails the test unless the answers are those of the tensor function,
// errors included.
func wantSlice[T dtype.Element](t *testing.T, what string, got []float64, err error, x *ogive.Tensor, want error) {
	t.Helper()
	if err != nil || want != nil {
		if fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		return
	}
	bits := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	if wide := asFloat64s[T](t, x); !slices.EqualFunc(got, wide, bits) {
		t.Errorf("%s: %x, want %x", what, got, wide)
	}
}

// sliceLikeTensor compares all functions on v with those on a tensor.
func sliceLikeTensor[T dtype.Element](t *testing.T, what string, v []T) {
	t.Helper()
	x, before := of(v), slices.Clone(v)
	qs := []float64{0.5, 0, 1, 0.3, 0.3, 0.999}
	for _, m := range rank.Methods() {
		opt := ogive.Method(m)
		what := fmt.Sprintf("%s, %v", what, m)
		values, want := x.Quantiles(qs, opt)
		got, err := ogive.QuantilesOf(v, qs, opt)
		wantSlice[T](t, what, got, err, values, want)
		values, want = x.NaNQuantiles(qs, opt)
		got, err = ogive.NaNQuantilesOf(v, qs, opt)
		wantSlice[T](t, "nan, "+what, got, err, values, want)
		values, want = x.Quantile(0.3, opt)
		one, err := ogive.QuantileOf(v, 0.3, opt)
		wantSlice[T](t, what, []float64{one}, err, values, want)
		values, want = x.NaNQuantile(0.3, opt)
		one, err = ogive.NaNQuantileOf(v, 0.3, opt)
		wantSlice[T](t, "nan, "+what, []float64{one}, err, values, want)
	}
	for _, mode := range []ogive.MedianMode{ogive.ModeAvg, ogive.ModeLower, ogive.ModeUpper} {
		opt := ogive.Mode(mode)
		values, want := x.Median(opt)
		one, err := ogive.MedianOf(v, opt)
		wantSlice[T](t, fmt.Sprint(what, ", mode ", mode), []float64{one}, err, values, want)
		values, want = x.NaNMedian(opt)
		one, err = ogive.NaNMedianOf(v, opt)
		wantSlice[T](t, fmt.Sprint("nan, ", what, ", mode ", mode), []float64{one}, err, values, want)
	}
	testkit.Same(t, v, before, "%s was changed", what)
}

// slicesOf compares slices of T of every kind of input.
func slicesOf[T dtype.Element](t *testing.T) {
	t.Run(fmt.Sprintf("%T", *new(T)), func(t *testing.T) {
		sliceLikeTensor[T](t, "nil", nil)
		sliceLikeTensor(t, "empty", []T{})
		for _, kind := range testkit.Kinds(dtype.Of[T]()) {
			for _, n := range []int{1, 2, 5, 129, 3000} {
				sliceLikeTensor(t, fmt.Sprint(kind, " ", n), testkit.Slice[T](kind, n, 7))
			}
		}
	})
}

// TestSlicesAnswerAsTensorsDo, whatever the elements and the method.
func TestSlicesAnswerAsTensorsDo(t *testing.T) {
	slicesOf[bool](t)
	slicesOf[int8](t)
	slicesOf[int16](t)
	slicesOf[int32](t)
	slicesOf[int64](t)
	slicesOf[int](t)
	slicesOf[uint8](t)
	slicesOf[uint16](t)
	slicesOf[uint32](t)
	slicesOf[uint64](t)
	slicesOf[uint](t)
	slicesOf[dtype.F16](t)
	slicesOf[dtype.BF16](t)
	slicesOf[float32](t)
	slicesOf[float64](t)
	slicesOf[celsius](t)
	slicesOf[count](t)
	slicesOf[flag](t)
}

// TestSlicesAreWidened: once, and exactly where that is possible.
func TestSlicesAreWidened(t *testing.T) {
	want := func(what string, got float64, err error, want float64) {
		t.Helper()
		if err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s: %x (%v), want %x", what, got, err, want)
		}
	}
	got, err := ogive.MedianOf([]int64{1<<53 + 1, 1<<53 + 3, 0}, ogive.Mode(ogive.ModeLower))
	want("2^53+1", got, err, 1<<53)
	got, err = ogive.QuantileOf([]uint64{math.MaxUint64}, 1, ogive.Method(rank.Lower))
	want("2^64-1", got, err, 1<<64)
	got, err = ogive.MedianOf([]float32{0.1})
	want("float32 0.1", got, err, float64(float32(0.1)))
	got, err = ogive.MedianOf([]celsius{-3, -4})
	want("named", got, err, -3.5)
	got, err = ogive.MedianOf([]flag{true, false})
	want("bools", got, err, 0.5)
	got, err = ogive.QuantileOf([]bool{true, false}, 1, ogive.Method(rank.Higher))
	want("true", got, err, 1)
	got, err = ogive.MedianOf([]float32{float32(negZero)})
	want("-0", got, err, negZero)
	got, err = ogive.MedianOf([]float32{math.Float32frombits(0xFF800001)})
	want("NaN with a sign and payload", got, err, math.Float64frombits(0x7FF8000000000000))
	got, err = ogive.NaNMedianOf([]float64{nan, 2, nan, 4})
	want("nanmedian", got, err, 3)
	got, err = ogive.MedianOf([]float64{5, 1, 3}, ogive.Weights(vec[int64](1, 5, 1)))
	want("frequencies", got, err, 1)
	got, err = ogive.MedianOf([]float64{5, 1, 3}, ogive.Axis(-1), ogive.Axis(0), ogive.Workers(1))
	want("axis 0", got, err, 3)
}

// TestSliceErrors are those of the tensor functions.
func TestSliceErrors(t *testing.T) {
	v := []float64{3, 1, 2}
	x := of(v)
	far := ogive.Must(vec[int64](1, 1, 1).To(newFakeDevice("a")))
	for _, opts := range [][]ogive.Option{
		{ogive.Mode(ogive.ModeLower)}, {ogive.Method(99)}, {ogive.Q(0.5)}, {ogive.Axis(1)}, {ogive.Axis()}, {ogive.Axis(0, -1)}, {ogive.Invert()},
		{ogive.Weights(vec(1.0, 1, 1))}, {ogive.Weights(vec[int64](1, 1))}, {ogive.Weights(nil)}, {ogive.Weights(far)},
	} {
		for _, q := range []float64{0.5, 1.5, nan} {
			_, want := x.Quantile(q, opts...)
			if _, err := ogive.QuantileOf(v, q, opts...); !likeTensor(err, want) {
				t.Errorf("quantile %v, %v: %v, want %v", q, opts, err, want)
			}
			_, want = x.NaNQuantiles([]float64{0, q}, opts...)
			if _, err := ogive.NaNQuantilesOf(v, []float64{0, q}, opts...); !likeTensor(err, want) {
				t.Errorf("nanquantiles %v, %v: %v, want %v", q, opts, err, want)
			}
		}
		_, want := x.Median(opts...)
		if _, err := ogive.MedianOf(v, opts...); !likeTensor(err, want) {
			t.Errorf("median, %v: %v, want %v", opts, err, want)
		}
	}
	_, err := ogive.MedianOf([]complex64{1}, ogive.Out(x))
	wantError(t, "complex", err, ogive.ErrDType, "median: complex64 has no order")
	_, err = ogive.QuantilesOf(v, nil)
	wantError(t, "no q", err, ogive.ErrQ, "quantile: q is empty")
	_, err = ogive.QuantileOf([]int32{}, 0.5)
	wantError(t, "empty", err, ogive.ErrEmpty, "quantile: axes [0] of shape [0] reduce 0 elements")
	_, err = ogive.MedianOf([]int32{}, ogive.Mode(ogive.ModeUpper))
	wantError(t, "empty integers", err, ogive.ErrEmpty, "median: axes [0] of shape [0] reduce 0 elements")
	for _, o := range []ogive.Option{ogive.Out(x), ogive.OutIndices(x), ogive.KeepDims()} {
		_, err = ogive.MedianOf(v, o)
		wantError(t, "median", err, ogive.ErrOption, fmt.Sprintf("median: option %v is not taken; allowed: Axis, Mode, Weights, Overwrite, Workers, Context, Progress", o))
		_, err = ogive.NaNQuantileOf(v, 7, o)
		wantError(t, "nanquantile", err, ogive.ErrOption, fmt.Sprintf("nanquantile: option %v is not taken; allowed: Axis, Method, Weights, Overwrite, Workers, Context, Progress", o))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = ogive.MedianOf(v, ogive.Context(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

// likeTensor reports whether err is the error of the tensor function, but for the
// options that it takes besides.
func likeTensor(err, want error) bool {
	var a, b *ogive.Error
	if !errors.As(err, &a) || !errors.As(want, &b) {
		return err == nil && want == nil
	}
	return a.Op == b.Op && a.Kind == b.Kind && (a.Detail == b.Detail || a.Kind == ogive.ErrOption)
}

// TestSlicesOverwrite: the option changes no answer, and no error changes v.
func TestSlicesOverwrite(t *testing.T) {
	for _, n := range []int{5, 100, 3000, 100_000} {
		v := testkit.Slice[float64]("normal", n, 3)
		want, err := ogive.QuantileOf(v, 0.3)
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(v)
		if _, err := ogive.QuantileOf(v, 2, ogive.Overwrite()); err == nil {
			t.Error("2 is a quantile")
		}
		testkit.Same(t, v, before, "changed in spite of an error, n = %d", n)
		if got, err := ogive.QuantileOf(v, 0.3, ogive.Overwrite()); got != want || err != nil {
			t.Errorf("overwriting %d: %v (%v), want %v", n, got, err, want)
		}
	}
}

// TestSlicesAllocateNothing but the results of several quantiles.
func TestSlicesAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	few, many := []float64{3, 1, 4, 1, 5}, noise(1<<20, 7)
	whole := testkit.Slice[int64]("few1000", 10_000, 1)
	w := ones(len(whole))
	for name, c := range map[string]struct {
		results float64
		run     func() error
	}{
		"median of five": {0, func() error { _, err := ogive.MedianOf(few); return err }},
		"quantile of five": {0, func() error {
			_, err := ogive.QuantileOf(few, 0.3, ogive.Method(rank.Hazen), ogive.Axis(0))
			return err
		}},
		"quantiles of five":    {1, func() error { _, err := ogive.QuantilesOf(few, []float64{0.1, 0.9}); return err }},
		"nanmedian of many":    {0, func() error { _, err := ogive.NaNMedianOf(many); return err }},
		"nanquantile of many":  {0, func() error { _, err := ogive.NaNQuantileOf(many, 0.99, ogive.Overwrite()); return err }},
		"nanquantiles of many": {1, func() error { _, err := ogive.NaNQuantilesOf(many, []float64{0.1, 0.5, 0.9}); return err }},
		"lower of integers":    {0, func() error { _, err := ogive.MedianOf(whole, ogive.Mode(ogive.ModeLower)); return err }},
		"weighted":             {0, func() error { _, err := ogive.MedianOf(whole, ogive.Weights(w)); return err }},
	} {
		if n := allocations(func() { check(c.run()) }); n > c.results {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
