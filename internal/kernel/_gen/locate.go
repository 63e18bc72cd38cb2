package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// locates writes the counting of keys by class, lane by lane, and the writing of
// bits to those in a class.
func locates(g *gen) {
	for _, v := range both {
		for _, width := range []int{16, 32, 64} {
			g.countAndLocate(v, width)
			g.gradEqual(v, width)
		}
		g.gradUnique(v)
	}
	g.stream()
}

// indexed returns the memory at base + offset, both registers.
func indexed(base, offset reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: offset, Scale: 1}
}

// greater sets the lanes of dst where a > b.
func (g *gen) greater(width int, a, b, dst operand.Op) {
	byWidth(width, nil, g.VPCMPGTW, g.VPCMPGTD, g.VPCMPGTQ)(b, a, dst)
}

// outside2 returns a vector that is -1 where x lies not from lo to hi, which is
// in memory.
func (g *gen) outside2(width int, x, lo reg.VecVirtual, hi operand.Op) reg.VecVirtual {
	below, above := g.YMM(), g.YMM()
	g.greater(width, lo, x, below)
	g.greater(width, x, hi, above)
	g.VPOR(above, below, below)
	return below
}

// inside512 returns the mask of x from lo to hi.
func (g *gen) inside512(width int, x reg.VecVirtual, lo, hi operand.Op) reg.OpmaskVirtual {
	compare := byWidth(width, nil, g.VPCMPW, g.VPCMPD, g.VPCMPQ)
	k := g.K()
	compare(operand.U8(5), lo, x, k)    // x is not less
	compare(operand.U8(2), hi, x, k, k) // nor greater
	return k
}

// countAndLocate writes func countAndLocate(n, at, keys *intN, rows, pitch, lanes int, lo, hi,
// limit *intN): CountAndLocate of so many lanes, a multiple of a vector, where rows lie
// pitch bytes apart.
func (g *gen) countAndLocate(v isa, width int) {
	size := width / 8
	sub := byWidth(width, nil, g.VPSUBW, g.VPSUBD, g.VPSUBQ)
	g.begin(name("countAndLocate", width, v), operandType("(n, at, keys *%[1]s, rows, pitch, lanes int, lo, hi, limit *%[1]s)", width))
	n, rows, keys := g.param("n"), g.param("at"), g.param("keys")
	count, pitch, lanes := g.param("rows"), g.param("pitch"), g.param("lanes")
	lo, hi, limit := g.param("lo"), g.param("hi"), g.param("limit")
	g.SHLQ(operand.U8(shiftOf(size)), lanes)
	ones := g.ones(v)
	offset := g.GP64()
	g.XORQ(offset, offset)
	g.Label("lanes")
	low, high, most := g.vec(v), g.vec(v), g.vec(v)
	g.move(v, indexed(lo, offset), low)
	g.move(v, indexed(hi, offset), high)
	g.move(v, indexed(limit, offset), most)
	found, row, number := g.zero(v), g.zero(v), g.zero(v)
	p, left := g.GP64(), g.GP64()
	g.LEAQ(indexed(keys, offset), p)
	g.MOVQ(count, left)
	g.Label("rows")
	x := g.vec(v)
	g.move(v, mem(p, 0), x)
	if v == avx512 {
		in, up := g.inside512(width, x, low, high), g.K()
		byWidth(width, nil, g.VPCMPW, g.VPCMPD, g.VPCMPQ)(operand.U8(2), most, found, in, up) // found <= most
		byWidth(width, nil, g.VMOVDQU16, g.VMOVDQU32, g.VMOVDQU64)(number, up, row)
		sub(ones, found, in, found)
	} else {
		out, over := g.outside2(width, x, low, high), g.YMM()
		g.greater(width, found, most, over)
		g.VPOR(out, over, over)
		g.VPBLENDVB(over, row, number, row)
		g.VPANDN(ones, out, out)
		sub(out, found, found)
	}
	sub(ones, number, number)
	g.ADDQ(pitch, p)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("rows"))
	g.move(v, found, indexed(n, offset))
	g.move(v, row, indexed(rows, offset))
	g.ADDQ(operand.U32(uint32(v.bytes)), offset)
	g.CMPQ(offset, lanes)
	g.JLT(operand.LabelRef("lanes"))
	g.VZEROUPPER()
	g.RET()
}

