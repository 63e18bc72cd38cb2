package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// operandType puts the type of keys of the given width into a signature.
func operandType(format string, width int) string {
	return fmt.Sprintf(format, fmt.Sprintf("int%d", width))
}

// shiftOf returns the logarithm of a size in bytes.
func shiftOf(size int) uint8 { return uint8(bits.TrailingZeros(uint(size))) }

// narrows writes the counting and collecting pass.
func narrows(g *gen) {
	for _, width := range []int{32, 64} {
		for _, float := range []bool{false, true} {
			g.narrow512(width, width, float)
			g.narrow2(width, width, float)
		}
	}
	// Shorter elements are widened to 32 bits; floats of 16 are keys already.
	for _, from := range []int{8, 16} {
		g.narrow512(from, 32, false)
		g.narrow2(from, 32, false)
	}
}

// narrowSignature declares a function for n elements, a multiple of a vector
// for AVX2, that are computed with as keys of the given width. Those of integers
// flip some bits to get the key; those of floats know +Inf. The keys between are
// written to dst.
func narrowSignature(from, width int, float bool, v isa) (fn, params string) {
	last := "flip"
	kind := ""
	if float {
		last, kind = "inf", "Float"
	}
	return name("narrow"+kind, from, v), fmt.Sprintf("(dst, src *int%d, n int, lo, hi, %s int%d, order *uint32) (below, atLo, between, atHi, valid int)", from, last, width)
}

