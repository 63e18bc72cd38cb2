package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// marks writes the search for delimiters, line breaks and quotes.
func marks(g *gen) {
	for _, v := range both {
		g.markText(v)
	}
}

// markText writes func markText(dst *uint64, text *uint8, n int, delim, eol, quote
// uint8), for n times 64 bytes: two masks for each.
func (g *gen) markText(v isa) {
	g.begin("markText"+v.name, "(dst *uint64, text *uint8, n int, delim, eol, quote uint8)")
	dst, text, n := g.param("dst"), g.param("text"), g.param("n")
	delim, eol, quote := g.broadcast(v, "delim", 8), g.broadcast(v, "eol", 8), g.broadcast(v, "quote", 8)
	g.Label("loop")
	if v == avx512 {
		g.markText512(dst, text, delim, eol, quote)
	} else {
		g.markText2(dst, text, delim, eol, quote)
	}
	g.ADDQ(operand.U8(64), text)
	g.ADDQ(operand.U8(16), dst)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

func (g *gen) markText512(dst, text reg.Register, delim, eol, quote reg.VecVirtual) {
	x, delims, stops, quotes := g.ZMM(), g.K(), g.K(), g.K()
	g.VMOVDQU64(mem(text, 0), x)
	g.VPCMPEQB(x, delim, delims)
	g.VPCMPEQB(x, eol, stops)
	g.VPCMPEQB(x, quote, quotes)
	g.KORQ(stops, quotes, stops)
	g.KMOVQ(delims, mem(dst, 0))
	g.KMOVQ(stops, mem(dst, 8))
}

func (g *gen) markText2(dst, text reg.Register, delim, eol, quote reg.VecVirtual) {
	for half := range 2 {
		x, delims, stops, mask := g.YMM(), g.YMM(), g.YMM(), g.GP32()
		g.VMOVDQU(mem(text, 32*half), x)
		g.VPCMPEQB(x, delim, delims)
		g.VPMOVMSKB(delims, mask)
		g.MOVL(mask, mem(dst, 4*half))
		g.VPCMPEQB(x, eol, stops)
		g.VPCMPEQB(x, quote, x)
		g.VPOR(x, stops, stops)
		g.VPMOVMSKB(stops, mask)
		g.MOVL(mask, mem(dst, 8+4*half))
	}
}