// gradEqual writes func gradEqual(dst, keys *intN, n int, lo0, hi0, bits0, lo1, hi1,
// bits1 *intN, step int): GradEqual of n keys, a multiple of a vector. step is the
// bytes of a vector, or 0 if the classes and bits of the first are those of all.
func (g *gen) gradEqual(v isa, width int) {
	size := width / 8
	g.begin(name("gradEqual", width, v), operandType("(dst, keys *%[1]s, n int, lo0, hi0, bits0, lo1, hi1, bits1 *%[1]s, step int)", width))
	dst, keys, n := g.param("dst"), g.param("keys"), g.param("n")
	var lo, hi, bits [2]reg.Register
	for i, digit := range []string{"0", "1"} {
		lo[i], hi[i], bits[i] = g.param("lo"+digit), g.param("hi"+digit), g.param("bits"+digit)
	}
	step := g.param("step")
	g.SHLQ(operand.U8(shiftOf(size)), n)
	offset, class := g.GP64(), g.GP64()
	g.XORQ(offset, offset)
	g.XORQ(class, class)
	g.Label("loop")
	x, y := g.vec(v), g.vec(v)
	g.move(v, indexed(keys, offset), x)
	for i := range 2 {
		if v == avx512 {
			in := g.inside512(width, x, indexed(lo[i], class), indexed(hi[i], class))
			g.overlay512(width, i, indexed(bits[i], class), in, y)
			continue
		}
		low := g.YMM()
		g.VMOVDQU(indexed(lo[i], class), low)
		out := g.outside2(width, x, low, indexed(hi[i], class))
		g.overlay2(i, indexed(bits[i], class), out, y)
	}
	g.move(v, y, indexed(dst, offset))
	g.ADDQ(step, class)
	g.ADDQ(operand.U32(uint32(v.bytes)), offset)
	g.CMPQ(offset, n)
	g.JLT(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// overlay512 sets lanes of y to bits, and the others to zero the first time.
func (g *gen) overlay512(width, i int, bits operand.Op, in reg.OpmaskVirtual, y reg.VecVirtual) {
	if i == 0 {
		map[int]func(_, _, _ operand.Op){16: g.VMOVDQU16_Z, 32: g.VMOVDQU32_Z, 64: g.VMOVDQU64_Z}[width](bits, in, y)
	} else {
		byWidth(width, nil, g.VMOVDQU16, g.VMOVDQU32, g.VMOVDQU64)(bits, in, y)
	}
}

// overlay2 is overlay512 with a vector that is -1 in the other lanes.
func (g *gen) overlay2(i int, bits operand.Op, out, y reg.VecVirtual) {
	if i == 0 {
		g.VPANDN(bits, out, y)
		return
	}
	g.VPAND(y, out, y)
	g.VPANDN(bits, out, out)
	g.VPOR(out, y, y)
}

// prefetchAhead is how far ahead rows are fetched: the hardware follows fewer
// streams than there may be rows.
const prefetchAhead = 512

// gradUnique writes func gradUnique(dst, x *float32, rows, pitch, size int, lo, hi,
// bits0, bits1 *float32, past bool) (done int): GradUnique of so many bytes of a row, a multiple
// of a vector, where rows lie pitch bytes apart. If past, dst and pitch are multiples
// of a vector, and dst is written past the caches, with AVX-512. It ends at the first
// vector with a lane that is not done.
func (g *gen) gradUnique(v isa) {
	g.begin(name("gradUnique", 32, v), "(dst, x *float32, rows, pitch, size int, lo, hi, bits0, bits1 *float32, past bool) (done int)")
	to, from := g.param("dst"), g.param("x")
	count, pitch, size := g.param("rows"), g.param("pitch"), g.param("size")
	lo, hi, bits0, bits1 := g.param("lo"), g.param("hi"), g.param("bits0"), g.param("bits1")
	past := g.GP8()
	if v == avx512 {
		g.Load(g.Param("past"), past)
	}
	g.SUBQ(from, to)
	var ones reg.VecVirtual
	if v == avx512 {
		ones = g.ones(v)
	}
	offset := g.GP64()
	g.XORQ(offset, offset)
	g.Label("lanes")
	value, bits := [2]reg.VecVirtual{g.vec(v), g.vec(v)}, [2]reg.VecVirtual{g.vec(v), g.vec(v)}
	g.move(v, indexed(lo, offset), value[0])
	g.move(v, indexed(hi, offset), value[1])
	g.move(v, indexed(bits0, offset), bits[0])
	g.move(v, indexed(bits1, offset), bits[1])
	over := [2]reg.VecVirtual{g.ones(v), g.ones(v)} // those found but for one
	p, left := g.GP64(), g.GP64()
	g.LEAQ(indexed(from, offset), p)
	g.MOVQ(count, left)
	g.Label("rows")
	g.PREFETCHT0(mem(p, prefetchAhead))
	y := g.share(v, mem(p, 0), value, bits, over, ones)
	at := indexed(p, to)
	if v == avx512 {
		g.TESTB(past, past)
		g.JZ(operand.LabelRef("stay"))
		g.VMOVNTDQ(y, at)
		g.JMP(operand.LabelRef("next"))
		g.Label("stay")
	}
	g.move(v, y, at)
	g.Label("next")
	g.ADDQ(pitch, p)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("rows"))
	g.testAny(v, over)
	g.JNZ(operand.LabelRef("end"))
	g.ADDQ(operand.U32(uint32(v.bytes)), offset)
	g.CMPQ(offset, size)
	g.JLT(operand.LabelRef("lanes"))
	g.Label("end")
	if v == avx512 {
		g.SFENCE()
	}
	g.VZEROUPPER()
	g.ret("done", offset)
	g.RET()
}

// share returns the bits of the elements in memory that are a value of their lane, 0 for
// others, and adds to over how many of each there are.
func (g *gen) share(v isa, from operand.Mem, value, bits, over [2]reg.VecVirtual, ones reg.VecVirtual) reg.VecVirtual {
	x, y := g.vec(v), g.vec(v)
	g.move(v, from, x)
	for i := range 2 {
		if v == avx512 {
			in := g.K()
			g.VCMPPS(operand.U8(0), value[i], x, in)
			g.VPSUBD(ones, over[i], in, over[i])
			g.overlay512(32, i, bits[i], in, y)
			continue
		}
		in := g.YMM()
		g.VCMPPS(operand.U8(0), value[i], x, in)
		g.VPSUBD(in, over[i], over[i])
		if i == 0 {
			g.VPAND(bits[i], in, y)
		} else {
			g.VPBLENDVB(in, bits[i], y, y)
		}
	}
	return y
}

// testAny sets the zero flag if no lane of two vectors has a bit set.
func (g *gen) testAny(v isa, over [2]reg.VecVirtual) {
	if v == avx512 {
		g.VPORD(over[0], over[1], over[0])
		k := g.K()
		g.VPTESTMD(over[0], over[0], k)
		g.KORTESTW(k, k)
	} else {
		g.VPOR(over[0], over[1], over[0])
		g.VPTEST(over[0], over[0])
	}
}

// stream writes func stream(dst, src *byte, n int): n bytes, a positive multiple
// of 64, to memory aligned to 32, past the caches.
func (g *gen) stream() {
	g.begin("streamAVX2", "(dst, src *byte, n int)")
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	offset := g.GP64()
	g.XORQ(offset, offset)
	g.Label("loop")
	x, y := g.YMM(), g.YMM()
	g.VMOVDQU(indexed(src, offset), x)
	g.VMOVDQU(operand.Mem{Base: src, Index: offset, Scale: 1, Disp: 32}, y)
	g.VMOVNTDQ(x, indexed(dst, offset))
	g.VMOVNTDQ(y, operand.Mem{Base: dst, Index: offset, Scale: 1, Disp: 32})
	g.ADDQ(operand.U8(64), offset)
	g.CMPQ(offset, n)
	g.JLT(operand.LabelRef("loop"))
	g.SFENCE()
	g.VZEROUPPER()
	g.RET()
}
