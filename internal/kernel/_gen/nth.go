package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// nths writes the counting of a few keys.
func nths(g *gen) {
	g.nth(32)
	g.nth(64)
}

// nth writes func nth(keys *intN, n, i, j int) (a, b intN) for n keys, a
// multiple of 16: the largest keys with at most i, and j, below them. Sixteen
// are counted for at a time, so that each key is read once for them.
func (g *gen) nth(width int) {
	const group = 16
	v, size := avx2, width/8
	g.begin(name("nth", width, v), operandType("(keys *%[1]s, n, i, j int) (a, b %[1]s)", width))
	keys, n := g.param("keys"), g.param("n")
	g.SHLQ(operand.U8(shiftOf(size)), n)
	var limit, best [2]reg.VecVirtual
	for i, rank := range []string{"i", "j"} {
		limit[i] = g.broadcast(v, rank, 64)
		if width == 32 {
			g.VPBROADCASTD(limit[i].AsX(), limit[i])
		}
		best[i] = g.ones(v)
		g.by(width, g.VPSLLD, g.VPSLLQ)(operand.U8(uint8(width-1)), best[i], best[i]) // the smallest key
	}
	at, other := g.GP64(), g.GP64()
	g.XORQ(at, at)

	g.Label("group")
	var x, below []reg.VecVirtual
	for from := 0; from < group*size; from += v.bytes {
		x, below = append(x, g.vec(v)), append(below, g.zero(v))
		g.move(v, operand.Mem{Base: keys, Index: at, Scale: 1, Disp: from}, x[len(x)-1])
	}
	g.XORQ(other, other)
	g.Label("key")
	y := g.vec(v)
	g.by(width, g.VPBROADCASTD, g.VPBROADCASTQ)(operand.Mem{Base: keys, Index: other, Scale: 1}, y)
	for i := range x {
		less := g.vec(v)
		g.by(width, g.VPCMPGTD, g.VPCMPGTQ)(y, x[i], less) // x > y
		g.by(width, g.VPSUBD, g.VPSUBQ)(less, below[i], below[i])
	}
	g.ADDQ(operand.U32(uint32(size)), other)
	g.CMPQ(other, n)
	g.JLT(operand.LabelRef("key"))
	for i := range best {
		for j := range x {
			y := g.vec(v)
			g.by(width, g.VPCMPGTD, g.VPCMPGTQ)(limit[i], below[j], y)
			g.VPBLENDVB(y, best[i], x[j], y)
			g.larger(width, y, best[i], best[i])
		}
	}
	g.ADDQ(operand.U32(uint32(group*size)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("group"))

	g.storeLargest(width, best)
}

// storeLargest stores the largest lanes of two vectors of AVX2 as results, and returns.
func (g *gen) storeLargest(width int, best [2]reg.VecVirtual) {
	for i, result := range []string{"a", "b"} {
		part := g.XMM()
		g.VEXTRACTI128(operand.U8(1), best[i], part)
		g.larger(width, best[i].AsX(), part, part)
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
