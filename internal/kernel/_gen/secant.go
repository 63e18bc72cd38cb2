package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// secant writes func secant(keys *intN, row, n int, ranks *intN, float int, out,
// next *intN): the order statistics of the ranks, and those that follow.
//
// A lane's answer lies in lo … hi, which are keys of the lane; below keys are
// less than lo and upTo at most hi, and next is the smallest above hi. (At first
// they are the smallest and largest keys there can be; below is -1 and upTo n+1.)
// A pass counts the keys up to a trial between lo and hi and finds those next to
// it on either side, one of which becomes the new lo or hi. Lanes are done when
// lo = hi, when upTo = rank+1, so that hi is the answer, or when lo and hi are
// the only keys left. The first pass is for two trials, from a sample of rows on
// both sides of the rank; the next three divide lo … hi in proportion to the
// counts, as values, and of those that follow every other halves it as keys.
//
// With AVX-512 many rows are refined first, and lo and hi are the smallest and the
// largest key of those left.
func (g *gen) secant(v isa, width int) {
	g.Function(name("secant", width, v))
	params := "(keys *%[1]s, " + rowParam(v) + "n int, ranks *%[1]s, float int, out, next *%[1]s"
	if v == avx512 {
		params += ", memory *byte, soon uintptr, step int"
	}
	g.SignatureExpr("func" + operandType(params+")", width))
	s := &secant{g: g, v: v, width: width}
	s.sample()
	s.lo, s.hi, s.next = g.vec(v), g.vec(v), g.vec(v)
	s.below, s.upTo, s.trial = g.vec(v), g.vec(v), g.vec(v)
	s.turn = g.GP64()
	g.XORL(s.turn.As32(), s.turn.As32())
	if v == avx512 {
		s.refine()
		g.JMP(operand.LabelRef("check"))
		g.Label("bracket")
	}
	s.bracket()

	g.Label("check")
	s.leaveIfDone()
	s.halve()
	s.divide()
	g.Label("clamp")
	s.clamp()
	s.pass()
	g.JMP(operand.LabelRef("check"))

	g.Label("done")
	s.finish()
}

// secant holds the registers of a search.
type secant struct {
	g     *gen
	v     isa
	width int

	rows                blockRows // those that are looked at
	n                   reg.GPVirtual
	sorted, first, turn reg.GPVirtual
	lo, hi, next        reg.VecVirtual
	below, upTo         reg.VecVirtual
	trial, allOnes      reg.VecVirtual
	ranks               reg.VecVirtual // of AVX-512
	cells               reg.GPVirtual  // of AVX-512; see refine
	soon, step, skip    reg.GPVirtual  // of AVX-512: the lines to fetch
}

const (
	// samples is how many rows are sampled: more make the first bracket
	// narrower, but take as long to sort as that saves.
	samples = 8

	// slack is how far in the sorted sample the first two trials lie from the
	// place of the rank: two standard deviations.
	slack = 3

	// sampleRows is how many rows the sample has with those of the smallest
	// and largest key before and behind it.
	sampleRows = samples + 2*slack
)

// op picks an instruction for the width.
func (s *secant) op(d, q func(...operand.Op)) func(...operand.Op) {
	if s.width == 32 {
		return d
	}
	return q
}

// sample sorts some rows, evenly spread, on the stack, between rows of the
// smallest and largest key, and sets first to the place of the first trial.
func (s *secant) sample() {
	g, v := s.g, s.v
	frame := g.AllocLocal(sampleRows * v.bytes)
	s.sorted = g.GP64()
	g.LEAQ(frame, s.sorted)
	s.rows, s.n = g.blockRows(v, "keys"), g.param("n")
	if v == avx512 {
		s.ones()
		s.ranks = g.vec(v)
		g.move(v, mem(g.param("ranks"), 0), s.ranks)
	}
	at, step, half := g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(s.rows.first, at)
	g.MOVQ(s.n, step)
	g.SHRQ(operand.U8(shiftOf(samples)), step)
	g.MOVQ(step, half)
	g.SHRQ(operand.U8(1), half)
	for _, rows := range []reg.GPVirtual{step, half} { // bytes
		if v == avx512 {
			g.SHLQ(operand.U8(6), rows)
		} else {
			g.IMULQ(s.rows.step, rows)
		}
	}
	g.ADDQ(half, at)
	x := make([]reg.VecVirtual, samples)
	for i := range x {
		x[i] = g.vec(v)
		g.move(v, mem(at, 0), x[i])
		if i < samples-1 {
			g.ADDQ(step, at)
		}
	}
	for _, pair := range batcher(samples) {
		a, b := x[pair[0]], x[pair[1]]
		low := g.vec(v)
		if v != avx512 && s.width == 64 {
			over := g.vec(v)
			g.VPCMPGTQ(b, a, over)
			g.VPBLENDVB(over, b, a, low)
			g.VPBLENDVB(over, a, b, b)
		} else {
			s.op(g.VPMINSD, g.VPMINSQ)(a, b, low)
			s.op(g.VPMAXSD, g.VPMAXSQ)(a, b, b)
		}
		x[pair[0]] = low
	}
	for i, row := range x {
		g.move(v, row, mem(s.sorted, (slack+i)*v.bytes))
	}
	end := s.largest()
	for i := range slack {
		g.move(v, end, mem(s.sorted, (slack+samples+i)*v.bytes))
	}
	g.xor(v, s.ones(), end, end)
	for i := range slack {
		g.move(v, end, mem(s.sorted, i*v.bytes))
	}
	s.placeFirst()
}

