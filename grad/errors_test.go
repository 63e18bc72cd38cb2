package grad_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

func wantError(t *testing.T, err, sentinel error, message string) {
	t.Helper()
	if !errors.Is(err, sentinel) || err.Error() != message {
		t.Errorf("%v, want %q (%v)", err, message, sentinel)
	}
}

func TestErrors(t *testing.T) {
	x := vec(1, 2, 3)
	for _, c := range []struct {
		run      pulled
		x        *ogive.Tensor
		sentinel error
		message  string
	}{
		{quantile(.5), of([]int64{1, 2}), ogive.ErrDType, "quantile: gradient needs a float input, got int64"},
		{nanQuantile(.5), of([]bool{true}), ogive.ErrDType, "nanquantile: gradient needs a float input, got bool"},
		{median(), of([]uint8{1}), ogive.ErrDType, "median: gradient needs a float input, got uint8"},
		{nanWithIndex(), of([]int32{1}), ogive.ErrDType, "nanmedian: gradient needs a float input, got int32"},
		{quantile(.5), of([]complex64{1}), ogive.ErrDType, "quantile: complex64 has no order"},
		{quantile(.5), nil, ogive.ErrShape, "quantile: x is nil"},
		{median(), nil, ogive.ErrShape, "median: x is nil"},
		{quantile(1.5), x, ogive.ErrQ, "quantile: q[0] = 1.5 is outside [0, 1]"},
		{quantiles(nil), x, ogive.ErrQ, "quantile: q is empty"},
		{quantile(.5, ogive.Q(.3)), x, ogive.ErrOption, "quantile: quantiles are a parameter, not an option"},
		{quantile(.5, ogive.Ratio(1, 3)), x, ogive.ErrOption, "quantile: quantiles are a parameter, not an option"},
		{quantile(.5, ogive.Ratio(4, 3)), x, ogive.ErrOption, "quantile: quantiles are a parameter, not an option"},
		{quantile(.5, ogive.Q()), x, ogive.ErrOption, "quantile: quantiles are a parameter, not an option"},
		{quantile(.5, ogive.Qs(nil)), x, ogive.ErrOption, "quantile: quantiles are a parameter, not an option"},
		{quantiles([]float64{}), x, ogive.ErrQ, "quantile: q is empty"},
		{quantiles(nil, ogive.Qs(nil)), x, ogive.ErrQ, "quantile: q is empty"},
		{quantiles([]float64{}, ogive.Qs(nil)), x, ogive.ErrOption, "quantile: quantiles are a parameter, not an option"},
		{quantile(.5, ogive.Ratios(nil, 3)), x, ogive.ErrOption, "quantile: quantiles are a parameter, not an option"},
		{quantile(1.5, ogive.Q(2)), x, ogive.ErrOption, "quantile: quantiles are a parameter, not an option"},
		{percentile(50, ogive.Ps(nil)), x, ogive.ErrOption, "percentile: quantiles are a parameter, not an option"},
		{percentile(101), x, ogive.ErrQ, "percentile: p[0] = 101 is outside [0, 100]"},
		{quantile(.5, ogive.Axis(1)), x, ogive.ErrAxis, "quantile: axis 1 is out of range for a 1-d tensor (allowed -1..0)"},
		{quantile(.5), vec(), ogive.ErrEmpty, "quantile: axes [0] of shape [0] reduce 0 elements"},
		{quantile(.5, ogive.Weights(vec(1, 2, 3))), x, ogive.ErrMethod, "quantile: float64 weights take method inverted_cdf only, got linear; integer and bool weights take every method"},
		{withIndex(ogive.Mode(ogive.ModeAvg)), x, ogive.ErrOption, "median: mode avg has no index; use lower or upper"},
	} {
		_, _, err := c.run(c.x)
		wantError(t, err, c.sentinel, c.message)
	}
	for _, run := range []pulled{quantile(.5, ogive.Out(x)), median(ogive.Method(rank.Lower)), withIndex(ogive.OutIndices(x)), median(ogive.Q(.5))} {
		if _, _, err := run(x); !errors.Is(err, ogive.ErrOption) {
			t.Errorf("an option that is not taken: %v", err)
		}
	}
	_, err := grad.QuantileQ(of([]int64{1, 2}), .5)
	wantError(t, err, ogive.ErrDType, "quantile: gradient needs a float input, got int64")
	_, err = grad.NaNQuantilesQ(x, []float64{2})
	wantError(t, err, ogive.ErrQ, "nanquantile: q[0] = 2 is outside [0, 1]")
}

