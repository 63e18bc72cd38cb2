package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// members writes the lookups in small sets and in bitmaps.
func members(g *gen) {
	for _, width := range []int{32, 64} {
		g.compareAll(g.plain(), width)
	}
	g.byteSet(g.plain())
	if g.plain() == shortARM {
		return
	}
	for _, width := range []int{32, 64} {
		g.few(width)
	}
	for _, width := range []int{16, 32, 64} {
		g.bitmap(width)
	}
}

// compareAll writes func few(dst *uint8, src *uintN, n int, members *uintN, count int) for
// n patterns, a positive multiple of four vectors: short vectors compare with each member,
// as they cannot look it up in a table of them.
func (g *gen) compareAll(v isa, width int) {
	g.begin(name("few", width, v), operandType("(dst *uint8, src *u%[1]s, n int, members *u%[1]s, count int)", width))
	dst, src, n, members, count := g.param("dst"), g.param("src"), g.param("n"), g.param("members"), g.param("count")
	ones, one := g.ones(v), g.vec(v)
	g.VPABSB(ones, one)
	var order reg.VecVirtual // of four bytes each, after vectors of two lanes were packed
	if v == short {
		order = g.YMM()
		four := g.GP64()
		g.MOVQ(operand.U64(0x0703060205010400), four)
		g.VMOVQ(four, order.AsX())
		g.VPMOVZXBD(order.AsX(), order)
	}
	g.Label("loop")
	var x, in [4]reg.VecVirtual
	for i := range x {
		x[i], in[i] = g.vec(v), g.zero(v)
		g.VMOVDQU(mem(src, v.bytes*i), x[i])
		g.PREFETCHT0(mem(src, passAhead+v.bytes*i))
	}
	at, left := g.GP64(), g.GP64()
	g.MOVQ(members, at)
	g.MOVQ(count, left)
	g.Label("member")
	member := g.vec(v)
	byWidth(width, nil, nil, g.VPBROADCASTD, g.VPBROADCASTQ)(mem(at, 0), member)
	for i := range x {
		equal := g.vec(v)
		byWidth(width, nil, nil, g.VPCMPEQD, g.VPCMPEQQ)(member, x[i], equal)
		g.VPOR(equal, in[i], in[i])
	}
	g.ADDQ(operand.U8(uint8(width/8)), at)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("member"))
	if v == shortARM {
		g.storeBytesNEON(width, in, one, mem(dst, 0))
	} else {
		g.storeBytes(width, in, order, one, mem(dst, 0))
	}
	patterns := 4 * v.bytes * 8 / width
	g.ADDQ(operand.I32(int32(4*v.bytes)), src)
	g.ADDQ(operand.U8(uint8(patterns)), dst)
	g.SUBQ(operand.U8(uint8(patterns)), n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// storeBytes stores a byte for each lane of four vectors: 1 where it is set.
func (g *gen) storeBytes(width int, in [4]reg.VecVirtual, order, one reg.VecVirtual, to operand.Mem) {
	if width == 32 {
		g.VPACKSSDW(in[1], in[0], in[0])
		g.VPACKSSDW(in[3], in[2], in[2])
		g.VPACKSSWB(in[2], in[0], in[0])
		g.VPERMD(in[0], order, in[0])
		g.VPAND(one, in[0], in[0])
		g.VMOVDQU(in[0], to)
		return
	}
	// Two vectors are one, pairs of its lanes in the order of quarters.
	t := g.XMM()
	g.VSHUFPS(operand.U8(0x88), in[1], in[0], in[0])
	g.VSHUFPS(operand.U8(0x88), in[3], in[2], in[2])
	g.VPACKSSDW(in[2], in[0], in[0])
	g.VPACKSSWB(in[0], in[0], in[0])
	g.VEXTRACTI128(operand.U8(1), in[0], t)
	g.VPUNPCKLWD(t, in[0].AsX(), t)
	g.VPAND(one.AsX(), t, t)
	g.VMOVDQU(t, to)
}

// storeBytesNEON is storeBytes: each step takes the lower halves of the lanes of two vectors.
func (g *gen) storeBytesNEON(width int, in [4]reg.VecVirtual, one reg.VecVirtual, to operand.Mem) {
	vectors := in[:]
	for half := width / 2; half >= 8; half /= 2 {
		for i := range max(len(vectors)/2, 1) {
			g.neon("VUZP1", half, vectors[i], vectors[2*i%len(vectors)], vectors[(2*i+1)%len(vectors)])
		}
		vectors = vectors[:max(len(vectors)/2, 1)]
	}
	g.VPAND(one, vectors[0], vectors[0])
	if width == 64 {
		g.VMOVQ(vectors[0], to)
	} else {
		g.VMOVDQU(vectors[0], to)
	}
}

// few writes func few(dst *uint8, src *uintN, n int, slots *uintN, seed uint64)
// for n patterns, a positive multiple of four vectors. The slots stay in
// registers, two for each of the tables.
func (g *gen) few(width int) {
	v := avx512
	g.begin(name("few", width, v), operandType("(dst *uint8, src *u%[1]s, n int, slots *u%[1]s, seed uint64)", width))
	dst, src, n, slots := g.param("dst"), g.param("src"), g.param("n"), g.param("slots")
	r := g.param("seed")
	seed := g.spread(v, r, width)
	g.MOVQ(operand.U32(0x01010101), r)
	one := g.spread(v, r, 32)
	var tables [4]reg.VecVirtual
	for i := range tables {
		tables[i] = g.ZMM()
		g.VMOVDQU64(mem(slots, 64*i), tables[i])
	}
	lookup := byWidth(width, nil, nil, g.VPERMI2D, g.VPERMI2Q)
	equal := byWidth(width, nil, nil, g.VPCMPEQD, g.VPCMPEQQ)
	shift := byWidth(width, nil, nil, g.VPSRLD, g.VPSRLQ)
	bits := 10 - int(shiftOf(width)) // of a slot's number: two vectors of width bits
	g.Label("loop")
	var in [4]reg.OpmaskVirtual
	for i := range in {
		x, first, second, also := g.ZMM(), g.ZMM(), g.ZMM(), g.K()
		in[i] = g.K()
		g.VMOVDQU64(mem(src, 64*i), x)
		byWidth(width, nil, nil, g.VPMULLD, g.VPMULLQ)(x, seed, second)
		shift(operand.U8(uint8(width-bits)), second, first)
		shift(operand.U8(uint8(width-2*bits)), second, second)
		lookup(tables[1], tables[0], first)
		lookup(tables[3], tables[2], second)
		equal(first, x, in[i])
		equal(second, x, also)
		g.KORW(in[i], also, in[i])
	}
	low, high := g.K(), g.K()
	if width == 64 {
		g.KUNPCKBW(in[0], in[1], low)
		g.KUNPCKBW(in[2], in[3], high)
		g.KUNPCKWD(low, high, low)
		y := g.YMM()
		g.VMOVDQU8_Z(one.AsY(), low, y)
		g.VMOVDQU(y, mem(dst, 0))
	} else {
		g.KUNPCKWD(in[0], in[1], low)
		g.KUNPCKWD(in[2], in[3], high)
		g.KUNPCKDQ(low, high, low)
		z := g.ZMM()
		g.VMOVDQU8_Z(one, low, z)
		g.VMOVDQU64(z, mem(dst, 0))
	}
	g.ADDQ(operand.U32(256), src)
	g.ADDQ(operand.U8(uint8(4*512/width)), dst)
	g.SUBQ(operand.U8(uint8(4*512/width)), n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// bitmap writes func inBitmap(dst *uint8, src *uintN, n int, bitmap *uint64,
// low, span uint64) for n patterns, a positive multiple of 16.
func (g *gen) bitmap(width int) {
	v := avx512
	g.begin(name("inBitmap", width, v), operandType("(dst *uint8, src *u%[1]s, n int, bitmap *uint64, low uint64, span uint64)", width))
	dst, src, n, bitmap := g.param("dst"), g.param("src"), g.param("n"), g.param("bitmap")
	r := g.param("span")
	span := g.spread(v, r, 32)
	r = g.param("low")
	low := g.spread(v, r, max(width, 32))
	g.MOVQ(operand.U32(1), r)
	one := g.spread(v, r, 32)
	g.MOVQ(operand.U32(0x01010101), r)
	bytes := g.spread(v, r, 32)
	var short reg.VecVirtual
	if width == 16 {
		g.MOVQ(operand.U32(0xFFFF), r)
		short = g.spread(v, r, 32)
	}
	g.Label("loop")
	d := g.ZMM()
	switch width {
	case 16:
		g.VPMOVZXWD(mem(src, 0), d)
		g.VPSUBD(low, d, d)
		g.VPANDD(short, d, d)
	case 32:
		g.VMOVDQU32(mem(src, 0), d)
		g.VPSUBD(low, d, d)
	default:
		high := g.ZMM()
		g.VMOVDQU64(mem(src, 0), d)
		g.VMOVDQU64(mem(src, 64), high)
		g.VPSUBQ(low, d, d)
		g.VPSUBQ(low, high, high)
		g.VPMOVUSQD(d, d.AsY())
		g.VPMOVUSQD(high, high.AsY())
		g.VINSERTI64X4(operand.U8(1), high.AsY(), d, d)
	}
	within, todo := g.K(), g.K()
	const atMost = 2
	g.VPCMPUD(operand.U8(atMost), span, d, within)
	g.KMOVW(within, todo)
	at, word := g.ZMM(), g.ZMM()
	g.VPSRLD(operand.U8(5), d, at)
	g.VPXORD(word, word, word)
	g.VPGATHERDD(operand.Mem{Base: bitmap, Index: at, Scale: 4}, todo, word)
	g.VPRORVD(d, word, word)
	g.VPTESTMD(word, one, within, within)
	x := g.XMM()
	g.VMOVDQU8_Z(bytes.AsX(), within, x)
	g.VMOVDQU(x, mem(dst, 0))
	g.ADDQ(operand.U32(uint32(2*width)), src)
	g.ADDQ(operand.U8(16), dst)
	g.SUBQ(operand.U8(16), n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// byteSet writes func inBytes(dst, src *uint8, n int, rows *uint8), for n bytes,
// a positive multiple of 32. rows[16i+l] has the bit h of the byte with the lower
// half l and the upper half 8i+h.
func (g *gen) byteSet(v isa) {
	g.begin("inBytes"+v.name, "(dst, src *uint8, n int, rows *uint8)")
	dst, src, n, rows := g.param("dst"), g.param("src"), g.param("n"), g.param("rows")
	var tables [2]operand.Op
	if v == shortARM { // two in a row are one table
		tables = [2]operand.Op{reg.X24, reg.X25}
		g.VMOVDQU(mem(rows, 0), tables[0])
		g.VMOVDQU(mem(rows, 16), tables[1])
	} else {
		tables = [2]operand.Op{g.YMM(), g.YMM()}
		g.VBROADCASTI128(mem(rows, 0), tables[0])
		g.VBROADCASTI128(mem(rows, 16), tables[1])
	}
	r := g.GP64()
	constant := func(eight uint64) reg.VecVirtual {
		g.MOVQ(operand.U64(eight), r)
		return g.spread(v, r, 64)
	}
	bits, half, one := constant(0x8040201008040201), constant(0x0F0F0F0F0F0F0F0F), constant(0x0101010101010101)
	g.Label("loop")
	x, lower, upper, row := g.vec(v), g.vec(v), g.vec(v), g.vec(v)
	g.VMOVDQU(mem(src, 0), x)
	g.VPAND(half, x, lower)
	if v == shortARM {
		shift := func(op string, by int, to, from reg.VecVirtual) { g.neonShift(op, 8, by, to, from) }
		shift("VUSHR", 7, upper, x)
		shift("VSHL", 4, upper, upper)
		g.VPOR(upper, lower, lower)
		g.neon("VTBL2", 8, row, tables[0], lower)
		shift("VUSHR", 4, upper, x)
	} else {
		other := g.YMM()
		g.VPSRLW(operand.U8(4), x, upper)
		g.VPAND(half, upper, upper)
		g.VPSHUFB(lower, tables[0], row)
		g.VPSHUFB(lower, tables[1], other)
		g.VPBLENDVB(x, other, row, row)
	}
	g.VPSHUFB(upper, bits, upper)
	g.VPAND(row, upper, row)
	g.VPMINUB(row, one, row)
	g.VMOVDQU(row, mem(dst, 0))
	g.ADDQ(operand.U8(uint8(v.bytes)), src)
	g.ADDQ(operand.U8(uint8(v.bytes)), dst)
	g.SUBQ(operand.U8(uint8(v.bytes)), n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}
