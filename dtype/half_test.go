package dtype

import (
	"math"
	"math/big"
	"strconv"
	"testing"
)

// half is one of the two 16-bit formats as the tests see it.
type half struct {
	name  string
	inf   uint16 // bits of +Inf
	quiet uint16 // the quiet bit of a NaN
	to    func(float64) uint16
	from  func(uint16) float64
	text  func(uint16) string
	nan   func(uint16) bool
}

var halves = []half{
	{"float16", 0x7C00, 0x0200,
		func(f float64) uint16 { return ToF16(f).Bits() },
		func(b uint16) float64 { return F16FromBits(b).Float64() },
		func(b uint16) string { return F16FromBits(b).String() },
		func(b uint16) bool { return F16FromBits(b).IsNaN() }},
	{"bfloat16", 0x7F80, 0x0040,
		func(f float64) uint16 { return ToBF16(f).Bits() },
		func(b uint16) float64 { return BF16FromBits(b).Float64() },
		func(b uint16) string { return BF16FromBits(b).String() },
		func(b uint16) bool { return BF16FromBits(b).IsNaN() }},
}

func eachHalf(t *testing.T, fn func(t *testing.T, h half)) {
	for _, h := range halves {
		t.Run(h.name, func(t *testing.T) { fn(t, h) })
	}
}

// mant returns the number of mantissa bits.
func (h half) mant() uint { return uint(big.NewInt(int64(h.quiet)).BitLen()) }

// value is the value of a finite, non-negative pattern, from the definition of
// IEEE 754 and not from the code under test.
func (h half) value(b uint16) *big.Rat {
	mant := h.mant()
	exp, m := int(b>>mant), int64(b&(1<<mant-1))
	bias := int(h.inf>>mant)>>1 + int(mant)
	if exp > 0 {
		m |= 1 << mant
		exp--
	}
	v := new(big.Rat).SetInt64(m)
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(abs(exp+1-bias))))
	if exp+1-bias < 0 {
		return v.Quo(v, scale)
	}
	return v.Mul(v, scale)
}

func abs(n int) int { return max(n, -n) }

func TestHalfWiden(t *testing.T) {
	eachHalf(t, func(t *testing.T, h half) {
		for i := range 1 << 16 {
			b := uint16(i)
			got, mag := h.from(b), b&0x7FFF
			if math.Signbit(got) != (b>>15 == 1) {
				t.Fatalf("%#04x: sign of %v", b, got)
			}
			if nan := mag > h.inf; nan != math.IsNaN(got) || nan != h.nan(b) {
				t.Fatalf("%#04x: NaN-ness of %v, IsNaN %v", b, got, h.nan(b))
			}
			switch {
			case mag > h.inf:
				payload := uint64(mag&(2*h.quiet-1)|h.quiet) << (52 - h.mant())
				if want := uint64(b>>15)<<63 | 0x7FF<<52 | payload; math.Float64bits(got) != want {
					t.Fatalf("%#04x: %#x, want %#x", b, math.Float64bits(got), want)
				}
			case mag == h.inf:
				if !math.IsInf(got, 0) {
					t.Fatalf("%#04x: %v, want infinity", b, got)
				}
			default:
				if want := h.value(mag); new(big.Rat).SetFloat64(math.Abs(got)).Cmp(want) != 0 {
					t.Fatalf("%#04x: %v, want %v", b, got, want)
				}
			}
		}
	})
}

func TestHalfRoundTrip(t *testing.T) {
	eachHalf(t, func(t *testing.T, h half) {
		for i := range 1 << 16 {
			want := uint16(i)
			if h.nan(want) {
				want |= h.quiet
			}
			if got := h.to(h.from(uint16(i))); got != want {
				t.Fatalf("%#04x came back as %#04x, want %#04x", i, got, want)
			}
		}
	})
}

// TestHalfMidpoints rounds every tie between neighbours, and the float64 values
// on either side of it. The last tie lies between the largest finite number and
// where the next would be.
func TestHalfMidpoints(t *testing.T) {
	eachHalf(t, func(t *testing.T, h half) {
		for b := uint16(0); b < h.inf; b++ {
			next := h.value(b + 1) // of the infinity's pattern, read as a number
			mid, exact := next.Add(next, h.value(b)).Mul(next, big.NewRat(1, 2)).Float64()
			if !exact {
				t.Fatalf("%#04x: the tie above is not a float64", b)
			}
			even := b + b&1
			for _, c := range []struct {
				x    float64
				want uint16
			}{
				{mid, even},
				{math.Nextafter(mid, 0), b},
				{math.Nextafter(mid, math.Inf(1)), b + 1},
			} {
				if got := h.to(c.x); got != c.want {
					t.Fatalf("%b: %#04x, want %#04x", c.x, got, c.want)
				}
				if got := h.to(-c.x); got != c.want|0x8000 {
					t.Fatalf("%b: %#04x, want %#04x", -c.x, got, c.want|0x8000)
				}
			}
		}
	})
}

