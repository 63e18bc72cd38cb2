package rank

import "math"

// The fast paths compute a + g·(b-a) with an error bound E, and prove that the
// value-E and value+E round to the same number: rounding is monotone, so that
// is the exact value rounded (Ziv, 1991, ACM TOMS 17(3)). Where they cannot,
// and for all special cases, the slow paths decide. u is 2^-53, RN(x) is x rounded
// to float64, and (1+) a factor within 1 ± 2^-40.

// errWide is the bound of [blendSum]'s error over |s|+|p|. The exact value is
//
//	s + t + al + pe + g·e + gl·d + gl·e + gr·(d+e)
//
// where a = a+al, b-a = d+e, g·d = p+pe, a+p = s+t and the exact weight is g+gl+gr,
// with |al| <= u|a| <= u(|s|+|p|)(1+), |e| <= u|d|, |pe| <= u|p|, |t| <= u|s|, |gl| <= ug,
// |gr| <= 4u²g. The last two terms, left out, are at most 5u²|p|(1+), and the roundings in
// low:
//
//	RN(g·e), RN(gl·d)         2u²|p|(1+)
//	the sum of the two        2u²|p|(1+)
//	pe + that                 3u²|p|(1+)
//	t + al                     u²(2|s| +  |p|)(1+)
//	the sum of the two         u²(2|s| + 4|p|)(1+)
//	low ± bound                u²(2|s| + 4|p|)(1+)
//
// together u²(6|s| + 21|p|)(1+) < 30u²(|s|+|p|); the bound, rounded itself, is
// more than 30u²(|s|+|p|). The splits of d and s are exact as additions do not
// underflow; p+pe, RN(g·e) and RN(gl·d) may be off by another 2^-1074 each where they
// underflow, which the slack of at least u²|s| >= 2^-1006 covers for
// |s| >= 2^-900.
const errWide = 0x1p-101

// Beyond these the slow path decides: below tiny the proof for errWide fails,
// above huge the splits might overflow. The vector code of internal/kernel has them
// and errWide as literals of its own: it lies below this package and imports no
// arithmetic; its tests hold every result to this package's.
const (
	tiny = 0x1p-900
	huge = 0x1p1000
)

// blend64 is a + g·(b-a) for 0 <= g <= 1, rounded once.
func blend64(a, b, g float64) float64 {
	if g == 0.5 {
		return half64(a, b)
	}
	d := b - a
	y := b - d
	e := (b - (d + y)) + (y - a)
	if r, ok := blendSum(a, 0, d, e, g, 0); ok {
		return r
	}
	return blendSlow64(a, b, g)
}

// blendSum is (a+al) + (g+gl)·(d+e), rounded once, and whether it is proven, for
// |al| <= u|a|, |e| <= u|d|, 0 <= g <= 1 and |gl| <= ug; where gl is not 0 it is what g
// lacks of the weight, nearly. An end or a difference that is infinite or NaN, or a result
// near 0, is never proven.
func blendSum(a, al, d, e, g, gl float64) (float64, bool) {
	p := float64(g * d)
	s := a + p
	size := math.Abs(s)
	if !(size >= tiny && size <= huge && math.Abs(d) <= huge) {
		return 0, false
	}
	pe := math.FMA(g, d, -p)
	y := s - a
	t := (a - (s - y)) + (p - y)
	low := (t + al) + (pe + (float64(g*e) + float64(gl*d)))
	bound := float64((size + math.Abs(p)) * errWide)
	r := s + (low + bound)
	if r == s+(low-bound) {
		return r, true
	}
	// The value a + p where nothing else is left: the exact ties of weights
	// with few bits end here. pe is exact: a p below 2^-960, where it might
	// underflow, is less than a quarter of the last place of a = s, so that the
	// test above has passed.
	return s, e == 0 && al == 0 && gl == 0 && pe == 0
}

// blendSlow64 is [blend64] for every case, without the fast path.
func blendSlow64(a, b, g float64) float64 {
	if r, ok := special(a, b, g == 0, g == 1); ok {
		return r
	}
	return blendExact(splitNumber(a), splitNumber(b), g).nearest()
}

