package ogive_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// TestRollingErrors: the sentinels and the messages, and which of several comes first.
func TestRollingErrors(t *testing.T) {
	x, ints := of([]float64{1, 2, 3, 4, 5, 6}, 2, 3), vec[int64](1, 2, 3)
	fails := func(_ *ogive.Tensor, err error) error { return err }
	lower := ogive.Method(rank.Lower)
	for _, c := range []struct {
		name     string
		err      error
		sentinel error
		message  string
	}{
		{"nil", fails(ogive.RollingMedian(nil, 3)), ogive.ErrShape, `rollingmedian: x is nil`},
		{"complex", fails(ogive.RollingMedian(vec(1i), 0)), ogive.ErrDType, `rollingmedian: complex128 has no order`},
		{"no window", fails(x.RollingQuantile(7, 0)), ogive.ErrOption, `rollingquantile: a window of 0 elements; the least is 1`},
		{"a negative window", fails(x.NaNRollingMedian(-1)), ogive.ErrOption, `nanrollingmedian: a window of -1 elements; the least is 1`},
		{"q", fails(x.NaNRollingQuantile(1.5, 2, ogive.Axis(7))), ogive.ErrQ, `nanrollingquantile: q[0] = 1.5 is outside [0, 1]`},
		{"no q", fails(x.RollingQuantiles(nil, 2)), ogive.ErrQ, `rollingquantile: q is empty`},
		{"axis", fails(x.RollingMedian(9, ogive.Axis(2))), ogive.ErrAxis, `rollingmedian: axis 2 is out of range for a 2-d tensor (allowed -2..1)`},
		{"axes", fails(x.RollingMedian(9, ogive.Axis(0, 1))), ogive.ErrAxis, `rollingmedian: windows move along one axis, got axes [0 1]`},
		{"scalar", fails(ogive.Scalar(1.0).RollingMedian(1)), ogive.ErrShape, `rollingmedian: x has no dimensions, and so no axis for windows`},
		{"too long", fails(x.RollingMedian(4, ogive.Axis(1))), ogive.ErrShape, `rollingmedian: a window of 4 elements is longer than axis 1 of shape [2 3]`},
		{"count", fails(x.RollingMedian(2, ogive.MinCount(3))), ogive.ErrOption, `rollingmedian: a least count of 3 is outside 1..2, the window's elements`},
		{"no count", fails(x.RollingMedian(2, ogive.MinCount(0))), ogive.ErrOption, `rollingmedian: a least count of 0 is outside 1..2, the window's elements`},
		{"integers", fails(ints.RollingQuantile(0.5, 3, lower, ogive.MinCount(2))), ogive.ErrOption, `rollingquantile: windows of fewer than 2 values have no answer, and int64 no NaN to say so`},
		{"options", fails(x.RollingMedian(2, ogive.KeepDims())), ogive.ErrOption, `rollingmedian: option KeepDims is not taken; allowed: Axis, Mode, Out, Workers, Context, Progress, MinCount`},
		{"a list and a fraction", fails(x.RollingQuantiles([]float64{1}, 2, ogive.Ratio(1, 2))), ogive.ErrOption, `rollingquantile: quantiles are a parameter, not an option`},
		{"out", fails(x.RollingMedian(2, ogive.Axis(1), ogive.Out(vec(1.0)))), ogive.ErrOut, `rollingmedian: out has shape [1], want [2 2]`},
	} {
		wantError(t, c.name, c.err, c.sentinel, c.message)
	}
	for _, w := range []int{2, 50} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := of(noise(1000, 0)).RollingMedian(w, ogive.Context(ctx))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a context that has ended: %v", err)
		}
	}
}

// TestRollingForms: exact fractions, a result over x, and the meter.
func TestRollingForms(t *testing.T) {
	x := ogive.Must(ogive.Zeros(dtype.Int16, 200))
	for i := range 200 {
		ogive.Must(ogive.Values[int16](x))[i] = int16(i * 37 % 101)
	}
	for _, w := range []int{5, 101} {
		got := ogive.Must(x.RollingQuantiles(nil, w, ogive.Ratios([]int64{29, 1}, 100)))
		scalar := ogive.Must(x.RollingQuantiles(nil, w, ogive.Ratio(29, 100)))
		for i := range 200 - w + 1 {
			part := ogive.Must(x.Slice(0, i, i+w, 1))
			want := ogive.Must(part.QuantileRatios([]int64{29, 1}, 100))
			sameElement(t, "29/100", ogive.Must(got.At(0, i)), ogive.Must(want.At(0)))
			sameElement(t, "1/100", ogive.Must(got.At(1, i)), ogive.Must(want.At(1)))
			sameElement(t, "29/100 alone", ogive.Must(scalar.At(i)), ogive.Must(want.At(0)))
		}
		y := ogive.Must(x.Cast(dtype.Float64))
		want := ogive.Must(y.RollingMedian(w, ogive.MinCount(w)))
		whole, all := ogive.Must(y.RollingMedian(200, ogive.MinCount(w))), ogive.Must(y.RollingMedian(math.MaxInt, ogive.MinCount(w)))
		sameElement(t, "a window of all", all, whole)
		var m ogive.Meter
		if _, err := y.RollingMedian(w, ogive.MinCount(w), ogive.Out(y), ogive.Progress(&m)); err != nil {
			t.Fatal(err)
		}
		sameElement(t, "into x", y, want)
		if total, done := m.Total.Load(), m.Done.Load(); total == 0 || done != total {
			t.Errorf("%d of %d elements are done", done, total)
		}
	}
}
