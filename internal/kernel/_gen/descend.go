package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// descends writes the search for order statistics in each lane of a block:
// rows of 64 bytes, of which AVX2 takes one half at a time.
func descends(g *gen) {
	for _, v := range both {
		for _, width := range []int{8, 16} {
			g.descend(v, width)
			g.successor(v, width)
		}
		for _, width := range []int{32, 64} {
			g.secant(v, width)
		}
	}
}

// byWidth picks the instruction for a width.
func byWidth(width int, b, w, d, q func(...operand.Op)) func(...operand.Op) {
	return map[int]func(...operand.Op){8: b, 16: w, 32: d, 64: q}[width]
}

// spread returns a vector of copies of the lowest bits of a register.
func (g *gen) spread(v isa, r reg.GPVirtual, width int) reg.VecVirtual {
	x, vec := g.XMM(), g.vec(v)
	g.VMOVQ(r, x)
	byWidth(width, g.VPBROADCASTB, g.VPBROADCASTW, g.VPBROADCASTD, g.VPBROADCASTQ)(x, vec)
	return vec
}

// descend writes func descend(keys *intN, n int, ranks, out *intN): bit by bit
// from the highest, an answer takes a bit if no more keys than its rank are
// smaller with it.
func (g *gen) descend(v isa, width int) {
	add := byWidth(width, g.VPADDB, g.VPADDW, g.VPADDD, g.VPADDQ)
	sub := byWidth(width, g.VPSUBB, g.VPSUBW, g.VPSUBD, g.VPSUBQ)
	g.begin(name("descend", width, v), operandType("(keys *%[1]s, n int, ranks, out *%[1]s)", width))
	keys, n := g.param("keys"), g.param("n")
	ranks := g.vec(v)
	g.move(v, mem(g.param("ranks"), 0), ranks)
	one := g.ones(v)
	bit := g.GP64()
	g.MOVQ(operand.U64(1<<(width-1)), bit)
	answer := g.spread(v, bit, width) // the smallest key
	trial := g.vec(v)

	g.Label("bit")
	add(g.spread(v, bit, width), answer, trial)
	count := g.zero(v)
	at, left := g.GP64(), g.GP64()
	g.MOVQ(keys, at)
	g.MOVQ(n, left)
	g.Label("row")
	if v == avx512 {
		k := g.K()
		byWidth(width, g.VPCMPB, g.VPCMPW, g.VPCMPD, g.VPCMPQ)(operand.U8(6), mem(at, 0), trial, k) // trial > key
		sub(one, count, k, count)
	} else {
		less := g.vec(v)
		byWidth(width, g.VPCMPGTB, g.VPCMPGTW, g.VPCMPGTD, g.VPCMPGTQ)(mem(at, 0), trial, less)
		sub(less, count, count)
	}
	g.ADDQ(operand.U8(64), at)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("row"))
	if v == avx512 {
		k := g.K()
		byWidth(width, g.VPCMPB, g.VPCMPW, g.VPCMPD, g.VPCMPQ)(operand.U8(2), ranks, count, k) // count <= rank
		byWidth(width, g.VMOVDQU8, g.VMOVDQU16, g.VMOVDQU32, g.VMOVDQU64)(trial, k, answer)
	} else {
		over := g.vec(v)
		byWidth(width, g.VPCMPGTB, g.VPCMPGTW, g.VPCMPGTD, g.VPCMPGTQ)(ranks, count, over) // count > rank
		g.VPBLENDVB(over, answer, trial, answer)
	}
	g.SHRQ(operand.U8(1), bit)
	g.JNZ(operand.LabelRef("bit"))
	g.move(v, answer, mem(g.param("out"), 0))
	g.VZEROUPPER()
	g.RET()
}

// successor writes func successor(keys *intN, n int, values, ranks, out *intN):
// the order statistic after values, whose rank is given: the value itself if
// more keys are not larger, else the smallest of the larger ones.
func (g *gen) successor(v isa, width int) {
	sub := byWidth(width, g.VPSUBB, g.VPSUBW, g.VPSUBD, g.VPSUBQ)
	g.begin(name("successor", width, v), operandType("(keys *%[1]s, n int, values, ranks, out *%[1]s)", width))
	at, left := g.param("keys"), g.param("n")
	values, ranks := g.vec(v), g.vec(v)
	g.move(v, mem(g.param("values"), 0), values)
	g.move(v, mem(g.param("ranks"), 0), ranks)
	one, count := g.ones(v), g.zero(v)
	top := g.GP64()
	g.MOVQ(operand.U64(1<<(width-1)-1), top)
	largest := g.spread(v, top, width)
	next := g.vec(v)
	g.copy(v, largest, next)
	g.Label("row")
	key := g.vec(v)
	g.move(v, mem(at, 0), key)
	if v == avx512 {
		k := g.K()
		byWidth(width, g.VPCMPB, g.VPCMPW, g.VPCMPD, g.VPCMPQ)(operand.U8(6), values, key, k) // key > value
		byWidth(width, g.VPMINSB, g.VPMINSW, g.VPMINSD, g.VPMINSQ)(key, next, k, next)
		n := g.K()
		g.KNOTQ(k, n)
		sub(one, count, n, count) // keys <= value
	} else {
		greater := byWidth(width, g.VPCMPGTB, g.VPCMPGTW, g.VPCMPGTD, g.VPCMPGTQ)
		over := g.vec(v)
		greater(values, key, over) // key > value
		g.VPBLENDVB(over, key, largest, key)
		if width == 64 {
			less := g.vec(v)
			greater(key, next, less) // next > key
			g.VPBLENDVB(less, key, next, next)
		} else {
			byWidth(width, g.VPMINSB, g.VPMINSW, g.VPMINSD, nil)(key, next, next)
		}
		g.VPXOR(one, over, over)
		sub(over, count, count)
	}
	g.ADDQ(operand.U8(64), at)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("row"))
	// The value again where more than rank+1 keys are not larger.
	result := g.vec(v)
	if v == avx512 {
		k := g.K()
		sub(one, ranks, ranks) // rank + 1
		byWidth(width, g.VPCMPB, g.VPCMPW, g.VPCMPD, g.VPCMPQ)(operand.U8(6), ranks, count, k)
		g.copy(v, next, result)
		byWidth(width, g.VMOVDQU8, g.VMOVDQU16, g.VMOVDQU32, g.VMOVDQU64)(values, k, result)
	} else {
		sub(one, ranks, ranks)
		again := g.vec(v)
		byWidth(width, g.VPCMPGTB, g.VPCMPGTW, g.VPCMPGTD, g.VPCMPGTQ)(ranks, count, again)
		g.VPBLENDVB(again, values, next, result)
	}
	g.move(v, result, mem(g.param("out"), 0))
	g.VZEROUPPER()
	g.RET()
}

// copy copies a register.
func (g *gen) copy(v isa, from, to operand.Op) {
	if v == avx512 {
		g.VMOVDQA64(from, to)
	} else {
		g.VMOVDQA(from, to)
	}
}
