package rank_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/rank"
)

// linearPieces gives the methods that are piecewise linear in q as v = (n+slope)·q
// + shift.
var linearPieces = map[rank.Method]struct{ slope, shift *big.Rat }{
	rank.Linear:                  {big.NewRat(-1, 1), big.NewRat(0, 1)},
	rank.InterpolatedInvertedCDF: {big.NewRat(0, 1), big.NewRat(-1, 1)},
	rank.Hazen:                   {big.NewRat(0, 1), big.NewRat(-1, 2)},
	rank.Weibull:                 {big.NewRat(1, 1), big.NewRat(-1, 1)},
	rank.MedianUnbiased:          {big.NewRat(1, 3), big.NewRat(-2, 3)},
	rank.NormalUnbiased:          {big.NewRat(1, 4), big.NewRat(-5, 8)},
}

// derivative is QDerivative in rationals.
func derivative(m rank.Method, n int64, q rank.Q) rank.Position {
	lo := m.Position(n, q).Lo
	flat := rank.Position{Lo: lo, Hi: lo}
	piece, ok := linearPieces[m]
	if !ok {
		return flat
	}
	exact := new(big.Rat).SetFloat64(q.Value)
	if q.Den > 0 {
		exact = big.NewRat(q.Num, q.Den)
	}
	slope := new(big.Rat).Add(new(big.Rat).SetInt64(n), piece.slope)
	v := new(big.Rat).Mul(slope, exact)
	v.Add(v, piece.shift)
	last := new(big.Rat).SetInt64(n - 1)
	if v.Sign() < 0 || v.Cmp(last) > 0 {
		return flat
	}
	floor := new(big.Int).Div(v.Num(), v.Denom()).Int64()
	if exact.Cmp(big.NewRat(1, 1)) == 0 && v.Cmp(last) == 0 {
		floor--
	}
	if floor < 0 || floor >= n-1 {
		return flat
	}
	g, _ := slope.Float64()
	return rank.Position{Lo: floor, Hi: floor + 1, G: g}
}

func TestQDerivative(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	check := func(m rank.Method, n int64, q rank.Q) {
		t.Helper()
		if got, want := m.QDerivative(n, q), derivative(m, n, q); got != want {
			t.Errorf("%v, n=%d, q=%+v (%x): %+v, want %+v", m, n, q, q.Value, got, want)
		}
	}
	for _, m := range rank.Methods() {
		for _, n := range []int64{1, 2, 3, 4, 5, 7, 10, 11, 101, 1000, 1 << 20, 1<<31 + 1, 1 << 50} {
			for _, q := range []float64{0, math.Copysign(0, -1), 5e-324, 0x1p-1022, 0x3p-54, 0x1p-70, .1, .25, .29, .3, 1. / 3, .5, .7, .9,
				1 - 0x1p-53, 1, 1 / float64(n), 1 / float64(n+1), .5 / float64(n), 1 - 1/float64(n), 2 / (3*float64(n) + 1), 5 / (8*float64(n) + 2)} {
				check(m, n, rank.At(q))
			}
			for range 50 {
				check(m, n, rank.At(rng.Float64()))
				den := rng.Int64N(1000) + 1
				check(m, n, rank.Ratio(rng.Int64N(den+1), den))
			}
			check(m, n, rank.Ratio(0, 1))
			check(m, n, rank.Ratio(1, 1))
			check(m, n, rank.Ratio(1, n))
			check(m, n, rank.Ratio(math.MaxInt64-1, math.MaxInt64))
		}
	}
}

// TestSetOfDerivatives: the set keeps quantiles and method.
func TestSetOfDerivatives(t *testing.T) {
	set := rank.NewSet(rank.Linear, []rank.Q{rank.At(0.3), rank.At(1)})
	got := set.QDerivative().Positions(nil, 11)
	// 0.3 is less than 3/10.
	want := []rank.Position{{Lo: 2, Hi: 3, G: 10}, {Lo: 9, Hi: 10, G: 10}}
	for i := range want {
		if got[i] != want[i] || set.QDerivative().Position(i, 11) != want[i] {
			t.Errorf("derivative %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	if p := set.Position(0, 11); p != (rank.Position{Lo: 3, Hi: 3}) {
		t.Errorf("the set itself: %+v", p)
	}
}
