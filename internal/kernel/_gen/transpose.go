package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposes writes the step from lanes of adjacent elements to rows.
func transposes(g *gen) {
	for _, v := range g.sets {
		for _, width := range []int{16, 32, 64} {
			g.transpose(v, width)
		}
	}
}

// transpose writes func transpose(dst *intN, dstStep int, src *intN, srcStep, n,
// blocks, ahead int): element i of lane j of src to element j of row i of dst,
// for blocks of a vector of lanes of n elements, at least those in 16 bytes.
// Steps are in bytes. It fetches, for each line that it reads of adjacent lanes,
// the one ahead bytes further on.
//
// So many columns are a chunk. A chunk of lanes whose numbers differ by the
// length of a chunk makes a vector: then only chunks have to be transposed. The
// last one of a lane overlaps the one before it.
//
// With AVX-512 elements of 32 and 64 bits have a result: the largest one, as an
// unsigned number.
func (g *gen) transpose(v isa, width int) {
	size, chunk, chunks := width/8, 128/width, v.bytes/16
	params := "(dst *%[1]s, dstStep int, src *%[1]s, srcStep, n, blocks, ahead int)"
	bounded := v == avx512 && width >= 32
	if bounded {
		params += " (most %[1]s)"
	}
	g.begin(name("transpose", width, v), operandType(params, width))
	dst, dstStep := g.param("dst"), g.param("dstStep")
	src, srcStep := g.param("src"), g.param("srcStep")
	last, blocks := g.param("n"), g.param("blocks")
	g.SUBQ(operand.U8(uint8(chunk)), last)
	step3, column := g.GP64(), g.GP64()
	g.LEAQ(operand.Mem{Base: srcStep, Index: srcStep, Scale: 2}, step3)
	quarters := make([]reg.OpmaskVirtual, chunks)
	for q := 1; q < chunks && v == avx512; q++ {
		bits := g.GP32()
		g.MOVL(operand.U32(0xF<<(4*q)), bits)
		quarters[q] = g.K()
		g.KMOVW(bits, quarters[q])
	}

	var most reg.VecVirtual
	if bounded {
		most = g.zero(v)
	}
	g.Label("block")
	g.XORQ(column, column)
	g.Label("chunk")
	from := make([]reg.GPVirtual, chunks)
	for q := range from {
		from[q] = g.GP64()
		if q == 0 {
			g.LEAQ(operand.Mem{Base: src, Index: column, Scale: uint8(size)}, from[q])
		} else {
			g.LEAQ(operand.Mem{Base: from[q-1], Index: srcStep, Scale: uint8(chunk)}, from[q])
		}
	}
	x := make([]reg.VecVirtual, chunk)
	for j := range x {
		x[j] = g.vec(v)
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
		if v == shortARM {
			g.VMOVDQU(at(0), x[j])
			continue
		}
		if v == short {
			g.VBROADCASTI128(at(0), x[j])
			g.VINSERTI128(operand.U8(1), at(1), x[j], x[j])
			continue
		}
		g.VMOVDQU(at(0), x[j].AsX())
		for q := 1; q < chunks; q++ {
			g.VBROADCASTI32X4(at(q), quarters[q], x[j])
		}
	}
	if v != shortARM {
		ahead, line := g.param("ahead"), g.GP64()
		g.MOVQ(column, line)
		g.SHLQ(operand.U8(shiftOf(v.bytes)), line)
		g.ADDQ(src, line)
		for i := 0; i < chunk*v.bytes; i += 64 {
			g.PREFETCHT1(operand.Mem{Base: line, Index: ahead, Scale: 1, Disp: i})
		}
	}
	// Interleaving the halves as often as halving leads to one transposes.
	low := byWidth(width, nil, g.VPUNPCKLWD, g.VPUNPCKLDQ, g.VPUNPCKLQDQ)
	high := byWidth(width, nil, g.VPUNPCKHWD, g.VPUNPCKHDQ, g.VPUNPCKHQDQ)
	for half := chunk; half > 1; half /= 2 {
		y := make([]reg.VecVirtual, chunk)
		for i := range chunk / 2 {
			a, b := x[i], x[i+chunk/2]
			y[2*i], y[2*i+1] = g.vec(v), g.vec(v)
			low(b, a, y[2*i])
			high(b, a, y[2*i+1])
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
		g.move(v, row, mem(to, 0))
		if bounded {
			byWidth(width, nil, nil, g.VPMAXUD, g.VPMAXUQ)(row, most, most)
		}
	}
	g.CMPQ(column, last)
	g.JGE(operand.LabelRef("laid"))
	g.ADDQ(operand.U8(uint8(chunk)), column)
	g.CMPQ(column, last)
	g.CMOVQGT(last, column)
	g.JMP(operand.LabelRef("chunk"))

	g.Label("laid")
	g.ADDQ(operand.U8(uint8(v.bytes)), dst)
	next := g.GP64()
	g.MOVQ(srcStep, next)
	g.SHLQ(operand.U8(shiftOf(v.bytes/size)), next)
	g.ADDQ(next, src)
	g.DECQ(blocks)
	g.JNZ(operand.LabelRef("block"))
	if bounded {
		g.most(width, most)
	}
	g.VZEROUPPER()
	g.RET()
}

// most returns the largest lane of x, as an unsigned number.
func (g *gen) most(width int, x reg.VecVirtual) {
	larger := byWidth(width, nil, nil, g.VPMAXUD, g.VPMAXUQ)
	t := g.ZMM()
	for _, half := range []uint8{0x4E, 0xB1} { // of the vector, of each half
		g.VSHUFI64X2(operand.U8(half), x, x, t)
		larger(t, x, x)
	}
	for _, half := range []uint8{0x4E, 0xB1}[:64/width] {
		g.VPSHUFD(operand.U8(half), x, t)
		larger(t, x, x)
	}
	r := g.GP64()
	if width == 32 {
		g.VMOVD(x.AsX(), r.As32())
		g.ret("most", r.As32())
	} else {
		g.VMOVQ(x.AsX(), r)
		g.ret("most", r)
	}
}
