package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairs writes the steps of a network in memory: for each pair of rows the
// smaller keys to a, the larger to b. AVX2 has too few registers for the rows.
func pairs(g *gen) {
	for _, width := range []int{8, 16, 32, 64} {
		g.pairs(avx2, width)
	}
}

// pairs writes func sortPairs(a, b *intN, n int), for n keys of at least one
// vector. The last vector overlaps the one before it, if n is no multiple: to
// order a pair again changes nothing.
func (g *gen) pairs(v isa, width int) {
	size := width / 8
	g.begin(name("sortPairs", width, v), operandType("(a, b *%s, n int)", width))
	a, b, n := g.param("a"), g.param("b"), g.param("n")
	g.SHLQ(operand.U8(shiftOf(size)), n)
	at, last := g.GP64(), g.GP64()
	g.XORQ(at, at)
	g.LEAQ(operand.Mem{Base: n, Disp: -v.bytes}, last)
	g.Label("loop")
	g.CMPQ(at, last)
	g.JGE(operand.LabelRef("tail"))
	g.orderAt(v, width, a, b, at)
	g.ADDQ(operand.U32(uint32(v.bytes)), at)
	g.JMP(operand.LabelRef("loop"))
	g.Label("tail")
	g.orderAt(v, width, a, b, last)
	g.VZEROUPPER()
	g.RET()
}

// orderAt orders the vectors that lie at bytes after a and b.
func (g *gen) orderAt(v isa, width int, a, b, at reg.Register) {
	pa := operand.Mem{Base: a, Index: at, Scale: 1}
	pb := operand.Mem{Base: b, Index: at, Scale: 1}
	x, y, lo, hi := g.vec(v), g.vec(v), g.vec(v), g.vec(v)
	g.move(v, pa, x)
	g.move(v, pb, y)
	g.lesserAndGreater(width, x, y, lo, hi, g.vec(v))
	g.move(v, lo, pa)
	g.move(v, hi, pb)
}

// move moves a vector from or to memory of any alignment.
func (g *gen) move(v isa, from, to operand.Op) {
	if v.bytes == 64 {
		g.VMOVDQU64(from, to)
	} else {
		g.VMOVDQU(from, to)
	}
}
