package rank

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/dtype"
)

// cases is the number of random cases of the long sweeps.
func cases(n int) int {
	if testing.Short() {
		return n / 20
	}
	return n
}

func one64(a, b, g float64) uint64 {
	dst := []float64{0}
	Interpolate64(dst, []float64{a}, []float64{b}, []float64{g})
	return math.Float64bits(dst[0])
}

func one32(a, b float32, g float64) uint32 {
	dst := []float32{0}
	Interpolate32(dst, []float32{a}, []float32{b}, []float64{g})
	return math.Float32bits(dst[0])
}

func oneF16(a, b, g float64) uint16 {
	dst := []dtype.F16{{}}
	InterpolateF16(dst, []dtype.F16{dtype.ToF16(a)}, []dtype.F16{dtype.ToF16(b)}, []float64{g})
	return dst[0].Bits()
}

func oneBF16(a, b, g float64) uint16 {
	dst := []dtype.BF16{{}}
	InterpolateBF16(dst, []dtype.BF16{dtype.ToBF16(a)}, []dtype.BF16{dtype.ToBF16(b)}, []float64{g})
	return dst[0].Bits()
}

func TestInterpolate64Fixtures(t *testing.T) {
	inf, zero := math.Inf(1), math.Copysign(0, -1)
	for _, c := range []struct{ a, b, g, want float64 }{
		{-1, -0x1p-60, 3 * 0x1p-54, -0x1.fffffffffffffp-1},
		{5e-324, 1.5e-323, 0.75, 1e-323},
		{-1.7e308, 1.7e308, 0.5, 0},
		{-1.7e308, 1.7e308, 0.75, 0.85e308},
		{-math.MaxFloat64, math.MaxFloat64, 0.25, -math.MaxFloat64 / 2},
		{math.MaxFloat64, math.MaxFloat64, 0.5, math.MaxFloat64},
		{math.Nextafter(math.MaxFloat64, 0), math.MaxFloat64, 0.5, math.Nextafter(math.MaxFloat64, 0)},
		{0x1p1023, math.MaxFloat64, 0.5, 0x1.8p1023},
		{0, 5e-324, 0.5, 0},
		{0, 5e-324, 0.75, 5e-324},
		{5e-324, 1e-323, 0.5, 1e-323},
		{-5e-324, 0, 0.5, zero},
		{-5e-324, 0, 0.75, zero},
		{-5e-324, 5e-324, 0.5, 0},
		{-1, 1, 0.5, 0},
		{-1, 3, 0.25, 0},
		{-1, 0x1p300, 0x1p-300, 0x1p-300},
		{1, 0x1p1000, 0x1p-1000, 2},
		{1, 0x1p-1000, 0x1p-53, 1 - 0x1p-53},
		{0x1p-1000, 1, 0x1p-1060, 0x1p-1000},
		{math.MaxFloat64, 5e-324, 5e-324, math.MaxFloat64},
		{-5e-324, math.MaxFloat64, 5e-324, 0x1.fffffffffffffp-51},
		{1, 1 + 0x1p-52, 0.5, 1},
		{1 + 0x1p-52, 1 + 0x1p-51, 0.5, 1 + 0x1p-51},
		{1, 1 + 0x1p-51, 0.25, 1},
		{1, 1 + 0x1p-51, 0.75, 1 + 0x1p-51},
		{zero, 0, 0.3, zero}, {zero, 0, 0.5, zero}, {zero, 0, 1, 0}, {zero, 0, 0, zero},
		{0, zero, 0.5, 0}, {0, zero, 1, zero}, {zero, zero, 0.5, zero},
		{inf, inf, 0.5, inf}, {inf, inf, 0.3, inf}, {-inf, -inf, 0.5, -inf},
		{0, inf, 0.5, inf}, {0, inf, 5e-324, inf}, {0, inf, 0, 0}, {0, inf, 1, inf},
		{-inf, 0, 0.5, -inf}, {-inf, 0, 1 - 0x1p-53, -inf}, {-inf, 0, 1, 0}, {-inf, 0, 0, -inf},
		{-inf, inf, 0, -inf}, {-inf, inf, 1, inf},
		{2, 7, 0, 2}, {2, 7, 1, 7}, {5e-324, 0x1p1000, 0, 5e-324}, {0x1p1000, 5e-324, 1, 5e-324},
	} {
		if got := one64(c.a, c.b, c.g); got != math.Float64bits(c.want) {
			t.Errorf("[%x, %x] at %x = %x, want %x", c.a, c.b, c.g, math.Float64frombits(got), c.want)
		}
	}
}

