package rank

import (
	"math"
	"math/bits"
)

// QDerivative returns what the derivative by q of the quantile of n values is
// made of, 1 <= n <= 2^53: it is G·(s[Hi]-s[Lo]), where s[Lo] and s[Hi] are the
// ends of a linear piece of the quantile as a function of q, and G is dv/dq. It is
// the right derivative, at q = 1 the left one, of the exact function: v is formed
// in exact rationals from the value of a float64 q too, so that the piece is
// the one to the right of q where v, rounded, falls on an order statistic.
//
// Where the function is flat, Lo == Hi and G is +0: for the methods whose
// weight is not the fraction of v (the discrete ones, [Midpoint],
// [AveragedInvertedCDF]), for n = 1, and where v is clipped. G is dv/dq rounded
// to float64; it is n-1 for [Linear], n for types 4 and 5, n+1 for [Weibull],
// n+1/3 for [MedianUnbiased] and n+1/4 for [NormalUnbiased].
//
// It panics if m is not valid. It does not allocate.
func (m Method) QDerivative(n int64, q Q) Position {
	method := &methods[m]
	x := method.exact
	if method.followsFraction() {
		lo := x.floor(n, q)
		if q.isOne() && x.r+x.c == -x.d { // v is n-1 there, the end of the last piece
			lo--
		}
		if lo >= 0 && lo < n-1 {
			return Position{Lo: lo, Hi: lo + 1, G: float64(x.d*n+x.r) / float64(x.d)}
		}
	}
	lo := m.Position(n, q).Lo
	return Position{Lo: lo, Hi: lo}
}

// followsFraction reports whether the weight is the fraction of v, so that the
// quantile is piecewise linear in q.
func (r *row) followsFraction() bool {
	_, ok := r.rule.(weigh)
	return ok
}

// isOne reports whether q is 1.
func (q Q) isOne() bool {
	if q.Den > 0 {
		return q.Num == q.Den
	}
	return q.Value == 1
}

// floor returns the floor of the exact v at q.
func (x affine) floor(n int64, q Q) int64 {
	if q.Den > 0 {
		return x.at(n, q.Num, q.Den).floor
	}
	// q is m·2^-shift with m < 2^53 and shift >= 52, as q <= 1, and d·n + r <
	// 2^57: the product has at most 110 bits, and at most 57 before the point.
	// Dropping those behind it first is right, as c and d are whole.
	frac, exp := math.Frexp(q.Value)
	m, shift := uint64(math.Ldexp(math.Abs(frac), 53)), uint(53-exp)
	hi, lo := bits.Mul64(m, uint64(x.d*n+x.r))
	var whole uint64
	switch {
	case shift < 64:
		whole = hi<<(64-shift) | lo>>shift
	case shift < 128:
		whole = hi >> (shift - 64)
	}
	v := int64(whole) + x.c
	floor := v / x.d
	if v%x.d < 0 {
		floor--
	}
	return floor
}

// QDerivative returns a set of the same quantiles whose positions are those of
// [Method.QDerivative]: the same selection then finds the ends of the pieces.
func (s Set) QDerivative() Set {
	s.derivative = true
	return s
}
