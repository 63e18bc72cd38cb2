package rank

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// quantiles are the q of the sweep: percent, fortieths and the edges.
func quantiles() []float64 {
	qs := []float64{
		math.Copysign(0, -1), 5e-324, 0x1p-1022, 0x1p-1000, 3 * 0x1p-54, 0x1p-53, 1e-20,
		math.Nextafter(0.5, 0), math.Nextafter(0.5, 1), 1 - 0x1p-53, 1.0 / 3, 2.0 / 3,
	}
	for k := range 41 {
		qs = append(qs, float64(k)/40)
	}
	for p := range 101 {
		qs = append(qs, float64(p)/100)
	}
	return qs
}

// counts of values at which float16, float32, int32 and float64 reach a limit.
var largeCounts = []int64{
	65519, 65520, 65521, 1 << 17, 1<<24 - 1, 1 << 24, 1<<24 + 1, 1<<24 + 1<<20,
	1<<31 - 1, 1<<31 + 5, 1<<52 + 1, 1<<53 - 1,
}

func smallCounts(most int64) []int64 {
	var ns []int64
	for n := int64(1); n <= most; n++ {
		ns = append(ns, n)
	}
	return ns
}

func checkPosition(t *testing.T, p Position, n int64) {
	t.Helper()
	if p.Lo < 0 || p.Hi >= n || p.Lo > p.Hi || p.Hi > p.Lo+1 {
		t.Errorf("%+v leaves [0, %d] or its order", p, n-1)
	}
	if !(p.G >= 0 && p.G <= 1) || p.G == 1 && p.Low == 0 || math.Signbit(p.G) || (p.Lo == p.Hi) != (p.G == 0) {
		t.Errorf("%+v is not normal", p)
	}
}

func TestPositionIsTheRule(t *testing.T) {
	ns := append(smallCounts(60), largeCounts...)
	if testing.Short() {
		ns = append(smallCounts(12), largeCounts...)
	}
	qs := quantiles()
	for _, n := range ns {
		for _, q := range qs {
			for _, m := range Methods() {
				got := m.Position(n, At(q))
				checkPosition(t, got, n)
				if want := normal(refPosition(m, n, q)); got != want {
					t.Errorf("%v.Position(%d, %x) = %+v, want %+v", m, n, q, got, want)
				}
			}
		}
	}
}

func TestRatioIsTheRule(t *testing.T) {
	type ratio struct{ num, den int64 }
	ratios := []ratio{
		{0, 1}, {1, 1}, {1, 3}, {2, 3}, {29, 100}, {58, 200}, {5, 7}, {1, math.MaxInt64},
		{math.MaxInt64 - 1, math.MaxInt64}, {math.MaxInt64, math.MaxInt64}, {0, math.MaxInt64},
		{math.MaxInt64 / 2, math.MaxInt64}, {math.MaxInt64/2 + 1, math.MaxInt64}, {1 << 61, 1 << 62},
		{1<<61 + 1, 1 << 62}, {1<<61 - 1, 1 << 62}, {1, 1 << 62}, {math.MaxInt64 / 3, math.MaxInt64},
	}
	for k := range int64(41) {
		ratios = append(ratios, ratio{k, 40})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		den := rng.Int64()>>rng.IntN(63) | 1
		ratios = append(ratios, ratio{rng.Int64N(den + 1), den})
	}
	ns := append(smallCounts(60), largeCounts...)
	if testing.Short() {
		ns = append(smallCounts(12), largeCounts...)
	}
	for _, n := range ns {
		for _, r := range ratios {
			for _, m := range Methods() {
				got := m.Position(n, Ratio(r.num, r.den))
				checkPosition(t, got, n)
				want := normal(refRatio(m, n, r.num, r.den))
				if off := math.Abs(got.Low - want.Low); off <= got.G*0x1p-104 && (got.Low == 0) == (want.Low == 0) {
					got.Low = want.Low
				}
				if got != want {
					t.Errorf("%v.Position(%d, %d/%d) = %+v, want %+v", m, n, r.num, r.den, got, want)
				}
			}
		}
	}
}