// narrow512 writes the pass for AVX-512: a vector of keys at a time, the rest
// under a mask. Comparisons are made under the mask of the elements that are no
// NaN.
func (g *gen) narrow512(from, width int, float bool) {
	v := avx512
	fn, params := narrowSignature(from, width, float, v)
	g.begin(fn, params)
	p := g.narrowParams(v, from, width, float)
	g.Label("loop")
	g.CMPQ(p.n, operand.U32(uint32(p.lanes)))
	g.JLT(operand.LabelRef("rest"))
	x := g.ZMM()
	switch from {
	case 8:
		g.VPMOVSXBD(mem(p.src, 0), x)
	case 16:
		g.VPMOVSXWD(mem(p.src, 0), x)
	default:
		g.VMOVDQU64(mem(p.src, 0), x)
	}
	p.step512(x, nil)
	g.ADDQ(operand.U8(uint8(p.lanes*from/8)), p.src)
	g.SUBQ(operand.U8(uint8(p.lanes)), p.n)
	g.JMP(operand.LabelRef("loop"))

	g.Label("rest")
	g.TESTQ(p.n, p.n)
	g.JZ(operand.LabelRef("done"))
	r, mask := g.lowBits(p.n), g.K()
	g.KMOVW(r.As32(), mask)
	y := g.ZMM()
	switch from {
	case 8:
		g.VPMOVSXBD_Z(mem(p.src, 0), mask, y)
	case 16:
		g.VPMOVSXWD_Z(mem(p.src, 0), mask, y)
	case 32:
		g.VMOVDQU32_Z(mem(p.src, 0), mask, y)
	default:
		g.VMOVDQU64_Z(mem(p.src, 0), mask, y)
	}
	p.step512(y, mask)
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

// narrowing holds the registers of a pass.
type narrowing struct {
	g            *gen
	v            isa
	size         int // bytes of an element in memory
	width, lanes int
	float        bool

	dst, src, n, from         reg.GPVirtual
	lo, hi, flip, one         reg.VecVirtual
	below, atLo, atHi, valids reg.VecVirtual
	f                         *floats
	permute                   reg.GPVirtual
}

// narrowParams loads the parameters and clears the counts.
func (g *gen) narrowParams(v isa, from, width int, float bool) *narrowing {
	p := &narrowing{g: g, v: v, size: from / 8, width: width, float: float, lanes: v.bytes * 8 / width}
	p.dst, p.src, p.n = g.param("dst"), g.param("src"), g.param("n")
	p.from = g.GP64()
	g.MOVQ(p.dst, p.from)
	p.lo, p.hi = g.broadcast(v, "lo", width), g.broadcast(v, "hi", width)
	if float {
		p.f = g.floats(v, width)
		p.valids = g.zero(v)
	} else {
		p.flip = g.broadcast(v, "flip", width)
	}
	p.one = g.ones(v)
	p.below, p.atLo, p.atHi = g.zero(v), g.zero(v), g.zero(v)
	return p
}

// compare512 compares keys with a bound, within a mask unless that is nil.
func (p *narrowing) compare512(predicate uint8, bound, keys operand.Op, within operand.Op) reg.OpmaskVirtual {
	k := p.g.K()
	args := []operand.Op{operand.U8(predicate), bound, keys}
	if within != nil {
		args = append(args, within)
	}
	args = append(args, k)
	if p.width == 32 {
		p.g.VPCMPD(args...)
	} else {
		p.g.VPCMPQ(args...)
	}
	return k
}

// count512 adds one to the counts of the lanes in a mask.
func (p *narrowing) count512(counts reg.VecVirtual, k operand.Op) {
	if p.width == 32 {
		p.g.VPSUBD(p.one, counts, k, counts)
	} else {
		p.g.VPSUBQ(p.one, counts, k, counts)
	}
}

// step512 looks at a vector of elements, those of a mask alone unless it is
// nil. It stores a vector also where nothing is collected: whether there is
// something is a branch that cannot be predicted.
func (p *narrowing) step512(x reg.VecVirtual, mask operand.Op) {
	g := p.g
	within := mask
	if p.float {
		valid := g.K()
		p.f.valid512(x, mask, valid)
		p.count512(p.valids, valid)
		p.f.key(x)
		within = valid
	} else {
		g.VPXORQ(p.flip, x, x)
	}
	const equal, less, greater = 0, 1, 6
	p.count512(p.below, p.compare512(less, p.lo, x, within))
	p.count512(p.atLo, p.compare512(equal, p.lo, x, within))
	p.count512(p.atHi, p.compare512(equal, p.hi, x, within))
	in := p.compare512(less, p.hi, x, p.compare512(greater, p.lo, x, within))
	packed := g.ZMM()
	if p.width == 32 {
		g.VPCOMPRESSD_Z(x, in, packed)
	} else {
		g.VPCOMPRESSQ_Z(x, in, packed)
	}
	r := g.GP64()
	g.KMOVW(in, r.As32())
	g.POPCNTQ(r, r)
	var some []operand.Op // the mask of what is stored, if not all
	if mask != nil {
		k := g.K()
		g.KMOVW(g.lowBits(r).As32(), k)
		some = append(some, k)
	}
	store := map[int]func(...operand.Op){1: g.VPMOVDB, 2: g.VPMOVDW, 4: g.VMOVDQU32, 8: g.VMOVDQU64}[p.size]
	store(append(append([]operand.Op{packed}, some...), mem(p.dst, 0))...)
	g.LEAQ(operand.Mem{Base: p.dst, Index: r, Scale: uint8(p.size)}, p.dst)
}

// finish stores the results and returns.
func (p *narrowing) finish() {
	g := p.g
	g.SUBQ(p.from, p.dst)
	g.SHRQ(operand.U8(shiftOf(p.size)), p.dst)
	g.ret("between", p.dst)
	g.ret("below", g.sum(p.v, p.below, p.width))
	g.ret("atLo", g.sum(p.v, p.atLo, p.width))
	g.ret("atHi", g.sum(p.v, p.atHi, p.width))
	if p.float {
		g.ret("valid", g.sum(p.v, p.valids, p.width))
	} else {
		r := g.GP64()
		g.Load(g.Param("n"), r)
		g.ret("valid", r)
	}
	g.VZEROUPPER()
	g.RET()
}

// narrow2 writes the pass for AVX2: a vector of keys at a time. A table of
// permutations, one for each mask, moves the keys between to the front.
func (g *gen) narrow2(from, width int, float bool) {
	v := avx2
	fn, params := narrowSignature(from, width, float, v)
	g.begin(fn, params)
	p := g.narrowParams(v, from, width, float)
	permute := g.param("order")
	g.Label("loop")
	g.TESTQ(p.n, p.n)
	g.JZ(operand.LabelRef("done"))
	x := g.YMM()
	switch from {
	case 8:
		g.VPMOVSXBD(mem(p.src, 0), x)
	case 16:
		g.VPMOVSXWD(mem(p.src, 0), x)
	default:
		g.VMOVDQU(mem(p.src, 0), x)
	}
	if float {
		nan := g.YMM()
		p.f.nan2(x, nan)
		p.f.key(x)
		g.VPBLENDVB(nan, p.f.low, x, x)
		g.VPXOR(p.one, nan, nan)
		p.count2(p.valids, nan)
	} else {
		g.VPXOR(p.flip, x, x)
	}
	greater := map[int]func(...operand.Op){32: g.VPCMPGTD, 64: g.VPCMPGTQ}[width]
	equal := map[int]func(...operand.Op){32: g.VPCMPEQD, 64: g.VPCMPEQQ}[width]
	t := g.YMM()
	greater(x, p.lo, t) // lo > x
	p.count2(p.below, t)
	e := g.YMM()
	equal(x, p.lo, e)
	p.count2(p.atLo, e)
	h := g.YMM()
	equal(x, p.hi, h)
	p.count2(p.atHi, h)
	in, under := g.YMM(), g.YMM()
	greater(p.lo, x, in)    // x > lo
	greater(x, p.hi, under) // hi > x
	g.VPAND(under, in, in)
	r := g.GP32()
	if width == 32 {
		g.VMOVMSKPS(in, r)
	} else {
		g.VMOVMSKPD(in, r)
	}
	at := g.GP64()
	g.MOVQ(r.As64(), at)
	g.SHLQ(operand.U8(5), at)
	order, packed := g.YMM(), g.YMM()
	g.VMOVDQU(operand.Mem{Base: permute, Index: at, Scale: 1}, order)
	g.VPERMD(x, order, packed)
	if from < 32 {
		upper := g.XMM()
		g.VEXTRACTI128(operand.U8(1), packed, upper)
		g.VPACKSSDW(upper, packed.AsX(), upper)
		if from == 16 {
			g.VMOVDQU(upper, mem(p.dst, 0))
		} else {
			g.VPACKSSWB(upper, upper, upper)
			g.VMOVQ(upper, mem(p.dst, 0))
		}
	} else {
		g.VMOVDQU(packed, mem(p.dst, 0))
	}
	g.POPCNTL(r, r)
	g.LEAQ(operand.Mem{Base: p.dst, Index: r.As64(), Scale: uint8(p.size)}, p.dst)
	g.ADDQ(operand.U8(uint8(p.lanes*p.size)), p.src)
	g.SUBQ(operand.U8(uint8(p.lanes)), p.n)
	g.JMP(operand.LabelRef("loop"))
	g.Label("done")
	p.finish()
}

// count2 adds one to the counts of the lanes that are -1.
func (p *narrowing) count2(counts, lanes reg.VecVirtual) {
	if p.width == 32 {
		p.g.VPSUBD(lanes, counts, counts)
	} else {
		p.g.VPSUBQ(lanes, counts, counts)
	}
}
