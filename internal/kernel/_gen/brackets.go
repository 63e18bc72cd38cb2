package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bracketRecord is the size of a record of a bracket: its ends are at 0 and 8, and a
// vector of counts at 64.
const bracketRecord = 128

// bracketVectors returns how many vectors are compared with a bracket at a time. Of 1, 2
// and 4 of AVX-512 three brackets take 16, 10.5 and 10 cycles for 16 elements: a count is
// not stored and loaded again so often. AVX2 has no registers for more than 2.
func bracketVectors(v isa) int { return map[int]int{16: 4, 32: 2, 64: 2}[v.bytes] }

// brackets writes the pass for several intervals.
func brackets(g *gen) {
	for _, v := range g.sets {
		for _, width := range []int{32, 64} {
			g.brackets(v, width, true)
			g.brackets(v, width, false)
		}
	}
}

// bracketing holds the registers of a pass.
type bracketing struct {
	collecting
	float                bool
	first, end           reg.GPVirtual // records
	lowest               reg.VecVirtual
	bracket              reg.GPVirtual
	bracketLo, bracketHi reg.VecVirtual
	counts               reg.VecVirtual
}

// brackets writes func brackets(dst, src *intN, n int, brackets, end *int64) (inside int),
// with a table for short vectors, for n elements, a multiple of the vectors at a time.
// The elements that have come to a bracket are counted and take over the bracket's upper
// end; a comparison with it then tells whether they are inside.
func (g *gen) brackets(v isa, width int, float bool) {
	b := g.newBracketing(v, width, float)
	p := &b.collecting
	g.Label("loop")
	x := make([]reg.VecVirtual, bracketVectors(v))
	to := make([]reg.VecVirtual, len(x))
	for i := range x {
		x[i], to[i] = g.vec(v), g.vec(v)
		g.move(v, mem(p.src, v.bytes*i), x[i])
	}
	for i := range x {
		g.PREFETCHT0(mem(p.src, passAhead+v.bytes*i))
		g.copy(v, p.one, to[i]) // NaN, to which no float compares
		if float {
			b.count(p.valid.lanes, b.isOrdered(x[i]))
		} else {
			g.xor(v, p.flip, x[i], x[i])
		}
	}
	b.eachBracket(func() {
		for i := range x {
			reached := b.atLeast(b.bracketLo, x[i])
			b.count(b.counts, reached)
			g.where(v, width, reached, b.bracketHi, to[i])
		}
	})
	for i := range x {
		p.storeInside(x[i], b.inside(x[i], to[i]))
	}
	g.ADDQ(operand.I32(int32(v.bytes*len(x))), p.src)
	g.SUBQ(operand.U8(uint8(len(x)*p.lanes)), p.n)
	g.JNZ(operand.LabelRef("loop"))
	g.SUBQ(p.from, p.dst)
	g.SHRQ(operand.U8(shiftOf(width/8)), p.dst)
	g.ret("inside", p.dst)
	if float {
		g.move(v, p.valid.lanes, mem(b.end, 64))
	}
	g.VZEROUPPER()
	g.RET()
}

// newBracketing starts a function.
func (g *gen) newBracketing(v isa, width int, float bool) *bracketing {
	kind, params := "", "(dst, src *%[1]s, n int, brackets, end *int64"
	if float {
		kind = "Float"
	}
	if v != avx512 {
		params += ", order *uint32"
	}
	g.begin(name("brackets"+kind, width, v), operandType(params+") (inside int)", width))
	b := &bracketing{float: float, collecting: collecting{g: g, v: v, width: width, lanes: v.bytes * 8 / width}}
	p := &b.collecting
	if float {
		p.of = orderedFloats
	}
	p.dst, p.src, p.n = g.param("dst"), g.param("src"), g.param("n")
	b.first, b.end, p.from = g.param("brackets"), g.param("end"), g.GP64()
	g.MOVQ(p.dst, p.from)
	p.one = g.ones(v)
	if v != avx512 {
		p.loadOrder()
	}
	if float {
		p.valid.lanes = g.vec(v)
		g.move(v, mem(b.end, 64), p.valid.lanes)
		return b
	}
	b.lowest, p.flip = g.vec(v), g.vec(v)
	b.spread(mem(b.first, 0), b.lowest)
	b.spread(mem(b.end, 0), p.flip)
	return b
}