// TestEveryNaNIsCanonical: NaNs of either sign, signalling or not, with any
// partner and weight, and the NaN of opposite infinities.
func TestEveryNaNIsCanonical(t *testing.T) {
	inf := math.Inf(1)
	partners := []uint64{0, math.Float64bits(1), math.Float64bits(inf), math.Float64bits(-inf), 0x7FF8000000000000}
	for _, nan := range []uint64{0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF, 0x7FF4000020000000} {
		for _, p := range partners {
			for _, g := range []float64{0, 5e-324, 0.25, 0.3, 0.5, 1} {
				x, y := math.Float64frombits(nan), math.Float64frombits(p)
				for range 2 {
					x, y = y, x
					x32, y32 := math.Float32frombits(narrowNaN(x)), math.Float32frombits(narrowNaN(y))
					f16 := []dtype.F16{dtype.F16FromBits(uint16(narrowNaN(x) >> 16 & 0xFC00)), dtype.F16FromBits(0x7C01)}
					bf16 := []dtype.BF16{dtype.BF16FromBits(uint16(narrowNaN(x) >> 16)), dtype.BF16FromBits(0xFF81)}
					InterpolateF16(f16[:1], f16[:1], f16[1:], []float64{g})
					InterpolateBF16(bf16[:1], bf16[:1], bf16[1:], []float64{g})
					if a, b := one64(x, y, g), one32(x32, y32, g); a != 0x7FF8000000000000 || b != 0x7FC00000 {
						t.Errorf("[%#x, %#x] at %v: %#x, float32 %#x", nan, p, g, a, b)
					}
					if a, b := f16[0].Bits(), bf16[0].Bits(); a != 0x7E00 || b != 0x7FC0 {
						t.Errorf("16 bits at %v: %#x, %#x", g, a, b)
					}
				}
			}
		}
	}
	for _, g := range []float64{5e-324, 0.3, 0.5, 1 - 0x1p-53} {
		if one64(-inf, inf, g) != 0x7FF8000000000000 || one32(float32(-inf), float32(inf), g) != 0x7FC00000 ||
			oneF16(-inf, inf, g) != 0x7E00 || oneBF16(-inf, inf, g) != 0x7FC0 {
			t.Errorf("-Inf with +Inf at %v is not the NaN", g)
		}
	}
}

// narrowNaN returns x as float32 bits, a NaN with its sign and upper payload.
func narrowNaN(x float64) uint32 {
	i := math.Float64bits(x)
	if x != x {
		return uint32(i>>32)&0x80000000 | 0x7F800000 | uint32(i>>29)&0x7FFFFF | 1
	}
	return math.Float32bits(float32(x))
}

// TestInterpolate64IsExact compares every path with the reference: the fast
// one, where it claims a proof, the slow one always, and the two together.
func TestInterpolate64IsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var proven, ties, slow, halves int
	for range cases(1_000_000) {
		a, b := hardEnds(rng)
		g := hardWeight(rng)
		want := ref64(a, b, g)
		if got := math.Float64bits(blend64(a, b, g)); got != want {
			t.Fatalf("[%x, %x] at %x = %#x, want %#x", a, b, g, got, want)
		}
		if got := math.Float64bits(blendSlow64(a, b, g)); got != want {
			t.Fatalf("exact path: [%x, %x] at %x = %#x, want %#x", a, b, g, got, want)
		}
		d := b - a
		y := b - d
		e := (b - (d + y)) + (y - a)
		r, ok := blendSum(a, 0, d, e, g, 0)
		switch {
		case g == 0.5:
			halves++
		case !ok:
			slow++
		case math.Float64bits(r) != want:
			t.Fatalf("fast path: [%x, %x] at %x = %x, want %#x", a, b, g, r, want)
		case isMiddle(a, b, g):
			ties++
		default:
			proven++
		}
	}
	if n := cases(2000); proven < 10*n || ties < n || slow < 10*n || halves < n {
		t.Errorf("paths not all taken: %d proven, %d ties, %d slow, %d halves", proven, ties, slow, halves)
	}
}

