package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// operandType puts the type of keys of the given width into a signature.
func operandType(format string, width int) string {
	return fmt.Sprintf(format, fmt.Sprintf("int%d", width))
}

// shiftOf returns the logarithm of a size in bytes.
func shiftOf(size int) uint8 { return uint8(bits.TrailingZeros(uint(size))) }

// collects writes the counting and collecting pass.
func collects(g *gen) {
	for _, width := range []int{16, 32, 64} {
		g.collect512(width, integers)
		g.collect2(width, integers)
		g.collect512(width, orderedFloats)
		g.collect2(width, orderedFloats)
		if width > 16 {
			g.collect512(width, anyFloats)
		}
	}
}

// elements is what a pass looks at.
type elements int

const (
	integers elements = iota
	anyFloats
	orderedFloats // not NaN, which are counted
)

// collecting holds the registers of a pass over n elements, a multiple of a
// vector for AVX2. Integers flip some bits to get the key; floats are compared
// as what they are, and written as they are. Those of 16 bits, which cannot be
// compared, become keys; flip is added to compare these, so that NaN of both signs
// is beyond limit.
type collecting struct {
	g            *gen
	v            isa
	width, lanes int
	of           elements

	dst, src, n, from reg.GPVirtual
	lo, hi, flip, one reg.VecVirtual
	limit, low        reg.VecVirtual // of 16-bit floats: low is all bits but the sign
	order             reg.GPVirtual  // of short vectors: for each set of lanes, how they move to the front
	weights           reg.VecVirtual // of NEON
	atLeast, valid    count
}

// count is a count: in the lanes of a vector, or of 16-bit lanes in a register.
type count struct {
	lanes reg.VecVirtual
	total reg.GPVirtual
}

// newCount starts a count.
func (p *collecting) newCount() (t count) {
	if p.width == 16 {
		t.total = p.g.GP64()
		p.g.XORQ(t.total, t.total)
	} else {
		t.lanes = p.g.zero(p.v)
	}
	return t
}

// The comparisons. Not less than and not greater than hold for NaN, the others
// of floats do not.
const (
	floatNotLess    = 0x15
	floatNotGreater = 0x1A
	floatAtLeast    = 0x1D
	floatAtMost     = 0x12
	floatOrdered    = 0x07
	floatLess       = 0x11
	integerAtLeast  = 5
	integerAtMost   = 2
)

// passAhead is how many bytes ahead of a pass memory is asked for: the
// hardware stops at the end of a page.
const passAhead = 4096

// collect starts a pass.
func (g *gen) collect(v isa, width int, of elements) *collecting {
	params, results := "(dst, src *int%[1]d, n int, lo, hi int%[1]d", "(atLeast, inside int)"
	switch of {
	case integers:
		params = "(dst, src *int%[1]d, n int, lo, hi, flip int%[1]d"
	case orderedFloats:
		results = "(atLeast, inside, valid int)"
		if width == 16 {
			params += ", flip, limit int16"
		}
	}
	if v == avx2 {
		params += ", order *uint32"
	}
	g.begin(name("collect"+[]string{"", "Float", "Ordered"}[of], width, v), fmt.Sprintf(params+") "+results, width))
	p := &collecting{g: g, v: v, width: width, of: of, lanes: v.bytes * 8 / width}
	p.dst, p.src, p.n = g.param("dst"), g.param("src"), g.param("n")
	p.from = g.GP64()
	g.MOVQ(p.dst, p.from)
	p.lo, p.hi = g.broadcast(v, "lo", width), g.broadcast(v, "hi", width)
	if of == integers || width == 16 {
		p.flip = g.broadcast(v, "flip", width)
	}
	if of == orderedFloats {
		p.valid = p.newCount()
	}
	p.one = g.ones(v)
	p.atLeast = p.newCount()
	if of == orderedFloats && width == 16 {
		p.limit, p.low = g.broadcast(v, "limit", 16), g.vec(v)
		g.VPSRLW(operand.U8(1), p.one, p.low)
	}
	return p
}

