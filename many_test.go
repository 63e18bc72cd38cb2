package ogive_test

import (
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
)

// TestManyQuantilesOfEachKind: so many quantiles that they are looked for in parts are the
// answers of calls for one of them, with every kind of weights and windows, and where the
// input may be overwritten, which each part reads.
func TestManyQuantilesOfEachKind(t *testing.T) {
	const count = 150_000
	qs := make([]float64, count)
	for i := range qs {
		qs[i] = float64(i*7919%count) / (count - 1)
	}
	input := func() *ogive.Tensor { return of([]float64{3, -1, 2, -5, 4, 9, 6, -7, 8, 0, 9, -9}, 4, 3) }
	floats := of([]float64{3, 1, 2, 0.5, 4, 9, 6.25, 7, 8, 0, 9, 1}, 4, 3)
	counts := of([]int64{3, 1, 2, 0, 4, 9, 6, 7, 8, 0, 9, 1}, 4, 3)
	windows := func(x *ogive.Tensor, qs []float64, opts ...ogive.Option) (*ogive.Tensor, error) {
		return ogive.RollingQuantiles(x, qs, 2, opts...)
	}
	for _, c := range []struct {
		name string
		do   func(x *ogive.Tensor, qs []float64, opts ...ogive.Option) (*ogive.Tensor, error)
		opts []ogive.Option
	}{
		{"rows overwritten", ogive.Quantiles, []ogive.Option{ogive.Axis(1), ogive.Overwrite()}},
		{"all overwritten", ogive.Quantiles, []ogive.Option{ogive.Overwrite()}},
		{"weights", ogive.Quantiles, []ogive.Option{ogive.Weights(floats), ogive.Method(rank.InvertedCDF)}},
		{"weights of rows", ogive.Quantiles, []ogive.Option{ogive.Weights(floats), ogive.Method(rank.InvertedCDF), ogive.Axis(1)}},
		{"frequencies", ogive.Quantiles, []ogive.Option{ogive.Weights(counts), ogive.Axis(0)}},
		{"indices", ogive.ArgQuantiles, []ogive.Option{ogive.Axis(0)}},
		{"windows", windows, nil},
		{"windows that need not be full", windows, []ogive.Option{ogive.MinCount(1)}},
	} {
		got, err := c.do(input(), qs, c.opts...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i := 0; i < count; i += 1499 {
			want := ogive.Must(c.do(input(), qs[i:i+1], c.opts...))
			if got, want := ogive.Must(got.At(i)).String(), ogive.Must(want.At(0)).String(); got != want {
				t.Errorf("%s: quantile %v is %s, want %s", c.name, qs[i], got, want)
				break
			}
		}
	}
}