// isMiddle reports whether the exact value lies half way between two float64.
func isMiddle(a, b, g float64) bool {
	if g == 0 || g == 1 || a == b {
		return false
	}
	return refValue(a, b, g).MinPrec() == 54
}

func TestHalfIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range cases(200_000) {
		a, b := hardEnds(rng)
		if got, want := math.Float64bits(half64(a, b)), ref64(a, b, 0.5); got != want {
			t.Fatalf("middle of %x and %x = %#x, want %#x", a, b, got, want)
		}
		u := hardBits32(rng)
		x, y := math.Float32frombits(u), math.Float32frombits(near32(rng, u))
		if got, want := math.Float32bits(half32(x, y)), ref32(x, y, 0.5); got != want {
			t.Fatalf("middle of %x and %x = %#x, want %#x", x, y, got, want)
		}
	}
}

func TestInterpolate32IsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var sums, wide int
	for range cases(300_000) {
		u := hardBits32(rng)
		a, b := math.Float32frombits(u), math.Float32frombits(near32(rng, u))
		g := hardWeight(rng)
		want := ref32(a, b, g)
		if got := math.Float32bits(blend32(a, b, g)); got != want {
			t.Fatalf("[%x, %x] at %x = %#x, want %#x", a, b, g, got, want)
		}
		if got := math.Float32bits(blendSlow32(float64(a), float64(b), g)); got != want {
			t.Fatalf("slow path: [%x, %x] at %x = %#x, want %#x", a, b, g, got, want)
		}
		if a == b || g == 0 || g == 1 {
			continue
		}
		odd := blendExact(splitNumber(float64(a)), splitNumber(float64(b)), g).odd()
		if r, ok := sumOdd(float64(a), float64(b), g); ok {
			sums++
			if math.Float64bits(r) != math.Float64bits(odd) {
				t.Fatalf("sumOdd(%x, %x, %x) = %x, want %x", a, b, g, r, odd)
			}
		} else {
			wide++
		}
		if got := math.Float32bits(float32(odd)); got != want {
			t.Fatalf("exact path: [%x, %x] at %x = %#x, want %#x", a, b, g, got, want)
		}
	}
	if n := cases(1000); sums < 10*n || wide < 10*n {
		t.Errorf("paths not all taken: %d sums, %d exact", sums, wide)
	}
}

func TestInterpolateIntegersFixtures(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		g    float64
		want float64
	}{
		{-128, 127, 0.5, -0.5},
		{-32768, 32767, 0.5, -0.5},
		{math.MinInt64, math.MaxInt64, 0.5, -0.5},
		{math.MinInt64, math.MaxInt64, 0.25, -0x1p62},
		{math.MinInt64, math.MaxInt64, 1, 0x1p63},
		{math.MinInt64, math.MaxInt64, 0, -0x1p63},
		{math.MaxInt64, math.MaxInt64, 0.5, 0x1p63},
		{1<<53 + 1, 1<<53 + 2, 0.5, 1<<53 + 2},
		{1<<53 + 1, 1<<53 + 2, 0.25, 1<<53 + 2},
		{1 << 53, 1<<53 + 1, 0.5, 1 << 53},
		{1<<62 + 1<<9, 1<<62 + 1<<9 + 1, 0.5, 0x1p62 + 0x1p10},
		{-1<<62 - 1<<9, -1<<62 - 1<<9 - 1, 0.5, -0x1p62 - 0x1p10},
		{-1<<62 - 1<<9, -1<<62 - 1<<9 + 1, 0.5, -0x1p62},
		{-1, 1, 0.5, 0}, {0, 0, 0.5, 0}, {-3, 1, 0.75, 0}, {0, -1, 5e-324, -5e-324},
	} {
		dst := []float64{7}
		InterpolateInt(dst, []int64{c.a}, []int64{c.b}, []float64{c.g})
		if math.Float64bits(dst[0]) != math.Float64bits(c.want) {
			t.Errorf("[%d, %d] at %v = %x, want %x", c.a, c.b, c.g, dst[0], c.want)
		}
	}
	dst := make([]float64, 3)
	InterpolateUint(dst, []uint64{0, math.MaxUint64 - 1, 1<<63 + 1<<10}, []uint64{math.MaxUint64, math.MaxUint64, 1<<63 + 1<<10 + 1}, []float64{0.5})
	if dst[0] != 0x1p63 || dst[1] != 0x1p64 || dst[2] != 0x1p63+0x1p11 {
		t.Errorf("middles of uint64: %x", dst)
	}
}

func TestInterpolateIntegersAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	draw := func() uint64 {
		u := rng.Uint64() >> rng.IntN(64)
		if rng.IntN(2) == 0 {
			u = -u
		}
		return u
	}
	for range cases(200_000) {
		u := draw()
		v := draw()
		if rng.IntN(2) == 0 {
			v = u + rng.Uint64N(65) - 32
		}
		g := hardWeight(rng)
		a, b := int64(u), int64(v)
		want := refInteger(big.NewInt(a), big.NewInt(b), g)
		if got := math.Float64bits(blendInt(a, b, g)); got != want {
			t.Fatalf("[%d, %d] at %x = %#x, want %#x", a, b, g, got, want)
		}
		if got := math.Float64bits(blendSlowInt(a, b, g)); got != want {
			t.Fatalf("exact path: [%d, %d] at %x = %#x, want %#x", a, b, g, got, want)
		}
		want = refInteger(new(big.Int).SetUint64(u), new(big.Int).SetUint64(v), g)
		if got := math.Float64bits(blendUint(u, v, g)); got != want {
			t.Fatalf("[%d, %d] at %x = %#x, want %#x", u, v, g, got, want)
		}
		if got := math.Float64bits(blendSlowUint(u, v, g)); got != want {
			t.Fatalf("exact path: [%d, %d] at %x = %#x, want %#x", u, v, g, got, want)
		}
	}
}

// TestBatches: one weight for all and one each, every length, dst apart from
// the ends or one of them, nothing written beyond dst.
func TestBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for n := range 20 {
		a, b, g := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = hardEnds(rng)
			g[i] = hardWeight(rng)
		}
		check := func(dst []float64, weight func(i int) float64, a, b []float64, what string) {
			t.Helper()
			for i, v := range dst {
				if want := ref64(a[i], b[i], weight(i)); math.Float64bits(v) != want {
					t.Errorf("n = %d, %s: %x, want %#x", n, what, v, want)
				}
			}
		}
		dst := make([]float64, n+1)
		dst[n] = 42
		Interpolate64(dst[:n], a, b, g)
		check(dst[:n], func(i int) float64 { return g[i] }, a, b, "weights")
		for _, w := range []float64{0.5, 0.3, 0, 1} {
			Interpolate64(dst[:n], a, b, []float64{w})
			check(dst[:n], func(int) float64 { return w }, a, b, "one weight")
			onA, onB := append([]float64(nil), a...), append([]float64(nil), b...)
			Interpolate64(onA, onA, b, []float64{w})
			check(onA, func(int) float64 { return w }, a, b, "onto a")
			Interpolate64(onB, a, onB, []float64{w})
			check(onB, func(int) float64 { return w }, a, b, "onto b")
		}
		if dst[n] != 42 {
			t.Fatalf("n = %d: wrote beyond dst", n)
		}
	}
}

// TestReferenceAgreesWithFractions checks the reference itself against
// big.Rat, which rounds by division.
func TestReferenceAgreesWithFractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range cases(4000) {
		a, b := hardEnds(rng)
		g := hardWeight(rng)
		if g == 0 || g == 1 || a == b {
			continue
		}
		x, y, w := new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b), new(big.Rat).SetFloat64(g)
		y.Mul(y.Sub(y, x), w)
		x.Add(x, y)
		v, _ := x.Float64()
		if v == 0 && x.Sign() < 0 {
			v = math.Copysign(0, -1)
		}
		if got := ref64(a, b, g); got != math.Float64bits(v) {
			t.Fatalf("reference [%x, %x] at %x = %#x, fractions %x", a, b, g, got, v)
		}
	}
}