// collect512 writes the pass for AVX-512: a vector at a time, the rest under a
// mask. It stores a vector also where nothing is collected: whether there is
// something is a branch that cannot be predicted.
func (g *gen) collect512(width int, of elements) {
	p := g.collect(avx512, width, of)
	g.Label("loop")
	g.CMPQ(p.n, operand.U32(uint32(p.lanes)))
	g.JLT(operand.LabelRef("rest"))
	x := g.ZMM()
	g.VMOVDQU64(mem(p.src, 0), x)
	g.PREFETCHT0(mem(p.src, passAhead))
	packed, inside := p.step512(x, nil)
	g.VMOVDQU64(packed, mem(p.dst, 0))
	p.advance(inside)
	g.ADDQ(operand.I32(64), p.src)
	g.SUBQ(operand.U8(uint8(p.lanes)), p.n)
	g.JMP(operand.LabelRef("loop"))

	g.Label("rest")
	g.TESTQ(p.n, p.n)
	g.JZ(operand.LabelRef("done"))
	mask := g.K()
	g.KMOVQ(g.lowBits(p.n), mask)
	y := g.ZMM()
	map[int]func(m, k, y operand.Op){16: g.VMOVDQU16_Z, 32: g.VMOVDQU32_Z, 64: g.VMOVDQU64_Z}[width](mem(p.src, 0), mask, y)
	packed, inside = p.step512(y, mask)
	g.KMOVQ(g.lowBits(inside), mask)
	map[int]func(...operand.Op){16: g.VMOVDQU16, 32: g.VMOVDQU32, 64: g.VMOVDQU64}[width](packed, mask, mem(p.dst, 0))
	p.advance(inside)
	g.Label("done")
	p.finish()
}

// lowBits returns a register with the n lowest bits set.
func (g *gen) lowBits(n reg.Register) reg.GPVirtual {
	r := g.GP64()
	g.MOVQ(operand.I32(-1), r)
	g.SHLXQ(n, r, r)
	g.NOTQ(r)
	return r
}

// compare512 compares elements with a bound, within a mask unless that is nil.
func (p *collecting) compare512(predicate uint8, bound, x operand.Op, within operand.Op) reg.OpmaskVirtual {
	g := p.g
	k := g.K()
	op := map[int]func(...operand.Op){16: g.VPCMPW, 32: g.VPCMPD, 64: g.VPCMPQ}[p.width]
	if p.of != integers && p.width > 16 {
		op = map[int]func(...operand.Op){32: g.VCMPPS, 64: g.VCMPPD}[p.width]
	}
	args := []operand.Op{operand.U8(predicate), bound, x}
	if within != nil {
		args = append(args, within)
	}
	op(append(args, k)...)
	return k
}

// count512 adds the lanes in a mask to a count.
func (p *collecting) count512(t count, k operand.Op) {
	switch p.width {
	case 16:
		r := p.g.GP64()
		p.g.KMOVD(k, r.As32())
		p.g.POPCNTQ(r, r)
		p.g.ADDQ(r, t.total)
	case 32:
		p.g.VPSUBD(p.one, t.lanes, k, t.lanes)
	default:
		p.g.VPSUBQ(p.one, t.lanes, k, t.lanes)
	}
}

// compress moves the lanes in a mask to the front, and sets count to their number.
func (p *collecting) compress(x reg.VecVirtual, k reg.OpmaskVirtual, packed reg.VecVirtual, count reg.GPVirtual) {
	g := p.g
	switch p.width {
	case 16: // an instruction that the generator's library lacks
		g.Instruction(&ir.Instruction{
			Opcode: "VPCOMPRESSW", Suffixes: []string{"Z"},
			Operands: []operand.Op{x, k, packed},
			Inputs:   []operand.Op{x, k}, Outputs: []operand.Op{packed},
		})
	case 32:
		g.VPCOMPRESSD_Z(x, k, packed)
	default:
		g.VPCOMPRESSQ_Z(x, k, packed)
	}
	g.KMOVQ(k, count)
	g.POPCNTQ(count, count)
}

// step512 looks at a vector of elements, those of a mask alone unless it is
// nil, and returns those inside, moved to the front, and their number.
func (p *collecting) step512(x reg.VecVirtual, mask operand.Op) (packed reg.VecVirtual, inside reg.GPVirtual) {
	g := p.g
	from, to := uint8(integerAtLeast), uint8(integerAtMost)
	compared := x
	switch {
	case p.of == integers:
		g.VPXORQ(p.flip, x, x)
	case p.of == anyFloats:
		from, to = floatNotLess, floatNotGreater
	case p.width == 16:
		compared = g.ZMM()
		g.flipNegative(p.v, 16, p.low, x, compared)
		g.VPADDW(p.flip, x, compared)
		mask = p.compare512(integerAtMost, p.limit, compared, mask)
		p.count512(p.valid, mask)
	default:
		from, to = floatAtLeast, floatAtMost
		p.count512(p.valid, p.compare512(floatOrdered, x, x, mask))
	}
	atLeast := p.compare512(from, p.lo, compared, mask)
	p.count512(p.atLeast, atLeast)
	in := p.compare512(to, p.hi, compared, atLeast)
	packed, inside = g.ZMM(), g.GP64()
	p.compress(x, in, packed, inside)
	return packed, inside
}

