package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// cellsBetween is how many of the 256 cells lie between the smallest and the
	// largest key of the sample. The others are for answers that lie beyond.
	cellsBetween = 192

	// cellsMin is the number of rows from which cells are worth their passes: 33 take
	// 1.15 of the time so, 100 of 32 bits 0.83 and 1000 a half.
	cellsMin = 48

	// valueSamples is how many rows tell whether values lie evenly.
	valueSamples = 16

	// Keys are crowded, and cells of them tell little, unless crowded times the
	// distance of middle keys of the sorted sample is more than that of the
	// smallest and the largest.
	crowded              = 32
	middleFrom, middleTo = 2, 5

	// skippedMin is the number of rows from which those without keys to keep are
	// skipped: of fewer so many are kept that the branch would not be predicted.
	skippedMin = 1500

	// countedRows is the most rows whose count fits a byte that fill pairs of
	// vectors of cells.
	countedRows = 240
)

// Classes of floats.
const (
	notFinite = 0x99
	notFactor = 0xDF // NaN, infinite, zero or negative
)

// refine leaves fewer rows to search, or jumps to bracket. A cell is an interval of
// keys, as wide as all others but for the first and the last; each lane has 256. They
// divide values if a sample of these lies evenly in each lane, else keys if theirs
// does, else the values about the place of the rank if that can be done. The cells of
// all keys are bytes, and counting these finds the one that holds the answer. Rows
// with a key in it, or in the next cell that has keys if that holds the next key, are
// copied; keys of other cells become the largest key.
func (s *secant) refine() {
	g, v := s.g, s.v
	g.CMPQ(s.n, operand.U8(cellsMin))
	g.JLT(operand.LabelRef("bracket"))
	from, span := g.vec(v), g.vec(v)
	float := g.param("float")
	g.TESTQ(float, float)
	g.JZ(operand.LabelRef("halves"))
	s.values(from, span)
	g.JCS(operand.LabelRef("cells"))
	g.XORL(float.As32(), float.As32())
	g.Label("halves")
	s.halves(from, span)
	g.JCS(operand.LabelRef("cells"))
	g.ORQ(g.param("float"), float)
	g.JZ(operand.LabelRef("bracket"))
	s.near(from, span)
	g.JNZ(operand.LabelRef("bracket"))
	g.Label("cells")
	factor := span
	s.op(g.VDIVPS, g.VDIVPD)(span, s.cellsPer(), factor)
	// The rows kept lie before the cells.
	s.cells = g.GP64()
	g.MOVQ(s.n, s.cells)
	g.SHLQ(operand.U8(6), s.cells)
	g.ADDQ(g.param("memory"), s.cells)
	s.place(float, from, factor)
	cell, below, upTo := s.findCell()
	last := s.nextCell(cell, upTo)
	s.keep(cell, last, below)
	s.extent()
}

