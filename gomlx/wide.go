package gomlx

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// wide is a tensor of numbers ±0.L·2^top, where L are 192 bits in three limbs,
// highest first, of Uint64. Of a product the top bit or the one below it is
// set, of a normalised number the top bit; all of zero's are 0. Where sticky is
// not 0 the magnitude is larger by less than a unit of L. All arithmetic is that
// of integers, which every backend does alike.
type wide struct {
	neg    *Node // Bool
	limb   [3]*Node
	top    *Node // Int64
	sticky *Node // Bool
}

// far is a shift that moves every bit out.
const far = 256

// zeroTop is the exponent of zero: below that of every other number, so that
// alignment moves zero and not the other.
const zeroTop = -1 << 20

func u64(x *Node) *Node { return ConvertDType(x, dtypes.Uint64) }
func i64(x *Node) *Node { return ConvertDType(x, dtypes.Int64) }

// int64 returns v as a constant of Int64.
func constant(x *Node, v int64) *Node { return number(x.Graph(), dtypes.Int64, uint64(v)) }

func isZero(x *Node) *Node  { return Equal(x, like(x, 0)) }
func notZero(x *Node) *Node { return NotEqual(x, like(x, 0)) }

func left(x, n *Node) *Node  { return BitwiseShiftLeft(x, n) }
func right(x, n *Node) *Node { return BitwiseShiftRightLogical(x, n) }

// part is a tensor of numbers ±0.m·2^top with 64 bits m, the top one set unless
// the number is 0.
type part struct{ neg, m, top *Node }

// newPart returns ±m·2^e.
func newPart(neg, m, e *Node) part {
	lead := Clz(m)
	top := Sub(Add(e, constant(m, 64)), i64(lead))
	return part{neg, left(m, lead), Where(isZero(m), constant(m, zeroTop), top)}
}

// split returns the values of the bits u, which are finite if they are floats.
func (f format) split(u *Node) part {
	w := u64(u)
	sign := like(w, f.signBit())
	switch {
	case f.signed:
		neg := notZero(BitwiseAnd(w, sign))
		low := BitwiseAnd(Sub(like(w, 0), w), like(w, f.top()))
		return newPart(neg, Where(neg, low, w), constant(w, 0))
	case !f.float():
		return newPart(NotEqual(w, w), w, constant(w, 0))
	}
	size := BitwiseAnd(w, like(w, f.signBit()-1))
	exponent := right(size, like(w, uint64(f.fraction)))
	hidden := uint64(1) << f.fraction
	normal := notZero(exponent)
	m := BitwiseAnd(size, like(w, hidden-1))
	m = Where(normal, BitwiseOr(m, like(w, hidden)), m)
	e := Add(i64(Max(exponent, like(w, 1))), constant(w, f.unit()-1))
	return newPart(GreaterOrEqual(w, sign), m, e)
}

// unit is the exponent of the smallest subnormal of a float.
func (f format) unit() int64 {
	bias := int64(f.infinity()>>f.fraction) / 2
	return 1 - bias - int64(f.fraction)
}

// widen returns p as a wide.
func (p part) widen() wide {
	none := Sub(p.m, p.m)
	return wide{p.neg, [3]*Node{p.m, none, none}, p.top, NotEqual(p.m, p.m)}
}

// half returns p/2.
func (p part) half() wide {
	p.top = Sub(p.top, constant(p.m, 1))
	return p.widen()
}

// times returns p·q, exactly.
func (p part) times(q part) wide {
	half, mask := like(p.m, 32), like(p.m, 1<<32-1)
	ph, pl := right(p.m, half), BitwiseAnd(p.m, mask)
	qh, ql := right(q.m, half), BitwiseAnd(q.m, mask)
	low := Mul(pl, ql)
	mid := Add(Mul(ph, ql), right(low, half))
	mid2 := Add(Mul(pl, qh), BitwiseAnd(mid, mask))
	high := Add(Add(Mul(ph, qh), right(mid, half)), right(mid2, half))
	return wide{
		neg:    LogicalXor(p.neg, q.neg),
		limb:   [3]*Node{high, Mul(p.m, q.m), Sub(high, high)},
		top:    Max(Add(p.top, q.top), constant(p.m, zeroTop)),
		sticky: NotEqual(high, high),
	}
}

// negative returns -p.
func (p part) negative() part {
	p.neg = LogicalNot(p.neg)
	return p
}

// choose returns yes or no, element by element.
func choose(which *Node, yes, no wide) wide {
	r := wide{
		neg:    Where(which, yes.neg, no.neg),
		top:    Where(which, yes.top, no.top),
		sticky: Where(which, yes.sticky, no.sticky),
	}
	for i := range r.limb {
		r.limb[i] = Where(which, yes.limb[i], no.limb[i])
	}
	return r
}

// zero tells which numbers are 0.
func (w wide) zero() *Node {
	return LogicalAnd(isZero(BitwiseOr(BitwiseOr(w.limb[0], w.limb[1]), w.limb[2])), LogicalNot(w.sticky))
}