// storeInside stores the lanes in a mask, moved to the front. It stores a vector also where
// nothing is collected: whether there is something is a branch that cannot be predicted.
func (p *collecting) storeInside(x reg.VecVirtual, in operand.Op) {
	g, count := p.g, p.g.GP64()
	switch p.v {
	case avx512:
		packed := g.ZMM()
		p.compress(x, in.(reg.OpmaskVirtual), packed, count)
		g.VMOVDQU64(packed, mem(p.dst, 0))
	case shortARM:
		p.storeNEON(x, in, count)
	default:
		packed := g.YMM()
		p.permute(x, in, packed, count)
		g.VMOVDQU(packed, mem(p.dst, 0))
		g.POPCNTL(count.As32(), count.As32())
	}
	p.advance(count)
}

// loadOrder loads the table of how lanes move to the front.
func (p *collecting) loadOrder() {
	p.order = p.g.param("order")
	if p.v != shortARM {
		return
	}
	p.weights = p.g.XMM()
	p.g.VMOVDQU(mem(p.order, 0), p.weights)
	for from := 16; from < p.width; from *= 2 {
		p.g.neon("VUXTL", from, p.weights, p.weights)
	}
	p.g.ADDQ(operand.U8(16), p.order)
}

// permute moves the lanes in a mask of AVX2 to the front, and sets bits to them.
func (p *collecting) permute(x reg.VecVirtual, in operand.Op, packed reg.VecVirtual, bits reg.GPVirtual) {
	g := p.g
	if p.width == 32 {
		g.VMOVMSKPS(in, bits.As32())
	} else {
		g.VMOVMSKPD(in, bits.As32())
	}
	at := g.GP64()
	g.MOVQ(bits, at)
	g.toFront(p.order, at, x, packed)
}

// toFront moves the lanes of 32 or 64 bits in a set to the front, as a table says; it
// overwrites the set.
func (g *gen) toFront(order, set reg.GPVirtual, x, packed reg.VecVirtual) {
	g.SHLQ(operand.U8(5), set)
	g.VMOVDQU(indexed(order, set), packed)
	g.VPERMD(x, packed, packed)
}

// wordsToFront is toFront for eight lanes of 16 bits.
func (g *gen) wordsToFront(order, set reg.GPVirtual, x, packed reg.Register) {
	g.SHLQ(operand.U8(4), set)
	g.VPSHUFB(indexed(order, set), x, packed)
}

// storeNEON stores the lanes in a mask, moved to the front, and sets count to their number:
// the sum of their weights is 256 times that, and the row of the table for them.
func (p *collecting) storeNEON(x reg.VecVirtual, in operand.Op, count reg.GPVirtual) {
	g := p.g
	sum, order, row := g.XMM(), g.XMM(), g.GP64()
	g.VPAND(p.weights, in, sum)
	if p.width == 64 {
		g.neon("VADDP", 64, sum, sum, sum)
	} else {
		g.neon("VADDV", p.width, sum, sum)
	}
	g.neon("VMOVR", p.width, count, sum)
	g.MOVQ(count, row)
	g.ANDQ(operand.U32(255), row)
	g.SHLQ(operand.U8(4), row)
	g.VMOVDQU(indexed(p.order, row), order)
	g.VPSHUFB(order, x, order)
	g.VMOVDQU(order, mem(p.dst, 0))
	g.SHRQ(operand.U8(8), count)
}

// advance moves behind the elements that were stored.
func (p *collecting) advance(inside reg.Register) {
	p.g.LEAQ(operand.Mem{Base: p.dst, Index: inside, Scale: uint8(p.width / 8)}, p.dst)
}

// finish stores the results and returns.
func (p *collecting) finish() {
	g := p.g
	g.SUBQ(p.from, p.dst)
	g.SHRQ(operand.U8(shiftOf(p.width/8)), p.dst)
	g.ret("inside", p.dst)
	p.storeCount("atLeast", p.atLeast)
	if p.of == orderedFloats {
		p.storeCount("valid", p.valid)
	}
	g.VZEROUPPER()
	g.RET()
}

