package rank

import "math"

// The middle of two values, (a+b)/2, without wide arithmetic.
//
// Let a float format have p bits, the unit u (its smallest subnormal) and the
// smallest normal N = 2^(p-1)·u, and let s be a+b rounded to it.
//
//   - |a+b| <= 2N: a+b is a multiple of u and at most 2^p units, so s is
//     exact, and s/2 is the one rounding.
//   - |a+b| > 2N and s finite: s/2 >= N, so halving only lowers an exponent.
//     Doubling maps the numbers and the midpoints of the binade of (a+b)/2 onto
//     those of the binade of a+b, so s/2 is (a+b)/2 rounded.
//   - s overflows with a, b finite: both have the same sign, and each is more
//     than half of the largest number's last place, far above 2N. a/2 and b/2
//     are exact, their sum does not overflow, and it is the one rounding.
//   - s == 0: a+b is exactly 0, +0 unless both are -0. Ends that are equal
//     give a, which differs from s for a = -0, b = +0.
//   - s infinite or NaN with an end that is: s is the answer, but for the
//     sign and payload of the NaN.
//
// An underflowing s/2 keeps the sign of s.

// half64 is the middle of a and b.
func half64(a, b float64) float64 {
	s := a + b
	if s == 0 || s-s != 0 {
		return halfRare64(a, b, s)
	}
	return s * 0.5
}

func halfRare64(a, b, s float64) float64 {
	switch {
	case s != s:
		return nan64()
	case a == b:
		return a
	case s == 0:
		return 0
	}
	return float64(a*0.5) + float64(b*0.5)
}

// half32 is the middle of a and b.
func half32(a, b float32) float32 {
	s := a + b
	if s == 0 || s-s != 0 {
		return halfRare32(a, b, s)
	}
	return s * 0.5
}

func halfRare32(a, b, s float32) float32 {
	switch {
	case s != s:
		return nan32()
	case a == b:
		return a
	case s == 0:
		return 0
	}
	return float32(a*0.5) + float32(b*0.5)
}

// nan64 and nan32 are the NaN of every result: positive, quiet, no payload.
func nan64() float64 { return math.Float64frombits(0x7FF8000000000000) }
func nan32() float32 { return math.Float32frombits(0x7FC00000) }
