package main

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// atMosts writes the counts of bytes up to each of eight bounds.
func atMosts(g *gen) {
	g.atMost2()
	g.following512()
}

// atMost2 compares with each bound. The counters are bytes, a lane each, of the
// keys above a bound; there are no registers left for the bounds.
func (g *gen) atMost2() {
	const bounds = 8
	v := avx2
	g.begin("atMostAVX2Bytes", "(counts *int64, src *int8, n int, bounds *int8, flip int8)")
	counts, src, n := g.param("counts"), g.param("src"), g.param("n")
	from := g.param("bounds")
	flip := g.broadcast(v, "flip", 8)
	var above [bounds]reg.VecVirtual
	for i := range bounds {
		above[i] = g.zero(v)
	}
	total := g.GP64()
	g.MOVQ(n, total)
	g.Label("loop")
	k := g.vec(v)
	g.xor(v, mem(src, 0), flip, k)
	g.PREFETCHT0(mem(src, passAhead))
	for i := range bounds {
		over := g.vec(v)
		g.VPBROADCASTB(mem(from, i), over)
		g.VPCMPGTB(over, k, over)
		g.VPSUBB(over, above[i], above[i])
	}
	g.ADDQ(operand.I32(int32(v.bytes)), src)
	g.SUBQ(operand.I32(int32(v.bytes)), n)
	g.JNZ(operand.LabelRef("loop"))
	zero := g.zero(v)
	for i := range bounds {
		g.VPSADBW(zero, above[i], above[i])
	}
	all := g.spread(v, total, 64)
	for i := 0; i < bounds; i += 4 {
		upTo := g.sumFour(above[i:])
		g.VPSUBQ(upTo, all, upTo)
		g.VPADDQ(mem(counts, 8*i), upTo, upTo)
		g.VMOVDQU(upTo, mem(counts, 8*i))
	}
	g.VZEROUPPER()
	g.RET()
}

// sumFour returns the sums of four vectors of AVX2, of 64-bit lanes.
func (g *gen) sumFour(acc []reg.VecVirtual) reg.VecVirtual {
	half := func(a, b reg.VecVirtual) reg.VecVirtual {
		odd := g.YMM()
		g.VPUNPCKHQDQ(b, a, odd)
		g.VPUNPCKLQDQ(b, a, a)
		g.VPADDQ(odd, a, a)
		return a
	}
	a, b, high := half(acc[0], acc[1]), half(acc[2], acc[3]), g.YMM()
	g.VPERM2I128(operand.U8(0x31), b, a, high)
	g.VINSERTI128(operand.U8(1), b.AsX(), a, a)
	g.VPADDQ(high, a, a)
	return a
}

// followingMost is for how many vectors a byte counts up to eight of each.
const followingMost = 31

// following512 counts bytes by how far they lie above the first of eight bounds
// that follow each other. A byte becomes a single bit, or none; eight of them are
// transposed, so that the bits of a byte are for one distance, and counted.
func (g *gen) following512() {
	v := avx512
	g.begin("followingAVX512Bytes", "(src *int8, n int, first, flip int8, bits *uint8) (even, odd uint64)")
	src, n := g.param("src"), g.param("n")
	first, flip := g.broadcast(v, "first", 8), g.broadcast(v, "flip", 8)
	bits, r := g.ZMM(), g.param("bits")
	g.VBROADCASTI64X2(mem(r, 0), bits)
	last, each, low := g.ZMM(), g.ZMM(), g.ZMM()
	for _, c := range []struct {
		value uint64
		vec   reg.VecVirtual
	}{{0x0808080808080808, last}, {0x8040201008040201, each}, {0x00FF00FF00FF00FF, low}} {
		g.MOVQ(operand.U64(c.value), r)
		g.VPBROADCASTQ(r, c.vec)
	}
	even, odd := g.zero(v), g.zero(v)
	bytes, part := g.ZMM(), g.GP64()
	g.Label("part")
	g.VPXORD(bytes, bytes, bytes)
	g.MOVQ(operand.U32(64*followingMost), part)
	g.CMPQ(n, part)
	g.CMOVQLT(n, part)
	g.SUBQ(part, n)
	g.Label("loop")
	x := g.ZMM()
	g.VPXORQ(mem(src, 0), flip, x)
	g.PREFETCHT0(mem(src, passAhead))
	g.VPSUBUSB(first, x, x)
	g.VPMINUB(last, x, x)
	g.VPSHUFB(x, bits, x)
	g.Instruction(&ir.Instruction{ // which the generator's library lacks, as the next one
		Opcode:   "VGF2P8AFFINEQB",
		Operands: []operand.Op{operand.U8(0), x, each, x},
		Inputs:   []operand.Op{x, each}, Outputs: []operand.Op{x},
	})
	g.Instruction(&ir.Instruction{
		Opcode:   "VPOPCNTB",
		Operands: []operand.Op{x, x},
		Inputs:   []operand.Op{x}, Outputs: []operand.Op{x},
	})
	g.VPADDB(x, bytes, bytes)
	g.ADDQ(operand.I32(64), src)
	g.SUBQ(operand.I32(64), part)
	g.JNZ(operand.LabelRef("loop"))
	words := g.ZMM()
	g.VPANDQ(low, bytes, words)
	g.VPADDW(words, even, even)
	g.VPSRLW(operand.U8(8), bytes, words)
	g.VPADDW(words, odd, odd)
	g.TESTQ(n, n)
	g.JNZ(operand.LabelRef("part"))
	// The counts fit 16 bits, so that nothing is carried.
	g.ret("even", g.sum(v, even, 64))
	g.ret("odd", g.sum(v, odd, 64))
	g.VZEROUPPER()
	g.RET()
}