// placeFirst sets first to the place of the rank in the sorted sample: rank 0 stands for
// those of all lanes.
func (s *secant) placeFirst() {
	g, v := s.g, s.v
	ranks := g.param("ranks")
	if s.width == 32 {
		g.MOVL(mem(ranks, 0), reg.EAX)
	} else {
		g.MOVQ(mem(ranks, 0), reg.RAX)
	}
	g.SHLQ(operand.U8(shiftOf(samples)), reg.RAX)
	g.MOVQ(s.n, reg.RDX)
	g.SHRQ(operand.U8(1), reg.RDX)
	g.ADDQ(reg.RDX, reg.RAX) // the quotient is rounded to the nearest
	g.XORL(reg.EDX, reg.EDX)
	g.DIVQ(s.n)
	g.SHLQ(operand.U8(shiftOf(v.bytes)), reg.RAX)
	s.first = g.GP64()
	g.LEAQ(operand.Mem{Base: s.sorted, Index: reg.RAX, Scale: 1}, s.first)
}

// batcher returns the compare-exchange steps of the odd-even merge sort of n
// rows, a power of two.
func batcher(n int) (pairs [][2]int) {
	for p := 1; p < n; p *= 2 {
		for k := p; k > 0; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := range k {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						pairs = append(pairs, [2]int{i + j, i + j + k})
					}
				}
			}
		}
	}
	return pairs
}

// largest returns a vector of the largest key.
func (s *secant) largest() reg.VecVirtual {
	g := s.g
	x := g.vec(s.v)
	s.op(g.VPSRLD, g.VPSRLQ)(operand.U8(1), s.ones(), x)
	return x
}

// ones returns a vector whose lanes are all -1, which AVX-512 has registers to
// keep.
func (s *secant) ones() reg.VecVirtual {
	if s.v != avx512 {
		return s.g.ones(s.v)
	}
	if s.allOnes == nil {
		s.allOnes = s.g.ones(s.v)
	}
	return s.allOnes
}

// eachRow writes a loop over the rows.
func (s *secant) eachRow(label string, row func(key operand.Op)) {
	s.g.eachBlockRow(label, s.rows, s.n, func(at operand.Mem) {
		key := s.g.vec(s.v)
		s.g.move(s.v, at, key)
		row(key)
	})
}

// fetch asks for one of the lines wanted soon, into the second-level cache: into the
// first one fewer are on their way at a time.
func (s *secant) fetch() {
	s.g.PREFETCHT1(mem(s.soon, 0))
	s.g.ADDQ(s.step, s.soon)
}

// fetchHalf is fetch every second time; skip is step or 0. As few lines can be on
// their way as there are in a tenth of a microsecond, so that they are spread.
func (s *secant) fetchHalf() {
	s.g.PREFETCHT1(mem(s.soon, 0))
	s.g.ADDQ(s.skip, s.soon)
	s.g.XORQ(s.step, s.skip)
}

// counting is what a loop over the rows finds: how many keys are over a trial, and the
// smallest of them. Short vectors of 32 bits measure by how much keys exceed the one after
// the trial, as unsigned numbers: those up to the trial wrap around, and are the largest.
type counting struct {
	trial, after reg.VecVirtual
	over, above  reg.VecVirtual
	largest      reg.VecVirtual // of short vectors of 64 bits
}

// wraps reports whether keys are measured from the one after a trial.
func (s *secant) wraps() bool { return s.v != avx512 && s.width == 32 }

