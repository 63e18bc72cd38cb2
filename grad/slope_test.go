package grad_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/rank"
)

// TestQuantileQ has the cases of the specification.
func TestQuantileQ(t *testing.T) {
	for name, c := range map[string]struct {
		x    []float64
		skip bool
		qs   []float64
		opts []ogive.Option
		want []float64
	}{
		"pieces":            {[]float64{8, 1, 4, 2}, false, []float64{0, .1, .5, .9, 1}, nil, []float64{3, 3, 6, 12, 12}},
		"right at a corner": {[]float64{0, 1, 3}, false, []float64{.5}, nil, []float64{4}},
		"left at 1":         {[]float64{0, 1, 3}, false, []float64{1}, nil, []float64{4}},
		"left at 1, type 4": {[]float64{0, 1, 3}, false, []float64{1}, []ogive.Option{by(rank.InterpolatedInvertedCDF)}, []float64{6}},
		"clipped":           {[]float64{0, 1, 3}, false, []float64{0, .1, .9, 1}, []ogive.Option{by(rank.Hazen)}, []float64{0, 0, 0, 0}},
		"weibull":           {[]float64{0, 1, 3}, false, []float64{.25, .5, .75, .2}, []ogive.Option{by(rank.Weibull)}, []float64{4, 8, 0, 0}},
		"discrete":          {[]float64{0, 1, 3}, false, []float64{.3}, []ogive.Option{by(rank.Nearest)}, []float64{0}},
		"midpoint":          {[]float64{0, 1, 3}, false, []float64{.3}, []ogive.Option{by(rank.Midpoint)}, []float64{0}},
		"type 2":            {[]float64{0, 1, 3}, false, []float64{.3}, []ogive.Option{by(rank.AveragedInvertedCDF)}, []float64{0}},
		"one value":         {[]float64{5}, false, []float64{0, .5, 1}, nil, []float64{0, 0, 0}},
		"equal":             {[]float64{2, 2, 2}, false, []float64{.3}, nil, []float64{0}},
		"equal infinities":  {[]float64{inf, inf, 1}, false, []float64{.7}, nil, []float64{0}},
		"infinite":          {[]float64{inf, 0}, false, []float64{.5}, nil, []float64{inf}},
		"signed zeros":      {[]float64{0, negZero}, false, []float64{.5}, nil, []float64{0}},
		"NaN":               {[]float64{0, nan, 3}, false, []float64{.3, 1}, nil, []float64{nan, nan}},
		"NaN, discrete":     {[]float64{0, nan, 3}, false, []float64{.3}, []ogive.Option{by(rank.Lower)}, []float64{nan}},
		"NaN dropped":       {[]float64{0, nan, 3}, true, []float64{.3, 1}, nil, []float64{3, 3}},
		"only NaN":          {[]float64{nan, nan}, true, []float64{.3}, nil, []float64{nan}},
		"empty":             {[]float64{}, true, []float64{.3}, nil, []float64{nan}},
		"counts":            {[]float64{0, 1, 3}, false, []float64{.1, .3}, []ogive.Option{counts(2, 1, 2)}, []float64{0, 4}},
		"exact corner":      {[]float64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, false, []float64{.3}, nil, []float64{20}},
	} {
		for _, dt := range floats {
			run := grad.QuantilesQ
			if c.skip {
				run = grad.NaNQuantilesQ
			}
			got, err := run(ogive.Must(vec(c.x...).Cast(dt)), c.qs, c.opts...)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			same(t, name, got, oracle.Floats(dtype.Float64, c.want))
		}
	}
}

// TestQuantileQShapes: over several axes and with keepdims, for a scalar q.
func TestQuantileQShapes(t *testing.T) {
	x := of([]float32{1, 2, 4, 7, nanf, 3, 5, 9}, 2, 2, 2)
	got, err := grad.QuantileQ(x, .5, ogive.Axis(0, 2), ogive.KeepDims())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "kept", got, oracle.Floats(dtype.Float64, []float64{nan, 6}, 1, 2, 1))
	if got, err = grad.NaNQuantileQ(x, .5, ogive.Axis(0, 2)); err != nil {
		t.Fatal(err)
	}
	same(t, "NaN dropped", got, oracle.Floats(dtype.Float64, []float64{2, 6}, 2))
}

