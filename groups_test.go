package ogive_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// TestGroupErrors has the errors of the operations on groups, in the order in which
// they are raised.
func TestGroupErrors(t *testing.T) {
	x, keys := vec(1.0, 2, 3), vec(1, 1, 2)
	grid := of([]float64{1, 2, 3, 4, 5, 6}, 3, 2)
	half := []float64{0.5}
	point := ogive.Scalar(1.0)
	for _, c := range []struct {
		name     string
		x, keys  *ogive.Tensor
		qs       []float64
		opts     []ogive.Option
		sentinel error
		message  string
	}{
		{"nil x", nil, keys, half, nil, ogive.ErrShape, "quantilesby: x is nil"},
		{"nil keys", x, nil, half, nil, ogive.ErrShape, "quantilesby: keys are nil"},
		{"complex", vec(1i), vec(1), half, nil, ogive.ErrDType, "quantilesby: complex128 has no order"},
		{"KeepDims", x, keys, half, []ogive.Option{ogive.KeepDims()}, ogive.ErrOption, "quantilesby: option KeepDims is not taken; allowed: Axis, Method, Weights, Workers, Context, Progress"},
		{"Out", x, keys, half, []ogive.Option{ogive.Out(x)}, ogive.ErrOption, "quantilesby: option Out is not taken; allowed: Axis, Method, Weights, Workers, Context, Progress"},
		{"Overwrite", x, keys, half, []ogive.Option{ogive.Overwrite()}, ogive.ErrOption, "quantilesby: option Overwrite is not taken; allowed: Axis, Method, Weights, Workers, Context, Progress"},
		{"Q", x, keys, half, []ogive.Option{ogive.Q(0.1)}, ogive.ErrOption, "quantilesby: quantiles are a parameter, not an option"},
		{"method", x, keys, half, []ogive.Option{ogive.Method(99)}, ogive.ErrMethod, "quantilesby: unknown method method(99); known: linear, lower, higher, nearest, nearest_down, midpoint, inverted_cdf, averaged_inverted_cdf, closest_observation, interpolated_inverted_cdf, hazen, weibull, median_unbiased, normal_unbiased"},
		{"no q", x, keys, nil, nil, ogive.ErrQ, "quantilesby: q is empty"},
		{"q", x, keys, []float64{2}, nil, ogive.ErrQ, "quantilesby: q[0] = 2 is outside [0, 1]"},
		{"axis", x, keys, half, []ogive.Option{ogive.Axis(1)}, ogive.ErrAxis, "quantilesby: axis 1 is out of range for a 1-d tensor (allowed -1..0)"},
		{"axes", grid, keys, half, []ogive.Option{ogive.Axis(0, 1)}, ogive.ErrAxis, "quantilesby: groups lie along one axis, got axes [0 1]"},
		{"scalar", point, vec(1), half, nil, ogive.ErrShape, "quantilesby: x has no dimensions, and so no axis with keys"},
		{"float keys", x, x, half, nil, ogive.ErrDType, "quantilesby: keys are float64, want integers or bool"},
		{"complex keys", x, vec(1i, 2, 3), half, nil, ogive.ErrDType, "quantilesby: keys are complex128, want integers or bool"},
		{"few keys", x, vec(1, 1), half, nil, ogive.ErrShape, "quantilesby: keys have shape [2], want [3], x's length along axis 0"},
		{"keys of x's shape", grid, of([]int{1, 1, 1, 1, 1, 1}, 3, 2), half, nil, ogive.ErrShape, "quantilesby: keys have shape [3 2], want [3], x's length along axis 0"},
		{"weights' shape", x, keys, half, []ogive.Option{ogive.Weights(vec(1))}, ogive.ErrWeights, "quantilesby: weights have shape [1], want x's [3]"},
		{"negative weight", x, keys, half, []ogive.Option{ogive.Weights(vec(1, -4, 0))}, ogive.ErrWeights, "quantilesby: weights[1] = -4 is negative"},
		{"no weight", x, keys, half, []ogive.Option{ogive.Weights(vec(1, 1, 0))}, ogive.ErrWeights, "quantilesby: weights of group 2 sum to 0, want a positive sum"},
		{"no float weight", x, keys, half, []ogive.Option{ogive.Method(rank.InvertedCDF), ogive.Weights(vec(0, negZero, 1))}, ogive.ErrWeights, "quantilesby: weights of group 1 sum to 0, want a positive sum"},
		{"too much weight", x, keys, half, []ogive.Option{ogive.Weights(of([]int64{1 << 52, 1 << 52, 1}, 3))}, ogive.ErrWeights, "quantilesby: weights of group 1 sum to 2^53 or more, which is too large for frequencies"},
	} {
		groups, values, err := ogive.QuantilesBy(c.x, c.keys, c.qs, c.opts...)
		wantError(t, c.name, err, c.sentinel, c.message)
		if groups != nil || values != nil {
			t.Errorf("%s: results beside an error", c.name)
		}
	}
	_, _, err := ogive.MedianBy(x, keys, ogive.OutIndices(keys))
	wantError(t, "OutIndices", err, ogive.ErrOption, "medianby: option OutIndices is not taken; allowed: Axis, Mode, Weights, Workers, Context, Progress")
	_, _, err = ogive.NaNMedianBy(x, vec(1.5))
	wantError(t, "nanmedianby", err, ogive.ErrDType, "nanmedianby: keys are float64, want integers or bool")
}

