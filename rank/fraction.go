package rank

import (
	"math"
	"math/bits"

	"github.com/ogive-go/ogive/dtype"
)

// Interpolation by weights that are fractions. The fast paths are those of float64 weights,
// whose proofs count with what a weight lacks; where they do not prove the value, it is
// computed in integers.

// ratio64 is a + g·(b-a), rounded once.
func ratio64(a, b float64, g ratio) float64 {
	if g.low == 0 {
		return blend64(a, b, g.g)
	}
	d := b - a
	y := b - d
	e := (b - (d + y)) + (y - a)
	if r, ok := blendSum(a, 0, d, e, g.g, g.low); ok {
		return r
	}
	return ratioSlow64(a, b, g)
}

// ratioSlow64 is [ratio64] for every case, without the fast path.
func ratioSlow64(a, b float64, g ratio) float64 {
	if r, ok := special(a, b, false, false); ok {
		return r
	}
	return ratioExact(splitNumber(a), splitNumber(b), g).nearest()
}

// ratio32 is a + g·(b-a), rounded once to float32; see [farFromMiddle].
func ratio32(a, b float32, g ratio) float32 {
	if g.low == 0 {
		return blend32(a, b, g.g)
	}
	x := float64(a)
	p := float64(g.g * (float64(b) - x))
	s := x + p
	if math.Abs(s) >= 0x1p-126 && farFromMiddle(s, p, 29) {
		return float32(s)
	}
	r := ratioOdd(x, float64(b), g)
	if r != r {
		return nan32()
	}
	return float32(r)
}

// ratioF16 is a + g·(b-a), rounded once to float16.
func ratioF16(a, b dtype.F16, g ratio) dtype.F16 {
	if g.low == 0 {
		return blendF16(a, b, g.g)
	}
	if r, ok := blendFarF16(a.Bits(), b.Bits(), g.g); ok {
		return dtype.F16FromBits(r)
	}
	r := ratioOdd(a.Float64(), b.Float64(), g)
	if r-r != 0 {
		return dtype.F16FromBits(nonFinite(r, nanF16, 0x7C00))
	}
	return dtype.F16FromBits(narrowF16(r))
}

// ratioBF16 is a + g·(b-a), rounded once to bfloat16.
func ratioBF16(a, b dtype.BF16, g ratio) dtype.BF16 {
	if g.low == 0 {
		return blendBF16(a, b, g.g)
	}
	if r, ok := blendFarBF16(a.Bits(), b.Bits(), g.g); ok {
		return dtype.BF16FromBits(r)
	}
	r := ratioOdd(a.Float64(), b.Float64(), g)
	if r-r != 0 {
		return dtype.BF16FromBits(nonFinite(r, nanBF16, 0x7F80))
	}
	return dtype.BF16FromBits(narrowBF16(r))
}

// ratioOdd is [blendOdd] for a fraction that is no float64.
func ratioOdd(a, b float64, g ratio) float64 {
	if r, ok := special(a, b, false, false); ok {
		return r
	}
	return ratioExact(splitNumber(a), splitNumber(b), g).odd()
}

// ratioInt is a + g·(b-a) for integers, rounded once to float64.
func ratioInt(a, b int64, g ratio) float64 {
	if g.low == 0 {
		return blendInt(a, b, g.g)
	}
	x, xl := pair(a>>32, a&low32)
	d, dl := pair(b>>32-a>>32, b&low32-a&low32)
	if r, ok := blendSum(x, xl, d, dl, g.g, g.low); ok {
		return r
	}
	if a == b {
		return float64(a)
	}
	return ratioExact(integer(a), integer(b), g).nearest()
}

// ratioUint is [ratioInt] for unsigned integers.
func ratioUint(a, b uint64, g ratio) float64 {
	if g.low == 0 {
		return blendUint(a, b, g.g)
	}
	x, xl := pair(int64(a>>32), int64(a&low32))
	d, dl := pair(int64(b>>32)-int64(a>>32), int64(b&low32)-int64(a&low32))
	if r, ok := blendSum(x, xl, d, dl, g.g, g.low); ok {
		return r
	}
	if a == b {
		return float64(a)
	}
	return ratioExact(number{m: a}, number{m: b}, g).nearest()
}

// ratioExact is a + g·(b-a), as ((D-k)·a + k·b)/D for the weight k/D, in integers.
//
// D is less than 2^67, and what is divided, unless it is 0, at least 1 in the last places of a
// and b: the quotient begins 67 places below these at most. A number of 54 bits, which
// decides its rounding, ends at most 121 places below, and is the quotient or at least
// 2^-188 from it. So three limbs below the last places tell the two apart, and what is left
// of the division after these decides nothing. Above, a and b have 67 bits more, and the
// sum and its sign two.
func ratioExact(a, b number, g ratio) scaled {
	if a.m == 0 {
		a.e = b.e
	} else if b.m == 0 {
		b.e = a.e
	}
	acc := accumulator{base: min(a.e, b.e) - 3*64}
	top := max(a.e+bits.Len64(a.m), b.e+bits.Len64(b.m)) + 67
	acc.n = (top + 2 - acc.base + 63) >> 6

	kHi, kLo := g.unit.multiple(g.g, g.low)
	dHi, dLo := bits.Mul64(g.unit.parts, g.unit.den)
	restLo, borrow := bits.Sub64(dLo, kLo, 0)
	acc.addProduct(a, dHi-kHi-borrow, restLo)
	acc.addProduct(b, kHi, kLo)

	neg := acc.abs()
	acc.divide(g.unit.den)
	acc.divide(g.unit.parts)
	r := acc.scaled()
	r.neg = neg
	return r
}

// addProduct adds x·(hi, lo), where hi is less than 2^3.
func (acc *accumulator) addProduct(x number, hi, lo uint64) {
	h, l := bits.Mul64(x.m, lo)
	acc.add(x.neg, h, l, x.e)
	h, l = bits.Mul64(x.m, hi)
	acc.add(x.neg, h, l, x.e+64)
}
