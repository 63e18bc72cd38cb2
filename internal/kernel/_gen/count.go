package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// counts writes the counts of keys below one and of those equal to it. A wider
// vector takes as long: of its comparisons there is one in a cycle.
func counts(g *gen) {
	for _, width := range []int{16, 32, 64} {
		g.count2(width)
	}
}

// count2 writes func count(src *intN, n int, k intN) (below, equal int) for n keys,
// a multiple of two vectors. Lanes of 16 bits count down, and are then widened by a
// product with -1: their sums must not be below -1<<15.
func (g *gen) count2(width int) {
	g.begin(name("count", width, avx2), operandType("(src *%[1]s, n int, k %[1]s) (below, equal int)", width))
	src, n, k := g.param("src"), g.param("n"), g.broadcast(avx2, "k", width)
	count := byWidth(width, nil, g.VPADDW, g.VPSUBD, g.VPSUBQ)
	var below, equal [2]reg.VecVirtual
	for i := range below {
		below[i], equal[i] = g.zero(avx2), g.zero(avx2)
	}
	g.Label("loop")
	g.PREFETCHT0(mem(src, passAhead))
	for i := range below {
		less, same := g.YMM(), g.YMM()
		g.VMOVDQU(mem(src, 32*i), same)
		g.greater(width, k, same, less)
		byWidth(width, nil, g.VPCMPEQW, g.VPCMPEQD, g.VPCMPEQQ)(same, k, same)
		count(less, below[i], below[i])
		count(same, equal[i], equal[i])
	}
	g.ADDQ(operand.U8(64), src)
	g.SUBQ(operand.U8(uint8(512/width)), n)
	g.JNZ(operand.LabelRef("loop"))
	for _, c := range []struct {
		name  string
		lanes [2]reg.VecVirtual
	}{{"below", below}, {"equal", equal}} {
		all := c.lanes[0]
		byWidth(width, nil, g.VPADDW, g.VPADDD, g.VPADDQ)(c.lanes[1], all, all)
		if width == 16 {
			g.VPMADDWD(g.ones(avx2), all, all)
		}
		g.ret(c.name, g.sum(avx2, all, max(width, 32)))
	}
	g.VZEROUPPER()
	g.RET()
}
