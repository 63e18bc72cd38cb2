package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairs writes the steps of a network in memory: for each pair of rows the
// smaller keys to a, the larger to b, or one of the two. AVX2 has too few
// registers for the rows.
func pairs(g *gen) {
	for _, width := range []int{8, 16, 32, 64} {
		g.pairs("sortPairs", avx2, width, true, true)
		g.pairs("lowerPairs", avx2, width, true, false)
		g.pairs("raisePairs", avx2, width, false, true)
	}
}

// pairs writes one function, func(a, b *intN, n int), for n keys of at least
// one vector. The last vector overlaps the one before it, if n is no multiple:
// to order a pair again changes nothing.
func (g *gen) pairs(kernel string, v isa, width int, lower, upper bool) {
	size := width / 8
	g.begin(name(kernel, width, v), operandType("(a, b *%s, n int)", width))
	a, b, n := g.param("a"), g.param("b"), g.param("n")
	g.SHLQ(operand.U8(shiftOf(size)), n)
	at, last := g.GP64(), g.GP64()
	g.XORQ(at, at)
	g.LEAQ(operand.Mem{Base: n, Disp: -v.bytes}, last)
	g.Label("loop")
	g.CMPQ(at, last)
	g.JGE(operand.LabelRef("tail"))
	g.orderAt(v, width, a, b, at, lower, upper)
	g.ADDQ(operand.U32(uint32(v.bytes)), at)
	g.JMP(operand.LabelRef("loop"))
	g.Label("tail")
	g.orderAt(v, width, a, b, last, lower, upper)
	g.VZEROUPPER()
	g.RET()
}

// orderAt orders the vectors that lie at bytes after a and b.
func (g *gen) orderAt(v isa, width int, a, b, at reg.Register, lower, upper bool) {
	pa := operand.Mem{Base: a, Index: at, Scale: 1}
	pb := operand.Mem{Base: b, Index: at, Scale: 1}
	x, y := g.vec(v), g.vec(v)
	g.move(v, pa, x)
	g.move(v, pb, y)
	if width == 64 && v == avx2 {
		swap := g.vec(v)
		g.VPCMPGTQ(y, x, swap) // x > y
		if lower {
			lo := g.vec(v)
			g.VBLENDVPD(swap, y, x, lo)
			g.move(v, lo, pa)
		}
		if upper {
			hi := g.vec(v)
			g.VBLENDVPD(swap, x, y, hi)
			g.move(v, hi, pb)
		}
		return
	}
	if lower {
		lo := g.vec(v)
		map[int]func(...operand.Op){8: g.VPMINSB, 16: g.VPMINSW, 32: g.VPMINSD, 64: g.VPMINSQ}[width](x, y, lo)
		g.move(v, lo, pa)
	}
	if upper {
		hi := g.vec(v)
		map[int]func(...operand.Op){8: g.VPMAXSB, 16: g.VPMAXSW, 32: g.VPMAXSD, 64: g.VPMAXSQ}[width](x, y, hi)
		g.move(v, hi, pb)
	}
}

// move moves a vector from or to memory of any alignment.
func (g *gen) move(v isa, from, to operand.Op) {
	if v.bytes == 64 {
		g.VMOVDQU64(from, to)
	} else {
		g.VMOVDQU(from, to)
	}
}
