package ptxemu

import (
	"math"
)

// canonicalNaN is what single precision gives for every NaN.
const canonicalNaN = 0x7FFFFFFF

// Flags of the bits of floats.
const (
	sign32  = 1 << 31
	sign64  = 1 << 63
	quiet64 = 1 << 51
)

func f32(a uint64) float32 { return math.Float32frombits(uint32(a)) }
func f64(a uint64) float64 { return math.Float64frombits(a) }

// bits32 returns the bits of a result of single precision.
func bits32(x float32) uint64 {
	if x != x {
		return canonicalNaN
	}
	return uint64(math.Float32bits(x))
}

// bits64 returns the bits of a result of double precision: the first operand that is
// NaN, quiet, or the default NaN for an invalid operation.
func bits64(x float64, from ...uint64) uint64 {
	if x == x {
		return math.Float64bits(x)
	}
	for _, a := range from {
		if f64(a) != f64(a) {
			return a | quiet64
		}
	}
	return 0xFFF8000000000000
}

// registerFloat32 adds the operations of single precision, with and without .ftz.
func registerFloat32(t table) {
	add := func(sources int, f scalarFunc, opcode string, mods ...string) {
		for _, m := range mods {
			t.scalar(sources, f, opcode+m+".f32")
			t.scalar(sources, func(a, b, c uint64) uint64 {
				return flush(f(flush(a), flush(b), flush(c)))
			}, opcode+m+".ftz.f32")
		}
	}
	add(2, func(a, b, _ uint64) uint64 { return bits32(f32(a) + f32(b)) }, "add", "", ".rn")
	add(2, func(a, b, _ uint64) uint64 { return bits32(f32(a) - f32(b)) }, "sub", "", ".rn")
	add(2, func(a, b, _ uint64) uint64 { return bits32(float32(f32(a) * f32(b))) }, "mul", "", ".rn")
	add(2, func(a, b, _ uint64) uint64 { return bits32(f32(a) / f32(b)) }, "div", ".rn")
	add(3, func(a, b, c uint64) uint64 { return bits32(fma32(f32(a), f32(b), f32(c))) }, "fma", ".rn")
	add(1, func(a, _, _ uint64) uint64 { return bits32(float32(math.Sqrt(float64(f32(a))))) }, "sqrt", ".rn")
	add(1, func(a, _, _ uint64) uint64 { return bits32(1 / f32(a)) }, "rcp", ".rn")
	add(1, func(a, _, _ uint64) uint64 { return bits32(f32(a &^ sign32)) }, "abs", "")
	add(1, func(a, _, _ uint64) uint64 { return bits32(-f32(a)) }, "neg", "")
	add(2, func(a, b, _ uint64) uint64 { return lesser32(a, b, false) }, "min", "")
	add(2, func(a, b, _ uint64) uint64 { return greater32(a, b, false) }, "max", "")
	t.scalar(2, func(a, b, _ uint64) uint64 { return lesser32(a, b, true) }, "min.NaN.f32")
	t.scalar(2, func(a, b, _ uint64) uint64 { return greater32(a, b, true) }, "max.NaN.f32")
	t.scalar(2, func(a, b, _ uint64) uint64 { return b&^sign32&0xFFFFFFFF | a&sign32 }, "copysign.f32")
	t.scalar(3, func(a, b, c uint64) uint64 {
		if f32(c) >= 0 {
			return a & 0xFFFFFFFF
		}
		return b & 0xFFFFFFFF
	}, "slct.b32.f32", "slct.u32.f32", "slct.s32.f32", "slct.f32.f32")
	t.scalar(3, func(a, b, c uint64) uint64 {
		if int32(c) >= 0 {
			return a & 0xFFFFFFFF
		}
		return b & 0xFFFFFFFF
	}, "slct.f32.s32")
}

// registerFloat64 adds the operations of double precision.
func registerFloat64(t table) {
	for _, rn := range []string{"", ".rn"} {
		t.scalar(2, func(a, b, _ uint64) uint64 { return bits64(f64(a)+f64(b), a, b) }, "add"+rn+".f64")
		t.scalar(2, func(a, b, _ uint64) uint64 { return bits64(f64(a)-f64(b), a, b) }, "sub"+rn+".f64")
		t.scalar(2, func(a, b, _ uint64) uint64 { return bits64(float64(f64(a)*f64(b)), a, b) }, "mul"+rn+".f64")
	}
	t.scalar(2, func(a, b, _ uint64) uint64 { return bits64(f64(a)/f64(b), a, b) }, "div.rn.f64")
	t.scalar(3, func(a, b, c uint64) uint64 {
		return bits64(math.FMA(f64(a), f64(b), f64(c)), a, b, c)
	}, "fma.rn.f64")
	t.scalar(1, func(a, _, _ uint64) uint64 { return bits64(math.Sqrt(f64(a)), a) }, "sqrt.rn.f64")
	t.scalar(1, func(a, _, _ uint64) uint64 { return bits64(1/f64(a), a) }, "rcp.rn.f64")
	t.scalar(1, func(a, _, _ uint64) uint64 { return a &^ sign64 }, "abs.f64")
	t.scalar(1, func(a, _, _ uint64) uint64 { return a ^ sign64 }, "neg.f64")
	t.scalar(2, func(a, b, _ uint64) uint64 { return extreme64(a, b, true) }, "min.f64")
	t.scalar(2, func(a, b, _ uint64) uint64 { return extreme64(a, b, false) }, "max.f64")
	t.scalar(2, func(a, b, _ uint64) uint64 { return b&^sign64 | a&sign64 }, "copysign.f64")
}

// flush returns a signed zero for a subnormal number.
func flush(a uint64) uint64 {
	if a&0x7F800000 == 0 {
		return a & sign32
	}
	return a & 0xFFFFFFFF
}

// lesser32 returns the smaller of two numbers, with -0 below +0. A NaN counts as absent,
// or with spread as the result.
func lesser32(a, b uint64, spread bool) uint64 {
	x, y := f32(a), f32(b)
	switch {
	case x != x && y != y, spread && (x != x || y != y):
		return canonicalNaN
	case x != x:
		return bits32(y)
	case y != y:
		return bits32(x)
	case x == y:
		return bits32(x) | bits32(y)
	}
	return bits32(min(x, y))
}

// greater32 is lesser32 for the larger one.
func greater32(a, b uint64, spread bool) uint64 {
	r := lesser32(a^sign32, b^sign32, spread)
	if r == canonicalNaN {
		return r
	}
	return r ^ sign32
}

// extreme64 returns the smaller or larger of two numbers, with -0 below +0. A NaN
// counts as absent.
func extreme64(a, b uint64, smaller bool) uint64 {
	x, y := f64(a), f64(b)
	switch {
	case x != x && y != y:
		return a | quiet64
	case x != x:
		return b
	case y != y:
		return a
	case x == y && smaller:
		return a | b
	case x == y:
		return a & b
	case (x < y) == smaller:
		return a
	}
	return b
}

// fma32 returns a·b+c, rounded once. The product is exact in double precision; the sum
// is rounded to odd there, which leaves the second rounding right.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	z := float64(c)
	sum := p + z
	if math.IsInf(sum, 0) || sum != sum {
		return float32(sum)
	}
	t := sum - p
	rest := (p - (sum - t)) + (z - t)
	if rest != 0 {
		if u := math.Float64bits(sum); u&1 == 0 {
			if (rest > 0) == (sum > 0) {
				u++
			} else {
				u--
			}
			sum = math.Float64frombits(u)
		}
	}
	return float32(sum)
}
