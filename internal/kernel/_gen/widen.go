package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// widens writes the loops between narrow formats and those that are computed in.
func widens(g *gen) {
	for _, v := range both {
		for _, width := range []int{8, 16, 32} {
			g.widen(v, width)
		}
		g.widenHalf(v, true)
		g.widenHalf(v, false)
		g.narrowHalf(v, true)
		g.narrowHalf(v, false)
	}
}

// part returns a new register of half of a vector's width, or a quarter.
func (g *gen) part(v isa, of int) reg.VecVirtual {
	if v.bytes/of == 32 {
		return g.YMM()
	}
	return g.XMM()
}

// widen writes func widen(dst *float64, src *intN, n int, offset float64):
// offset plus each of n integers, a multiple of the float64s of a vector.
func (g *gen) widen(v isa, width int) {
	lanes := v.bytes / 8
	g.begin(name("widen", width, v), operandType("(dst *float64, src *%[1]s, n int, offset float64)", width))
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	offset := g.vec(v)
	x := g.XMM()
	g.Load(g.Param("offset"), x)
	g.VBROADCASTSD(x, offset)
	at := g.GP64()
	g.XORQ(at, at)
	g.Label("loop")
	from := operand.Mem{Base: src, Index: at, Scale: uint8(width / 8)}
	wide := g.vec(v)
	if width == 32 {
		g.VCVTDQ2PD(from, wide)
	} else {
		i := g.part(v, 2)
		map[int]func(...operand.Op){8: g.VPMOVSXBD, 16: g.VPMOVSXWD}[width](from, i)
		g.VCVTDQ2PD(i, wide)
	}
	g.VADDPD(offset, wide, wide)
	g.VMOVUPD(wide, operand.Mem{Base: dst, Index: at, Scale: 8})
	g.ADDQ(operand.U32(uint32(lanes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

func halfName(kernel string, v isa, ieee bool) string {
	if ieee {
		return kernel + "F16" + v.name
	}
	return kernel + "BF16" + v.name
}

// widenHalf writes func widenF16 or widenBF16(dst *int32, src *int16, n int):
// the elements with n keys, a multiple of the float32s of a vector, as float32.
func (g *gen) widenHalf(v isa, ieee bool) {
	lanes := v.bytes / 4
	g.begin(halfName("widen", v, ieee), "(dst *int32, src *int16, n int)")
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	low := g.part(v, 2)
	g.VPCMPEQD(low, low, low)
	g.VPSRLW(operand.U8(1), low, low)
	at := g.GP64()
	g.XORQ(at, at)
	g.Label("loop")
	x, sign := g.part(v, 2), g.part(v, 2)
	g.VMOVDQU(operand.Mem{Base: src, Index: at, Scale: 2}, x)
	g.flipNegative(v, 16, low, x, sign)
	wide := g.vec(v)
	if ieee {
		g.VCVTPH2PS(x, wide)
	} else {
		g.VPMOVZXWD(x, wide)
		g.VPSLLD(operand.U8(16), wide, wide)
	}
	g.move(v, wide, operand.Mem{Base: dst, Index: at, Scale: 4})
	g.ADDQ(operand.U32(uint32(lanes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// narrowHalf writes func narrowF16 or narrowBF16(dst *int16, src *int32, n
// int): n float32, a multiple of a vector, rounded to the nearest, NaNs to the
// canonical one if they are.
func (g *gen) narrowHalf(v isa, ieee bool) {
	lanes := v.bytes / 4
	g.begin(halfName("narrow", v, ieee), "(dst *int16, src *int32, n int)")
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	var below, one reg.VecVirtual
	if !ieee {
		below, one = g.constant(v, 32, 0x7FFF), g.constant(v, 32, 1)
	}
	at := g.GP64()
	g.XORQ(at, at)
	g.Label("loop")
	x := g.vec(v)
	g.move(v, operand.Mem{Base: src, Index: at, Scale: 4}, x)
	to := operand.Mem{Base: dst, Index: at, Scale: 2}
	if ieee {
		g.VCVTPS2PH(operand.U8(0), x, to)
	} else {
		t := g.vec(v)
		g.VPSRLD(operand.U8(16), x, t)
		if v == avx512 {
			g.VPANDD(one, t, t)
		} else {
			g.VPAND(one, t, t)
		}
		g.VPADDD(below, x, x)
		g.VPADDD(t, x, x)
		g.VPSRLD(operand.U8(16), x, x)
		if v == avx512 {
			g.VPMOVDW(x, to)
		} else {
			upper := g.XMM()
			g.VEXTRACTI128(operand.U8(1), x, upper)
			g.VPACKUSDW(upper, x.AsX(), upper)
			g.VMOVDQU(upper, to)
		}
	}
	g.ADDQ(operand.U32(uint32(lanes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}
