package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Constants of package kernel of the same names.
const (
	bucketSlots = 8
	fetchAhead  = 1024
)

// bucketTables writes the lookups in tables of buckets.
func bucketTables(g *gen) {
	for _, width := range []int{32, 64} {
		g.probe(width, false)
		g.probe(width, true)
	}
	g.fetchBuckets()
	if g.plain() == shortARM {
		return
	}
	for _, width := range []int{32, 64} {
		g.hashes(width)
	}
	g.screen()
	for _, width := range []int{32, 64} {
		g.insert(width)
	}
}

// hashes writes func hashes(hashes *uint64, src *uintN, n int, s0, s1, ahead
// uint64), for n patterns, a positive multiple of 8.
func (g *gen) hashes(width int) {
	g.begin(name("hashes", width, avx512), operandType("(hashes *uint64, src *u%s, n int, s0, s1, ahead uint64)", width))
	dst, src, n := g.param("hashes"), g.param("src"), g.param("n")
	s0, s1, a, b := g.broadcast(avx512, "s0", 64), g.broadcast(avx512, "s1", 64), g.ZMM(), g.ZMM()
	ahead := g.param("ahead")
	g.Label("loop")
	g.PREFETCHT1(operand.Mem{Base: src, Index: ahead, Scale: 1})
	if width == 32 {
		g.VPMOVZXDQ(mem(src, 0), a)
		g.VPMULLQ(a, s0, a)
	} else {
		g.VPMULLQ(mem(src, 0), s0, a)
	}
	g.VPSRLQ(operand.U8(32), a, b)
	g.VPXORQ(a, b, a)
	g.VPMULLQ(a, s1, a)
	g.VMOVDQU64(a, mem(dst, 0))
	g.ADDQ(operand.U8(uint8(width)), src)
	g.ADDQ(operand.U8(64), dst)
	g.SUBQ(operand.U8(8), n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// screen writes func screen(pass *uint32, hashes *uint64, n int, filter
// *uint64, shift uint64, src *uint8, step int) (passed int), for n hashes, a
// positive multiple of 16. Words are loaded one by one, which takes less time
// than a gather. Meanwhile what follows the patterns at src, of which 16 take
// step bytes, is fetched.
func (g *gen) screen() {
	g.begin("screenAVX512", "(pass *uint32, hashes *uint64, n int, filter *uint64, shift uint64, src *uint8, step int) (passed int)")
	pass, hashes, n, filter, dist := g.param("pass"), g.param("hashes"), g.param("n"), g.param("filter"), g.param("shift")
	next, step := g.param("src"), g.param("step")
	distance := g.GP64()
	g.MOVQ(step, distance)
	g.SHLQ(operand.U8(shiftOf(fetchAhead/16)), distance)
	g.ADDQ(distance, next)
	lanes := g.StaticGlobal("screenLanes")
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		g.AddDatum(4*i, operand.U32(uint32(i)))
	}
	index, sixteen, one := g.ZMM(), g.ZMM(), g.ZMM()
	g.VMOVDQU32(lanes, index)
	r, passed := g.GP64(), g.GP64()
	g.MOVQ(operand.U32(16), r)
	g.VPBROADCASTD(r.As32(), sixteen)
	g.MOVQ(operand.U32(1), r)
	g.VPBROADCASTQ(r, one)
	g.XORQ(passed, passed)
	g.Label("loop")
	g.PREFETCHT1(mem(next, 0))
	g.PREFETCHT1(mem(next, 64))
	g.ADDQ(step, next)
	s := screening{g, hashes, filter, dist, one}
	k, high := s.eight(0), s.eight(8)
	g.KUNPCKBW(k, high, k)
	packed := g.ZMM()
	g.VPCOMPRESSD_Z(index, k, packed)
	g.VMOVDQU32(packed, operand.Mem{Base: pass, Index: passed, Scale: 4})
	g.VPADDD(index, sixteen, index)
	g.KMOVW(k, r.As32())
	g.POPCNTQ(r, r)
	g.ADDQ(r, passed)
	g.ADDQ(operand.U8(128), hashes)
	g.SUBQ(operand.U8(16), n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.ret("passed", passed)
	g.RET()
}

// screening holds the registers of a look at a filter.
type screening struct {
	*gen
	hashes, filter, shift reg.GPVirtual
	one                   reg.VecVirtual
}

// word returns the word of the filter for hash i.
func (s screening) word(i int) operand.Mem {
	at := s.GP64()
	s.SHRXQ(s.shift, mem(s.hashes, 8*i), at)
	return operand.Mem{Base: s.filter, Index: at, Scale: 8}
}

// four returns the words for four hashes.
func (s screening) four(i int) reg.VecVirtual {
	low, high := s.XMM(), s.XMM()
	s.VMOVQ(s.word(i), low)
	s.VMOVHPS(s.word(i+1), low, low)
	s.VMOVQ(s.word(i+2), high)
	s.VMOVHPS(s.word(i+3), high, high)
	s.VINSERTI128(operand.U8(1), high, low.AsY(), low.AsY())
	return low
}

// eight returns the mask of those of eight hashes whose bits are both set.
func (s screening) eight(i int) reg.OpmaskVirtual {
	low, high, hash, turned, k := s.four(i), s.four(i+4), s.ZMM(), s.ZMM(), s.K()
	words := low.AsZ()
	s.VINSERTI64X4(operand.U8(1), high.AsY(), words, words)
	s.VMOVDQU64(mem(s.hashes, 8*i), hash)
	s.VPSRLQ(operand.U8(26), hash, turned)
	s.VPSRLQ(operand.U8(32), hash, hash)
	s.VPRORVQ(turned, words, turned)
	s.VPRORVQ(hash, words, hash)
	s.VPANDQ(turned, hash, hash)
	s.VPTESTMQ(hash, s.one, k)
	return k
}

// probing holds the registers of a lookup.
type probing struct {
	g                                                   *gen
	v                                                   isa
	width                                               int
	at                                                  bool
	dst, src, indices, hashes, shift, slots, free, mask reg.GPVirtual
}

// probeUnroll is the number of lookups in a turn of the loop.
const probeUnroll = 2

// probe writes func probe(dst *uint8, src *uintN, hashes *uint64, n int, slots
// *uintN, free, mask, shift uint64) for n patterns, an even number above 0,
// with the hashes given, in a table of mask + 1 bytes. probeAt has the indices
// of the patterns.
func (g *gen) probe(width int, at bool) {
	p := probing{g: g, v: g.plain(), width: width, at: at}
	if at {
		g.begin(name("probeAt", width, p.v), operandType("(dst *uint8, src *u%[1]s, indices *uint32, hashes *uint64, n int, slots *u%[1]s, free, mask, shift uint64)", width))
		p.indices = g.param("indices")
	} else {
		g.begin(name("probe", width, p.v), operandType("(dst *uint8, src *u%[1]s, hashes *uint64, n int, slots *u%[1]s, free, mask, shift uint64)", width))
	}
	p.dst, p.src, p.hashes, p.slots = g.param("dst"), g.param("src"), g.param("hashes"), g.param("slots")
	p.free, p.mask, p.shift = g.param("free"), g.param("mask"), g.param("shift")
	n := g.param("n")
	g.Label("loop")
	var slow []func()
	for j := range probeUnroll {
		slow = append(slow, p.one(j))
	}
	if at {
		g.ADDQ(operand.U8(4*probeUnroll), p.indices)
	} else {
		g.ADDQ(operand.U8(uint8(probeUnroll*width/8)), p.src)
		g.ADDQ(operand.U8(probeUnroll), p.dst)
	}
	g.ADDQ(operand.U8(8*probeUnroll), p.hashes)
	g.SUBQ(operand.U8(probeUnroll), n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
	for _, write := range slow {
		write()
	}
}

// one looks the jth pattern up in its home. It returns what writes the search
// in the buckets after a full one.
func (p *probing) one(j int) (slow func()) {
	g, size := p.g, p.width/8
	src, dst := mem(p.src, j*size), mem(p.dst, j)
	if p.at {
		i := g.GP64()
		g.MOVL(mem(p.indices, 4*j), i.As32())
		src = operand.Mem{Base: p.src, Index: i, Scale: uint8(size)}
		dst = operand.Mem{Base: p.dst, Index: i, Scale: 1}
	}
	at := g.GP64()
	g.SHRXQ(p.shift, mem(p.hashes, 8*j), at)
	g.SHLQ(operand.U8(shiftOf(bucketSlots*size)), at)
	x := g.vec(p.v)
	if p.width == 32 {
		g.VPBROADCASTD(src, x)
	} else {
		g.VPBROADCASTQ(src, x)
	}
	p.compare(x, at)
	g.SETNE(dst)
	p.full(at)
	back, next, done := fmt.Sprintf("back%d", j), fmt.Sprintf("next%d", j), fmt.Sprintf("done%d", j)
	full := fmt.Sprintf("full%d", j)
	g.JNE(operand.LabelRef(full))
	g.Label(back)
	return func() {
		g.Label(full)
		g.CMPB(dst, operand.U8(0))
		g.JNE(operand.LabelRef(back))
		g.Label(next)
		g.ADDQ(operand.U8(uint8(bucketSlots*size)), at)
		g.ANDQ(p.mask, at)
		p.compare(x, at)
		g.JNE(operand.LabelRef(done))
		p.full(at)
		g.JNE(operand.LabelRef(next))
		g.JMP(operand.LabelRef(back))
		g.Label(done)
		g.MOVB(operand.U8(1), dst)
		g.JMP(operand.LabelRef(back))
	}
}

// compare tests whether x is in the bucket at an offset.
func (p *probing) compare(x reg.VecVirtual, at reg.GPVirtual) {
	g, bucket := p.g, operand.Mem{Base: p.slots, Index: at, Scale: 1}
	if p.v == shortARM {
		from := g.GP64()
		g.LEAQ(bucket, from)
		bucket = mem(from, 0)
	}
	parts := make([]reg.VecVirtual, bucketSlots*p.width/8/p.v.bytes)
	for i := range parts {
		parts[i] = g.vec(p.v)
		if p.v == shortARM { // two are loaded at once
			g.VMOVDQU(bucket.Offset(16*i), parts[i])
		}
	}
	for i, part := range parts {
		from := operand.Op(part)
		if p.v != shortARM {
			from = bucket.Offset(p.v.bytes * i)
		}
		byWidth(p.width, nil, nil, g.VPCMPEQD, g.VPCMPEQQ)(from, x, part)
	}
	for _, part := range parts[1:] {
		g.VPOR(part, parts[0], parts[0])
	}
	g.VPTEST(parts[0], parts[0])
}

// full tests whether the bucket at an offset has no free slot.
func (p *probing) full(at reg.GPVirtual) {
	size := p.width / 8
	last := operand.Mem{Base: p.slots, Index: at, Scale: 1, Disp: (bucketSlots - 1) * size}
	if p.width == 32 {
		p.g.CMPL(last, p.free.As32())
	} else {
		p.g.CMPQ(last, p.free)
	}
}

// fetchBuckets writes func fetchBuckets(hashes *uint64, n int, slots *uint8,
// shift, size uint64), which fetches the homes of n hashes, n above 0, in a
// table with buckets of 2^size bytes.
func (g *gen) fetchBuckets() {
	g.begin("fetchBuckets"+g.plain().name, "(hashes *uint64, n int, slots *uint8, shift, size uint64)")
	hashes, n, slots, dist, size := g.param("hashes"), g.param("n"), g.param("slots"), g.param("shift"), g.param("size")
	at := g.GP64()
	g.Label("loop")
	g.SHRXQ(dist, mem(hashes, 0), at)
	g.SHLXQ(size, at, at)
	g.PREFETCHT0(operand.Mem{Base: slots, Index: at, Scale: 1})
	g.ADDQ(operand.U8(8), hashes)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("loop"))
	g.RET()
}

// insert writes func insert(src *uintN, hashes *uint64, n int, slots *uintN,
// free, shift uint64) (done, added int), which inserts the first done of n
// patterns, n above 0, all but those from the first on whose home is full.
func (g *gen) insert(width int) {
	g.begin(name("insert", width, avx2), operandType("(src *u%[1]s, hashes *uint64, n int, slots *u%[1]s, free u%[1]s, shift uint64) (done, added int)", width))
	size := width / 8
	src, hashes, n, dist := g.param("src"), g.param("hashes"), g.param("n"), g.param("shift")
	p := probing{g: g, v: short, width: width, slots: g.param("slots")}
	free := g.broadcast(avx2, "free", width)
	done, added := g.GP64(), g.GP64()
	g.XORQ(done, done)
	g.XORQ(added, added)
	g.Label("loop")
	at, x, r := g.GP64(), g.YMM(), g.GP64()
	g.SHRXQ(dist, operand.Mem{Base: hashes, Index: done, Scale: 8}, at)
	g.SHLQ(operand.U8(shiftOf(bucketSlots*size)), at)
	from := operand.Mem{Base: src, Index: done, Scale: uint8(size)}
	if width == 32 {
		g.VPBROADCASTD(from, x)
	} else {
		g.VPBROADCASTQ(from, x)
	}
	p.compare(x, at)
	g.JNE(operand.LabelRef("next"))
	bucket, y := operand.Mem{Base: p.slots, Index: at, Scale: 1}, g.YMM()
	if width == 32 {
		g.VPCMPEQD(bucket, free, y)
		g.VMOVMSKPS(y, r.As32())
	} else {
		high := g.GP64()
		g.VPCMPEQQ(bucket, free, y)
		g.VMOVMSKPD(y, r.As32())
		g.VPCMPEQQ(bucket.Offset(32), free, y)
		g.VMOVMSKPD(y, high.As32())
		g.SHLL(operand.U8(4), high.As32())
		g.ORL(high.As32(), r.As32())
	}
	g.TESTL(r.As32(), r.As32())
	g.JZ(operand.LabelRef("out"))
	g.TZCNTL(r.As32(), r.As32())
	g.ADDQ(p.slots, at)
	to := operand.Mem{Base: at, Index: r, Scale: uint8(size)}
	if width == 32 {
		g.VMOVD(x.AsX(), to)
	} else {
		g.VMOVQ(x.AsX(), to)
	}
	g.INCQ(added)
	g.Label("next")
	g.INCQ(done)
	g.CMPQ(done, n)
	g.JNE(operand.LabelRef("loop"))
	g.Label("out")
	g.VZEROUPPER()
	g.ret("done", done)
	g.ret("added", added)
	g.RET()
}