func (s *secant) counting(trial reg.VecVirtual) counting {
	c := counting{trial: trial, over: s.g.zero(s.v)}
	switch {
	case s.wraps():
		c.after, c.above = s.g.vec(s.v), s.g.ones(s.v)
		s.g.VPSUBD(c.above, trial, c.after)
		return c
	case s.v != avx512:
		c.largest = s.largest()
	}
	c.above = s.largest()
	return c
}

// count looks at a key, and returns a mask that is set in lanes where it is over
// the trial, or by how much it exceeds the one after it.
func (s *secant) count(c counting, key operand.Op) operand.Op {
	g, v := s.g, s.v
	sub := s.op(g.VPSUBD, g.VPSUBQ)
	k := g.over(v, s.width, key, c.trial)
	if v == avx512 {
		sub(s.ones(), c.over, k, c.over)
		s.op(g.VPMINSD, g.VPMINSQ)(key, c.above, k, c.above)
		return k
	}
	t := g.vec(v)
	sub(k, c.over, c.over)
	if s.wraps() {
		sub(c.after, key, t)
		g.VPMINUD(t, c.above, c.above)
		return t
	}
	g.VPBLENDVB(k, key, c.largest, t)
	s.min(t, c.above)
	return k
}

// counted makes keys of what was measured.
func (s *secant) counted(c counting, x reg.VecVirtual) {
	if s.wraps() {
		s.g.VPADDD(c.after, x, x)
	}
}

// bracket makes the first pass, for the trials from the sample.
func (s *secant) bracket() {
	g, v := s.g, s.v
	low, high := g.vec(v), g.vec(v)
	g.move(v, mem(s.first, 0), low)
	g.move(v, mem(s.first, (2*slack-1)*v.bytes), high)
	a, b := s.counting(low), s.counting(high)
	if v == avx512 {
		s.soon, s.step = g.param("soon"), g.param("step")
	}
	s.eachRow("first", func(key operand.Op) {
		if v == avx512 {
			s.fetch()
		}
		s.count(a, key)
		s.count(b, key)
	})
	g.copy(v, s.largest(), s.hi)
	g.xor(v, s.ones(), s.hi, s.lo)
	g.xor(v, s.upTo, s.upTo, s.upTo)
	g.copy(v, s.ones(), s.below)
	inside := s.settle(a, a.trial, nil)
	s.settle(b, b.trial, inside)
	// The largest key need not be a key of the lane.
	beyond := g.GP64()
	g.LEAQ(mem(s.n, 1), beyond)
	g.where(v, s.width, s.equal(s.hi, s.largest()), g.spread(v, beyond, s.width), s.upTo)
}

// pass counts the keys up to the trial and finds its neighbours.
func (s *secant) pass() {
	g, v := s.g, s.v
	c := s.counting(s.trial)
	under := g.zero(v)
	if !s.wraps() {
		g.xor(v, s.ones(), s.largest(), under)
	}
	s.eachRow("row", func(key operand.Op) {
		over := s.count(c, key)
		switch {
		case v == avx512:
			n := g.K()
			g.KNOTW(over, n)
			s.op(g.VPMAXSD, g.VPMAXSQ)(key, under, n, under)
		case s.wraps():
			g.VPMAXUD(over, under, under)
		default:
			g.VPBLENDVB(over, mem(s.sorted, 0), key, over) // the smallest key
			s.max(over.(reg.VecVirtual), under)
		}
	})
	s.counted(c, under)
	s.settle(c, under, nil)
}

// settle moves hi to the key given where more keys than the rank are up to the
// trial, and lo to the one above the trial elsewhere. If within is not nil, hi
// moves in the lanes of that mask alone. It returns the mask of the lanes whose
// lo has moved.
func (s *secant) settle(c counting, hi reg.VecVirtual, within operand.Op) operand.Op {
	g, v := s.g, s.v
	s.counted(c, c.above)
	count := g.spread(v, s.n, s.width)
	s.op(g.VPSUBD, g.VPSUBQ)(c.over, count, count)
	enough := g.over(v, s.width, count, s.rankOf())
	var short operand.Op
	if v == avx512 {
		k := g.K()
		g.KNOTW(enough, k)
		if within != nil {
			g.KANDW(within, enough, enough)
		}
		short = k
	} else {
		k := s.ones()
		g.VPXOR(enough, k, k)
		if within != nil {
			g.VPAND(within, enough, enough)
		}
		short = k
	}
	g.where(v, s.width, enough, hi, s.hi)
	g.where(v, s.width, enough, count, s.upTo)
	g.where(v, s.width, enough, c.above, s.next)
	g.where(v, s.width, short, c.above, s.lo)
	g.where(v, s.width, short, count, s.below)
	return short
}

