package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packs writes the encoding of rows of a block.
func packs(g *gen) {
	for _, v := range g.sets {
		for _, width := range []int{32, 64} {
			g.pack(v, width)
		}
	}
}

// pack writes func pack(dst, src *intN, step, n int, flip, low, inf intN, ahead
// int, nans *intN) (nan bool): n rows of a vector, which lie step bytes apart,
// to rows of a block. It prefetches what is wanted ahead bytes further on, into
// the second-level cache: into the first one fewer lines are on their way at a
// time, which holds up the rows loaded, and medians of 200 rows along axis 0 take
// 1.5 times as long.
func (g *gen) pack(v isa, width int) {
	g.begin(name("pack", width, v), operandType("(dst, src *%[1]s, "+rowParam(v)+"step, n int, flip, low, inf %[1]s, ahead int, nans *%[1]s) (nan bool)", width))
	p := g.packing(v, width)
	src, rows, left := g.param("src"), g.blockRows(v, "dst"), g.param("n")
	step, ahead := g.param("step"), g.param("ahead")
	g.Label("row")
	x := g.vec(v)
	g.PREFETCHT1(operand.Mem{Base: src, Index: ahead, Scale: 1})
	g.move(v, mem(src, 0), x)
	p.encode(x)
	g.move(v, x, mem(rows.first, 0))
	g.ADDQ(step, src)
	g.nextRow(rows, rows.first)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("row"))
	p.finish()
}

// packing holds the registers of an encoding: key = x ^ flip ^ (sign of x & low),
// or the largest key where the magnitude of x exceeds inf. For integers low is
// 0 and inf is -1, which is never exceeded as an unsigned number.
type packing struct {
	g     *gen
	v     isa
	width int

	flip, low, inf, largest reg.VecVirtual
	any                     reg.VecVirtual // lanes are not 0 where a key was NaN's, for AVX2
	anyK                    reg.OpmaskVirtual
}

func (g *gen) packing(v isa, width int) *packing {
	p := &packing{g: g, v: v, width: width}
	p.flip, p.low, p.inf = g.broadcast(v, "flip", width), g.broadcast(v, "low", width), g.broadcast(v, "inf", width)
	p.largest = g.ones(v)
	p.op(g.VPSRLD, g.VPSRLQ)(operand.U8(1), p.largest, p.largest)
	if v == avx512 {
		p.op(g.VPADDD, g.VPADDQ)(p.inf, p.inf, p.inf) // magnitudes are compared without the sign, doubled
		p.anyK = g.K()
		g.KXORW(p.anyK, p.anyK, p.anyK)
	} else {
		p.any = g.zero(v)
	}
	return p
}

// op picks an instruction for the width.
func (p *packing) op(d, q func(...operand.Op)) func(...operand.Op) {
	if p.width == 32 {
		return d
	}
	return q
}

// encode turns elements into keys.
func (p *packing) encode(x reg.VecVirtual) {
	g := p.g
	sign := g.vec(p.v)
	if p.v == avx512 {
		double, nan := g.vec(p.v), g.K()
		p.op(g.VPADDD, g.VPADDQ)(x, x, double)
		g.flipNegative(p.v, p.width, p.low, x, sign)
		g.VPXORQ(p.flip, x, x)
		p.op(g.VPCMPUD, g.VPCMPUQ)(operand.U8(6), p.inf, double, nan)
		p.op(g.VMOVDQU32, g.VMOVDQU64)(p.largest, nan, x)
		g.KORW(nan, p.anyK, p.anyK)
		return
	}
	nan := g.vec(p.v)
	g.VPAND(p.low, x, nan)
	p.op(g.VPCMPGTD, g.VPCMPGTQ)(p.inf, nan, nan)
	g.flipNegative(p.v, p.width, p.low, x, sign)
	g.VPXOR(p.flip, x, x)
	g.VPBLENDVB(nan, p.largest, x, x)
	g.VPOR(nan, p.any, p.any)
}

// finish adds to nans the keys of NaN in each lane if there are any, and returns.
func (p *packing) finish() {
	g, v := p.g, p.v
	if v == avx512 {
		g.KORTESTW(p.anyK, p.anyK)
	} else {
		g.VPTEST(p.any, p.any)
	}
	r := g.GP64()
	g.SETNE(r.As8())
	g.Store(r.As8(), g.Return("nan"))
	g.JEQ(operand.LabelRef("done"))
	rows, left := g.blockRows(v, "dst"), g.param("n")
	at := rows.first
	nans, one, count := g.param("nans"), g.ones(v), g.vec(v)
	g.move(v, mem(nans, 0), count)
	g.Label("count")
	if v == avx512 {
		k := g.K()
		p.op(g.VPCMPEQD, g.VPCMPEQQ)(mem(at, 0), p.largest, k)
		p.op(g.VPSUBD, g.VPSUBQ)(one, count, k, count)
	} else {
		k := g.vec(v)
		p.op(g.VPCMPEQD, g.VPCMPEQQ)(mem(at, 0), p.largest, k)
		p.op(g.VPSUBD, g.VPSUBQ)(k, count, count)
	}
	g.nextRow(rows, at)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("count"))
	g.move(v, count, mem(nans, 0))
	g.Label("done")
	g.VZEROUPPER()
	g.RET()
}
