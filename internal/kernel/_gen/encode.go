package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// encodes writes the loops that turn elements into keys, and back.
func encodes(g *gen) {
	for _, v := range both {
		g.flip(v)
		for _, width := range []int{16, 32, 64} {
			g.encodeFloat(v, width)
			g.decodeFloat(v, width)
		}
	}
}

// flip writes func flipBits(dst, src *byte, bits uint64, n int): n bytes, a
// multiple of a vector, with bits flipped in each eight of them.
func (g *gen) flip(v isa) {
	g.begin("flipBits"+v.name, "(dst, src *byte, bits uint64, n int)")
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	bits := g.broadcast(v, "bits", 64)
	at := g.GP64()
	g.XORQ(at, at)
	g.Label("loop")
	x := g.vec(v)
	g.move(v, operand.Mem{Base: src, Index: at, Scale: 1}, x)
	g.xor(v, bits, x, x)
	g.move(v, x, operand.Mem{Base: dst, Index: at, Scale: 1})
	g.ADDQ(operand.U32(uint32(v.bytes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// encodeFloat writes func encodeFloat(dst, src *intN, n int, inf intN) (valid int): n
// elements, a multiple of a vector, to their keys; it returns how many are not
// NaN.
func (g *gen) encodeFloat(v isa, width int) {
	size := width / 8
	g.begin(name("encodeFloat", width, v), operandType("(dst, src *%[1]s, n int, inf %[1]s) (valid int)", width))
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	g.SHLQ(operand.U8(shiftOf(size)), n)
	f := g.floats(v, width)
	count := g.GP64()
	g.XORQ(count, count)
	at := g.GP64()
	g.XORQ(at, at)
	g.Label("loop")
	x := g.vec(v)
	g.move(v, operand.Mem{Base: src, Index: at, Scale: 1}, x)
	if v == avx512 {
		valid := g.K()
		f.valid512(x, nil, valid)
		f.key(x)
		// Keys of NaN become the largest.
		map[int]func(...operand.Op){16: g.VMOVDQU16, 32: g.VMOVDQU32, 64: g.VMOVDQU64}[width](f.low, g.not(valid), x)
		r := g.GP64()
		g.KMOVQ(valid, r)
		g.keep(r, v.bytes/size)
		g.POPCNTQ(r, r)
		g.ADDQ(r, count)
	} else {
		nan := g.vec(v)
		f.nan2(x, nan)
		f.key(x)
		g.VPBLENDVB(nan, f.low, x, x)
		r := g.GP32()
		g.VPMOVMSKB(nan, r)
		g.NOTL(r)
		g.POPCNTL(r, r)
		g.SHRL(operand.U8(shiftOf(size)), r)
		g.ADDQ(r.As64(), count)
	}
	g.move(v, x, operand.Mem{Base: dst, Index: at, Scale: 1})
	g.ADDQ(operand.U32(uint32(v.bytes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.ret("valid", count)
	g.VZEROUPPER()
	g.RET()
}

// decodeFloat writes func decodeFloat(dst, src *intN, n int, nan intN): the
// elements of n keys, a multiple of a vector; the largest key becomes nan.
func (g *gen) decodeFloat(v isa, width int) {
	size := width / 8
	g.begin(name("decodeFloat", width, v), operandType("(dst, src *%[1]s, n int, nan %[1]s)", width))
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	g.SHLQ(operand.U8(shiftOf(size)), n)
	low := g.ones(v)
	map[int]func(...operand.Op){16: g.VPSRLW, 32: g.VPSRLD, 64: g.VPSRLQ}[width](operand.U8(1), low, low)
	nan := g.broadcast(v, "nan", width)
	at := g.GP64()
	g.XORQ(at, at)
	g.Label("loop")
	x, t := g.vec(v), g.vec(v)
	g.move(v, operand.Mem{Base: src, Index: at, Scale: 1}, x)
	var is mask = g.vec(v)
	if v == avx512 {
		is = g.K()
	}
	map[int]func(...operand.Op){16: g.VPCMPEQW, 32: g.VPCMPEQD, 64: g.VPCMPEQQ}[width](low, x, is)
	g.flipNegative(v, width, low, x, t)
	if v == avx512 {
		map[int]func(...operand.Op){16: g.VMOVDQU16, 32: g.VMOVDQU32, 64: g.VMOVDQU64}[width](nan, is, x)
	} else {
		g.VPBLENDVB(is, nan, x, x)
	}
	g.move(v, x, operand.Mem{Base: dst, Index: at, Scale: 1})
	g.ADDQ(operand.U32(uint32(v.bytes)), at)
	g.CMPQ(at, n)
	g.JLT(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// keep clears all but the low bits of a mask.
func (g *gen) keep(r reg.GPVirtual, bits int) {
	switch bits {
	case 8:
		g.MOVBLZX(r.As8(), r.As32())
	case 16:
		g.MOVWLZX(r.As16(), r.As32())
	case 32:
		g.MOVL(r.As32(), r.As32())
	}
}

// not returns the complement of a mask.
func (g *gen) not(k reg.OpmaskVirtual) reg.OpmaskVirtual {
	n := g.K()
	g.KNOTQ(k, n)
	return n
}

// xor flips bits.
func (g *gen) xor(v isa, a, b, dst operand.Op) {
	if v.bytes == 64 {
		g.VPXORQ(a, b, dst)
	} else {
		g.VPXOR(a, b, dst)
	}
}

// floats are the constants of the keys of floats.
type floats struct {
	g     *gen
	v     isa
	width int
	low   reg.VecVirtual // all bits but the sign: the largest key
	inf   reg.VecVirtual // the bits of +Inf, shifted left by one for AVX-512
	zero  reg.VecVirtual
}

// floats loads the constants; the parameter inf is the key of +Inf.
func (g *gen) floats(v isa, width int) *floats {
	f := &floats{g: g, v: v, width: width}
	f.low = g.ones(v)
	f.by(map[int]func(...operand.Op){16: g.VPSRLW, 32: g.VPSRLD, 64: g.VPSRLQ}, operand.U8(1), f.low, f.low)
	f.inf = g.broadcast(v, "inf", width)
	if v == avx512 {
		f.by(map[int]func(...operand.Op){16: g.VPADDW, 32: g.VPADDD, 64: g.VPADDQ}, f.inf, f.inf, f.inf)
	} else {
		f.zero = g.zero(v)
	}
	return f
}

// by applies the instruction for the width.
func (f *floats) by(op map[int]func(...operand.Op), args ...operand.Op) { op[f.width](args...) }

// valid512 sets a mask to the lanes of elements x that are not NaN and, if
// within is not nil, are in that mask.
func (f *floats) valid512(x operand.Op, within operand.Op, valid operand.Op) {
	g := f.g
	t := g.vec(f.v)
	f.by(map[int]func(...operand.Op){16: g.VPADDW, 32: g.VPADDD, 64: g.VPADDQ}, x, x, t) // drops the sign
	args := []operand.Op{operand.U8(2), f.inf, t}                                        // t <= inf, unsigned
	if within != nil {
		args = append(args, within)
	}
	f.by(map[int]func(...operand.Op){16: g.VPCMPUW, 32: g.VPCMPUD, 64: g.VPCMPUQ}, append(args, valid)...)
}

// nan2 sets the lanes of nan to -1 where x is NaN, for AVX2.
func (f *floats) nan2(x, nan operand.Op) {
	g := f.g
	g.VPAND(f.low, x, nan)
	f.by(map[int]func(...operand.Op){16: g.VPCMPGTW, 32: g.VPCMPGTD, 64: g.VPCMPGTQ}, f.inf, nan, nan)
}

// key turns elements into keys, NaNs into anything.
func (f *floats) key(x reg.VecVirtual) {
	g := f.g
	sign := g.vec(f.v)
	if f.v == avx512 {
		f.by(map[int]func(...operand.Op){16: g.VPSRAW, 32: g.VPSRAD, 64: g.VPSRAQ}, operand.U8(uint8(f.width-1)), x, sign)
		g.VPTERNLOGQ(operand.U8(0x78), f.low, sign, x) // x ^ sign&low
		return
	}
	f.by(map[int]func(...operand.Op){16: g.VPCMPGTW, 32: g.VPCMPGTD, 64: g.VPCMPGTQ}, x, f.zero, sign) // 0 > x
	g.VPAND(f.low, sign, sign)
	g.VPXOR(sign, x, x)
}
