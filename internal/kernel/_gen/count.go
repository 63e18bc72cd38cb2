package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// counts writes the counts of keys below one and of those equal to it. A wider
// vector takes as long: of its comparisons there is one in a cycle.
func counts(g *gen) {
	for _, width := range []int{32, 64} {
		g.count2(width)
	}
}

// count2 writes func count(src *intN, n int, k intN) (below, equal int) for n keys,
// a multiple of two vectors.
func (g *gen) count2(width int) {
	g.begin(name("count", width, avx2), operandType("(src *%[1]s, n int, k %[1]s) (below, equal int)", width))
	src, n, k := g.param("src"), g.param("n"), g.broadcast(avx2, "k", width)
	sub := byWidth(width, nil, nil, g.VPSUBD, g.VPSUBQ)
	var below, equal [2]reg.VecVirtual
	for i := range below {
		below[i], equal[i] = g.zero(avx2), g.zero(avx2)
	}
	g.Label("loop")
	for i := range below {
		less, same := g.YMM(), g.YMM()
		g.VMOVDQU(mem(src, 32*i), same)
		g.greater(width, k, same, less)
		byWidth(width, nil, nil, g.VPCMPEQD, g.VPCMPEQQ)(same, k, same)
		sub(less, below[i], below[i])
		sub(same, equal[i], equal[i])
	}
	g.ADDQ(operand.U8(64), src)
	g.SUBQ(operand.U8(uint8(512/width)), n)
	g.JNZ(operand.LabelRef("loop"))
	g.add(width, below[1], below[0], below[0])
	g.add(width, equal[1], equal[0], equal[0])
	g.ret("below", g.sum(avx2, below[0], width))
	g.ret("equal", g.sum(avx2, equal[0], width))
	g.VZEROUPPER()
	g.RET()
}
