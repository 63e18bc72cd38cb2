package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// windows writes the tests of elements.
func windows(g *gen) {
	for _, v := range both {
		for _, width := range []int{8, 16, 32, 64} {
			g.window(v, width)
		}
	}
}

// windowing holds the constants of a test: a pattern is in the window if,
// masked and less low, it is at most span.
type windowing struct {
	g                    *gen
	v                    isa
	width                int
	mask, low, span, one reg.VecVirtual
	bias                 reg.VecVirtual // of 64-bit comparisons in AVX2, which are signed
}

// window writes func window(dst *uint8, src *uintN, n int, mask, low, span,
// stream uint64), for n elements, a multiple of the bytes of a vector; the
// constants are repeated over 64 bits. If stream is not 0 stores bypass the
// caches, and dst is aligned to a vector.
func (g *gen) window(v isa, width int) {
	g.begin(name("window", width, v), operandType("(dst *uint8, src *u%s, n int, mask, low, span, stream uint64)", width))
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	w := windowing{g: g, v: v, width: width}
	w.mask, w.low, w.span = g.broadcast(v, "mask", 64), g.broadcast(v, "low", 64), g.broadcast(v, "span", 64)
	one := g.GP64()
	g.MOVQ(operand.U64(0x0101010101010101), one)
	w.one = g.spread(v, one, 64)
	if v == avx2 && width == 64 {
		top := g.GP64()
		g.MOVQ(operand.U64(1<<63), top)
		w.bias = g.spread(v, top, 64)
		g.VPXOR(w.bias, w.span, w.span)
	}
	var fix reg.VecVirtual // puts groups of four results in order
	if v == avx2 && width >= 32 {
		order := g.StaticGlobal("windowOrder" + name("", width, v))
		g.DataAttributes(attr.RODATA | attr.NOPTR)
		for i, at := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
			g.AddDatum(4*i, operand.U32(at))
		}
		fix = g.YMM()
		g.VMOVDQU(order, fix)
	}
	stream := g.param("stream")
	g.TESTQ(stream, stream)
	g.JNZ(operand.LabelRef("stream"))
	loop := func(label string, store func(vec, at operand.Op)) {
		g.Label(label)
		if v == avx512 {
			store(w.answers512(src), mem(dst, 0))
		} else {
			store(w.answers2(src, fix), mem(dst, 0))
		}
		g.ADDQ(operand.U8(uint8(v.bytes)), dst)
		g.ADDQ(operand.U32(uint32(v.bytes*width/8)), src)
		g.SUBQ(operand.U8(uint8(v.bytes)), n)
		g.JNZ(operand.LabelRef(label))
	}
	loop("loop", func(vec, at operand.Op) {
		if v == avx512 {
			g.VMOVDQU64(vec, at)
		} else {
			g.VMOVDQU(vec, at)
		}
	})
	g.VZEROUPPER()
	g.RET()
	loop("stream", func(vec, at operand.Op) { g.VMOVNTDQ(vec, at) })
	g.SFENCE()
	g.VZEROUPPER()
	g.RET()
}

// answers512 tests 64 elements.
func (w *windowing) answers512(src reg.Register) reg.VecVirtual {
	y := w.g.ZMM()
	w.g.VMOVDQU8_Z(w.one, w.mask512(src, 0, w.width/8), y)
	return y
}

// mask512 returns the mask of the elements of so many vectors from the ith on:
// the masks of both halves, joined.
func (w *windowing) mask512(src reg.Register, i, vectors int) reg.OpmaskVirtual {
	g := w.g
	k := g.K()
	if vectors == 1 {
		x := g.ZMM()
		g.VPANDQ(mem(src, 64*i), w.mask, x)
		byWidth(w.width, g.VPSUBB, g.VPSUBW, g.VPSUBD, g.VPSUBQ)(w.low, x, x)
		byWidth(w.width, g.VPCMPUB, g.VPCMPUW, g.VPCMPUD, g.VPCMPUQ)(operand.U8(2), w.span, x, k)
		return k
	}
	low, high := w.mask512(src, i, vectors/2), w.mask512(src, i+vectors/2, vectors/2)
	switch 512 / w.width * vectors { // bits of the mask
	case 16:
		g.KUNPCKBW(low, high, k)
	case 32:
		g.KUNPCKWD(low, high, k)
	default:
		g.KUNPCKDQ(low, high, k)
	}
	return k
}

// answers2 tests 32 elements: the lanes of their vectors are narrowed to bytes.
func (w *windowing) answers2(src reg.Register, fix reg.VecVirtual) reg.VecVirtual {
	g := w.g
	in := make([]reg.VecVirtual, w.width/8)
	for i := range in {
		x := g.YMM()
		g.VPAND(mem(src, 32*i), w.mask, x)
		byWidth(w.width, g.VPSUBB, g.VPSUBW, g.VPSUBD, g.VPSUBQ)(w.low, x, x)
		in[i] = g.YMM()
		if w.width == 64 {
			g.VPXOR(w.bias, x, x)
			g.VPCMPGTQ(w.span, x, in[i]) // outside
			continue
		}
		byWidth(w.width, g.VPMINUB, g.VPMINUW, g.VPMINUD, nil)(w.span, x, in[i])
		byWidth(w.width, g.VPCMPEQB, g.VPCMPEQW, g.VPCMPEQD, nil)(x, in[i], in[i])
	}
	if w.width == 64 {
		for i := range len(in) / 2 {
			y := g.YMM()
			g.VSHUFPS(operand.U8(0x88), in[2*i+1], in[2*i], y)
			g.VPERMQ(operand.U8(0xD8), y, y)
			in[i] = y
		}
		in = in[:len(in)/2]
	}
	if w.width >= 32 {
		for i := range len(in) / 2 {
			y := g.YMM()
			g.VPACKSSDW(in[2*i+1], in[2*i], y)
			in[i] = y
		}
		in = in[:len(in)/2]
	}
	if w.width >= 16 {
		y := g.YMM()
		g.VPACKSSWB(in[1], in[0], y)
		if w.width == 16 {
			g.VPERMQ(operand.U8(0xD8), y, y)
		} else {
			g.VPERMD(y, fix, y)
		}
		in[0] = y
	}
	if w.width == 64 {
		g.VPANDN(w.one, in[0], in[0])
	} else {
		g.VPAND(w.one, in[0], in[0])
	}
	return in[0]
}