// values sets from to the smallest number of a sample and span to how far the
// largest lies above it. It sets the carry flag if these can be divided and, in
// every lane, the mean does not lie close to one of them, as it does if the other is
// far from the rest.
func (s *secant) values(from, span reg.VecVirtual) {
	g, v := s.g, s.v
	sub, add := s.op(g.VSUBPS, g.VSUBPD), s.op(g.VADDPS, g.VADDPD)
	g.copy(v, s.constant(0x7F7FFFFF, 0x7FEFFFFFFFFFFFFF), from)
	g.copy(v, s.constant(0xFF7FFFFF, 0xFFEFFFFFFFFFFFFF), span)
	mean, count, one := g.zero(v), g.zero(v), s.constant(0x3F800000, 0x3FF0000000000000)
	at, step, left := g.GP64(), g.GP64(), g.GP32()
	g.MOVQ(s.rows.first, at)
	g.MOVQ(s.n, step)
	g.SHRQ(operand.U8(shiftOf(valueSamples)), step)
	g.SHLQ(operand.U8(6), step)
	g.MOVL(operand.U32(valueSamples), left)
	g.Label("sample")
	x, finite := g.vec(v), g.K()
	g.move(v, mem(at, 0), x)
	s.flip(x)
	s.op(g.VFPCLASSPSZ, g.VFPCLASSPDZ)(operand.U8(notFinite), x, finite)
	g.KNOTW(finite, finite)
	s.op(g.VMINPS, g.VMINPD)(x, from, finite, from)
	s.op(g.VMAXPS, g.VMAXPD)(x, span, finite, span)
	add(x, mean, finite, mean)
	add(one, count, finite, count)
	g.ADDQ(step, at)
	g.DECL(left)
	g.JNZ(operand.LabelRef("sample"))
	s.op(g.VDIVPS, g.VDIVPD)(count, mean, mean)
	sub(from, span, span)
	sub(from, mean, mean)
	add(mean, mean, mean)
	sub(span, mean, mean)
	s.and(s.largest(), mean, mean) // twice the distance from the middle
	// Less than 3/4 of span; and that is not so small that the number of cells
	// divided by it is infinite.
	limit, even := s.constant(0x3F400000, 0x3FE8000000000000), g.K()
	s.op(g.VFMSUB213PS, g.VFMSUB213PD)(s.constant(0x04000000, 0x0200000000000000), span, limit)
	s.op(g.VCMPPS, g.VCMPPD)(operand.U8(floatLess), limit, mean, even)
	s.allSet(even, even)
}

// near sets from to the number of a row below the place of the rank in the sorted
// sample, and span to how far that of a row above it lies beyond. It sets the zero
// flag if that can be divided in every lane.
func (s *secant) near(from, span reg.VecVirtual) {
	g, v := s.g, s.v
	g.move(v, mem(s.first, 0), from)
	g.move(v, mem(s.first, (2*slack-1)*v.bytes), span)
	s.flip(from)
	s.flip(span)
	s.op(g.VSUBPS, g.VSUBPD)(from, span, span)
	factor, bad := g.vec(v), g.K()
	s.op(g.VDIVPS, g.VDIVPD)(span, s.cellsPer(), factor)
	s.op(g.VFPCLASSPSZ, g.VFPCLASSPDZ)(operand.U8(notFactor), factor, bad)
	s.allSet(bad, bad)
}

// cellsPer returns a vector of cellsBetween, as floats.
func (s *secant) cellsPer() reg.VecVirtual { return s.constant(0x43400000, 0x4068000000000000) }

// halves sets from to half of the smallest key of the sample, and span to how far
// half of the largest lies above it. It sets the carry flag unless keys are crowded
// in some lane.
func (s *secant) halves(from, span reg.VecVirtual) {
	g, v := s.g, s.v
	sub := s.op(g.VPSUBD, g.VPSUBQ)
	row := func(i int, dst reg.VecVirtual) {
		s.op(g.VPSRAD, g.VPSRAQ)(operand.U8(1), mem(s.sorted, (slack+i)*v.bytes), dst)
	}
	start, middle, open := g.vec(v), g.vec(v), g.K()
	row(0, from)
	row(samples-1, span)
	row(middleFrom, start)
	row(middleTo, middle)
	sub(from, span, span)
	sub(start, middle, middle)
	s.toFloat(span)
	s.toFloat(middle)
	s.op(g.VMULPS, g.VMULPD)(s.constant(0x42000000, 0x4040000000000000), middle, middle) // crowded
	s.op(g.VCMPPS, g.VCMPPD)(operand.U8(floatLess), middle, span, open)
	s.allSet(open, open)
}

