package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blends writes the loops that interpolate between keys.
func blends(g *gen) {
	g.middle(32)
	g.middle(64)
	for _, v := range both {
		g.blend32(v)
		g.blend64(v)
	}
}

// Predicates of the floating-point comparisons, none of which traps.
const (
	equal        = 0x00
	unordered    = 0x03
	atMost       = 0x12
	atLeast      = 0x1D
	notDifferent = 0x08 // equal or unordered
	different    = 0x0C // and ordered
)

// mask is the outcome of a comparison: a mask register, or a vector of lanes
// that are all ones or zero.
type mask = reg.Register

// compare compares floating-point lanes, a predicate b.
func (g *gen) compare(v isa, width int, predicate uint8, a, b operand.Op) mask {
	var m mask = g.vec(v)
	if v == avx512 {
		m = g.K()
	}
	map[int]func(...operand.Op){32: g.VCMPPS, 64: g.VCMPPD}[width](operand.U8(predicate), b, a, m)
	return m
}

// and sets m to m and n.
func (g *gen) and(v isa, n, m mask) {
	if v == avx512 {
		g.KANDB(n, m, m)
	} else {
		g.VPAND(n, m, m)
	}
}

// or sets m to m or n.
func (g *gen) or(v isa, n, m mask) {
	if v == avx512 {
		g.KORB(n, m, m)
	} else {
		g.VPOR(n, m, m)
	}
}

// jumpAll jumps if m has all lanes of 64 bits.
func (g *gen) jumpAll(v isa, m mask, label string) {
	if v == avx512 {
		g.KORTESTB(m, m)
		g.JCS(operand.LabelRef(label))
		return
	}
	r := g.GP32()
	g.VMOVMSKPD(m, r)
	g.CMPL(r, operand.U32(0xF))
	g.JEQ(operand.LabelRef(label))
}

// set sets the lanes of x in m to those of y.
func (g *gen) set(v isa, width int, m mask, y, x reg.Register) {
	switch {
	case v != avx512 && width == 32:
		g.VBLENDVPS(m, y, x, x)
	case v != avx512:
		g.VBLENDVPD(m, y, x, x)
	case width == 32:
		g.VMOVAPS(y, m, x)
	default:
		g.VMOVAPD(y, m, x)
	}
}

// constant returns a vector of copies of a value of the given width.
func (g *gen) constant(v isa, width int, bits uint64) reg.VecVirtual {
	vec, x, r := g.vec(v), g.XMM(), g.GP64()
	g.MOVQ(operand.U64(bits), r)
	g.VMOVQ(r, x)
	if width == 32 {
		g.VPBROADCASTD(x, vec)
	} else {
		g.VPBROADCASTQ(x, vec)
	}
	return vec
}

// flipNegative turns the keys of floats into elements, or the reverse; low has
// all bits but the sign, or none if x is not to be changed. x has the width of
// a vector of v, or half of it.
func (g *gen) flipNegative(v isa, width int, low operand.Op, x, sign reg.Register) {
	if v == avx512 {
		byWidth(width, nil, g.VPSRAW, g.VPSRAD, g.VPSRAQ)(operand.U8(uint8(width-1)), x, sign)
		g.VPTERNLOGQ(operand.U8(0x78), low, sign, x) // x ^ sign&low
		return
	}
	if width == 64 && v != shortARM { // no arithmetic shift
		g.VPXOR(sign, sign, sign)
		g.VPCMPGTQ(x, sign, sign)
	} else {
		byWidth(width, nil, g.VPSRAW, g.VPSRAD, g.VPSRAQ)(operand.U8(uint8(width-1)), x, sign)
	}
	g.VPAND(low, sign, sign)
	g.VPXOR(sign, x, x)
}

// bits of floating-point constants.
var (
	halfOf = map[int]uint64{32: 0x3F000000, 64: 0x3FE0000000000000}
	nanOf  = map[int]uint64{32: 0x7FC00000, 64: 0x7FF8000000000000}
)