// storeCount stores a count as a result.
func (p *collecting) storeCount(name string, t count) {
	switch {
	case t.total == nil:
		t.total = p.g.sum(p.v, t.lanes, p.width)
	case p.v == avx2:
		p.g.SHRQ(operand.U8(1), t.total)
	}
	p.g.ret(name, t.total)
}

// collect2 writes the pass for AVX2: a vector at a time.
func (g *gen) collect2(width int, of elements) {
	p := g.collect(avx2, width, of)
	p.loadOrder()
	g.Label("loop")
	g.TESTQ(p.n, p.n)
	g.JZ(operand.LabelRef("done"))
	x := g.YMM()
	g.VMOVDQU(mem(p.src, 0), x)
	g.PREFETCHT0(mem(p.src, passAhead))
	var in reg.VecVirtual
	if of == orderedFloats && width > 16 {
		in = p.floatsInside(x)
	} else {
		in = p.keysInside(x)
	}
	if width == 16 {
		p.storeWords(x, in)
	} else {
		p.storeInside(x, in)
	}
	g.ADDQ(operand.U8(32), p.src)
	g.SUBQ(operand.U8(uint8(p.lanes)), p.n)
	g.JMP(operand.LabelRef("loop"))
	g.Label("done")
	p.finish()
}

// floatsInside compares floats, and returns a vector that is -1 where they are inside.
func (p *collecting) floatsInside(x reg.VecVirtual) reg.VecVirtual {
	g, in, over := p.g, p.g.YMM(), p.g.YMM()
	compare := map[int]func(...operand.Op){32: g.VCMPPS, 64: g.VCMPPD}[p.width]
	compare(operand.U8(floatOrdered), x, x, over)
	p.count2(p.valid, over)
	compare(operand.U8(floatAtLeast), p.lo, x, in)
	p.count2(p.atLeast, in)
	compare(operand.U8(floatAtMost), p.hi, x, over)
	g.VPAND(over, in, in)
	return in
}

// keysInside is floatsInside for integers, and for floats of 16 bits, which become keys.
func (p *collecting) keysInside(x reg.VecVirtual) reg.VecVirtual {
	g, in, over := p.g, p.g.YMM(), p.g.YMM()
	compared, valid := x, p.one
	if p.of == integers {
		g.VPXOR(p.flip, x, x)
	} else {
		compared, valid = g.YMM(), g.YMM()
		g.flipNegative(p.v, 16, p.low, x, compared)
		g.VPADDW(p.flip, x, compared)
		g.greater(p.width, compared, p.limit, valid)
		g.VPXOR(p.one, valid, valid)
		p.count2(p.valid, valid)
	}
	g.greater(p.width, p.lo, compared, in)
	g.VPANDN(valid, in, in)
	p.count2(p.atLeast, in)
	g.greater(p.width, compared, p.hi, over)
	g.VPANDN(in, over, in)
	return in
}

// storeWords is storeInside for AVX2's 16-bit lanes, half a vector at a time: there is no
// table for sixteen.
func (p *collecting) storeWords(x, in reg.VecVirtual) {
	g, upper, set := p.g, p.g.XMM(), p.g.GP64()
	g.VEXTRACTI128(operand.U8(1), in, upper)
	g.VPACKSSWB(upper, in.AsX(), upper)
	g.VPMOVMSKB(upper, set.As32())
	for half := range 2 {
		lanes, count := g.GP64(), g.GP64()
		if half > 0 {
			g.VEXTRACTI128(operand.U8(1), x, x.AsX())
			g.SHRL(operand.U8(8), set.As32())
		}
		g.MOVBLZX(set.As8(), lanes.As32())
		g.POPCNTL(lanes.As32(), count.As32())
		packed := g.XMM()
		g.wordsToFront(p.order, lanes, x.AsX(), packed)
		g.VMOVDQU(packed, mem(p.dst, 0))
		p.advance(count)
	}
}

// count2 adds the lanes that are -1 to a count, each twice if they have 16 bits.
func (p *collecting) count2(t count, lanes reg.VecVirtual) {
	switch p.width {
	case 16:
		r := p.g.GP64()
		p.g.VPMOVMSKB(lanes, r.As32())
		p.g.POPCNTL(r.As32(), r.As32())
		p.g.ADDQ(r, t.total)
	case 32:
		p.g.VPSUBD(lanes, t.lanes, t.lanes)
	default:
		p.g.VPSUBQ(lanes, t.lanes, t.lanes)
	}
}