// equal returns the mask of the lanes that are equal.
func (s *secant) equal(a, b operand.Op) operand.Op {
	g := s.g
	var mask operand.Op = g.vec(s.v)
	if s.v == avx512 {
		mask = g.K()
	}
	s.op(g.VPCMPEQD, g.VPCMPEQQ)(a, b, mask)
	return mask
}

// min and max set acc to the smaller or larger of it and x, for AVX2 too.
func (s *secant) min(x, acc reg.VecVirtual) {
	g := s.g
	if s.v == avx512 || s.width == 32 {
		s.op(g.VPMINSD, g.VPMINSQ)(x, acc, acc)
		return
	}
	over := g.vec(s.v)
	g.VPCMPGTQ(x, acc, over) // acc > x
	g.VPBLENDVB(over, x, acc, acc)
}

func (s *secant) max(x, acc reg.VecVirtual) {
	g := s.g
	if s.v == avx512 || s.width == 32 {
		s.op(g.VPMAXSD, g.VPMAXSQ)(x, acc, acc)
		return
	}
	over := g.vec(s.v)
	g.VPCMPGTQ(acc, x, over) // x > acc
	g.VPBLENDVB(over, x, acc, acc)
}

// leaveIfDone jumps to done if no lane needs another pass.
func (s *secant) leaveIfDone() {
	g, v := s.g, s.v
	left := g.vec(v) // keys from lo to hi, less two
	s.op(g.VPSUBD, g.VPSUBQ)(s.below, s.upTo, left)
	s.op(g.VPADDD, g.VPADDQ)(s.ones(), left, left)
	s.op(g.VPADDD, g.VPADDQ)(s.ones(), left, left)
	same, last, two := s.equal(s.lo, s.hi), s.hiIsAnswer(), s.equal(left, g.zero(v))
	if v == avx512 {
		g.KORW(same, two, two)
		s.allSet(last, two)
		g.JCS(operand.LabelRef("done"))
		return
	}
	g.VPOR(same, two, two)
	g.VPOR(last, two, two)
	g.jumpIfAll(v, two, "done")
}

// allSet sets the carry flag if all lanes are in one of two masks, and the zero
// flag if none is.
func (s *secant) allSet(a, b operand.Op) {
	if s.width == 32 {
		s.g.KORTESTW(a, b)
	} else {
		s.g.KORTESTB(a, b)
	}
}

// rankOf returns the ranks, which AVX-512 has a register to keep.
func (s *secant) rankOf() reg.VecVirtual {
	if s.v == avx512 {
		return s.ranks
	}
	ranks := s.g.vec(s.v)
	s.g.move(s.v, mem(s.g.param("ranks"), 0), ranks)
	return ranks
}

// hiIsAnswer returns the mask of the lanes with upTo = rank+1.
func (s *secant) hiIsAnswer() operand.Op {
	g, v := s.g, s.v
	after := g.vec(v)
	s.op(g.VPSUBD, g.VPSUBQ)(s.ones(), s.rankOf(), after)
	return s.equal(after, s.upTo)
}

// halve makes the trial the middle of the keys lo … hi, and takes it if it is
// its turn, or if there is nothing to convert keys of integers to floats.
func (s *secant) halve() {
	g := s.g
	s.op(g.VPSUBD, g.VPSUBQ)(s.lo, s.hi, s.trial)
	s.op(g.VPSRLD, g.VPSRLQ)(operand.U8(1), s.trial, s.trial)
	s.op(g.VPADDD, g.VPADDQ)(s.lo, s.trial, s.trial)
	g.INCQ(s.turn)
	g.CMPQ(s.turn, operand.U8(4))
	g.JLT(operand.LabelRef("divide"))
	g.MOVQ(operand.I32(2), s.turn)
	g.JMP(operand.LabelRef("clamp"))
	g.Label("divide")
}

