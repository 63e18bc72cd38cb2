package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// widens writes the loops between narrow formats and those that are computed
// in: conversions, and middles where no more than these is to be done.
func widens(g *gen) {
	for _, width := range []int{8, 16, 32} {
		g.middleInt(width)
	}
	g.middleInt64()
	for _, ieee := range []bool{true, false} {
		g.widen16(ieee)
		g.round16(ieee)
		g.middle16(ieee)
	}
}

// part returns a new register of half of a vector's width, or a quarter.
func (g *gen) part(v isa, of int) reg.VecVirtual {
	if v.bytes/of == 32 {
		return g.YMM()
	}
	return g.XMM()
}

// advance ends a loop after so many elements.
func (g *gen) advance(elements int, at, n reg.GPVirtual) {
	g.ADDQ(operand.U32(uint32(elements)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// beginMiddleInt begins func middleIntN(dst *float64, lo, hi *intN, n int,
// offset float64), whose loop does four integers.
func (g *gen) beginMiddleInt(width int) (dst, lo, hi, n, at reg.GPVirtual, offset reg.VecVirtual) {
	g.begin(name("middleInt", width, avx2), operandType("(dst *float64, lo, hi *%[1]s, n int, offset float64)", width))
	dst, lo, hi, n = g.param("dst"), g.param("lo"), g.param("hi"), g.param("n")
	offset = g.YMM()
	x := g.XMM()
	g.Load(g.Param("offset"), x)
	g.VBROADCASTSD(x, offset)
	at = g.GP64()
	g.XORQ(at, at)
	return dst, lo, hi, n, at, offset
}

// middleInt writes the function of at most 32 bits: the sum, added to the bits
// of 1.5*2^51, whose last place is a half, makes that number and half of the sum.
// The offset is less this number.
func (g *gen) middleInt(width int) {
	dst, lo, hi, n, at, offset := g.beginMiddleInt(width)
	base := g.constant(avx2, 64, (1023+51)<<52|1<<51)
	g.VSUBPD(offset, base, offset)
	extend := map[int]func(...operand.Op){8: g.VPMOVSXBQ, 16: g.VPMOVSXWQ, 32: g.VPMOVSXDQ}[width]
	g.Label("loop")
	a, b := g.YMM(), g.YMM()
	extend(operand.Mem{Base: lo, Index: at, Scale: uint8(width / 8)}, a)
	extend(operand.Mem{Base: hi, Index: at, Scale: uint8(width / 8)}, b)
	g.VPADDQ(base, a, a)
	g.VPADDQ(a, b, b)
	g.VSUBPD(offset, b, b)
	g.VMOVUPD(b, operand.Mem{Base: dst, Index: at, Scale: 8})
	g.advance(4, at, n)
}

// middleInt64 writes the function of 64 bits: the upper and the lower halves
// are summed apart, of the integers with the top bit flipped. Both sums are
// float64, as the lower bits of 2^52 plus them, and so are the two terms of
// their middle, of which the last sum is the only one that is rounded. The
// offset is that of the sum of upper halves, with the 2^52.
func (g *gen) middleInt64() {
	dst, lo, hi, n, at, offset := g.beginMiddleInt(64)
	const two31, two52 = (1023 + 31) << 52, (1023 + 52) << 52
	half, scale, base := g.constant(avx2, 64, halfOf[64]), g.constant(avx2, 64, two31), g.constant(avx2, 64, two52)
	top, lower := g.ones(avx2), g.ones(avx2)
	g.VPSLLQ(operand.U8(63), top, top)
	g.VPSRLQ(operand.U8(32), lower, lower)
	g.Label("loop")
	var low, high [2]reg.VecVirtual
	for i, from := range []reg.GPVirtual{lo, hi} {
		x := g.YMM()
		low[i], high[i] = g.YMM(), g.YMM()
		g.VPXOR(operand.Mem{Base: from, Index: at, Scale: 8}, top, x)
		g.VPAND(lower, x, low[i])
		g.VPSRLQ(operand.U8(32), x, high[i])
	}
	for _, sum := range [][2]reg.VecVirtual{low, high} {
		g.VPADDQ(sum[0], sum[1], sum[1])
		g.VPOR(base, sum[1], sum[1])
	}
	g.VSUBPD(base, low[1], low[1])
	g.VSUBPD(offset, high[1], high[1])
	g.VMULPD(half, low[1], low[1])
	g.VFMADD231PD(scale, high[1], low[1])
	g.VMOVUPD(low[1], operand.Mem{Base: dst, Index: at, Scale: 8})
	g.advance(4, at, n)
}

func halfName(kernel string, ieee bool) string {
	if ieee {
		return kernel + "F16AVX2"
	}
	return kernel + "BF16AVX2"
}

// lowHalf returns the mask of all bits but the sign for sixteen 16-bit keys.
func (g *gen) lowHalf() reg.VecVirtual {
	low := g.YMM()
	g.VPCMPEQD(low, low, low)
	g.VPSRLW(operand.U8(1), low, low)
	return low
}

// loadHalf returns eight 16-bit floats, given by keys in memory, as float32.
func (g *gen) loadHalf(ieee bool, from operand.Mem, low reg.VecVirtual) reg.VecVirtual {
	x, sign, wide := g.XMM(), g.XMM(), g.YMM()
	g.VMOVDQU(from, x)
	g.flipNegative(avx2, 16, low.AsX(), x, sign)
	if ieee {
		g.VCVTPH2PS(x, wide)
	} else {
		g.VPMOVZXWD(x, wide)
		g.VPSLLD(operand.U8(16), wide, wide)
	}
	return wide
}

// rounding returns the constants of rounded: what is less than half of a
// bfloat16's last place, and 1.
func (g *gen) rounding(ieee bool) (c [2]reg.VecVirtual) {
	if !ieee {
		c = [2]reg.VecVirtual{g.constant(avx2, 32, 0x7FFF), g.constant(avx2, 32, 1)}
	}
	return c
}

// rounded rounds eight float32 to bfloat16, to nearest, ties to even, the canonical
// NaN to the canonical NaN.
func (g *gen) rounded(x reg.VecVirtual, c [2]reg.VecVirtual) {
	t := g.YMM()
	g.VPSRLD(operand.U8(16), x, t)
	g.VPAND(c[1], t, t)
	g.VPADDD(c[0], x, x)
	g.VPADDD(t, x, x)
	g.VPSRLD(operand.U8(16), x, x)
}

// widen16 writes func widenF16 or widenBF16(dst *int32, src *int16, n int):
// the elements with n keys, a multiple of 8, as float32.
func (g *gen) widen16(ieee bool) {
	g.begin(halfName("widen", ieee), "(dst *int32, src *int16, n int)")
	dst, src, n, at := g.param("dst"), g.param("src"), g.param("n"), g.GP64()
	low := g.lowHalf()
	g.XORQ(at, at)
	g.Label("loop")
	x := g.loadHalf(ieee, operand.Mem{Base: src, Index: at, Scale: 2}, low)
	g.VMOVDQU(x, operand.Mem{Base: dst, Index: at, Scale: 4})
	g.advance(8, at, n)
}

// round16 writes func roundF16 or roundBF16(dst *int16, src *int32, n
// int): n float32, a multiple of 8, rounded.
func (g *gen) round16(ieee bool) {
	g.begin(halfName("round", ieee), "(dst *int16, src *int32, n int)")
	dst, src, n, at := g.param("dst"), g.param("src"), g.param("n"), g.GP64()
	c := g.rounding(ieee)
	g.XORQ(at, at)
	g.Label("loop")
	x := g.YMM()
	g.VMOVDQU(operand.Mem{Base: src, Index: at, Scale: 4}, x)
	to := operand.Mem{Base: dst, Index: at, Scale: 2}
	if ieee {
		g.VCVTPS2PH(operand.U8(0), x, to)
	} else {
		upper := g.XMM()
		g.rounded(x, c)
		g.VEXTRACTI128(operand.U8(1), x, upper)
		g.VPACKUSDW(upper, x.AsX(), upper)
		g.VMOVDQU(upper, to)
	}
	g.advance(8, at, n)
}

// middle16 writes func middleF16 or middleBF16(dst, lo, hi *int16, n int):
// the middles of the elements with n keys, a multiple of 16.
func (g *gen) middle16(ieee bool) {
	g.begin(halfName("middle", ieee), "(dst, lo, hi *int16, n int)")
	dst, lo, hi, n, at := g.param("dst"), g.param("lo"), g.param("hi"), g.param("n"), g.GP64()
	low, half, nan, c := g.lowHalf(), g.constant(avx2, 32, halfOf[32]), g.constant(avx2, 32, nanOf[32]), g.rounding(ieee)
	var zero reg.VecVirtual
	if !ieee {
		zero = g.zero(avx2)
	}
	g.XORQ(at, at)
	g.Label("loop")
	var ends [2][2]reg.VecVirtual // of eight elements, and of eight others
	for i, from := range []reg.GPVirtual{lo, hi} {
		x, t := g.YMM(), g.YMM()
		g.VMOVDQU(operand.Mem{Base: from, Index: at, Scale: 2}, x)
		g.flipNegative(avx2, 16, low, x, t)
		ends[0][i], ends[1][i] = g.YMM(), g.YMM()
		if ieee {
			g.VEXTRACTI128(operand.U8(1), x, t.AsX())
			g.VCVTPH2PS(x.AsX(), ends[0][i])
			g.VCVTPH2PS(t.AsX(), ends[1][i])
		} else {
			g.VPUNPCKLWD(x, zero, ends[0][i])
			g.VPUNPCKHWD(x, zero, ends[1][i])
		}
	}
	for i, e := range ends {
		a, b := e[0], e[1]
		zeros := g.compare(avx2, 32, equal, a, b) // -0 and +0, or no matter
		g.VMULPS(half, b, b)
		g.VFMADD231PS(half, a, b)
		g.set(avx2, 32, zeros, a, b)
		g.set(avx2, 32, g.compare(avx2, 32, unordered, b, b), nan, b)
		if ieee {
			g.VCVTPS2PH(operand.U8(0), b, operand.Mem{Base: dst, Index: at, Scale: 2, Disp: 16 * i})
		} else {
			g.rounded(b, c)
		}
	}
	if !ieee {
		g.VPACKUSDW(ends[1][1], ends[0][1], ends[0][1])
		g.VMOVDQU(ends[0][1], operand.Mem{Base: dst, Index: at, Scale: 2})
	}
	g.advance(16, at, n)
}
