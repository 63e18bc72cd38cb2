package rank

import (
	"math"
	"math/bits"
)

// affine is a virtual index as a function of an exact q:
//
//	v = ((d·n + r)·q + c) / d
//
// with d > 0, r >= -1 and -2d <= c <= 0. Every method has this form; alpha and
// beta give d·alpha - d for c and d·(1-alpha-beta) for r.
type affine struct{ d, r, c int64 }

// at splits v at q = num/den, 0 <= num <= den, den > 0, 1 <= n <= 2^53.
//
// Shifted up by 2 so that it is never negative, v is N/(d·den) with
//
//	N = num·(d·n + r) + den·(2d + c).
//
// d is at most 8, so d·n + r < 2^57 and 2d + c <= 16: N < 2^63·(2^57 + 2^4),
// which fits in 128 bits, and N/den fits in 64 because num <= den.
func (x affine) at(n, num, den int64) virtual {
	d, q := uint64(x.d), uint64(den)
	hi, lo := bits.Mul64(uint64(num), uint64(x.d*n+x.r))
	shiftHi, shiftLo := bits.Mul64(q, uint64(2*x.d+x.c))
	lo, carry := bits.Add64(lo, shiftLo, 0)
	hi, _ = bits.Add64(hi, shiftHi, carry)

	// Dividing by den, then by d: the floor of a floor is the floor, and the
	// division is exact if and only if both remainders are zero.
	units, rem := bits.Div64(hi, lo, q)
	floor, r := units/d, units%d

	// The fraction (r + rem/den)/d to 128 bits after the point, and a sticky
	// remainder. It is a multiple of 1/(d·den) > 2^-67, so 128 bits tell it from
	// 0 and from 1/2.
	f1, rem := bits.Div64(rem, 0, q)
	f2, rem := bits.Div64(rem, 0, q)
	f1, r = bits.Div64(r, f1, d)
	f2, r = bits.Div64(r, f2, d)
	sticky := rem|r != 0

	const halfBit = 1 << 63
	p := overHalf
	switch {
	case f1|f2 == 0:
		p = whole
	case f1 < halfBit:
		p = underHalf
	case f1 == halfBit && f2 == 0:
		p = half
	}
	return virtual{floor: int64(floor) - 2, frac: roundFraction(f1, f2, sticky), part: p}
}

// roundFraction rounds (f1·2^64 + f2)·2^-128, plus less than 2^-128 if sticky,
// to the nearest float64, ties to even. The value is 0 or at least 2^-67, so
// 61 or more of the bits are significant. It can round up to 1.
func roundFraction(f1, f2 uint64, sticky bool) float64 {
	if f1|f2 == 0 {
		return 0
	}
	shift := 0
	if f1 == 0 {
		f1, f2, shift = f2, 0, 64
	}
	lead := bits.LeadingZeros64(f1)
	m := f1<<lead | f2>>(64-lead)
	if f2<<lead != 0 || sticky {
		m |= 1 // below the rounding position of a 64-bit m
	}
	return float64(m) * math.Float64frombits(uint64(1023-64-shift-lead)<<52)
}
