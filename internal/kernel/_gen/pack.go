package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packs writes the layout of lanes in blocks.
func packs(g *gen) {
	for _, v := range both {
		for _, width := range []int{32, 64} {
			g.packRows(v, width)
			g.packColumns(v, width)
		}
		g.unpair(v)
	}
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

const packParams = "(dst, src *%[1]s, step, n int, flip, low, inf %[1]s, ahead int, nans *%[1]s) (nan bool)"

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
		p.op(g.VPSRAD, g.VPSRAQ)(operand.U8(uint8(p.width-1)), x, sign)
		g.VPTERNLOGQ(operand.U8(0x78), p.low, sign, x) // x ^ sign&low
		g.VPXORQ(p.flip, x, x)
		p.op(g.VPCMPUD, g.VPCMPUQ)(operand.U8(6), p.inf, double, nan)
		p.op(g.VMOVDQU32, g.VMOVDQU64)(p.largest, nan, x)
		g.KORW(nan, p.anyK, p.anyK)
		return
	}
	nan := g.vec(p.v)
	p.op(g.VPCMPGTD, g.VPCMPGTQ)(x, g.zero(p.v), sign) // 0 > x
	g.VPAND(p.low, x, nan)
	p.op(g.VPCMPGTD, g.VPCMPGTQ)(p.inf, nan, nan)
	g.VPAND(p.low, sign, sign)
	g.VPXOR(sign, x, x)
	g.VPXOR(p.flip, x, x)
	g.VPBLENDVB(nan, p.largest, x, x)
	g.VPOR(nan, p.any, p.any)
}

// finish counts the keys of NaN in each lane if there are any, and returns.
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
	at, left := g.param("dst"), g.param("n")
	one, count := g.ones(v), g.zero(v)
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
	g.ADDQ(operand.U8(64), at)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("count"))
	g.move(v, count, mem(g.param("nans"), 0))
	g.Label("done")
	g.VZEROUPPER()
	g.RET()
}

// packColumns writes func packColumns: the rows of a block lie step bytes apart.
func (g *gen) packColumns(v isa, width int) {
	g.begin(name("packColumns", width, v), operandType(packParams, width))
	p := g.packing(v, width)
	src, dst, left := g.param("src"), g.param("dst"), g.param("n")
	step, ahead := g.param("step"), g.param("ahead")
	g.Label("row")
	x := g.vec(v)
	g.PREFETCHT0(operand.Mem{Base: src, Index: ahead, Scale: 1})
	g.move(v, mem(src, 0), x)
	p.encode(x)
	g.move(v, x, mem(dst, 0))
	g.ADDQ(step, src)
	g.ADDQ(operand.U8(64), dst)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("row"))
	p.finish()
}

// packRows writes func packRows: the lanes of a block lie step bytes apart, the
// elements of each follow each other. AVX2 takes a multiple of a vector of
// elements.
func (g *gen) packRows(v isa, width int) {
	size := width / 8
	rows := v.bytes / size
	g.begin(name("packRows", width, v), operandType(packParams, width))
	p := g.packing(v, width)
	src, dst, left := g.param("src"), g.param("dst"), g.param("n")
	step, ahead := g.param("step"), g.param("ahead")
	mask := reg.OpmaskVirtual(nil)
	if v == avx512 {
		mask = g.K()
	}
	g.Label("tile")
	if v == avx512 {
		// All lanes of the mask, or those that are left.
		g.KMOVW(g.lowBits(left).As32(), mask)
		g.CMPQ(left, operand.U8(uint8(rows)))
		g.JLT(operand.LabelRef("load"))
		g.KXNORW(mask, mask, mask)
		g.Label("load")
	}
	at := g.GP64()
	g.MOVQ(src, at)
	x := make([]reg.VecVirtual, rows)
	for i := range x {
		x[i] = g.vec(v)
		g.PREFETCHT0(operand.Mem{Base: at, Index: ahead, Scale: 1})
		if v == avx512 {
			if width == 32 {
				g.VMOVDQU32_Z(mem(at, 0), mask, x[i])
			} else {
				g.VMOVDQU64_Z(mem(at, 0), mask, x[i])
			}
		} else {
			g.move(v, mem(at, 0), x[i])
		}
		p.encode(x[i])
		if i < rows-1 {
			g.ADDQ(step, at)
		}
	}
	for i, column := range g.transposed(v, width, x) {
		if i > 0 && v == avx512 {
			g.CMPQ(left, operand.U8(uint8(i)))
			g.JLE(operand.LabelRef("end"))
		}
		g.move(v, column, mem(dst, 64*i))
	}
	g.ADDQ(operand.U32(uint32(64*rows)), dst)
	g.ADDQ(operand.U8(uint8(v.bytes)), src)
	g.SUBQ(operand.U8(uint8(rows)), left)
	g.JG(operand.LabelRef("tile"))
	g.Label("end")
	p.finish()
}

// unpair writes func unpair(dst, even, odd *int32, n int): n vectors of pairs of
// 16-bit elements of even lanes, and of odd lanes, to two rows of all lanes
// each. Vectors and rows lie 64 bytes apart.
func (g *gen) unpair(v isa) {
	g.begin("unpair"+v.name, "(dst, even, odd *int32, n int)")
	dst, even, odd, n := g.param("dst"), g.param("even"), g.param("odd"), g.param("n")
	low := g.ones(v)
	g.VPSRLD(operand.U8(16), low, low)
	g.Label("pair")
	a, b, first, second := g.vec(v), g.vec(v), g.vec(v), g.vec(v)
	g.move(v, mem(even, 0), a)
	g.move(v, mem(odd, 0), b)
	g.VPSLLD(operand.U8(16), b, first)
	g.VPSRLD(operand.U8(16), a, second)
	if v == avx512 {
		g.VPTERNLOGD(operand.U8(0xF8), low, a, first)  // first | a&low
		g.VPTERNLOGD(operand.U8(0xF4), low, b, second) // second | b&^low
	} else {
		g.VPBLENDW(operand.U8(0x55), a, first, first)
		g.VPBLENDW(operand.U8(0xAA), b, second, second)
	}
	g.move(v, first, mem(dst, 0))
	g.move(v, second, mem(dst, 64))
	g.ADDQ(operand.U8(64), even)
	g.ADDQ(operand.U8(64), odd)
	g.SUBQ(operand.I8(-128), dst)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("pair"))
	g.VZEROUPPER()
	g.RET()
}