func TestHalfExtremes(t *testing.T) {
	nan := func(b uint64) float64 { return math.Float64frombits(b) }
	for _, c := range []struct {
		x         float64
		f16, bf16 uint16
	}{
		{0, 0, 0},
		{math.Copysign(0, -1), 0x8000, 0x8000},
		{math.SmallestNonzeroFloat64, 0, 0},
		{-math.SmallestNonzeroFloat64, 0x8000, 0x8000},
		{0x1p-1022, 0, 0},
		{0x1p-24, 0x0001, 0x3380},
		{0x1p-25, 0, 0x3300},
		{0x1.0000000000001p-25, 1, 0x3300},
		{0x1p-133, 0, 0x0001},
		{0x1p-134, 0, 0},
		{0x1.0000000000001p-134, 0, 1},
		{0x1p-135, 0, 0},
		{65504, 0x7BFF, 0x4780},
		{65520, 0x7C00, 0x4780},
		{math.Nextafter(65520, 0), 0x7BFF, 0x4780},
		{math.MaxFloat32, 0x7C00, 0x7F80},
		{0x1.FEp127, 0x7C00, 0x7F7F},
		{0x1.FFp127, 0x7C00, 0x7F80},
		{math.Nextafter(0x1.FFp127, 0), 0x7C00, 0x7F7F},
		{math.MaxFloat64, 0x7C00, 0x7F80},
		{-math.MaxFloat64, 0xFC00, 0xFF80},
		{math.Inf(1), 0x7C00, 0x7F80},
		{math.Inf(-1), 0xFC00, 0xFF80},
		{nan(0x7FF8000000000000), 0x7E00, 0x7FC0},
		{nan(0xFFF8000000000000), 0xFE00, 0xFFC0},
		{nan(0x7FF0000000000001), 0x7E00, 0x7FC0}, // signalling, payload below the width
		{nan(0xFFFFFFFFFFFFFFFF), 0xFFFF, 0xFFFF},
		{nan(0x7FF4000000000000), 0x7F00, 0x7FE0},
	} {
		if got := ToF16(c.x).Bits(); got != c.f16 {
			t.Errorf("ToF16(%b, bits %#x) = %#04x, want %#04x", c.x, math.Float64bits(c.x), got, c.f16)
		}
		if got := ToBF16(c.x).Bits(); got != c.bf16 {
			t.Errorf("ToBF16(%b, bits %#x) = %#04x, want %#04x", c.x, math.Float64bits(c.x), got, c.bf16)
		}
	}
}

// TestHalfRoundsOnce has values that end elsewhere when they are rounded to
// float32 first.
func TestHalfRoundsOnce(t *testing.T) {
	for _, c := range []struct {
		h    half
		x    float64
		want uint16
	}{
		{halves[0], 1 + 0x1p-11 + 0x1p-40, 0x3C01},
		{halves[1], 1 + 0x1p-8 + 0x1p-40, 0x3F81},
		{halves[0], 1 + 0x3p-11 - 0x1p-40, 0x3C01},
		{halves[1], 1 + 0x3p-8 - 0x1p-40, 0x3F81},
	} {
		if got := c.h.to(c.x); got != c.want {
			t.Errorf("%s of %b: %#04x, want %#04x", c.h.name, c.x, got, c.want)
		}
		if twice := c.h.to(float64(float32(c.x))); twice == c.want {
			t.Errorf("%s of %b does not tell one rounding from two", c.h.name, c.x)
		}
	}
}

// TestHalfString holds String to its definition: of the decimals that round to
// the number, those with the fewest digits, of these the nearest, and of two
// the one with an even last digit.
func TestHalfString(t *testing.T) {
	eachHalf(t, func(t *testing.T, h half) {
		half := big.NewRat(1, 2)
		for b := uint16(1); b < h.inf; b++ {
			x := h.value(b)
			lo := new(big.Rat).Add(x, h.value(b-1))
			hi := new(big.Rat).Add(x, h.value(b+1))
			lo.Mul(lo, half)
			hi.Mul(hi, half)
			inside := func(r *big.Rat) bool {
				l, u := r.Cmp(lo), r.Cmp(hi)
				return l > 0 && u < 0 || b&1 == 0 && l >= 0 && u <= 0
			}
			if got, want := h.text(b), strconv.FormatFloat(shortestRat(x, inside), 'g', -1, 64); got != want {
				t.Fatalf("%#04x: %s, want %s", b, got, want)
			}
			if got, want := h.text(b|0x8000), "-"+h.text(b); got != want {
				t.Fatalf("%#04x: %s, want %s", b|0x8000, got, want)
			}
		}
		for b, want := range map[uint16]string{0: "0", 0x8000: "-0", h.inf: "+Inf", h.inf | 0x8000: "-Inf", h.inf + 1: "NaN"} {
			if got := h.text(b); got != want {
				t.Errorf("%#04x: %s, want %s", b, got, want)
			}
		}
	})
}

// shortestRat returns the decimal with the fewest digits that is inside, and
// of these the one nearest to x > 0, the even one if two are.
func shortestRat(x *big.Rat, inside func(*big.Rat) bool) float64 {
	f, _ := x.Float64()
	top := int(math.Floor(math.Log10(f)))
	for digits := range 20 {
		// unit is the place of the last digit.
		unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(abs(top-digits))), nil))
		if top-digits < 0 {
			unit.Inv(unit)
		}
		q := new(big.Rat).Quo(x, unit)
		floor := new(big.Int).Quo(q.Num(), q.Denom())
		var best *big.Rat
		for i := range int64(2) {
			c := new(big.Rat).SetInt(new(big.Int).Add(floor, big.NewInt(i)))
			c.Mul(c, unit)
			if !inside(c) {
				continue
			}
			if best == nil {
				best = c
				continue
			}
			if nearer := dist(c, x).Cmp(dist(best, x)); nearer < 0 || nearer == 0 && floor.Bit(0) == 1 {
				best = c
			}
		}
		if best != nil {
			v, _ := best.Float64()
			return v
		}
	}
	panic("no decimal of 20 digits is inside")
}

func dist(a, b *big.Rat) *big.Rat {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d)
}
