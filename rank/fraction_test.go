package rank

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/dtype"
)

// bitsAfterPoint returns the first 192 bits of x behind the point, 0 <= x < 1.
func bitsAfterPoint(x *big.Rat) (f [3]uint64) {
	n := new(big.Int).Lsh(x.Num(), 192)
	n.Div(n, x.Denom())
	for i := 2; i >= 0; i-- {
		f[i] = new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
		n.Rsh(n, 64)
	}
	return f
}

// TestRoundFraction: the nearest float64, and what it lacks, of fractions with every number
// of leading zeros, of ties and of their neighbours.
func TestRoundFraction(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		f := [3]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}
		switch rng.IntN(5) {
		case 0:
			f[0] >>= rng.IntN(64)
		case 1:
			f[0], f[1], f[2] = f[0]&^(1<<11-1)|1<<63|1<<10, 0, 0 // a tie
		case 2:
			f[0], f[1], f[2] = f[0]|1<<63|1<<10-1, math.MaxUint64, math.MaxUint64 // less than one
		case 3:
			f[0], f[1] = 0, f[1]|1<<61 // as small as a fraction gets
		}
		num := new(big.Int)
		for _, word := range f {
			num.Add(num.Lsh(num, 64), new(big.Int).SetUint64(word))
		}
		exact := new(big.Rat).SetFrac(num, new(big.Int).Lsh(big.NewInt(1), 192))
		want, _ := exact.Float64()
		got, low := roundFraction(f)
		rest := new(big.Rat).Sub(exact, new(big.Rat).SetFloat64(want))
		wantLow, _ := rest.Float64()
		if got != want || math.Abs(low-wantLow) > want*0x1p-104 || (low == 0) != (rest.Sign() == 0) {
			t.Fatalf("roundFraction(%#x) = %x and %x, want %x and %x", f, got, low, want, wantLow)
		}
	}
}

// testFraction is a weight k/(parts·den).
type testFraction struct {
	ratio
	exact *big.Rat
}

func fractionOf(k *big.Int, u Unit) testFraction {
	den := new(big.Int).Mul(new(big.Int).SetUint64(u.parts), new(big.Int).SetUint64(u.den))
	f := testFraction{exact: new(big.Rat).SetFrac(k, den)}
	f.unit = u
	f.g, f.low = roundFraction(bitsAfterPoint(f.exact))
	return f
}

// hardFraction draws a weight that is a fraction: decimals, thirds and sevenths, of any
// denominator, near 0, 1/2 and 1.
func hardFraction(rng *rand.Rand) testFraction {
	u := Unit{parts: []uint64{1, 2, 3, 8}[rng.IntN(4)]}
	switch rng.IntN(4) {
	case 0:
		u.den = []uint64{3, 5, 7, 10, 100, 1000, 1e12, 1e18, 4, 6}[rng.IntN(10)]
	case 1:
		u.den = math.MaxInt64 - rng.Uint64N(5)
	default:
		u.den = rng.Uint64()>>(1+rng.IntN(63)) | 1
	}
	den := new(big.Int).Mul(new(big.Int).SetUint64(u.parts), new(big.Int).SetUint64(u.den))
	k := new(big.Int).Mul(den, new(big.Int).SetUint64(rng.Uint64()))
	k.Rsh(k, 64)
	few := big.NewInt(1 + rng.Int64N(4))
	switch rng.IntN(6) {
	case 0:
		k.Set(few)
	case 1:
		k.Sub(den, few)
	case 2:
		k.Add(k.Rsh(den, 1), few.Sub(few, big.NewInt(2)))
	}
	if k.Sign() < 0 || k.Cmp(den) >= 0 {
		k.SetInt64(0)
	}
	return fractionOf(k, u)
}

