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

	// The fraction (r + rem/den)/d to 192 bits after the point. It is a multiple of
	// 1/(d·den) > 2^-67, so these bits tell it from 0 and from 1/2, and by more than
	// 2^-186 from any float64 that it is not: what is cut off decides nothing.
	var f [3]uint64
	for i := range f {
		f[i], rem = bits.Div64(rem, 0, q)
		f[i], r = bits.Div64(r, f[i], d)
	}

	const halfBit = 1 << 63
	p := overHalf
	switch {
	case f == [3]uint64{}:
		p = whole
	case f[0] < halfBit:
		p = underHalf
	case f == [3]uint64{halfBit}:
		p = half
	}
	v := virtual{floor: int64(floor) - 2, part: p}
	v.frac, v.low = roundFraction(f)
	return v
}

// roundFraction rounds the fraction with the bits f after the point to the nearest
// float64, ties to even, and returns what that lacks: 0 if nothing, otherwise with an
// error below 2^-104 of the fraction. That is 0 or at least 2^-67, so 125 or more of the
// bits are significant. It can round up to 1.
func roundFraction(f [3]uint64) (frac, low float64) {
	shift := 0
	if f[0] == 0 {
		f, shift = [3]uint64{f[1], f[2]}, 64
	}
	if f[0] == 0 {
		return 0, 0
	}
	lead := bits.LeadingZeros64(f[0])
	f = [3]uint64{f[0]<<lead | f[1]>>(64-lead), f[1]<<lead | f[2]>>(64-lead), f[2] << lead}
	unit := math.Float64frombits(uint64(1023-64-shift-lead) << 52) // of f[0]

	// The lowest 11 bits of f[0] and what follows are cut off; less 2^11 units if that
	// rounds up.
	const cut = 1 << 11
	top, rest := f[0]&^(cut-1), [3]uint64{f[0] & (cut - 1), f[1], f[2]}
	up := rest[0] > cut/2 || rest[0] == cut/2 && (rest[1]|rest[2] != 0 || top&cut != 0)
	if !up {
		return float64(top) * unit, wideFloat(rest) * unit
	}
	var borrow uint64
	rest[2], borrow = bits.Sub64(0, rest[2], 0)
	rest[1], borrow = bits.Sub64(0, rest[1], borrow)
	rest[0] = cut - rest[0] - borrow
	return (float64(top) + cut) * unit, -wideFloat(rest) * unit
}

// wideFloat returns f[0] + f[1]·2^-64 + f[2]·2^-128, nearly, where f[0] is small.
func wideFloat(f [3]uint64) float64 {
	return float64(f[0]) + float64(float64(f[1])*0x1p-64) + float64(float64(f[2])*0x1p-128)
}