// spread copies a number in memory to all lanes.
func (b *bracketing) spread(from operand.Mem, to reg.VecVirtual) {
	byWidth(b.width, nil, nil, b.g.VPBROADCASTD, b.g.VPBROADCASTQ)(from, to)
}

// eachBracket writes the loop over the brackets.
func (b *bracketing) eachBracket(body func()) {
	g := b.g
	b.bracket, b.bracketLo, b.bracketHi, b.counts = g.GP64(), g.vec(b.v), g.vec(b.v), g.vec(b.v)
	g.MOVQ(b.first, b.bracket)
	g.Label("bracket")
	b.spread(mem(b.bracket, 0), b.bracketLo)
	b.spread(mem(b.bracket, 8), b.bracketHi)
	g.move(b.v, mem(b.bracket, 64), b.counts)
	body()
	g.move(b.v, b.counts, mem(b.bracket, 64))
	g.ADDQ(operand.U32(bracketRecord), b.bracket)
	g.CMPQ(b.bracket, b.end)
	g.JNE(operand.LabelRef("bracket"))
}

// count adds the lanes of a mask to counts.
func (b *bracketing) count(counts reg.VecVirtual, mask operand.Op) {
	if b.v == avx512 {
		b.count512(count{lanes: counts}, mask)
		return
	}
	byWidth(b.width, nil, nil, b.g.VPSUBD, b.g.VPSUBQ)(mask, counts, counts)
}

// compare returns the mask of a comparison of floats: x with a bound.
func (b *bracketing) compare(predicate uint8, bound, x operand.Op) operand.Op {
	mask := b.g.vec(b.v)
	byWidth(b.width, nil, nil, b.g.VCMPPS, b.g.VCMPPD)(operand.U8(predicate), bound, x, mask)
	return mask
}

// isOrdered returns the mask of the floats that are not NaN.
func (b *bracketing) isOrdered(x reg.VecVirtual) operand.Op {
	switch b.v {
	case avx512:
		return b.compare512(floatOrdered, x, x, nil)
	case shortARM:
		mask := b.g.vec(b.v)
		b.g.neon("FCMEQ", b.width, mask, x, x)
		return mask
	}
	return b.compare(floatOrdered, x, x)
}

// atLeast returns the mask of the lanes of x that are not less than a bound.
func (b *bracketing) atLeast(bound, x reg.VecVirtual) operand.Op {
	switch {
	case b.v == avx512 && b.float:
		return b.compare512(floatAtLeast, bound, x, nil)
	case b.v == avx512:
		return b.compare512(integerAtLeast, bound, x, nil)
	case b.v == shortARM:
		mask := b.g.vec(b.v)
		b.g.neon(map[bool]string{true: "FCMGE", false: "CMGE"}[b.float], b.width, mask, x, bound)
		return mask
	case b.float:
		return b.compare(floatAtLeast, bound, x)
	}
	mask := b.g.vec(b.v)
	b.g.greater(b.width, bound, x, mask)
	b.g.VPXOR(b.one, mask, mask)
	return mask
}

// inside returns the mask of the lanes of x that are at least the lowest bound, and at
// most their own in to.
func (b *bracketing) inside(x, to reg.VecVirtual) operand.Op {
	var reached operand.Op
	if !b.float {
		reached = b.atLeast(b.lowest, x)
	}
	switch {
	case b.v == avx512 && b.float:
		return b.compare512(floatAtMost, to, x, nil)
	case b.v == avx512:
		return b.compare512(integerAtMost, to, x, reached)
	case b.v != shortARM && b.float:
		return b.compare(floatAtMost, to, x)
	}
	upTo := b.atLeast(x, to)
	if !b.float {
		b.g.VPAND(reached, upTo, upTo)
	}
	return upTo
}
