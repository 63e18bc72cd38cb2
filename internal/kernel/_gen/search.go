package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// searches writes the search for order statistics in each lane of a block:
// rows of a vector of AVX-512, or of one or more of the short ones, which look at one each.
func searches(g *gen) {
	for _, v := range g.sets {
		for _, width := range []int{8, 16} {
			g.descend(v, width)
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
	vec := g.vec(v)
	if v == avx512 {
		from := map[int]reg.Register{8: r.As32(), 16: r.As32(), 32: r.As32(), 64: r}[width]
		byWidth(width, g.VPBROADCASTB, g.VPBROADCASTW, g.VPBROADCASTD, g.VPBROADCASTQ)(from, vec)
		return vec
	}
	x := g.XMM()
	g.VMOVQ(r, x)
	byWidth(width, g.VPBROADCASTB, g.VPBROADCASTW, g.VPBROADCASTD, g.VPBROADCASTQ)(x, vec)
	return vec
}

// descend writes func descend(keys *intN, n int, ranks, out, next *intN): bit by
// bit from the highest, an answer takes a bit if no more keys than its rank are
// smaller with it. The next key is the answer again if more keys than its rank
// and one are not larger, else the smallest of the larger ones.
func (g *gen) descend(v isa, width int) {
	add, sub := byWidth(width, g.VPADDB, g.VPADDW, nil, nil), byWidth(width, g.VPSUBB, g.VPSUBW, nil, nil)
	least := byWidth(width, g.VPMINSB, g.VPMINSW, nil, nil)
	g.begin(name("search", width, v), operandType("(keys *%[1]s, "+rowParam(v)+"n int, ranks, out, next *%[1]s)", width))
	rows, n := g.blockRows(v, "keys"), g.param("n")
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
	g.eachBlockRow("row", rows, n, func(at operand.Mem) {
		less := g.over(v, width, trial, at)
		if v == avx512 {
			sub(one, count, less, count)
		} else {
			sub(less, count, count)
		}
	})
	over := g.over(v, width, count, ranks)
	g.where(v, width, over, answer, trial)
	g.copy(v, trial, answer)
	g.SHRQ(operand.U8(1), bit)
	g.JNZ(operand.LabelRef("bit"))
	g.move(v, answer, mem(g.param("out"), 0))

	top := g.GP64()
	g.MOVQ(operand.U64(1<<(width-1)-1), top)
	largest := g.spread(v, top, width)
	next, larger := g.vec(v), g.zero(v)
	g.copy(v, largest, next)
	g.eachBlockRow("next", rows, n, func(at operand.Mem) {
		key := g.vec(v)
		g.move(v, at, key)
		over := g.over(v, width, key, answer)
		if v == avx512 {
			least(key, next, over, next)
			sub(one, larger, over, larger)
			return
		}
		sub(over, larger, larger)
		g.VPBLENDVB(over, key, largest, key)
		least(key, next, next)
	})
	// n - larger > rank + 1
	sub(larger, g.spread(v, n, width), larger)
	sub(one, ranks, ranks)
	g.where(v, width, g.over(v, width, larger, ranks), answer, next)
	g.move(v, next, mem(g.param("next"), 0))
	g.VZEROUPPER()
	g.RET()
}

// blockRows are the rows of a block: those of short vectors lie as far apart as a parameter says.
type blockRows struct {
	first, step reg.GPVirtual
}

// rowParam returns the parameter.
func rowParam(v isa) string {
	if v == avx512 {
		return ""
	}
	return "row int, "
}

// blockRows loads the parameters of the rows.
func (g *gen) blockRows(v isa, keys string) (r blockRows) {
	r.first = g.param(keys)
	if v != avx512 {
		r.step = g.param("row")
	}
	return r
}

// nextRow moves at to the next row.
func (g *gen) nextRow(r blockRows, at reg.Register) {
	if r.step == nil {
		g.ADDQ(operand.U8(64), at)
	} else {
		g.ADDQ(r.step, at)
	}
}

// eachBlockRow writes a loop over n rows of a block, two at a time where they are short: a
// jump for each would take longer than the row.
func (g *gen) eachBlockRow(label string, rows blockRows, n reg.GPVirtual, row func(at operand.Mem)) {
	at, left := g.GP64(), g.GP64()
	g.MOVQ(rows.first, at)
	g.MOVQ(n, left)
	if rows.step != nil {
		g.SUBQ(operand.U8(2), left)
		g.JL(operand.LabelRef(label + "_rest"))
		g.Label(label + "_two")
		row(mem(at, 0))
		row(operand.Mem{Base: at, Index: rows.step, Scale: 1})
		g.LEAQ(operand.Mem{Base: at, Index: rows.step, Scale: 2}, at)
		g.SUBQ(operand.U8(2), left)
		g.JGE(operand.LabelRef(label + "_two"))
		g.Label(label + "_rest")
		g.ADDQ(operand.U8(2), left)
		g.JZ(operand.LabelRef(label + "_end"))
	}
	g.Label(label)
	row(mem(at, 0))
	g.nextRow(rows, at)
	g.DECQ(left)
	g.JNZ(operand.LabelRef(label))
	g.Label(label + "_end")
}

// over returns the mask of the lanes where a > b.
func (g *gen) over(v isa, width int, a, b operand.Op) operand.Op {
	if v == avx512 {
		k := g.K()
		byWidth(width, g.VPCMPB, g.VPCMPW, g.VPCMPD, g.VPCMPQ)(operand.U8(6), b, a, k)
		return k
	}
	mask := g.vec(v)
	byWidth(width, g.VPCMPGTB, g.VPCMPGTW, g.VPCMPGTD, g.VPCMPGTQ)(b, a, mask)
	return mask
}

// where copies the lanes of a mask.
func (g *gen) where(v isa, width int, mask, from, to operand.Op) {
	if v == avx512 {
		byWidth(width, g.VMOVDQU8, g.VMOVDQU16, g.VMOVDQU32, g.VMOVDQU64)(from, mask, to)
	} else {
		g.VPBLENDVB(mask, from, to, to)
	}
}

// jumpIfAll goes to a label if all lanes of a mask, which is not one of AVX-512, are set.
func (g *gen) jumpIfAll(v isa, lanes operand.Op, label string) {
	r := g.GP64()
	if v == shortARM {
		g.neon("UMINV", 32, lanes, lanes)
		g.neon("VMOVR", 32, r, lanes)
	} else {
		g.VPMOVMSKB(lanes, r.As32())
	}
	g.CMPL(r.As32(), operand.I8(-1))
	g.JEQ(operand.LabelRef(label))
}

// copy copies a register.
func (g *gen) copy(v isa, from, to operand.Op) {
	if v == avx512 {
		g.VMOVDQA64(from, to)
	} else {
		g.VMOVDQA(from, to)
	}
}
