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
	params := "(dst *%[1]s, dstStep int, src *%[1]s, srcStep, n, blocks, ahead int)"
	bounded := v == avx512 && width >= 32
	if bounded {
		params += " (most %[1]s)"
	}
	g.begin(name("transpose", width, v), operandType(params, width))
	dst, dstStep := g.param("dst"), g.param("dstStep")
	t := &transposing{gen: g, v: v, width: width, chunk: 128 / width, src: g.param("src"), srcStep: g.param("srcStep")}
	last, blocks := g.param("n"), g.param("blocks")
	g.SUBQ(operand.U8(uint8(t.chunk)), last)
	t.step3, t.column = g.GP64(), g.GP64()
	g.LEAQ(operand.Mem{Base: t.srcStep, Index: t.srcStep, Scale: 2}, t.step3)
	t.maskQuarters()
	var most reg.VecVirtual
	if bounded {
		most = g.zero(v)
	}
	g.Label("block")
	g.XORQ(t.column, t.column)
	g.Label("chunk")
	x := t.load()
	if v != shortARM {
		t.fetch()
	}
	x = t.interleave(x)
	to := g.GP64()
	g.MOVQ(t.column, to)
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
	g.CMPQ(t.column, last)
	g.JGE(operand.LabelRef("laid"))
	g.ADDQ(operand.U8(uint8(t.chunk)), t.column)
	g.CMPQ(t.column, last)
	g.CMOVQGT(last, t.column)
	g.JMP(operand.LabelRef("chunk"))

	g.Label("laid")
	g.ADDQ(operand.U8(uint8(v.bytes)), dst)
	next := g.GP64()
	g.MOVQ(t.srcStep, next)
	g.SHLQ(operand.U8(shiftOf(v.bytes*8/width)), next)
	g.ADDQ(next, t.src)
	g.DECQ(blocks)
	g.JNZ(operand.LabelRef("block"))
	if bounded {
		g.most(width, most)
	}
	g.VZEROUPPER()
	g.RET()
}

// transposing holds the registers of a transposition.
type transposing struct {
	*gen
	v                           isa
	width, chunk                int
	src, srcStep, step3, column reg.GPVirtual
	quarters                    []reg.OpmaskVirtual // of AVX-512
}

// maskQuarters sets masks to the quarters of a vector of AVX-512 but for the first.
func (t *transposing) maskQuarters() {
	t.quarters = make([]reg.OpmaskVirtual, t.v.bytes/16)
	for q := 1; q < len(t.quarters) && t.v == avx512; q++ {
		bits := t.GP32()
		t.MOVL(operand.U32(0xF<<(4*q)), bits)
		t.quarters[q] = t.K()
		t.KMOVW(bits, t.quarters[q])
	}
}

// load loads a chunk of the lanes of a vector: 16 bytes of each.
func (t *transposing) load() []reg.VecVirtual {
	from := make([]reg.GPVirtual, t.v.bytes/16)
	for q := range from {
		from[q] = t.GP64()
		if q == 0 {
			t.LEAQ(operand.Mem{Base: t.src, Index: t.column, Scale: uint8(t.width / 8)}, from[q])
		} else {
			t.LEAQ(operand.Mem{Base: from[q-1], Index: t.srcStep, Scale: uint8(t.chunk)}, from[q])
		}
	}
	x := make([]reg.VecVirtual, t.chunk)
	for j := range x {
		x[j] = t.vec(t.v)
		if j > 0 && j%4 == 0 {
			for q := range from {
				t.LEAQ(operand.Mem{Base: from[q], Index: t.srcStep, Scale: 4}, from[q])
			}
		}
		at := func(q int) operand.Mem {
			return [4]operand.Mem{
				{Base: from[q]},
				{Base: from[q], Index: t.srcStep, Scale: 1},
				{Base: from[q], Index: t.srcStep, Scale: 2},
				{Base: from[q], Index: t.step3, Scale: 1},
			}[j%4]
		}
		switch t.v {
		case shortARM:
			t.VMOVDQU(at(0), x[j])
		case short:
			t.VBROADCASTI128(at(0), x[j])
			t.VINSERTI128(operand.U8(1), at(1), x[j], x[j])
		default:
			t.VMOVDQU(at(0), x[j].AsX())
			for q := 1; q < len(from); q++ {
				t.VBROADCASTI32X4(at(q), t.quarters[q], x[j])
			}
		}
	}
	return x
}

// fetch asks for what follows a chunk's lines.
func (t *transposing) fetch() {
	ahead, line := t.param("ahead"), t.GP64()
	t.MOVQ(t.column, line)
	t.SHLQ(operand.U8(shiftOf(t.v.bytes)), line)
	t.ADDQ(t.src, line)
	for i := 0; i < t.chunk*t.v.bytes; i += 64 {
		t.PREFETCHT1(operand.Mem{Base: line, Index: ahead, Scale: 1, Disp: i})
	}
}

// interleave transposes chunks: to interleave the halves as often as halving leads to one
// does it.
func (t *transposing) interleave(x []reg.VecVirtual) []reg.VecVirtual {
	low := byWidth(t.width, nil, t.VPUNPCKLWD, t.VPUNPCKLDQ, t.VPUNPCKLQDQ)
	high := byWidth(t.width, nil, t.VPUNPCKHWD, t.VPUNPCKHDQ, t.VPUNPCKHQDQ)
	for half := t.chunk; half > 1; half /= 2 {
		y := make([]reg.VecVirtual, t.chunk)
		for i := range t.chunk / 2 {
			a, b := x[i], x[i+t.chunk/2]
			y[2*i], y[2*i+1] = t.vec(t.v), t.vec(t.v)
			low(b, a, y[2*i])
			high(b, a, y[2*i+1])
		}
		x = y
	}
	return x
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