// TestMultiple: the exact weight follows from its float64, from what that lacks and from the
// unit.
func TestMultiple(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for range cases(400_000) {
		f := hardFraction(rng)
		hi, lo := f.unit.multiple(f.g, f.low)
		k := new(big.Int).SetUint64(hi)
		k.Add(k.Lsh(k, 64), new(big.Int).SetUint64(lo))
		if got := fractionOf(k, f.unit).exact; got.Cmp(f.exact) != 0 {
			t.Fatalf("%v of unit %+v as %x and %x is %v", f.exact, f.unit, f.g, f.low, got)
		}
	}
}

// refFraction is a + g·(b-a) for a fraction g: exact where it is 0, otherwise with so many
// bits that it rounds as the exact value does.
func refFraction(a, b *big.Float, g *big.Rat) *big.Float {
	den := newWide().SetInt(g.Denom())
	v := newWide().Sub(b, a)
	v.Mul(v, newWide().SetInt(g.Num()))
	v.Add(v, newWide().Mul(a, den))
	return v.Quo(v, den)
}

// refSpecialFraction is refSpecial for a fraction.
func refSpecialFraction(a, b float64, g *big.Rat) (float64, bool) {
	w := 0.3 // neither 0 nor 1
	if g.Sign() == 0 {
		w = 0
	}
	return refSpecial(a, b, w)
}

// TestFractionsAreExact holds interpolation by fractions, of every type, to the reference,
// and the slow path alone.
func TestFractionsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	var proven, slow int
	for range cases(500_000) {
		f := hardFraction(rng)
		a, b := hardEnds(rng)
		if rng.IntN(8) == 0 { // a tie for one weight in two
			a = float64(1<<54 + rng.Int64N(1<<20)*4)
			b = a + 4*float64(f.unit.den%1000)
		}
		v, ok := refSpecialFraction(a, b, f.exact)
		if !ok {
			v = round64(refFraction(wide(a), wide(b), f.exact))
		}
		want := math.Float64bits(v)
		if v != v {
			want = 0x7FF8000000000000
		}
		if got := math.Float64bits(ratio64(a, b, f.ratio)); got != want {
			t.Fatalf("[%x, %x] at %v = %#x, want %#x", a, b, f.exact, got, want)
		}
		if f.low == 0 {
			continue
		}
		if got := math.Float64bits(ratioSlow64(a, b, f.ratio)); got != want {
			t.Fatalf("exact path: [%x, %x] at %v = %#x, want %#x", a, b, f.exact, got, want)
		}
		d := b - a
		y := b - d
		if r, ok := blendSum(a, 0, d, (b-(d+y))+(y-a), f.g, f.low); !ok {
			slow++
		} else if proven++; math.Float64bits(r) != want {
			t.Fatalf("fast path: [%x, %x] at %v = %x, want %#x", a, b, f.exact, r, want)
		}
	}
	if n := cases(2000); proven < 10*n || slow < 10*n {
		t.Errorf("paths not all taken: %d proven, %d slow", proven, slow)
	}
}