// TestGroupsWeighTogether: the frequencies of all groups may sum to more than those of
// one may.
func TestGroupsWeighTogether(t *testing.T) {
	w := vec(int64(1)<<52, 1, 1<<52, 5)
	groups, values, err := ogive.MedianBy(vec(1.0, 2, 3, 4), vec(false, false, true, true), ogive.Weights(w))
	wantBools(t, "groups", groups, err, []int{2}, "01")
	wantFloats(t, "values", values, err, []int{2}, 1, 3)
}

// TestGroupsAtTheEndsOfKeys: keys may be as far apart as their dtype lets them.
func TestGroupsAtTheEndsOfKeys(t *testing.T) {
	x := vec[float32](1, 2, 3, 4)
	groups, values, err := ogive.MedianBy(x, vec[int64](math.MaxInt64, math.MinInt64, 0, math.MinInt64))
	wantInts(t, "int64 groups", groups, err, []int{3}, math.MinInt64, 0, math.MaxInt64)
	wantBits(t, "int64", values, err, dtype.Float32, []int{3}, 0x40400000, 0x40400000, 0x3F800000)

	groups, values, err = ogive.MedianBy(x, vec[uint64](math.MaxUint64, 0, 1<<63, 0))
	wantBits(t, "uint64 groups", groups, err, dtype.Uint64, []int{3}, 0, 1<<63, math.MaxUint64)
	wantBits(t, "uint64", values, err, dtype.Float32, []int{3}, 0x40400000, 0x40400000, 0x3F800000)
}

// TestGroupsOfNothing: without elements along the axis there are no groups, without
// elements along others no values.
func TestGroupsOfNothing(t *testing.T) {
	none := of([]int16{}, 0)
	groups, values, err := ogive.QuantilesBy(of([]int32{}, 2, 0, 3), none, []float64{0, 1}, ogive.Axis(1))
	wantBits(t, "groups", groups, err, dtype.Int16, []int{0})
	wantBits(t, "values", values, err, dtype.Float64, []int{2, 0, 2, 3})
	_, values, err = ogive.MedianBy(of([]int32{}, 0), none, ogive.Mode(ogive.ModeLower))
	wantBits(t, "lower", values, err, dtype.Int32, []int{0})

	groups, values, err = ogive.MedianBy(of([]float64{}, 3, 0), vec[int16](4, 4, -4))
	wantBits(t, "groups of empty rows", groups, err, dtype.Int16, []int{2}, 0xFFFC, 4)
	wantFloats(t, "values of empty rows", values, err, []int{2, 0})
}