// place writes the cells of all keys, less 128, and behind them two vectors of
// the largest. Each step keeps keys in order: what is no number has the sign set
// and goes to the first cell, but for the keys beyond infinity, in the last.
func (s *secant) place(float reg.GPVirtual, from, factor reg.VecVirtual) {
	g, v := s.g, s.v
	// 2^23 and 2^52 are where floats are as far apart as integers.
	const power32, power64 = 0x4B000000, 0x4330000000000000
	const first = (256 - cellsBetween) / 2
	least, offset := s.constant(power32, power64), s.constant(power32+first, power64+first)
	base, positive := s.constant(power32+128, power64+128), s.largest()
	rows, at, end := s.rows.first, g.GP64(), g.GP64()
	g.XORL(at.As32(), at.As32())
	g.MOVQ(s.n, end)
	g.SHLQ(operand.U8(shiftOf(s.lanes())), end)
	s.soon, s.step, s.skip = g.param("soon"), g.param("step"), g.param("step")
	k, sign, x := g.vec(v), g.vec(v), g.XMM()
	g.TESTQ(float, float)
	g.JZ(operand.LabelRef("place"))
	s.op(g.VFNMADD231PS, g.VFNMADD231PD)(from, factor, offset)
	g.Label("place")
	s.fetchHalf()
	g.move(v, operand.Mem{Base: rows, Index: at, Scale: uint8(s.width / 8)}, k)
	g.TESTQ(float, float)
	g.JZ(operand.LabelRef("integer"))
	s.op(g.VPSRAD, g.VPSRAQ)(operand.U8(uint8(s.width-1)), k, sign)
	s.op(g.VPTERNLOGD, g.VPTERNLOGQ)(operand.U8(0x78), positive, sign, k) // k ^ sign&positive
	g.Label("number")
	s.op(g.VFMADD213PS, g.VFMADD213PD)(offset, factor, k)
	s.op(g.VPMAXSD, g.VPMAXSQ)(least, k, k)
	s.op(g.VPSUBD, g.VPSUBQ)(base, k, k)
	s.op(g.VPMOVSDB, g.VPMOVSQB)(k, x)
	dst := operand.Mem{Base: s.cells, Index: at, Scale: 1}
	if s.width == 32 {
		g.VMOVDQU64(x, dst)
	} else {
		g.VMOVQ(x, dst)
	}
	g.ADDQ(operand.U8(uint8(s.lanes())), at)
	g.CMPQ(at, end)
	g.JLT(operand.LabelRef("place"))
	beyond := g.GP64()
	g.MOVQ(operand.U32(127), beyond)
	g.copy(v, g.spread(v, beyond, 8), k)
	g.move(v, k, dst)
	dst.Disp = 64
	g.move(v, k, dst)
	g.JMP(operand.LabelRef("placed"))

	g.Label("integer")
	s.op(g.VPSRAD, g.VPSRAQ)(operand.U8(1), k, k) // halves differ by what fits a signed integer
	s.op(g.VPSUBD, g.VPSUBQ)(from, k, k)
	s.toFloat(k)
	g.JMP(operand.LabelRef("number"))
	g.Label("placed")
}

// lanes returns the number of lanes.
func (s *secant) lanes() int { return s.v.bytes * 8 / s.width }

