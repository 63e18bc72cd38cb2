package rank

import (
	"math"
	"math/bits"
)

// number is ±m·2^e: a finite float64 or a 64-bit integer.
type number struct {
	neg bool
	m   uint64
	e   int
}

// splitNumber returns the finite x as a number.
func splitNumber(x float64) number {
	i := math.Float64bits(x)
	m, e := i&(1<<52-1), int(i>>52&0x7FF)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << 52
	}
	return number{i>>63 != 0, m, e - 1075}
}

// limbs is the size of an accumulator that holds a + g·b - g·a for all finite
// float64 and 64-bit integers, bit for bit: the last place of a product is at
// least 2^(-1074-1074), the sum of the three is less than 2^1026 in magnitude,
// and there is a sign: 3175 bits.
const limbs = 50

// accumulator is a number in two's complement, lowest limb first, in units of
// 2^base. It uses the first n limbs.
type accumulator struct {
	limb [limbs]uint64
	n    int
	base int
}

// add adds ±(hi, lo)·2^e, where e >= base.
func (acc *accumulator) add(neg bool, hi, lo uint64, e int) {
	at, shift := (e-acc.base)>>6, uint(e-acc.base)&63
	w := [3]uint64{lo << shift, hi<<shift | lo>>(64-shift), hi >> (64 - shift)}
	var carry uint64
	for i := at; i < acc.n; i++ {
		var v uint64
		if i-at < len(w) {
			v = w[i-at]
		} else if carry == 0 {
			return
		}
		if neg {
			acc.limb[i], carry = bits.Sub64(acc.limb[i], v, carry)
		} else {
			acc.limb[i], carry = bits.Add64(acc.limb[i], v, carry)
		}
	}
}

// scaled is ±(m + f)·2^e with 0 <= f < 1, where m has its top bit set or all
// is 0, and sticky says that f is not 0.
type scaled struct {
	neg, sticky bool
	m           uint64
	e           int
}

// abs makes a negative sum positive, and reports whether it was negative.
func (acc *accumulator) abs() (neg bool) {
	if acc.limb[acc.n-1]>>63 == 0 {
		return false
	}
	borrow := uint64(0)
	for i := range acc.limb[:acc.n] {
		acc.limb[i], borrow = bits.Sub64(0, acc.limb[i], borrow)
	}
	return true
}

// divide divides a positive sum, and drops what is left.
func (acc *accumulator) divide(by uint64) {
	var rest uint64
	for i := acc.n - 1; i >= 0; i-- {
		acc.limb[i], rest = bits.Div64(rest, acc.limb[i], by)
	}
}

// scaled returns the sum's sign and leading 64 bits. It destroys the sum.
func (acc *accumulator) scaled() scaled {
	r := scaled{neg: acc.abs()}
	top := acc.n - 1
	for top >= 0 && acc.limb[top] == 0 {
		top--
	}
	if top < 0 {
		return scaled{}
	}
	var next uint64
	if top > 0 {
		next = acc.limb[top-1]
	}
	lead := bits.LeadingZeros64(acc.limb[top])
	r.m = acc.limb[top]<<lead | next>>(64-lead)
	r.e = acc.base + 64*top - lead
	r.sticky = next<<lead != 0
	for i := 0; i < top-1 && !r.sticky; i++ {
		r.sticky = acc.limb[i] != 0
	}
	return r
}

// blendExact is a + g·(b-a) for 0 <= g <= 1, as a + g·b - g·a in integers that
// hold every bit, so that nothing is left to prove but the size of limbs.
func blendExact(a, b number, g float64) scaled {
	w := splitNumber(g)
	// The exponent of a zero end says nothing; taking the other's keeps the
	// accumulator short.
	if a.m == 0 {
		a.e = b.e
	} else if b.m == 0 {
		b.e = a.e
	}
	// The last place of g is below the point, so w.e < 0 and a's last place is above
	// base. The tops are a's and, where b is the larger end, g·b's; two more
	// bits hold the sum of three, and one its sign.
	acc := accumulator{base: w.e + min(a.e, b.e)}
	top := max(a.e+bits.Len64(a.m), w.e+b.e+bits.Len64(w.m)+bits.Len64(b.m))
	acc.n = (top + 3 - acc.base + 63) >> 6
	acc.add(a.neg, 0, a.m, a.e)
	hi, lo := bits.Mul64(w.m, b.m)
	acc.add(b.neg, hi, lo, w.e+b.e)
	hi, lo = bits.Mul64(w.m, a.m)
	acc.add(!a.neg, hi, lo, w.e+a.e)
	return acc.scaled()
}

// nearest returns r rounded to the nearest float64, ties to even; +0 for 0. It
// cannot overflow, since r lies between two float64 or 64-bit integers.
func (r scaled) nearest() float64 {
	if r.m == 0 {
		return 0
	}
	var sign uint64
	if r.neg {
		sign = 1 << 63
	}
	// drop is the number of low bits of m below the result's last place, for a
	// normal result and for a subnormal one, whose last place is 2^-1074.
	drop := max(11, -1074-r.e)
	if drop > 64 { // less than half of the smallest subnormal
		return math.Float64frombits(sign)
	}
	q := r.m >> drop
	rest, middle := r.m&(1<<drop-1), uint64(1)<<(drop-1)
	if rest > middle || rest == middle && (r.sticky || q&1 == 1) {
		q++
	}
	// The exponent field counts from the subnormals' last place; q's own top
	// bit, or a carry out of q, adds the last 1.
	return math.Float64frombits(sign | uint64(r.e+drop+1074)<<52 + q)
}

// odd returns r rounded to odd; see [blendOdd]. Its results are narrowed, so a
// magnitude below 2^-1000 is given as 2^-1000, which becomes the same zero.
func (r scaled) odd() float64 {
	if r.m == 0 {
		return 0
	}
	q := r.m >> 11
	if r.m<<53 != 0 || r.sticky {
		q |= 1
	}
	v := 0x1p-1000
	if r.e > -1000-63 {
		v = math.Float64frombits(uint64(r.e+11+1074)<<52 + q)
	}
	if r.neg {
		return -v
	}
	return v
}
