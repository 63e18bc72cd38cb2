package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposes writes the step from rows to blocks: as many rows as a vector has
// lanes become as many columns.
func transposes(g *gen) {
	for _, v := range both {
		for _, width := range []int{32, 64} {
			g.transpose(v, width)
		}
	}
}

// transpose writes func transpose(dst *intN, dstStep int, src *intN, srcStep,
// cols int): element i of row j of src to element j of row i of dst, for all
// rows that make a vector and cols columns, at most as many, and exactly as
// many for AVX2. Steps between rows are in bytes.
func (g *gen) transpose(v isa, width int) {
	size := width / 8
	rows := v.bytes / size
	g.begin(name("transpose", width, v), operandType("(dst *%[1]s, dstStep int, src *%[1]s, srcStep, cols int)", width))
	src, srcStep := g.param("src"), g.param("srcStep")
	cols := g.param("cols")
	x := make([]reg.VecVirtual, rows)
	var mask reg.OpmaskVirtual
	if v == avx512 {
		mask = g.K()
		g.KMOVW(g.lowBits(cols).As32(), mask)
	}
	for i := range x {
		x[i] = g.vec(v)
		switch {
		case v == avx2:
			g.VMOVDQU(mem(src, 0), x[i])
		case width == 32:
			g.VMOVDQU32_Z(mem(src, 0), mask, x[i])
		default:
			g.VMOVDQU64_Z(mem(src, 0), mask, x[i])
		}
		if i < rows-1 {
			g.ADDQ(srcStep, src)
		}
	}
	columns := g.transposed(v, width, x)
	dst, dstStep := g.param("dst"), g.param("dstStep")
	for i, column := range columns {
		if i > 0 {
			g.ADDQ(dstStep, dst)
		}
		if i > 0 && v == avx512 {
			g.CMPQ(cols, operand.U8(uint8(i)))
			g.JLE(operand.LabelRef("done"))
		}
		g.move(v, column, mem(dst, 0))
	}
	g.Label("done")
	g.VZEROUPPER()
	g.RET()
}

// transposed returns the columns of a square of rows.
func (g *gen) transposed(v isa, width int, x []reg.VecVirtual) []reg.VecVirtual {
	rows, perChunk, chunks := len(x), 128/width, v.bytes/16
	// Within each chunk of 16 bytes, rows become columns.
	if width == 32 {
		for i := 0; i < rows; i += 2 {
			x[i], x[i+1] = g.interleave(v, g.VPUNPCKLDQ, x[i], x[i+1]), g.interleave(v, g.VPUNPCKHDQ, x[i], x[i+1])
		}
		for i := 0; i < rows; i += 4 {
			a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
			x[i], x[i+1] = g.interleave(v, g.VPUNPCKLQDQ, a, c), g.interleave(v, g.VPUNPCKHQDQ, a, c)
			x[i+2], x[i+3] = g.interleave(v, g.VPUNPCKLQDQ, b, d), g.interleave(v, g.VPUNPCKHQDQ, b, d)
		}
	} else {
		for i := 0; i < rows; i += 2 {
			x[i], x[i+1] = g.interleave(v, g.VPUNPCKLQDQ, x[i], x[i+1]), g.interleave(v, g.VPUNPCKHQDQ, x[i], x[i+1])
		}
	}
	// Then chunks change places.
	columns := make([]reg.VecVirtual, rows)
	for c := range perChunk {
		if chunks == 2 {
			a, b := x[c], x[perChunk+c]
			columns[c], columns[perChunk+c] = g.vec(v), g.vec(v)
			g.VPERM2I128(operand.U8(0x20), b, a, columns[c])
			g.VPERM2I128(operand.U8(0x31), b, a, columns[perChunk+c])
			continue
		}
		even := func(a, b reg.VecVirtual) reg.VecVirtual { return g.chunksOf(0x88, a, b) }
		odd := func(a, b reg.VecVirtual) reg.VecVirtual { return g.chunksOf(0xDD, a, b) }
		a, b, d, e := x[c], x[perChunk+c], x[2*perChunk+c], x[3*perChunk+c]
		ab0, ab1, de0, de1 := even(a, b), odd(a, b), even(d, e), odd(d, e)
		columns[c], columns[2*perChunk+c] = even(ab0, de0), odd(ab0, de0)
		columns[perChunk+c], columns[3*perChunk+c] = even(ab1, de1), odd(ab1, de1)
	}
	return columns
}

// interleave applies an unpacking instruction to a and b.
func (g *gen) interleave(v isa, unpack func(...operand.Op), a, b reg.VecVirtual) reg.VecVirtual {
	dst := g.vec(v)
	unpack(b, a, dst)
	return dst
}

// chunksOf returns two chunks of a and two of b.
func (g *gen) chunksOf(which uint8, a, b reg.VecVirtual) reg.VecVirtual {
	dst := g.ZMM()
	g.VSHUFI32X4(operand.U8(which), b, a, dst)
	return dst
}