// divide makes the trial the value between those of lo and hi that has as many
// keys below it as are wanted if they are spread evenly. Where that is no
// number the trial stays.
func (s *secant) divide() {
	g, v := s.g, s.v
	add, sub := s.op(g.VPADDD, g.VPADDQ), s.op(g.VPSUBD, g.VPSUBQ)
	mul, fadd, fsub := s.op(g.VMULPS, g.VMULPD), s.op(g.VADDPS, g.VADDPD), s.op(g.VSUBPS, g.VSUBPD)
	float := g.param("float")
	exact := v == avx512 || s.width == 32 // there are conversions
	if !exact {
		g.TESTQ(float, float)
		g.JZ(operand.LabelRef("clamp"))
	}
	// share = (rank - below + 1/2) / (upTo - below - 1)
	share, of := g.vec(v), g.vec(v)
	sub(s.below, s.rankOf(), share)
	sub(s.below, s.upTo, of)
	add(s.ones(), of, of)
	s.toFloat(share)
	s.toFloat(of)
	fadd(s.constant(0x3F000000, 0x3FE0000000000000), share, share)
	s.op(g.VDIVPS, g.VDIVPD)(of, share, share)
	if exact {
		g.TESTQ(float, float)
		g.JNZ(operand.LabelRef("float"))
		// Half the distance fits a signed integer.
		d := g.vec(v)
		sub(s.lo, s.hi, d)
		s.op(g.VPSRLD, g.VPSRLQ)(operand.U8(1), d, d)
		s.toFloat(d)
		mul(share, d, d)
		s.op(g.VCVTTPS2DQ, g.VCVTTPD2QQ)(d, d)
		add(d, d, d)
		add(s.lo, d, s.trial)
		g.JMP(operand.LabelRef("clamp"))
		g.Label("float")
	}
	from, to := g.vec(v), g.vec(v)
	g.copy(v, s.lo, from)
	g.copy(v, s.hi, to)
	s.flip(from)
	s.flip(to)
	fsub(from, to, to)
	mul(share, to, to)
	fadd(from, to, to)
	// The bits of a number are less than those of infinity.
	bits := g.vec(v)
	s.and(s.largest(), to, bits)
	limit := s.constant(0x7F800000, 0x7FF0000000000000)
	s.flip(to)
	g.where(v, s.width, g.over(v, s.width, limit, bits), to, s.trial)
}

// toFloat converts counts or halved distances, which are not negative; AVX2
// has no conversion of 64 bits and gets counts alone.
func (s *secant) toFloat(x reg.VecVirtual) {
	g := s.g
	switch {
	case s.width == 32:
		g.VCVTDQ2PS(x, x)
	case s.v == avx512:
		g.VCVTQQ2PD(x, x)
	default:
		// The bits of a float of that many, plus 2^52.
		magic := s.constant(0, 0x4330000000000000)
		g.VPOR(magic, x, x)
		g.VSUBPD(magic, x, x)
	}
}

// constant returns a vector of copies of the constant for the width.
func (s *secant) constant(c32 uint32, c64 uint64) reg.VecVirtual {
	r := s.g.GP64()
	if s.width == 32 {
		s.g.MOVL(operand.U32(c32), r.As32())
	} else {
		s.g.MOVQ(operand.U64(c64), r)
	}
	return s.g.spread(s.v, r, s.width)
}

// and sets dst to a & b.
func (s *secant) and(a, b, dst operand.Op) {
	if s.v == avx512 {
		s.g.VPANDQ(a, b, dst)
	} else {
		s.g.VPAND(a, b, dst)
	}
}

// flip turns keys into floats and back.
func (s *secant) flip(x reg.VecVirtual) {
	g := s.g
	sign := g.vec(s.v)
	if s.v == avx512 {
		s.op(g.VPSRAD, g.VPSRAQ)(operand.U8(uint8(s.width-1)), x, sign)
	} else {
		s.op(g.VPCMPGTD, g.VPCMPGTQ)(x, g.zero(s.v), sign)
	}
	s.op(g.VPSRLD, g.VPSRLQ)(operand.U8(1), sign, sign)
	g.xor(s.v, sign, x, x)
}

// clamp brings the trial to lo … hi-1, or to hi if that is lo.
func (s *secant) clamp() {
	g, v := s.g, s.v
	last := g.vec(v)
	s.op(g.VPADDD, g.VPADDQ)(s.hi, s.ones(), last)
	s.min(last, s.trial)
	s.max(s.lo, s.trial)
	s.min(s.hi, s.trial)
}

// finish stores the answers: hi and the next key where upTo = rank+1, and lo
// and hi elsewhere.
func (s *secant) finish() {
	g, v := s.g, s.v
	last := s.hiIsAnswer()
	g.where(v, s.width, last, s.hi, s.lo)
	g.where(v, s.width, last, s.next, s.hi)
	g.move(v, s.lo, mem(g.param("out"), 0))
	g.move(v, s.hi, mem(g.param("next"), 0))
	g.VZEROUPPER()
	g.RET()
}