// special answers what is not a matter of rounding: NaN, equal or infinite
// ends, and the weights 0 and 1, of which none or one is meant.
func special(a, b float64, zero, one bool) (float64, bool) {
	switch {
	case a != a || b != b:
		return nan64(), true
	case one:
		return b, true
	case zero || a == b:
		return a, true
	case math.IsInf(a, 0):
		if math.IsInf(b, 0) {
			return nan64(), true
		}
		return a, true
	case math.IsInf(b, 0):
		return b, true
	}
	return 0, false
}

// farFromMiddle reports whether s = RN(a + RN(g·RN(b-a))), rounded to a format
// that drops that many bits of it, is the exact value rounded, for a normal
// result.
//
// The weight, b-a and the product are off by u|p|(1+) each and s by u|s|, so s is off by
// less than 26u|s| where |p| <= 8|s|, which is less than 26 units of its last
// place. If the dropped bits are 32 units or more from the middle, no middle of
// two narrow numbers lies between s and the exact value, also where s is next
// to a power of two: that is a narrow number, and the middle below it is far.
// Where p underflows it is off by 2^-1075, nothing to a normal result's u|s|.
//
// An infinite s is a's or b's infinity if it gets here, and a NaN does not.
// Overflow cannot happen: the exact value lies between a and b.
func farFromMiddle(s, p float64, drop uint) bool {
	rest := math.Float64bits(s)&(1<<drop-1) - 1<<(drop-1) + 32
	return rest > 64 && math.Abs(p) <= 8*math.Abs(s)
}

// blend32 is a + g·(b-a) for 0 <= g <= 1, rounded once to float32.
func blend32(a, b float32, g float64) float32 {
	if g == 0.5 {
		return half32(a, b)
	}
	x := float64(a)
	p := float64(g * (float64(b) - x))
	s := x + p
	if math.Abs(s) >= 0x1p-126 && farFromMiddle(s, p, 29) {
		return float32(s)
	}
	return blendSlow32(x, float64(b), g)
}

// blendSlow32 is [blend32] for every case, without the fast path.
func blendSlow32(a, b, g float64) float32 {
	r := blendOdd(a, b, g)
	if r != r {
		return nan32()
	}
	return float32(r)
}

// blendOdd is a + g·(b-a) rounded to odd: exact, or else the one of the two
// float64 around it whose last bit is 1. Rounding that to a format with at
// least two bits less gives the exact value rounded once, in the range of
// subnormals too (Boldo and Melquiond, 2008, IEEE Trans. Computers 57(4),
// theorem 3): every narrow number and every middle of two is a float64 with
// last bit 0, so the value and its rounding lie strictly on the same side of it
// or are both equal to it. a and b come from a narrow format.
func blendOdd(a, b, g float64) float64 {
	if r, ok := special(a, b, g == 0, g == 1); ok {
		return r
	}
	if r, ok := sumOdd(a, b, g); ok {
		return r
	}
	return blendExact(splitNumber(a), splitNumber(b), g).odd()
}

// sumOdd is [blendOdd] where b-a is exact in float64, so that the value is
// s + (t + pe): all but values far apart end here, among them the exact ties of
// weights with few bits and the near ones of those close to a short fraction.
// a and b differ and come from a narrow format, so |b-a| is at least 2^-149 and
// pe cannot underflow for g >= 2^-800. The sum low has the sign of t+pe and is 0
// only if that is; up to u|s| it does not pass the neighbour of s.
func sumOdd(a, b, g float64) (float64, bool) {
	d := b - a
	y := b - d
	e := (b - (d + y)) + (y - a)
	if e != 0 || g < 0x1p-800 {
		return 0, false
	}
	p := float64(g * d)
	s := a + p
	y = s - a
	t := (a - (s - y)) + (p - y)
	low := t + math.FMA(g, d, -p)
	if !(math.Abs(low) <= float64(math.Abs(s)*0x1p-53)) {
		return 0, false
	}
	i := math.Float64bits(s)
	if low != 0 {
		// The value rounded towards 0, with the last bit set.
		if (low > 0) != (s > 0) {
			i--
		}
		i |= 1
	}
	return math.Float64frombits(i), true
}