// manyKeys are so many elements with keys of groups of some hundred.
func manyKeys(n int) (x, keys *ogive.Tensor) {
	k := make([]int64, n)
	for i := range k {
		k[i] = int64(i*7919) % int64(n/300)
	}
	return vec(noise(n, 0)...), vec(k...)
}

// TestGroupsByManyGoroutines: calls at the same time do not disturb each other.
func TestGroupsByManyGoroutines(t *testing.T) {
	x, keys := manyKeys(200_000)
	_, want, err := ogive.MedianBy(x, keys)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 3 {
				_, got, err := ogive.MedianBy(x, keys, ogive.Workers(3))
				wantBits(t, "values", got, err, dtype.Float32, want.Shape(), bitsOf(t, want)...)
			}
		})
	}
	wg.Wait()
}

// TestGroupsStop: a context that ended stops the call with its error, and progress
// reaches its total.
func TestGroupsStop(t *testing.T) {
	x, keys := manyKeys(200_000)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	for _, k := range []*ogive.Tensor{keys, ogive.Must(keys.Slice(0, 199_999, -1, -1))} {
		if groups, values, err := ogive.MedianBy(x, k, ogive.Context(ctx)); !errors.Is(err, context.Canceled) || groups != nil || values != nil {
			t.Errorf("got %v, %v, %v, want the context's error", groups, values, err)
		}
	}
	var m ogive.Meter
	if _, _, err := ogive.MedianBy(x, keys, ogive.Progress(&m), ogive.Context(context.Background())); err != nil {
		t.Fatal(err)
	}
	if done, total := m.Done.Load(), m.Total.Load(); done != total || done < 199_000 {
		t.Errorf("done %d of %d", done, total)
	}
}

// TestGroupsStopLate: a context that ends while groups are looked for stops the call,
// whenever that is.
func TestGroupsStopLate(t *testing.T) {
	x, keys := manyKeys(400_000)
	for looks := range 40 {
		ctx := &countdown{Context: context.Background(), left: looks}
		_, _, err := ogive.MedianBy(x, keys, ogive.Context(ctx), ogive.Workers(1))
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d looks: %v", looks, err)
		}
		if ctx.left >= 0 && err != nil {
			t.Errorf("an error before the end: %v", err)
		}
		if ctx.left < 0 && err == nil {
			t.Errorf("no error after %d looks", looks)
		}
	}
}

// countdown is a context that ends when it has been looked at so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestQuantileBy: one quantile of groups is that of a list of one, without its dimension.
func TestQuantileBy(t *testing.T) {
	x, keys := of([]float64{3, math.NaN(), 1, 9, 7, 2, 4, 8}, 4, 2), vec(2, 1, 2, 2)
	for _, c := range []struct {
		one  func(x, keys *ogive.Tensor, q float64, opts ...ogive.Option) (groups, values *ogive.Tensor, err error)
		list func(x, keys *ogive.Tensor, qs []float64, opts ...ogive.Option) (groups, values *ogive.Tensor, err error)
	}{{ogive.QuantileBy, ogive.QuantilesBy}, {ogive.NaNQuantileBy, ogive.NaNQuantilesBy}} {
		for _, q := range []float64{0, 0.3, 1} {
			groups, got, err := c.one(x, keys, q)
			if err != nil {
				t.Fatal(err)
			}
			named, want, err := c.list(x, keys, []float64{q})
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(groups, got.Shape()) != fmt.Sprint(named, want.Shape()[1:]) || fmt.Sprint(got.Float64s()) != fmt.Sprint(want.Float64s()) {
				t.Errorf("q %v: %v %v, want %v %v", q, groups, got, named, want)
			}
		}
	}
	if _, _, err := ogive.QuantileBy(x, keys, 2); !errors.Is(err, ogive.ErrQ) || !strings.HasPrefix(err.Error(), "quantileby: ") {
		t.Error(err)
	}
}