// findCell finds the cell of each lane, less 128, that holds the answer: bit by
// bit from the highest, it takes a bit if no more cells than the rank are
// smaller with it. below and upTo count smaller cells, and these and its own.
func (s *secant) findCell() (cell, below, upTo reg.VecVirtual) {
	g, v := s.g, s.v
	add := s.op(g.VPADDD, g.VPADDQ)
	bit, first := g.GP64(), g.GP64()
	g.MOVQ(operand.I32(-128), first)
	cell, below, upTo = g.spread(v, first, s.width), g.zero(v), g.spread(v, s.n, s.width)
	g.MOVQ(operand.U32(128), bit)
	trial := g.vec(v)
	at, stop, end := g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(s.n, end)
	g.SHLQ(operand.U8(shiftOf(s.lanes())), end)
	g.ADDQ(s.cells, end)

	g.Label("bit")
	add(g.spread(v, bit, s.width), cell, trial)
	bytes, total := s.repeat(trial), g.zero(v)
	g.MOVQ(s.cells, at)
	g.Label("part")
	counts := [2]reg.VecVirtual{g.zero(avx2), g.zero(avx2)}
	g.LEAQ(mem(at, countedRows*s.lanes()), stop)
	g.CMPQ(stop, end)
	g.CMOVQGT(end, stop)
	g.Label("count")
	for range s.width / 32 {
		s.fetchHalf()
	}
	for i := range 4 { // half vectors compare in half the time, without a mask
		less := g.YMM()
		g.VPCMPGTB(mem(at, 32*i), bytes.AsY(), less)
		g.VPSUBB(less, counts[i/2], counts[i/2])
	}
	g.ADDQ(operand.U32(128), at)
	g.CMPQ(at, stop)
	g.JLT(operand.LabelRef("count"))
	g.VPADDB(counts[0], counts[1], counts[1])
	count := g.vec(v)
	s.op(g.VPMOVZXBD, g.VPMOVZXBQ)(s.foldHalf(counts[1], g.VPADDB), count)
	add(count, total, total)
	g.CMPQ(at, end)
	g.JLT(operand.LabelRef("part"))
	over := g.over(v, s.width, total, s.ranks)
	g.where(v, s.width, over, total, upTo)
	g.where(v, s.width, over, below, total)
	g.copy(v, total, below)
	g.where(v, s.width, over, cell, trial)
	g.copy(v, trial, cell)
	g.SHRQ(operand.U8(1), bit)
	g.JNZ(operand.LabelRef("bit"))
	return cell, below, upTo
}

// repeat returns the lowest bytes of the lanes, over and over.
func (s *secant) repeat(lanes reg.VecVirtual) reg.VecVirtual {
	g := s.g
	bytes, x := g.vec(s.v), g.XMM()
	if s.width == 32 {
		g.VPMOVDB(lanes, x)
		g.VSHUFI32X4(operand.U8(0), x.AsZ(), x.AsZ(), bytes)
	} else {
		g.VPMOVQB(lanes, x)
		g.VPBROADCASTQ(x, bytes)
	}
	return bytes
}

// fold brings together the bytes of each lane.
func (s *secant) fold(bytes reg.VecVirtual, by func(...operand.Op)) reg.VecVirtual {
	y := s.g.YMM()
	s.g.VEXTRACTI64X4(operand.U8(1), bytes, y)
	by(bytes.AsY(), y, y)
	return s.foldHalf(y, by)
}

// foldHalf is fold for half a vector, which it changes.
func (s *secant) foldHalf(y reg.VecVirtual, by func(...operand.Op)) reg.VecVirtual {
	g := s.g
	x := g.XMM()
	g.VEXTRACTI32X4(operand.U8(1), y, x)
	by(y.AsX(), x, x)
	if s.width == 64 {
		g.VPSHUFD(operand.U8(0x4E), x, y.AsX())
		by(y.AsX(), x, x)
	}
	return x
}

// nextCell returns the cell of each lane that holds the key after the answer:
// its cell, or the next one that has keys.
func (s *secant) nextCell(cell, upTo reg.VecVirtual) reg.VecVirtual {
	g, v := s.g, s.v
	bytes, least, limit := s.repeat(cell), g.vec(v), g.GP64()
	g.MOVQ(operand.U32(127), limit)
	g.copy(v, g.spread(v, limit, 8), least)
	at, left := g.GP64(), g.GP64()
	g.MOVQ(s.cells, at)
	g.MOVQ(s.n, left)
	g.Label("next")
	x := g.vec(v)
	g.move(v, mem(at, 0), x)
	g.VPMINSB(x, least, g.over(v, 8, x, bytes), least)
	g.ADDQ(operand.I8(64), at)
	g.SUBQ(operand.U8(uint8(64/s.lanes())), left)
	g.JG(operand.LabelRef("next"))
	last := g.vec(v)
	s.op(g.VPMOVSXBD, g.VPMOVSXBQ)(s.fold(least, g.VPMINSB), last)
	s.op(g.VPADDD, g.VPADDQ)(s.ones(), upTo, upTo)
	g.where(v, s.width, g.over(v, s.width, upTo, s.ranks), cell, last) // upTo > rank+1
	return last
}

