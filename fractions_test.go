package ogive_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/stream"
)

// TestFractionsOfEitherKind is that fractions and float64s stand beside each other in a
// list, wherever one is taken, and each answers as it does alone.
func TestFractionsOfEitherKind(t *testing.T) {
	v := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	x, keys := vec(v...), vec[int8](0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	weights := vec(0.5, 1, 0.25, 2, 1, 1, 3, 0.125, 1, 1, 1)
	qs := []rank.Q{rank.At(0.3), rank.Ratio(3, 10), rank.At(1e-30), rank.Ratio(1, 3), rank.At(1)}
	either := ogive.Fractions(qs...)
	values := func(y *ogive.Tensor, err error) ([]float64, error) {
		if err != nil {
			return nil, err
		}
		return ogive.Values[float64](ogive.Must(y.Cast(dtype.Float64)))
	}
	second := func(_, y *ogive.Tensor, err error) ([]float64, error) { return values(y, err) }
	state := func(opts ...ogive.Option) ([]float64, error) {
		s, err := stream.New(ogive.OpQuantile, dtype.Float64, stream.MinBudget, opts...)
		if err != nil {
			return nil, err
		}
		for again := true; again; {
			if err := s.Add(x, nil); err != nil {
				return nil, err
			}
			if again, err = s.Next(); err != nil {
				return nil, err
			}
		}
		return values(s.Result())
	}
	inverted := ogive.Method(rank.InvertedCDF)
	for name, run := range map[string]func(ogive.Option) ([]float64, error){
		"Quantiles":    func(o ogive.Option) ([]float64, error) { return values(x.Quantiles(nil, o)) },
		"NaNQuantiles": func(o ogive.Option) ([]float64, error) { return values(x.NaNQuantiles(nil, o)) },
		"weights": func(o ogive.Option) ([]float64, error) {
			return values(x.Quantiles(nil, o, inverted, ogive.Weights(weights)))
		},
		"ArgQuantiles":   func(o ogive.Option) ([]float64, error) { return values(x.ArgQuantiles(nil, o)) },
		"NaNArg":         func(o ogive.Option) ([]float64, error) { return values(x.NaNArgQuantiles(nil, o)) },
		"QuantilesOf":    func(o ogive.Option) ([]float64, error) { return ogive.QuantilesOf(v, nil, o) },
		"NaNQuantilesOf": func(o ogive.Option) ([]float64, error) { return ogive.NaNQuantilesOf(v, nil, o) },
		"QuantilesBy":    func(o ogive.Option) ([]float64, error) { return second(x.QuantilesBy(keys, nil, o)) },
		"NaNQuantilesBy": func(o ogive.Option) ([]float64, error) { return second(x.NaNQuantilesBy(keys, nil, o)) },
		"Rolling":        func(o ogive.Option) ([]float64, error) { return values(x.RollingQuantiles(nil, 11, o)) },
		"NaNRolling":     func(o ogive.Option) ([]float64, error) { return values(x.NaNRollingQuantiles(nil, 11, o)) },
		"short windows":  func(o ogive.Option) ([]float64, error) { return values(x.RollingQuantiles(nil, 3, o)) },
		"stream.State":   func(o ogive.Option) ([]float64, error) { return state(o) },
		"Prepare": func(o ogive.Option) ([]float64, error) {
			plan, err := ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{len(v)}, o)
			if err != nil {
				return nil, err
			}
			out := ogive.Must(ogive.Zeros(dtype.Float64, plan.Shape()...))
			return values(out, plan.Run(x, out))
		},
		"grad": func(o ogive.Option) ([]float64, error) {
			y, pull, err := grad.Quantiles(x, nil, []ogive.Option{o}...)
			if err != nil {
				return nil, err
			}
			ones := ogive.Must(ogive.Zeros(dtype.Float64, y.Shape()...))
			if _, err := pull(ones); err != nil {
				return nil, err
			}
			return values(y, nil)
		},
		"slopes": func(o ogive.Option) ([]float64, error) { return values(grad.QuantilesQ(x, nil, o)) },
	} {
		got, err := run(either)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var want []float64
		for _, q := range qs {
			alone := ogive.Q(q.Value)
			if q.Den > 0 {
				alone = ogive.Ratio(q.Num, q.Den)
			}
			one, err := run(alone)
			if err != nil {
				t.Fatalf("%s of %v: %v", name, q, err)
			}
			want = append(want, one...)
		}
		wantFloats(t, name, vec(got...), nil, []int{len(want)}, want...)
	}
}