// down returns w with L moved down by n bits (Int64, 0 or more), so that it
// stands for the same number with top raised by n.
func (w wide) down(n *Node) wide {
	n = u64(Min(n, constant(n, far)))
	limbs, bits := right(n, like(n, 6)), BitwiseAnd(n, like(n, 63))
	h, m, l := w.limb[0], w.limb[1], w.limb[2]
	none := like(n, 0)
	one, two, three := GreaterOrEqual(limbs, like(n, 1)), GreaterOrEqual(limbs, like(n, 2)), GreaterOrEqual(limbs, like(n, 3))
	lost := Where(one, l, Sub(l, l))
	lost = BitwiseOr(lost, Where(two, m, none))
	lost = BitwiseOr(lost, Where(three, h, none))
	l = Where(three, none, Where(two, h, Where(one, m, l)))
	m = Where(two, none, Where(one, h, m))
	h = Where(one, none, h)
	up := Sub(like(n, 64), bits) // a shift by 64 gives 0
	lost = BitwiseOr(lost, left(l, up))
	w.limb[2] = BitwiseOr(right(l, bits), left(m, up))
	w.limb[1] = BitwiseOr(right(m, bits), left(h, up))
	w.limb[0] = right(h, bits)
	w.sticky = LogicalOr(w.sticky, notZero(lost))
	return w
}

// addLimbs returns x+y+carry modulo 2^192; carry is 0 or 1.
func addLimbs(x, y [3]*Node, carry *Node) (s [3]*Node) {
	for i := 2; i >= 0; i-- {
		t := Add(x[i], carry)
		s[i] = Add(t, y[i])
		carry = u64(LogicalOr(LessThan(t, carry), LessThan(s[i], t)))
	}
	return s
}

// flip returns the limbs inverted where mask is all ones, as they are where 0.
func flip(x [3]*Node, mask *Node) [3]*Node {
	for i := range x {
		x[i] = BitwiseXor(x[i], mask)
	}
	return x
}

// ones returns all ones where yes is true, and otherwise 0.
func ones(yes *Node) *Node { return Sub(like(u64(yes), 0), u64(yes)) }

// plus returns x+y. Of the two at most one has, or gets by alignment, a sticky
// bit: the smaller one, of less than half the other's magnitude.
func (x wide) plus(y wide) wide {
	top := Add(Max(x.top, y.top), constant(x.top, 1)) // room for the carry
	x, y = x.down(Sub(top, x.top)), y.down(Sub(top, y.top))
	differ := LogicalXor(x.neg, y.neg)
	opposite := ones(differ)
	s := addLimbs(x.limb, flip(y.limb, opposite), u64(differ))
	// Below 0 only if the signs differ: the sum of equal signs leaves the top bit 0.
	below := LogicalAnd(differ, GreaterOrEqual(s[0], like(s[0], 1<<63)))
	none := Sub(s[0], s[0])
	s = addLimbs(flip(s, ones(below)), [3]*Node{none, none, none}, u64(below))
	// The magnitude of the smaller one is larger by the sticky part, that of the
	// difference smaller.
	sticky := LogicalOr(x.sticky, y.sticky)
	borrow := ones(LogicalAnd(differ, sticky))
	s = addLimbs(s, [3]*Node{borrow, borrow, borrow}, none)
	return wide{LogicalXor(x.neg, below), s, top, sticky}
}

// normal returns w normalised. What is sticky of w must be below the bits that
// are wanted of it.
func (w wide) normal() wide {
	for range 2 {
		up := isZero(w.limb[0])
		w.limb = [3]*Node{Where(up, w.limb[1], w.limb[0]), Where(up, w.limb[2], w.limb[1]), Where(up, like(w.limb[0], 0), w.limb[2])}
		w.top = Where(up, Sub(w.top, constant(w.top, 64)), w.top)
	}
	lead := Clz(w.limb[0])
	back := Sub(like(lead, 64), lead)
	w.top = Where(isZero(w.limb[0]), constant(w.top, zeroTop), Sub(w.top, i64(lead)))
	w.limb[0] = BitwiseOr(left(w.limb[0], lead), right(w.limb[1], back))
	w.limb[1] = BitwiseOr(left(w.limb[1], lead), right(w.limb[2], back))
	w.limb[2] = left(w.limb[2], lead)
	return w
}

// round returns the bits of w, normalised, rounded once to the float format f,
// to nearest, ties to even: +0 for 0, an infinity beyond the largest number,
// a zero of w's sign for what is too small.
func (f format) round(w wide) *Node {
	m := w.limb[0]
	// The last place of a normal result, or that of the subnormals, counted in
	// theirs; and how many bits of m are below it.
	place := Sub(w.top, constant(m, f.unit()+int64(f.fraction)+1))
	drop := Sub(constant(m, 63-int64(f.fraction)), Min(place, constant(m, 0)))
	small := GreaterThan(drop, constant(m, 64)) // less than half of the smallest
	place = u64(Max(place, constant(m, 0)))
	drop = u64(Min(drop, constant(m, 65)))
	q := right(m, drop)
	rest := Sub(m, left(q, drop))
	middle := left(like(m, 1), Sub(drop, like(m, 1)))
	tail := LogicalOr(w.sticky, notZero(BitwiseOr(w.limb[1], w.limb[2])))
	odd := notZero(BitwiseAnd(q, like(m, 1)))
	up := LogicalOr(GreaterThan(rest, middle), LogicalAnd(Equal(rest, middle), LogicalOr(tail, odd)))
	q = Where(LogicalAnd(up, LogicalNot(small)), Add(q, like(m, 1)), q)
	bits := Min(Add(left(place, like(m, uint64(f.fraction))), q), like(m, f.infinity()))
	bits = Where(w.neg, BitwiseOr(bits, like(m, f.signBit())), bits)
	return ConvertDType(Where(w.zero(), like(m, 0), bits), f.key)
}
