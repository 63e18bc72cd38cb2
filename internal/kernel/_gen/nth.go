package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// nths writes the counting of a few keys.
func nths(g *gen) {
	for _, v := range both {
		g.nth(v, 32)
		g.nth(v, 64)
	}
}

// nth writes func nth(keys *intN, n, k int) (at, next intN) for n keys, a
// multiple of a vector: the largest keys with at most k, and k+1, below them.
func (g *gen) nth(v isa, width int) {
	size := width / 8
	g.begin(name("nth", width, v), operandType("(keys *%[1]s, n, k int) (at, next %[1]s)", width))
	keys, n := g.param("keys"), g.param("n")
	g.SHLQ(operand.U8(shiftOf(size)), n)
	minus := g.ones(v)
	var limit, best [2]reg.VecVirtual
	limit[0] = g.broadcast(v, "k", 64)
	if width == 32 {
		g.VPBROADCASTD(limit[0].AsX(), limit[0])
	}
	limit[1] = g.vec(v)
	g.by(width, g.VPSUBD, g.VPSUBQ)(minus, limit[0], limit[1])
	for i := range best {
		best[i] = g.vec(v)
		g.by(width, g.VPSLLD, g.VPSLLQ)(operand.U8(uint8(width-1)), minus, best[i]) // the smallest key
	}
	at, other := g.GP64(), g.GP64()
	g.XORQ(at, at)

	g.Label("vector")
	x, below := g.vec(v), g.zero(v)
	g.move(v, operand.Mem{Base: keys, Index: at, Scale: 1}, x)
	g.XORQ(other, other)
	g.Label("key")
	for i := range 2 {
		y := g.vec(v)
		g.by(width, g.VPBROADCASTD, g.VPBROADCASTQ)(operand.Mem{Base: keys, Index: other, Scale: 1, Disp: i * size}, y)
		if v == avx512 {
			m := g.K()
			g.by(width, g.VPCMPD, g.VPCMPQ)(operand.U8(6), y, x, m) // x > y
			g.by(width, g.VPSUBD, g.VPSUBQ)(minus, below, m, below)
		} else {
			g.by(width, g.VPCMPGTD, g.VPCMPGTQ)(y, x, y)
			g.by(width, g.VPSUBD, g.VPSUBQ)(y, below, below)
		}
	}
	g.ADDQ(operand.U32(uint32(2*size)), other)
	g.CMPQ(other, n)
	g.JLT(operand.LabelRef("key"))
	for i := range best {
		y := g.vec(v)
		if v == avx512 {
			m := g.K()
			g.by(width, g.VPCMPD, g.VPCMPQ)(operand.U8(2), limit[i], below, m) // below <= limit
			g.by(width, g.VPMAXSD, g.VPMAXSQ)(x, best[i], m, best[i])
		} else {
			g.by(width, g.VPCMPGTD, g.VPCMPGTQ)(limit[i], below, y)
			g.VPBLENDVB(y, best[i], x, y)
			g.larger(width, y, best[i], best[i])
		}
	}
	g.ADDQ(operand.U32(uint32(v.bytes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("vector"))

	for i, result := range []string{"at", "next"} {
		all, half := best[i], g.YMM()
		if v == avx512 {
			g.VEXTRACTI64X4(operand.U8(1), all, half)
			g.larger(width, all.AsY(), half, half)
		} else {
			g.VMOVDQA(all, half)
		}
		part := g.XMM()
		g.VEXTRACTI128(operand.U8(1), half, part)
		g.larger(width, half.AsX(), part, part)
		for _, swap := range []uint8{0x4E, 0xB1}[:64/width] {
			t := g.XMM()
			g.VPSHUFD(operand.U8(swap), part, t)
			g.larger(width, t, part, part)
		}
		r := g.GP64()
		g.VMOVQ(part, r)
		if width == 32 {
			g.Store(r.As32(), g.Return(result))
		} else {
			g.Store(r, g.Return(result))
		}
	}
	g.VZEROUPPER()
	g.RET()
}

// by returns the instruction for 32 or 64 bits.
func (g *gen) by(width int, narrow, wide func(...operand.Op)) func(...operand.Op) {
	if width == 32 {
		return narrow
	}
	return wide
}

// larger sets dst to the larger of keys in registers of up to 32 bytes.
func (g *gen) larger(width int, a, b, dst reg.Register) {
	if width == 32 {
		g.VPMAXSD(a, b, dst)
		return
	}
	t := g.YMM().(reg.VecVirtual)
	if dst.Size() == 16 {
		t = g.XMM()
	}
	g.VPCMPGTQ(b, a, t) // a > b
	g.VPBLENDVB(t, a, b, dst)
}