// TestNilQuantiles is that every function which takes a list takes the options' quantiles
// where the list is nil, and none at all is ErrQ.
func TestNilQuantiles(t *testing.T) {
	x, keys := vec(1.0, 2, 4, 8), vec[int8](1, 1, 1, 1)
	second := func(_, y *ogive.Tensor, err error) (*ogive.Tensor, error) { return y, err }
	list := func(v []float64, err error) (*ogive.Tensor, error) {
		if err != nil {
			return nil, err
		}
		return vec(v...), nil
	}
	pulled := func(y *ogive.Tensor, _ grad.Pullback, err error) (*ogive.Tensor, error) { return y, err }
	type call = func(qs []float64, opts ...ogive.Option) (*ogive.Tensor, error)
	calls := map[string]call{
		"quantile":      x.Quantiles,
		"nanquantile":   x.NaNQuantiles,
		"percentile":    x.Percentiles,
		"nanpercentile": x.NaNPercentiles,
		"argquantile":   x.ArgQuantiles,
		"quantilesby": func(qs []float64, o ...ogive.Option) (*ogive.Tensor, error) {
			return second(x.QuantilesBy(keys, qs, o...))
		},
		"nanquantilesby": func(qs []float64, o ...ogive.Option) (*ogive.Tensor, error) {
			return second(x.NaNQuantilesBy(keys, qs, o...))
		},
		"rollingquantile": func(qs []float64, o ...ogive.Option) (*ogive.Tensor, error) { return x.RollingQuantiles(qs, 4, o...) },
		"nanrollingquantile": func(qs []float64, o ...ogive.Option) (*ogive.Tensor, error) {
			return x.NaNRollingQuantiles(qs, 4, o...)
		},
		"quantile of a slice": func(qs []float64, o ...ogive.Option) (*ogive.Tensor, error) {
			return list(ogive.QuantilesOf([]float64{1, 2, 4, 8}, qs, o...))
		},
		"gradient of quantile": func(qs []float64, o ...ogive.Option) (*ogive.Tensor, error) {
			return pulled(grad.Quantiles(x, qs, o...))
		},
		"gradient of percentile": func(qs []float64, o ...ogive.Option) (*ogive.Tensor, error) {
			return pulled(grad.Percentiles(x, qs, o...))
		},
		"slope": func(qs []float64, o ...ogive.Option) (*ogive.Tensor, error) { return grad.QuantilesQ(x, qs, o...) },
	}
	for name, call := range calls {
		qs, options := []float64{0.25, 0.75}, []ogive.Option{ogive.Qs([]float64{0.25, 0.75}), ogive.Ratios([]int64{1, 3}, 4), ogive.Q(0.25, 0.75)}
		letter := "q"
		switch name {
		case "percentile", "nanpercentile", "gradient of percentile":
			qs, options, letter = []float64{25, 75}, []ogive.Option{ogive.Ps([]float64{25, 75}), ogive.P(25, 75)}, "p"
		}
		want, err := call(qs)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, o := range options {
			got, err := call(nil, o)
			if err != nil {
				t.Errorf("%s by %v: %v", name, o, err)
				continue
			}
			wantBits(t, name, got, err, want.DType(), want.Shape(), bitsOf(t, want)...)
			if _, err := call(qs, o); err == nil {
				t.Errorf("%s: a list, and %v beside it", name, o)
			}
		}
		for _, none := range [][]float64{nil, {}} {
			if _, err := call(none); !isErrQ(err, letter) {
				t.Errorf("%s of no quantiles: %v", name, err)
			}
		}
	}
}

// isErrQ reports whether an error says that there are no quantiles.
func isErrQ(err error, letter string) bool {
	return errors.Is(err, ogive.ErrQ) && strings.HasSuffix(err.Error(), letter+" is empty")
}

// TestFractionErrors is what cannot be among fractions.
func TestFractionErrors(t *testing.T) {
	x := vec(1.0, 2)
	for _, c := range []struct {
		q       rank.Q
		message string
	}{
		{rank.At(1.5), "quantile: q[1] = 1.5 is outside [0, 1]"},
		{rank.At(-1e-300), "quantile: q[1] = -1e-300 is outside [0, 1]"},
		{rank.At(nan), "quantile: q[1] is NaN"},
		{rank.Ratio(1, 0), "quantile: q[1] = 1/0: the denominator must be positive"},
		{rank.Ratio(1, -2), "quantile: q[1] = 1/-2: the denominator must be positive"},
		{rank.Ratio(3, 2), "quantile: q[1] = 3/2 is outside [0, 1]"},
	} {
		_, err := x.Quantiles(nil, ogive.Fractions(rank.Ratio(1, 2), c.q))
		wantError(t, c.message, err, ogive.ErrQ, c.message)
	}
	_, err := x.QuantileRatio(0, 0)
	wantError(t, "0/0", err, ogive.ErrQ, "quantile: q[0] = 0/0: the denominator must be positive")
}
