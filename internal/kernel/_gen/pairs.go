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
	at, last, two := g.GP64(), g.GP64(), g.GP64()
	g.XORQ(at, at)
	g.LEAQ(mem(n, -v.bytes), last)
	g.LEAQ(mem(n, -2*v.bytes), two)
	g.CMPQ(at, two)
	g.JGE(operand.LabelRef("rest"))
	g.Label("two") // at a time: a jump for each would take longer
	g.orderAt(v, width, a, b, at, 0)
	g.orderAt(v, width, a, b, at, v.bytes)
	g.ADDQ(operand.U8(uint8(2*v.bytes)), at)
	g.CMPQ(at, two)
	g.JLT(operand.LabelRef("two"))
	g.Label("rest")
	g.CMPQ(at, last)
	g.JGE(operand.LabelRef("tail"))
	g.orderAt(v, width, a, b, at, 0)
	g.Label("tail")
	g.orderAt(v, width, a, b, last, 0)
	g.VZEROUPPER()
	g.RET()
}

// orderAt orders the vectors that lie at and offset bytes after a and b.
func (g *gen) orderAt(v isa, width int, a, b, at reg.Register, offset int) {
	pa := operand.Mem{Base: a, Index: at, Scale: 1, Disp: offset}
	pb := operand.Mem{Base: b, Index: at, Scale: 1, Disp: offset}
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