// middle writes func middle(dst *floatN, lo, hi *intN, n int, low intN): the
// middles of n elements, a multiple of a vector, given by keys, or by their
// bits if low is 0.
func (g *gen) middle(width int) {
	v, size := avx2, width/8
	add, mul, sub := g.VADDPD, g.VMULPD, g.VSUBPD
	fma := g.VFMADD231PD
	if width == 32 {
		add, mul, sub, fma = g.VADDPS, g.VMULPS, g.VSUBPS, g.VFMADD231PS
	}
	g.begin(name("middle", width, v), operandType("(dst, lo, hi *%[1]s, n int, low %[1]s)", width))
	dst, lo, hi, n := g.param("dst"), g.param("lo"), g.param("hi"), g.param("n")
	g.SHLQ(operand.U8(shiftOf(size)), n)
	low := g.broadcast(v, "low", width)
	half, nan := g.constant(v, width, halfOf[width]), g.constant(v, width, nanOf[width])
	at := g.GP64()
	g.XORQ(at, at)
	g.Label("loop")
	a, b, t := g.vec(v), g.vec(v), g.vec(v)
	g.move(v, operand.Mem{Base: lo, Index: at, Scale: 1}, a)
	g.move(v, operand.Mem{Base: hi, Index: at, Scale: 1}, b)
	g.flipNegative(v, width, low, a, t)
	g.flipNegative(v, width, low, b, t)
	s, r := g.vec(v), g.vec(v)
	add(b, a, s)
	mul(half, s, r)
	// Where the sum overflows, or has an infinite term.
	sub(s, s, t)
	infinite := g.compare(v, width, unordered, t, t)
	mul(half, b, t)
	fma(half, a, t)
	g.set(v, width, infinite, t, r)
	g.set(v, width, g.compare(v, width, equal, a, b), a, r)
	g.set(v, width, g.compare(v, width, unordered, s, s), nan, r)
	g.move(v, r, operand.Mem{Base: dst, Index: at, Scale: 1})
	g.ADDQ(operand.U32(uint32(v.bytes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// constants returns the numbers of a table, each there four times, by the
// parameter f: registers, or the memory where these are few.
func (g *gen) constants(v isa, n int) []operand.Op {
	f := g.param("f")
	var list []operand.Op
	for i := range n {
		if v == avx512 {
			vec := g.vec(v)
			g.VPBROADCASTQ(mem(f, 32*i), vec)
			list = append(list, vec)
		} else {
			list = append(list, mem(f, 32*i))
		}
	}
	return list
}

// blending is what the loops of blend32 and blend64 share: a vector of float64
// ends a and b, and what follows from them.
type blending struct {
	g *gen
	v isa

	abs, nan         operand.Op     // constants
	a, b, w, d, p, s reg.VecVirtual // w is the weight, d = b-a, p = w*d, s = a+p
	plain            mask           // where a = b, or one of them is NaN
}

// start computes the sum, from a, b and the weights at weight.
func (x *blending) start(weight operand.Mem) {
	g, v := x.g, x.v
	x.plain = g.compare(v, 64, notDifferent, x.a, x.b)
	x.w, x.d, x.p, x.s = g.vec(v), g.vec(v), g.vec(v), g.vec(v)
	g.VMOVUPD(weight, x.w)
	g.VSUBPD(x.a, x.b, x.d)
	g.VMULPD(x.w, x.d, x.p)
	g.VADDPD(x.p, x.a, x.s)
}

// size returns the magnitude of y.
func (x *blending) size(y reg.VecVirtual) reg.VecVirtual {
	size := x.g.vec(x.v)
	x.g.VANDPD(x.abs, y, size)
	return size
}

// rest returns what d, p and s leave out: of b-a, of w*d, of a+p.
func (x *blending) rest() (e, pe, t reg.VecVirtual) {
	g, v := x.g, x.v
	e, pe, t = g.vec(v), g.vec(v), g.vec(v)
	y := g.vec(v)
	g.VSUBPD(x.d, x.b, y)
	g.VADDPD(y, x.d, e)
	g.VSUBPD(e, x.b, e)
	g.VSUBPD(x.a, y, y)
	g.VADDPD(y, e, e)
	g.VMOVAPD(x.p, pe)
	g.VFMSUB231PD(x.w, x.d, pe)
	z := g.vec(v)
	g.VSUBPD(x.a, x.s, z)
	g.VSUBPD(z, x.s, t)
	g.VSUBPD(t, x.a, t)
	g.VSUBPD(z, x.p, z)
	g.VADDPD(z, t, t)
	return e, pe, t
}

// finish sets the lanes of r that are no matter of rounding, which changes a.
func (x *blending) finish(r reg.VecVirtual) {
	g, v := x.g, x.v
	bad := g.compare(v, 64, unordered, x.a, x.b)
	nan := x.nan
	if v != avx512 {
		nan = g.vec(v)
		g.VMOVDQU(x.nan, nan)
	}
	g.set(v, 64, x.plain, x.a, r)
	g.set(v, 64, bad, nan.(reg.Register), r)
}

// weights are those of the lanes at hand, and what they lack, at addresses that move on by
// a step.
type weights struct{ w, step, lacking, stepLacking reg.GPVirtual }

// weights takes the parameters.
func (g *gen) weights() weights {
	return weights{g.param("w"), g.param("step"), g.param("lacking"), g.param("stepLacking")}
}

// next ends the loop after so many lanes.
func (x *blending) next(lanes int, w weights, at, n reg.GPVirtual) {
	g := x.g
	g.ADDQ(w.step, w.w)
	g.ADDQ(w.stepLacking, w.lacking)
	g.ADDQ(operand.U32(uint32(lanes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.Label("end")
	g.ret("done", at)
	g.VZEROUPPER()
	g.RET()
}

// blend32 writes func blend32(dst, lo, hi *int32, n int, low int32, w *float64, step int,
// lacking *float64, stepLacking int, f *int64) (done int), where f has the numbers abs, nan,
// limit, eight, last, one, bits, near, least and odd of a format.
func (g *gen) blend32(v isa) {
	lanes := v.bytes / 8
	g.begin("blend32"+v.name, "(dst, lo, hi *int32, n int, low int32, w *float64, step int, lacking *float64, stepLacking int, f *int64) (done int)")
	dst, lo, hi, n := g.param("dst"), g.param("lo"), g.param("hi"), g.param("n")
	w := g.weights()
	low := g.broadcast(v, "low", 32)
	lower := low.AsX()
	if v == avx512 {
		lower = low.AsY()
	}
	f := g.constants(v, 10)
	x := &blending{g: g, v: v, abs: f[0], nan: f[1]}
	at := g.GP64()
	g.XORQ(at, at)

	g.Label("loop")
	x.a, x.b = g.vec(v), g.vec(v)
	for i, end := range []reg.VecVirtual{x.a, x.b} {
		y, sign := g.part(v, 2), g.part(v, 2)
		g.VMOVDQU(operand.Mem{Base: []reg.GPVirtual{lo, hi}[i], Index: at, Scale: 4}, y)
		g.flipNegative(v, 32, lower, y, sign)
		g.VCVTPS2PD(y, end)
	}
	x.start(mem(w.w, 0))
	proven, big := x.prove32(f)
	g.jumpAll(v, proven, "proven")
	exact := x.toOdd32(f, mem(w.lacking, 0))
	g.and(v, big, exact)
	g.or(v, exact, proven)
	g.jumpAll(v, proven, "proven")
	g.JMP(operand.LabelRef("end"))

	g.Label("proven")
	u := x.fromOdd32(f[9])
	x.finish(u)
	y := g.part(v, 2)
	if v == avx512 {
		g.VCVTPD2PS(u, y)
	} else {
		g.VCVTPD2PSY(u, y)
	}
	g.VMOVDQU(y, operand.Mem{Base: dst, Index: at, Scale: 4})
	x.next(lanes, w, at, n)
}

// prove32 returns the masks of the lanes whose value is proven, and of those large enough
// for that.
func (x *blending) prove32(f []operand.Op) (proven, big mask) {
	g, v := x.g, x.v
	limit, eight, bits, near, least := f[2], f[3], f[6], f[7], f[8]
	large := x.size(x.s)
	eightfold := g.vec(v)
	g.VMULPD(eight, large, eightfold)
	proven = g.compare(v, 64, atMost, x.size(x.p), eightfold)
	big = g.compare(v, 64, atLeast, large, least)
	t := g.vec(v)
	if v == avx512 {
		g.VPANDQ(bits, x.s, t)
		g.VPSUBQ(near, t, t)
		far := g.K()
		g.VPCMPUQ(operand.U8(5), limit, t, far) // t >= limit
		g.KANDB(far, proven, proven)
	} else {
		// Near the middle: t is from 0 to limit-1.
		u := g.vec(v)
		g.VPAND(bits, x.s, t)
		g.VPSUBQ(near, t, t)
		g.VPSUBQ(limit, t, u)
		g.VPANDN(u, t, u)
		g.VPXOR(t, t, t)
		g.VPCMPGTQ(u, t, t) // 0 > u
		g.VPANDN(proven, t, proven)
	}
	g.and(v, big, proven)
	g.or(v, x.plain, proven)
	return proven, big
}

// toOdd32 returns the mask of the lanes whose value is exact: the weight lacks nothing,
// b-a is exact, and what is left of the sum, less than its last place, says on which side
// of s the value lies. There s becomes the value rounded to odd, that rounded towards 0
// with the last bit set.
func (x *blending) toOdd32(f []operand.Op, lacking operand.Mem) mask {
	g, v := x.g, x.v
	last, one := f[4], f[5]
	e, pe, rest := x.rest()
	g.VADDPD(pe, rest, rest)
	unit := g.vec(v)
	g.VORPD(lacking, e, unit)
	exact := g.compare(v, 64, equal, unit, g.zero(v))
	g.VMULPD(last, x.size(x.s), unit)
	g.and(v, g.compare(v, 64, atMost, x.size(rest), unit), exact)
	left := g.compare(v, 64, different, rest, g.zero(v))
	other := g.vec(v)
	if v == avx512 {
		g.VPXORQ(rest, x.s, other)
		g.VPSRAQ(operand.U8(63), other, other)
		g.VPADDQ(x.s, other, other)
		g.VPORQ(one, other, other)
	} else {
		g.VPXOR(rest, x.s, rest)
		g.VPXOR(other, other, other)
		g.VPCMPGTQ(rest, other, other) // 0 > rest
		g.VPADDQ(x.s, other, other)
		g.VPOR(one, other, other)
	}
	g.set(v, 64, left, other, x.s)
	return exact
}

// fromOdd32 returns the values rounded to odd, where a narrower format follows.
func (x *blending) fromOdd32(odd operand.Op) reg.VecVirtual {
	g, v := x.g, x.v
	u := g.vec(v)
	if v == avx512 {
		g.VPANDQ(odd, x.s, u)
		g.VPADDQ(odd, u, u)
		g.VPORQ(u, x.s, x.s)
		g.VPANDNQ(x.s, odd, u)
	} else {
		mask := g.vec(v)
		g.VMOVDQU(odd, mask)
		g.VPAND(mask, x.s, u)
		g.VPADDQ(mask, u, u)
		g.VPOR(u, x.s, x.s)
		g.VPANDN(x.s, mask, u)
	}
	return u
}

// blend64 writes func blend64(dst, lo, hi *int64, n int, low int64, w *float64, step int,
// lacking *float64, stepLacking int, f *int64) (done int), where f has the numbers abs, nan,
// tiny, huge and wide.
func (g *gen) blend64(v isa) {
	lanes := v.bytes / 8
	g.begin("blend64"+v.name, "(dst, lo, hi *int64, n int, low int64, w *float64, step int, lacking *float64, stepLacking int, f *int64) (done int)")
	dst, lo, hi, n := g.param("dst"), g.param("lo"), g.param("hi"), g.param("n")
	w := g.weights()
	low := g.broadcast(v, "low", 64)
	f := g.constants(v, 5)
	x := &blending{g: g, v: v, abs: f[0], nan: f[1]}
	tiny, huge, wide := f[2], f[3], f[4]
	at := g.GP64()
	g.XORQ(at, at)

	g.Label("loop")
	x.a, x.b = g.vec(v), g.vec(v)
	sign := g.vec(v)
	g.move(v, operand.Mem{Base: lo, Index: at, Scale: 8}, x.a)
	g.flipNegative(v, 64, low, x.a, sign)
	g.move(v, operand.Mem{Base: hi, Index: at, Scale: 8}, x.b)
	g.flipNegative(v, 64, low, x.b, sign)
	x.start(mem(w.w, 0))
	e, pe, rest := x.rest()
	left, lacking := g.vec(v), g.vec(v)
	g.VMOVUPD(mem(w.lacking, 0), lacking)
	g.VORPD(pe, e, left)
	g.VORPD(lacking, left, left)
	ok := g.compare(v, 64, equal, left, g.zero(v)) // s is the exact a+p
	g.VMULPD(x.w, e, e)
	g.VFMADD231PD(lacking, x.d, e)
	g.VADDPD(e, pe, e)
	g.VADDPD(e, rest, rest)
	size := x.size(x.s)
	bound := x.size(x.p)
	g.VADDPD(bound, size, bound)
	g.VMULPD(wide, bound, bound)
	r := g.vec(v)
	g.VADDPD(bound, rest, r)
	g.VADDPD(r, x.s, r)
	g.VSUBPD(bound, rest, rest)
	g.VADDPD(rest, x.s, rest)
	same := g.compare(v, 64, equal, r, rest)
	g.set(v, 64, same, r, x.s)
	g.or(v, same, ok)
	g.and(v, g.compare(v, 64, atLeast, size, tiny), ok)
	g.and(v, g.compare(v, 64, atMost, size, huge), ok)
	g.and(v, g.compare(v, 64, atMost, x.size(x.d), huge), ok)
	g.or(v, x.plain, ok)
	g.jumpAll(v, ok, "proven")
	g.JMP(operand.LabelRef("end"))

	g.Label("proven")
	x.finish(x.s)
	g.move(v, x.s, operand.Mem{Base: dst, Index: at, Scale: 8})
	x.next(lanes, w, at, n)
}
