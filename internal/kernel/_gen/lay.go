package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// layAhead is how far ahead lanes are fetched: a block of the longest, see
// networkLay.
const layAhead = 2048

// lays writes the step from short lanes of adjacent elements to rows.
func lays(g *gen) {
	for _, width := range []int{16, 32, 64} {
		g.lay(width)
	}
}

// lay writes func lay(dst *intN, dstStep int, src *intN, srcStep, n, blocks
// int): element i of lane j of src to element j of row i of dst, for blocks of a
// vector of lanes of n elements, at least those in 16 bytes. Steps are in bytes.
//
// So many columns are a chunk. A chunk of four lanes, whose numbers differ by
// the length of a chunk, makes a vector: then only chunks have to be transposed.
// The last one of a lane overlaps the one before it.
func (g *gen) lay(width int) {
	size, chunk := width/8, 128/width
	g.begin(name("lay", width, avx512), operandType("(dst *%[1]s, dstStep int, src *%[1]s, srcStep, n, blocks int)", width))
	dst, dstStep := g.param("dst"), g.param("dstStep")
	src, srcStep := g.param("src"), g.param("srcStep")
	last, blocks := g.param("n"), g.param("blocks")
	g.SUBQ(operand.U8(uint8(chunk)), last)
	step3, column := g.GP64(), g.GP64()
	g.LEAQ(operand.Mem{Base: srcStep, Index: srcStep, Scale: 2}, step3)
	quarters := []reg.OpmaskVirtual{nil, g.K(), g.K(), g.K()}
	for q := 1; q < 4; q++ {
		bits := g.GP32()
		g.MOVL(operand.U32(0xF<<(4*q)), bits)
		g.KMOVW(bits, quarters[q])
	}

	g.Label("block")
	g.XORQ(column, column)
	g.Label("chunk")
	from := [4]reg.GPVirtual{g.GP64(), g.GP64(), g.GP64(), g.GP64()}
	g.LEAQ(operand.Mem{Base: src, Index: column, Scale: uint8(size)}, from[0])
	for q := 1; q < 4; q++ {
		g.LEAQ(operand.Mem{Base: from[q-1], Index: srcStep, Scale: uint8(min(chunk, 8))}, from[q])
	}
	x := make([]reg.VecVirtual, chunk)
	for j := range x {
		x[j] = g.ZMM()
		if j > 0 && j%4 == 0 {
			for q := range from {
				g.LEAQ(operand.Mem{Base: from[q], Index: srcStep, Scale: 4}, from[q])
			}
		}
		at := func(q int) operand.Mem {
			switch j % 4 {
			case 0:
				return operand.Mem{Base: from[q]}
			case 3:
				return operand.Mem{Base: from[q], Index: step3, Scale: 1}
			default:
				return operand.Mem{Base: from[q], Index: srcStep, Scale: uint8(j % 4)}
			}
		}
		g.VMOVDQU(at(0), x[j].AsX())
		for q := 1; q < 4; q++ {
			g.VBROADCASTI32X4(at(q), quarters[q], x[j])
		}
	}
	// As much of what follows, if lanes are adjacent.
	ahead := g.GP64()
	g.MOVQ(column, ahead)
	g.SHLQ(operand.U8(6), ahead)
	g.ADDQ(src, ahead)
	for i := range chunk {
		g.PREFETCHT0(mem(ahead, layAhead+64*i))
	}
	// Interleaving the halves as often as halving leads to one transposes.
	for half := chunk; half > 1; half /= 2 {
		y := make([]reg.VecVirtual, chunk)
		for i := range chunk / 2 {
			y[2*i] = g.interleave(avx512, byWidth(width, nil, g.VPUNPCKLWD, g.VPUNPCKLDQ, g.VPUNPCKLQDQ), x[i], x[i+chunk/2])
			y[2*i+1] = g.interleave(avx512, byWidth(width, nil, g.VPUNPCKHWD, g.VPUNPCKHDQ, g.VPUNPCKHQDQ), x[i], x[i+chunk/2])
		}
		x = y
	}
	to := g.GP64()
	g.MOVQ(column, to)
	g.IMULQ(dstStep, to)
	g.ADDQ(dst, to)
	for i, row := range x {
		if i > 0 {
			g.ADDQ(dstStep, to)
		}
		g.VMOVDQU64(row, mem(to, 0))
	}
	g.CMPQ(column, last)
	g.JGE(operand.LabelRef("laid"))
	g.ADDQ(operand.U8(uint8(chunk)), column)
	g.CMPQ(column, last)
	g.CMOVQGT(last, column)
	g.JMP(operand.LabelRef("chunk"))

	g.Label("laid")
	g.ADDQ(operand.U8(64), dst)
	next := g.GP64()
	g.MOVQ(srcStep, next)
	g.SHLQ(operand.U8(shiftOf(64/size)), next)
	g.ADDQ(next, src)
	g.DECQ(blocks)
	g.JNZ(operand.LabelRef("block"))
	g.VZEROUPPER()
	g.RET()
}
