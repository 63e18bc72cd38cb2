package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bracketRecord is the size of a record of a bracket: its ends are at 0 and 8, and a
// vector of counts at 64.
const bracketRecord = 128

// stepVectors is how many vectors are compared with a bracket at a time. Of 1, 2
// and 4 three brackets take 16, 10.5 and 10 cycles for 16 elements: a count is
// not stored and loaded again so often.
const stepVectors = 2

// brackets writes the pass for several intervals.
func brackets(g *gen) {
	for _, width := range []int{32, 64} {
		g.brackets512(width, true)
		g.brackets512(width, false)
	}
}

// brackets512 writes func brackets(dst, src *intN, n int, brackets, end *int64)
// (inside int) for n elements, a multiple of stepVectors vectors. The elements
// that have come to a bracket are those of a mask, under which they are counted and
// take over the bracket's upper end; a comparison with it then tells whether they
// are inside.
func (g *gen) brackets512(width int, float bool) {
	kind := ""
	if float {
		kind = "Float"
	}
	g.begin(name("brackets"+kind, width, avx512), operandType("(dst, src *%[1]s, n int, brackets, end *int64) (inside int)", width))
	p := &collecting{g: g, v: avx512, width: width, lanes: 512 / width}
	from, upTo := uint8(integerAtLeast), uint8(integerAtMost)
	if float {
		p.of, from, upTo = orderedFloats, floatAtLeast, floatAtMost
	}
	p.dst, p.src, p.n = g.param("dst"), g.param("src"), g.param("n")
	first, end := g.param("brackets"), g.param("end")
	p.from = g.GP64()
	g.MOVQ(p.dst, p.from)
	p.one = g.ones(avx512)
	spread := byWidth(width, nil, nil, g.VPBROADCASTD, g.VPBROADCASTQ)
	if float {
		p.valid.lanes = g.ZMM()
		g.VMOVDQU64(mem(end, 64), p.valid.lanes)
	} else {
		p.lo, p.flip = g.ZMM(), g.ZMM()
		spread(mem(first, 0), p.lo)
		spread(mem(end, 0), p.flip)
	}

	g.Label("loop")
	var x, to [stepVectors]reg.VecVirtual
	for i := range x {
		x[i], to[i] = g.ZMM(), g.ZMM()
		g.VMOVDQU64(mem(p.src, 64*i), x[i])
		g.PREFETCHT0(mem(p.src, passAhead+64*i))
		g.VMOVDQA64(p.one, to[i]) // NaN, to which no float compares
		if float {
			p.count512(p.valid, p.compare512(floatOrdered, x[i], x[i], nil))
		} else {
			g.VPXORQ(p.flip, x[i], x[i])
		}
	}
	bracket, lo, hi, counts := g.GP64(), g.ZMM(), g.ZMM(), g.ZMM()
	g.MOVQ(first, bracket)
	g.Label("bracket")
	spread(mem(bracket, 0), lo)
	spread(mem(bracket, 8), hi)
	g.VMOVDQU64(mem(bracket, 64), counts)
	for i := range x {
		k := p.compare512(from, lo, x[i], nil)
		p.count512(count{lanes: counts}, k)
		byWidth(width, nil, nil, g.VMOVDQA32, g.VMOVDQA64)(hi, k, to[i])
	}
	g.VMOVDQU64(counts, mem(bracket, 64))
	g.ADDQ(operand.U32(bracketRecord), bracket)
	g.CMPQ(bracket, end)
	g.JNE(operand.LabelRef("bracket"))

	for i := range x {
		var reached operand.Op
		if !float {
			reached = p.compare512(from, p.lo, x[i], nil)
		}
		in := p.compare512(upTo, to[i], x[i], reached)
		packed, inside := g.ZMM(), g.GP64()
		p.compress(x[i], in, packed)
		g.KMOVQ(in, inside)
		g.POPCNTQ(inside, inside)
		g.VMOVDQU64(packed, mem(p.dst, 0))
		p.advance(inside)
	}
	g.ADDQ(operand.I32(64*stepVectors), p.src)
	g.SUBQ(operand.U8(uint8(stepVectors*p.lanes)), p.n)
	g.JNZ(operand.LabelRef("loop"))
	g.SUBQ(p.from, p.dst)
	g.SHRQ(operand.U8(shiftOf(width/8)), p.dst)
	g.ret("inside", p.dst)
	if float {
		g.VMOVDQU64(p.valid.lanes, mem(end, 64))
	}
	g.VZEROUPPER()
	g.RET()
}
