package main

import (
	"github.com/mmcloughlin/avo/operand"
)

// encodes writes the loops that turn elements into keys, and back.
func encodes(g *gen) {
	for _, v := range both {
		g.flip(v)
		for _, width := range []int{16, 32, 64} {
			g.recode(v, width)
		}
	}
}

// flip writes func flipBits(dst, src *byte, bits uint64, n int): n bytes, a
// multiple of a vector, with bits flipped in each eight of them.
func (g *gen) flip(v isa) {
	g.begin("flipBits"+v.name, "(dst, src *byte, bits uint64, n int)")
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	bits := g.broadcast(v, "bits", 64)
	at := g.GP64()
	g.XORQ(at, at)
	g.Label("loop")
	x := g.vec(v)
	g.move(v, operand.Mem{Base: src, Index: at, Scale: 1}, x)
	g.PREFETCHT0(operand.Mem{Base: src, Index: at, Scale: 1, Disp: passAhead})
	g.xor(v, bits, x, x)
	g.move(v, x, operand.Mem{Base: dst, Index: at, Scale: 1})
	g.ADDQ(operand.U32(uint32(v.bytes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// recode writes func recode(dst, src *intN, n int, mask, limit, special intN)
// (count int): n elements, a multiple of a vector, to their keys, or keys to
// elements. Those that are more than limit as far as mask goes become special,
// and are counted.
func (g *gen) recode(v isa, width int) {
	size := width / 8
	g.begin(name("recode", width, v), operandType("(dst, src *%[1]s, n int, mask, limit, special %[1]s) (count int)", width))
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	g.SHLQ(operand.U8(shiftOf(size)), n)
	mask, limit, special := g.broadcast(v, "mask", width), g.broadcast(v, "limit", width), g.broadcast(v, "special", width)
	low := g.ones(v)
	map[int]func(...operand.Op){16: g.VPSRLW, 32: g.VPSRLD, 64: g.VPSRLQ}[width](operand.U8(1), low, low)
	count, at := g.GP64(), g.GP64()
	g.XORQ(count, count)
	g.XORQ(at, at)
	g.Label("loop")
	x, t := g.vec(v), g.vec(v)
	g.move(v, operand.Mem{Base: src, Index: at, Scale: 1}, x)
	g.PREFETCHT0(operand.Mem{Base: src, Index: at, Scale: 1, Disp: passAhead})
	r := g.GP64()
	if v == avx512 {
		more := g.K()
		g.VPANDQ(mask, x, t)
		map[int]func(...operand.Op){16: g.VPCMPW, 32: g.VPCMPD, 64: g.VPCMPQ}[width](operand.U8(6), limit, t, more) // t > limit
		g.flipNegative(v, width, low, x, t)
		map[int]func(...operand.Op){16: g.VMOVDQU16, 32: g.VMOVDQU32, 64: g.VMOVDQU64}[width](special, more, x)
		g.KMOVQ(more, r)
		g.POPCNTQ(r, r)
	} else {
		more := g.vec(v)
		g.VPAND(mask, x, more)
		map[int]func(...operand.Op){16: g.VPCMPGTW, 32: g.VPCMPGTD, 64: g.VPCMPGTQ}[width](limit, more, more)
		g.flipNegative(v, width, low, x, t)
		g.VPBLENDVB(more, special, x, x)
		g.VPMOVMSKB(more, r.As32())
		g.POPCNTL(r.As32(), r.As32())
		g.SHRL(operand.U8(shiftOf(size)), r.As32())
	}
	g.ADDQ(r, count)
	g.move(v, x, operand.Mem{Base: dst, Index: at, Scale: 1})
	g.ADDQ(operand.U32(uint32(v.bytes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.ret("count", count)
	g.VZEROUPPER()
	g.RET()
}

// xor flips bits.
func (g *gen) xor(v isa, a, b, dst operand.Op) {
	if v.bytes == 64 {
		g.VPXORQ(a, b, dst)
	} else {
		g.VPXOR(a, b, dst)
	}
}