var nanf = float32(math.NaN())

// exactQuantile returns the quantile of ascending values in rationals, but for
// the weight, which is rounded.
func exactQuantile(t *testing.T, s []*big.Rat, q *big.Rat, m rank.Method) *big.Rat {
	t.Helper()
	num, den := q.Num().Int64(), q.Denom().Int64()
	p := m.Position(int64(len(s)), rank.Ratio(num, den))
	g := new(big.Rat).SetFloat64(p.G)
	y := new(big.Rat).Sub(s[p.Hi], s[p.Lo])
	return y.Add(y.Mul(y, g), s[p.Lo])
}

// TestDifferences compares with central differences of ogive's own values, at
// points without ties, for all methods: by each element, and by q.
func TestDifferences(t *testing.T) {
	values := []float64{.3, -2.25, 7.5, 1.125, 4, -0.75, 2.5}
	const h = 0x1p-20
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
			t.Errorf("%s: %v, the difference quotient is %v", what, got, want)
		}
	}
	for _, m := range rank.Methods() {
		for _, q := range []float64{.03, .21, .37, .52, .68, .83, .97} {
			at := func(x []float64, q float64) float64 {
				return ogive.Must(ogive.Item[float64](ogive.Must(ogive.Quantile(vec(x...), q, by(m)))))
			}
			y, pull, err := grad.Quantile(vec(values...), q, by(m))
			if err != nil {
				t.Fatal(err)
			}
			dx := ogive.Must(ogive.Values[float64](ogive.Must(pull(ones(t, y)))))
			for i := range values {
				up, down := append([]float64{}, values...), append([]float64{}, values...)
				up[i] += h
				down[i] -= h
				near(m.String(), dx[i], (at(up, q)-at(down, q))/(2*h))
			}
			slope := ogive.Must(ogive.Item[float64](ogive.Must(grad.QuantileQ(vec(values...), q, by(m)))))
			near(m.String()+" by q", slope, (at(values, q+h)-at(values, q-h))/(2*h))
		}
	}
	// The median of an even number, by its elements.
	even := []float64{3, 1, 4, 1.5}
	y, pull, err := grad.Median(vec(even...))
	if err != nil {
		t.Fatal(err)
	}
	dx := ogive.Must(ogive.Values[float64](ogive.Must(pull(ones(t, y)))))
	for i := range even {
		up, down := append([]float64{}, even...), append([]float64{}, even...)
		up[i] += h
		down[i] -= h
		d := ogive.Must(ogive.Item[float64](ogive.Must(ogive.Median(vec(up...))))) - ogive.Must(ogive.Item[float64](ogive.Must(ogive.Median(vec(down...)))))
		near("median", dx[i], d/(2*h))
	}
}

// TestOneSided compares with one-sided differences of the exact function at the
// corners, where the central one is none.
func TestOneSided(t *testing.T) {
	values := []float64{0, 1, 3, 7, 15, 31, 63, 127, 255}
	var s []*big.Rat
	for _, v := range values {
		s = append(s, new(big.Rat).SetFloat64(v))
	}
	h := big.NewRat(1, 1<<20)
	for _, m := range []rank.Method{rank.Linear, rank.InterpolatedInvertedCDF, rank.Hazen, rank.Weibull, rank.NormalUnbiased} {
		for k := int64(0); k <= 64; k++ {
			q := new(big.Rat).SetFloat64(float64(k) / 64)
			other := new(big.Rat).Add(q, h)
			if k == 64 {
				other.Sub(q, h)
			}
			d := new(big.Rat).Sub(exactQuantile(t, s, other, m), exactQuantile(t, s, q, m))
			d.Quo(d, new(big.Rat).Sub(other, q))
			want, _ := d.Float64()
			got := ogive.Must(ogive.Item[float64](ogive.Must(grad.QuantileQ(vec(values...), float64(k)/64, by(m)))))
			if math.Abs(got-want) > 1e-3*(1+want) {
				t.Errorf("%v at %d/64: %v, the difference quotient is %v", m, k, got, want)
			}
		}
	}
}