// TestRatioTiesAreExact asks for v = k + 1/2 and its nearest neighbours, which
// no float64 q can tell apart.
func TestRatioTiesAreExact(t *testing.T) {
	const n, den = 1<<53 - 1, (1<<53 - 2) * 2
	for _, k := range []int64{0, 1, 2, 3, 1<<52 - 3, 1<<52 - 2, 1<<53 - 4} {
		// (n-1)·num/den = num/2, scaled so that neighbours differ by 2^-10.
		num := 2*k + 1
		for shift, wants := range map[int64][3]int64{
			-1: {k, k, k},
			0:  {k + k&1, k, k},
			1:  {k + 1, k + 1, k},
		} {
			q := Ratio(num<<9+shift, den<<9)
			if q.Num < 0 || q.Den < 0 {
				t.Fatalf("fraction overflows for k = %d", k)
			}
			for i, m := range []Method{Nearest, NearestDown, Lower} {
				if p := m.Position(n, q); p.Lo != wants[i] {
					t.Errorf("%v at %d + 1/2 %+d: %d, want %d", m, k, shift, p.Lo, wants[i])
				}
			}
		}
	}
}

func TestPositionFixtures(t *testing.T) {
	for _, c := range []struct {
		m    Method
		n    int64
		q    Q
		want Position
	}{
		{Lower, 101, At(0.29), Position{28, 28, 0, 0}},
		{Lower, 101, Ratio(29, 100), Position{29, 29, 0, 0}},
		{Linear, 101, Ratio(29, 100), Position{29, 29, 0, 0}},
		{Linear, 2, At(3 * 0x1p-54), Position{0, 1, 3 * 0x1p-54, 0}},
		{Linear, 2, At(5e-324), Position{0, 1, 5e-324, 0}},
		{Linear, 1, At(0.7), Position{0, 0, 0, 0}},
		{Linear, 65521, At(0.5), Position{32760, 32760, 0, 0}},
		{Linear, 1 << 17, At(0.5), Position{65535, 65536, 0.5, 0}},
		{Midpoint, 4, At(0.4), Position{1, 2, 0.5, 0}},
		{Midpoint, 5, At(0.5), Position{2, 2, 0, 0}},
		{Nearest, 6, At(0.5), Position{2, 2, 0, 0}},
		{Nearest, 4, At(0.5), Position{2, 2, 0, 0}},
		{NearestDown, 4, At(0.5), Position{1, 1, 0, 0}},
		{InvertedCDF, 10, At(0), Position{0, 0, 0, 0}},
		{AveragedInvertedCDF, 10, At(0.5), Position{4, 5, 0.5, 0}},
		{AveragedInvertedCDF, 10, At(0), Position{0, 0, 0, 0}},
		{AveragedInvertedCDF, 10, At(1), Position{9, 9, 0, 0}},
		{AveragedInvertedCDF, 10, At(0.55), Position{5, 5, 0, 0}},
		{ClosestObservation, 10, At(0.25), Position{1, 1, 0, 0}},
		{ClosestObservation, 10, At(0.35), Position{3, 3, 0, 0}},
		{Weibull, 9, At(0.05), Position{0, 0, 0, 0}},
		{Weibull, 9, At(0.95), Position{8, 8, 0, 0}},
		{MedianUnbiased, 3, Ratio(1, 2), Position{1, 1, 0, 0}},
		{Hazen, 4, At(math.Copysign(0, -1)), Position{0, 0, 0, 0}},
	} {
		if got := c.m.Position(c.n, c.q); got != c.want {
			t.Errorf("%v.Position(%d, %+v) = %+v, want %+v", c.m, c.n, c.q, got, c.want)
		}
	}
}

// TestConstantsAreFloat64 pins the two constants that exact constant arithmetic
// would get wrong.
func TestConstantsAreFloat64(t *testing.T) {
	third := 1.0
	third /= 3
	span := 1 - third
	span -= third
	for _, q := range quantiles() {
		for _, n := range []int64{1, 2, 7, 1000003} {
			got, want := methods[MedianUnbiased].float(n, q), refVirtual(n, q, third, span)
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("v(%d, %x) = %x, want %x", n, q, got, want)
			}
		}
	}
}

// TestAffineFollowsFromAlphaBeta derives the exact row of each method with
// plotting positions from its alpha and beta.
func TestAffineFollowsFromAlphaBeta(t *testing.T) {
	for m, p := range plottingPositions {
		x := methods[m].exact
		d, one := big.NewRat(x.d, 1), big.NewRat(1, 1)
		span := new(big.Rat).Sub(new(big.Rat).Sub(one, p[0]), p[1])
		r, c := span.Mul(span, d), new(big.Rat).Sub(p[0], one)
		c.Mul(c, d)
		if r.Cmp(big.NewRat(x.r, 1)) != 0 || c.Cmp(big.NewRat(x.c, 1)) != 0 {
			t.Errorf("%v: {%d %d %d}, want r = %v, c = %v", m, x.d, x.r, x.c, r, c)
		}
	}
}