// keep copies the rows that have a key in cells first to last and makes them
// those that are searched.
func (s *secant) keep(first, last, below reg.VecVirtual) {
	g, v := s.g, s.v
	s.op(g.VPSUBD, g.VPSUBQ)(first, last, last)
	base, span, largest := s.repeat(first), s.repeat(last), s.largest()
	at, row, left, dst, after := s.cells, g.GP64(), g.GP64(), g.param("memory"), g.GP64()
	g.MOVQ(s.rows.first, row)
	g.MOVQ(s.n, left)
	rows := 64 / s.lanes()

	g.Label("cell")
	x, inside, few, bits := g.vec(v), g.K(), g.GP64(), g.GP64()
	g.move(v, mem(at, 0), x)
	g.VPSUBB(base, x, x)
	g.VPCMPUB(operand.U8(2), span, x, inside) // x <= span
	g.MOVQ(operand.U32(uint32(rows)), few)
	g.CMPQ(left, few)
	g.CMOVQLT(left, few)
	g.SUBQ(few, left)
	g.CMPQ(s.n, operand.U32(skippedMin))
	g.JLT(operand.LabelRef("some"))
	g.KORTESTQ(inside, inside)
	g.JZ(operand.LabelRef("skip"))
	g.Label("some")
	g.KMOVQ(inside, bits)
	g.Label("collectBins")
	s.op(g.VPBLENDMD, g.VPBLENDMQ)(mem(row, 0), largest, inside, x)
	g.move(v, x, mem(dst, 0))
	g.LEAQ(mem(dst, 64), after)
	g.TESTL(operand.U32(1<<s.lanes()-1), bits.As32())
	g.CMOVQNE(after, dst)
	g.KSHIFTRQ(operand.U8(uint8(s.lanes())), inside, inside)
	g.SHRQ(operand.U8(uint8(s.lanes())), bits)
	g.ADDQ(operand.I8(64), row)
	g.DECQ(few)
	g.JNZ(operand.LabelRef("collectBins"))
	g.JMP(operand.LabelRef("kept"))
	g.Label("skip")
	g.ADDQ(operand.I32(int32(64*rows)), row)
	g.Label("kept")
	g.ADDQ(operand.I8(64), at)
	g.TESTQ(left, left)
	g.JNZ(operand.LabelRef("cell"))
	g.Load(g.Param("memory"), s.rows.first)
	g.SUBQ(s.rows.first, dst)
	g.SHRQ(operand.U8(6), dst)
	g.MOVQ(dst, s.n)
	s.op(g.VPSUBD, g.VPSUBQ)(below, s.ranks, s.ranks)
}

// extent makes lo and hi the smallest and largest key of each lane of the rows
// kept, the largest key there can be excepted: it may stand for others.
func (s *secant) extent() {
	g, v := s.g, s.v
	largest, beyond, end := s.largest(), g.K(), g.GP64()
	g.copy(v, largest, s.lo)
	g.copy(v, largest, s.next)
	g.xor(v, s.ones(), largest, s.hi)
	g.xor(v, s.below, s.below, s.below)
	g.xor(v, s.upTo, s.upTo, s.upTo)
	s.eachRow("extent", func(key operand.Op) {
		less := g.over(v, s.width, largest, key)
		s.op(g.VPSUBD, g.VPSUBQ)(s.ones(), s.upTo, less, s.upTo)
		s.min(key.(reg.VecVirtual), s.lo)
		s.op(g.VPMAXSD, g.VPMAXSQ)(key, s.hi, less, s.hi)
	})
	g.LEAQ(mem(s.n, 1), end)
	s.op(g.VPCMPD, g.VPCMPQ)(operand.U8(5), s.upTo, s.ranks, beyond) // ranks >= upTo
	g.where(v, s.width, beyond, largest, s.hi)
	g.where(v, s.width, beyond, g.spread(v, end, s.width), s.upTo)
}