func TestUpstreamErrors(t *testing.T) {
	x := of([]float32{1, 2, 3, 4}, 2, 2)
	for _, run := range []pulled{quantile(.5, ogive.Axis(0)), median(ogive.Axis(0)), withIndex(ogive.Axis(0))} {
		_, pull, err := run(x)
		if err != nil {
			t.Fatal(err)
		}
		_, err = pull(nil)
		if !errors.Is(err, ogive.ErrShape) {
			t.Errorf("nil: %v", err)
		}
		_, err = pull(vec(1, 2))
		if !errors.Is(err, ogive.ErrDType) {
			t.Errorf("another dtype: %v", err)
		}
		_, err = pull(of([]float32{1, 2}, 1, 2))
		if !errors.Is(err, ogive.ErrShape) {
			t.Errorf("another shape: %v", err)
		}
	}
	_, pull, err := grad.Quantile(x, .5)
	if err != nil {
		t.Fatal(err)
	}
	_, err = pull(of([]float32{1, 2}))
	wantError(t, err, ogive.ErrShape, "quantile: dy has shape [2], want the result's []")
	_, err = pull(ogive.Scalar(1.0))
	wantError(t, err, ogive.ErrDType, "quantile: dy is float64, want the result's float32")
}

// TestOverwrite: the option has no effect.
func TestOverwrite(t *testing.T) {
	data := []float64{5, 3, 1, 4, 2}
	x := of(data)
	for _, run := range []pulled{quantile(.5, ogive.Overwrite()), median(ogive.Overwrite()), withIndex(ogive.Overwrite())} {
		y, pull, err := run(x)
		if err != nil {
			t.Fatal(err)
		}
		dx, err := pull(ones(t, y))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "overwrite", dx, oracle.Floats(dtype.Float64, []float64{0, 1, 0, 0, 0}))
		same(t, "x", x, oracle.Floats(dtype.Float64, []float64{5, 3, 1, 4, 2}))
	}
}

// TestChanged: an input that no longer holds the values is noticed, whichever
// way it is read.
func TestChanged(t *testing.T) {
	saved := tuning.Default
	defer func() { tuning.Default = saved }()
	for _, chunk := range []int{saved.ChunkBytes, 16} {
		tuning.Default.ChunkBytes = chunk
		for _, to := range []float64{9, nan} {
			for i, run := range []pulled{quantile(.3), nanQuantile(.3), median(), nanMedian(), quantile(.3, counts(1, 2, 1)), median(counts(1, 2, 1))} {
				data := []float64{1, 2, 3}
				y, pull, err := run(of(data))
				if err != nil {
					t.Fatal(err)
				}
				data[0], data[1], data[2] = to, to, to
				if _, err := pull(ones(t, y)); !errors.Is(err, grad.ErrChanged) {
					t.Errorf("run %d, chunks of %d, to %v: %v", i, chunk, to, err)
				}
			}
		}
	}
}

// TestContext: the call's context holds for its pullback.
func TestContext(t *testing.T) {
	for _, run := range []func(...ogive.Option) pulled{
		func(opts ...ogive.Option) pulled { return quantile(.5, opts...) }, median, withIndex,
	} {
		ctx, cancel := context.WithCancel(context.Background())
		y, pull, err := run(ogive.Context(ctx))(vec(1, 2, 3))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := pull(y); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if _, _, err := run(ogive.Context(ctx))(vec(1, 2, 3)); !errors.Is(err, context.Canceled) {
			t.Errorf("forward: %v", err)
		}
	}
}

// TestConcurrent pulls back from several goroutines at once.
func TestConcurrent(t *testing.T) {
	x := ogive.Must(ogive.FromBytes(dtype.Float32, testkit.Fill("few1000", dtype.Float32, 200_000, 1), 20, 10_000))
	for name, run := range map[string]pulled{
		"quantiles": quantiles([]float64{.2, .3}, ogive.Axis(0)), "median": median(ogive.Axis(1)), "global": quantile(.3), "index": withIndex(ogive.Axis(0)),
	} {
		y, pull, err := run(x)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		results := make([]*ogive.Tensor, 4)
		for i := range results {
			wg.Go(func() { results[i], _ = pull(y) })
		}
		wg.Wait()
		for _, r := range results {
			if r == nil {
				t.Fatalf("%s: a pullback failed", name)
			}
			same(t, name, r, content(t, results[0]))
		}
	}
}