// TestNarrowFractionsAreExact is TestFractionsAreExact for floats of 32 and of 16 bits.
func TestNarrowFractionsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 2))
	for range cases(300_000) {
		f := hardFraction(rng)
		u := hardBits32(rng)
		a, b := math.Float32frombits(u), math.Float32frombits(near32(rng, u))
		x, y := float64(a), float64(b)
		if v, ok := refSpecialFraction(x, y, f.exact); ok {
			if got := ratio32(a, b, f.ratio); math.Float32bits(got) != math.Float32bits(float32(v)) && v == v {
				t.Fatalf("[%x, %x] at %v = %x, want %x", a, b, f.exact, got, v)
			}
		} else if want, _ := refFraction(wide(x), wide(y), f.exact).Float32(); math.Float32bits(ratio32(a, b, f.ratio)) != math.Float32bits(want) {
			t.Fatalf("[%x, %x] at %v = %x, want %x", a, b, f.exact, ratio32(a, b, f.ratio), want)
		}
		aF, bF := dtype.F16FromBits(uint16(rng.Uint32())), dtype.F16FromBits(uint16(rng.Uint32()))
		if rng.IntN(2) == 0 {
			bF = dtype.F16FromBits(aF.Bits() + uint16(rng.IntN(9)))
		}
		if v, ok := refSpecialFraction(aF.Float64(), bF.Float64(), f.exact); !ok {
			v = refNarrow(refFraction(wide(aF.Float64()), wide(bF.Float64()), f.exact), 10, -14)
			if got := ratioF16(aF, bF, f.ratio).Bits(); got != dtype.ToF16(v).Bits() {
				t.Fatalf("float16 [%v, %v] at %v = %#x, want %v", aF, bF, f.exact, got, v)
			}
		}
		aB, bB := dtype.BF16FromBits(uint16(rng.Uint32())), dtype.BF16FromBits(uint16(rng.Uint32()))
		if rng.IntN(2) == 0 {
			bB = dtype.BF16FromBits(aB.Bits() + uint16(rng.IntN(9)))
		}
		if v, ok := refSpecialFraction(aB.Float64(), bB.Float64(), f.exact); !ok {
			v = refNarrow(refFraction(wide(aB.Float64()), wide(bB.Float64()), f.exact), 7, -126)
			if got := ratioBF16(aB, bB, f.ratio).Bits(); got != dtype.ToBF16(v).Bits() {
				t.Fatalf("bfloat16 [%v, %v] at %v = %#x, want %v", aB, bB, f.exact, got, v)
			}
		}
	}
}

// TestIntegerFractionsAreExact is TestFractionsAreExact for integers.
func TestIntegerFractionsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 3))
	for range cases(300_000) {
		f := hardFraction(rng)
		u := rng.Uint64() >> rng.IntN(64)
		v := u + rng.Uint64()>>rng.IntN(64)
		if rng.IntN(2) == 0 { // the value is a whole number, often a tie
			v = u + f.unit.den*rng.Uint64N(16)
		}
		x, y := newWide().SetInt64(int64(u)), newWide().SetInt64(int64(v))
		want := round64(refFraction(x, y, f.exact))
		if got := ratioInt(int64(u), int64(v), f.ratio); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("[%d, %d] at %v = %x, want %x", int64(u), int64(v), f.exact, got, want)
		}
		x, y = newWide().SetUint64(u), newWide().SetUint64(v)
		want = round64(refFraction(x, y, f.exact))
		if got := ratioUint(u, v, f.ratio); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("[%d, %d] at %v = %x, want %x", u, v, f.exact, got, want)
		}
	}
}

// TestFractionFixtures: values that a weight rounded first gets wrong.
func TestFractionFixtures(t *testing.T) {
	third := math.Float64frombits(0x400AAAAAAAAAAAAB)
	for _, c := range []struct {
		a, b     float64
		num, den int64
		want     float64
	}{
		{-3, 2, 3, 5, 0}, {0, 10, 1, 3, third}, {0, 10, 2, 3, 20.0 / 3}, {-1, 0, math.MaxInt64 - 1, math.MaxInt64, -0x1p-63},
		{0, math.Inf(1), 1, 3, math.Inf(1)}, {math.Inf(-1), 0, math.MaxInt64 - 1, math.MaxInt64, math.Inf(-1)}, {5, 5, 1, 7, 5},
		{-1.7e308, 1.7e308, 1, 3, -1.7e308 / 3},
	} {
		p := Linear.Position(2, Ratio(c.num, c.den))
		w := Weights{G: []float64{p.G}, Low: []float64{p.Low}, Unit: NewSet(Linear, []Q{Ratio(c.num, c.den)}).Unit(0)}
		dst := []float64{7}
		w.Interpolate64(dst, []float64{c.a}, []float64{c.b})
		if math.Float64bits(dst[0]) != math.Float64bits(c.want) {
			t.Errorf("[%v, %v] at %d/%d = %x, want %x", c.a, c.b, c.num, c.den, dst[0], c.want)
		}
	}
}
