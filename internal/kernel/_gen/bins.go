package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bins writes the mapping of keys to evenly spaced bins, and the choice of
// keys by their bins.
func bins(g *gen) {
	for _, width := range []int{32, 64} {
		for _, v := range g.sets {
			g.findBinsInt(v, width)
			g.findBinsFloat(v, width)
			g.findBinsTree(v, width)
			switch v {
			case short:
				g.keepBins(avx2, width)
			case avx512:
				g.keepBins(avx512, width)
			}
		}
	}
	if g.plain() == short { // what NEON would do is what Go does
		g.countBins()
	}
}

// countBins writes the count of n bins, a multiple of 16, in two tables. It
// asks for the block of memory after the one whose bins they are, of step bytes
// for 16: it has nothing else to wait for.
func (g *gen) countBins() {
	g.begin("countBinsAVX2", "(tables *uint32, bins *uint16, n int, src *byte, step int)")
	tables, bins, n := g.param("tables"), g.param("bins"), g.param("n")
	src, step, half := g.param("src"), g.param("step"), g.GP64()
	g.MOVQ(n, half)
	g.SHRQ(operand.U8(4), half)
	g.IMULQ(step, half)
	g.ADDQ(half, src)
	g.MOVQ(step, half)
	g.SHRQ(operand.U8(1), half)
	g.Label("loop")
	g.PREFETCHT0(mem(src, 0))
	g.PREFETCHT0(operand.Mem{Base: src, Index: half, Scale: 1})
	g.ADDQ(step, src)
	for i := range 16 {
		c := g.GP32()
		g.MOVWLZX(mem(bins, 2*i), c)
		g.INCL(operand.Mem{Base: tables, Disp: i % 2 * countBytes, Index: c.As64(), Scale: 4})
	}
	g.ADDQ(operand.U8(32), bins)
	g.SUBQ(operand.U8(16), n)
	g.JNZ(operand.LabelRef("loop"))
	g.RET()
}

// countBytes is the size of the counts of all bins.
const countBytes = 2048 * 4

// findingBins starts a function over n elements and returns its addresses; the
// body sets the bins of a vector of elements, a lane each of 32 bits.
func (g *gen) findingBins(v isa, kind string, width int, params string, constants func(), body func(x reg.VecVirtual) reg.VecVirtual) {
	g.begin(name("findBins"+kind, width, v), fmt.Sprintf("(bins *uint16, src *int%d, n int, %s)", width, params))
	dst, src, n := g.param("bins"), g.param("src"), g.param("n")
	constants()
	lanes := v.bytes * 8 / width
	g.Label("loop")
	x := g.vec(v)
	g.move(v, mem(src, 0), x)
	g.PREFETCHT0(mem(src, passAhead))
	c := body(x)
	g.storeBins(v, width, c, mem(dst, 0))
	g.ADDQ(operand.I32(int32(v.bytes)), src)
	g.ADDQ(operand.U8(uint8(2*lanes)), dst)
	g.SUBQ(operand.U8(uint8(lanes)), n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// storeBins stores the lanes of a vector of bins as 16 bits each.
func (g *gen) storeBins(v isa, width int, c reg.VecVirtual, to operand.Mem) {
	upper := g.XMM()
	switch {
	case v == avx512:
		byWidth(width, nil, nil, g.VPMOVDW, g.VPMOVQW)(c, to)
	case v == shortARM && width == 32:
		g.neon("VUZP1", 16, c, c, c)
		g.VMOVQ(c, to)
	case v == shortARM:
		g.neon("VUZP1", 32, c, c, c)
		g.neon("VUZP1", 16, c, c, c)
		g.VMOVD(c, to)
	case width == 32:
		g.VEXTRACTI128(operand.U8(1), c, upper)
		g.VPACKUSDW(upper, c.AsX(), upper)
		g.VMOVDQU(upper, to)
	default:
		g.VEXTRACTI128(operand.U8(1), c, upper)
		g.VSHUFPS(operand.U8(0x88), upper, c.AsX(), upper)
		g.VPACKUSDW(upper, upper, upper)
		g.VMOVQ(upper, to)
	}
}

// findBinsInt writes the mapping of keys.
func (g *gen) findBinsInt(v isa, width int) {
	var lo, hi, shift reg.VecVirtual
	g.findingBins(v, "", width, fmt.Sprintf("lo, hi int%d, shift int", width), func() {
		lo, hi = g.broadcast(v, "lo", width), g.broadcast(v, "hi", width)
		distance := g.param("shift")
		if v == shortARM { // shifts to the left by each lane's own distance
			g.NEGQ(distance)
			shift = g.spread(v, distance, width)
			return
		}
		shift = g.XMM()
		g.VMOVQ(distance, shift)
	}, func(x reg.VecVirtual) reg.VecVirtual {
		switch {
		case width == 32:
			g.VPMAXSD(lo, x, x)
			g.VPMINSD(hi, x, x)
		case v == avx512:
			g.VPMAXSQ(lo, x, x)
			g.VPMINSQ(hi, x, x)
		default:
			out := g.vec(v)
			g.VPCMPGTQ(x, lo, out)
			g.VPBLENDVB(out, lo, x, x)
			g.VPCMPGTQ(hi, x, out)
			g.VPBLENDVB(out, hi, x, x)
		}
		byWidth(width, nil, nil, g.VPSUBD, g.VPSUBQ)(lo, x, x)
		if v == shortARM {
			g.neon("USHL", width, x, x, shift)
		} else {
			byWidth(width, nil, nil, g.VPSRLD, g.VPSRLQ)(shift, x, x)
		}
		return x
	})
}

// findBinsFloat writes the mapping of values.
func (g *gen) findBinsFloat(v isa, width int) {
	var from, factor, nan, last, zero reg.VecVirtual
	type ops = map[int]func(...operand.Op)
	sub, mul := ops{32: g.VSUBPS, 64: g.VSUBPD}[width], ops{32: g.VMULPS, 64: g.VMULPD}[width]
	least, most := ops{32: g.VMINPS, 64: g.VMINPD}[width], ops{32: g.VMAXPS, 64: g.VMAXPD}[width]
	compare := ops{32: g.VCMPPS, 64: g.VCMPPD}[width]
	params := fmt.Sprintf("from, factor, nan float%d", width)
	g.findingBins(v, "Float", width, params, func() {
		from, factor, nan = g.broadcastFloat(v, "from", width), g.broadcastFloat(v, "factor", width), g.broadcastFloat(v, "nan", width)
		zero, last = g.zero(v), g.ones(v)
		// -1, as a float, from all ones.
		switch {
		case width == 32:
			g.VCVTDQ2PS(last, last)
		case v == shortARM:
			g.neon("SCVTF", 64, last, last)
		default:
			g.VCVTDQ2PD(last.AsX(), last.AsY())
			if v == avx512 {
				g.VBROADCASTSD(last.AsX(), last)
			}
		}
		map[int]func(...operand.Op){32: g.VADDPS, 64: g.VADDPD}[width](nan, last, last)
	}, func(x reg.VecVirtual) reg.VecVirtual {
		t := g.vec(v)
		sub(from, x, t)
		mul(factor, t, t)
		least(last, t, t)
		most(zero, t, t)
		if v == avx512 {
			k := g.K()
			compare(operand.U8(3), x, x, k) // unordered
			if width == 32 {
				g.VMOVAPS(nan, k, t)
				g.VCVTTPS2DQ(t, t)
			} else {
				g.VMOVAPD(nan, k, t)
				g.VCVTTPD2QQ(t, t)
			}
			return t
		}
		u := g.vec(v)
		if v == shortARM {
			g.neon("FCMEQ", width, u, x, x)
			g.VPBLENDVB(u, t, nan, t)
			g.neon("FCVTZS", width, t, t)
			return t
		}
		compare(operand.U8(3), x, x, u)
		if width == 32 {
			g.VBLENDVPS(u, nan, t, t)
			g.VCVTTPS2DQ(t, t)
			return t
		}
		g.VBLENDVPD(u, nan, t, t)
		g.VCVTTPD2DQY(t, t.AsX())
		g.VPMOVZXDQ(t.AsX(), t)
		return t
	})
}

// findBinsTree writes the mapping of keys by a tree of splitters, with a cache line of
// them in a node: in each level the nodes before that of a key, and of its splitters
// those that are not greater, tell the node in the next one, and at last the bin.
func (g *gen) findBinsTree(v isa, width int) {
	g.begin(name("findBinsTree", width, v), fmt.Sprintf("(bins *uint16, src *int%[1]d, n int, tree *int%[1]d, last int)", width))
	dst, src, n := g.param("bins"), g.param("src"), g.param("n")
	tree, last := g.param("tree"), g.param("last")
	fan, x := treeNode/(width/8)+1, g.vec(v)
	g.Label("loop")
	byWidth(width, nil, nil, g.VPBROADCASTD, g.VPBROADCASTQ)(mem(src, 0), x)
	at, bin := g.GP64(), g.GP64()
	before, nodes := 0, 1 // of the levels above, and of the level
	for level := range treeLevels[width] {
		node := operand.Mem{Base: tree, Disp: before * treeNode}
		if level > 0 {
			g.MOVQ(bin, at)
			g.SHLQ(operand.U8(6), at)
			node.Index, node.Scale = at, 1
			g.IMUL3Q(operand.U8(uint8(fan)), bin, bin)
		} else {
			g.XORQ(bin, bin)
		}
		g.addAtMost(v, width, bin, node, x)
		before, nodes = before+nodes, nodes*fan
	}
	g.CMPQ(bin, last)
	g.CMOVQGT(last, bin)
	g.MOVW(bin.As16(), mem(dst, 0))
	g.ADDQ(operand.U8(uint8(width/8)), src)
	g.ADDQ(operand.U8(2), dst)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("loop"))
	g.VZEROUPPER()
	g.RET()
}

// The trees of splitters: bytes of a node, and levels by the width of keys.
const treeNode = 64

var treeLevels = map[int]int{32: 3, 64: 4}

// addAtMost adds to a count how many keys of a node are not greater than x.
func (g *gen) addAtMost(v isa, width int, count reg.GPVirtual, node operand.Mem, x reg.VecVirtual) {
	if v == avx512 {
		k, r := g.K(), g.GP64()
		byWidth(width, nil, nil, g.VPCMPD, g.VPCMPQ)(operand.U8(5), node, x, k)
		g.KMOVW(k, r.As32())
		g.POPCNTQ(r, r)
		g.ADDQ(r, count)
		return
	}
	if v == shortARM {
		g.addAtMostNEON(width, count, node, x)
		return
	}
	g.ADDQ(operand.U8(uint8(treeNode/(width/8))), count)
	for range treeNode / v.bytes {
		greater, r := g.YMM(), g.GP64()
		g.VMOVDQU(node, greater)
		byWidth(width, nil, nil, g.VPCMPGTD, g.VPCMPGTQ)(x, greater, greater)
		if width == 32 {
			g.VMOVMSKPS(greater, r.As32())
		} else {
			g.VMOVMSKPD(greater, r.As32())
		}
		g.POPCNTQ(r, r)
		g.SUBQ(r, count)
		node.Disp += v.bytes
	}
}

// addAtMostNEON adds the lanes that are set: -1 each.
func (g *gen) addAtMostNEON(width int, count reg.GPVirtual, node operand.Mem, x reg.VecVirtual) {
	from, r := g.GP64(), g.GP64()
	g.LEAQ(node, from)
	var at [4]reg.VecVirtual
	for i := range at {
		at[i] = g.XMM()
		g.VMOVDQU(mem(from, 16*i), at[i])
	}
	for i := range at {
		g.neon("CMGE", width, at[i], x, at[i])
	}
	for _, pair := range [][2]int{{0, 1}, {2, 3}, {0, 2}} {
		byWidth(width, nil, nil, g.VPADDD, g.VPADDQ)(at[pair[1]], at[pair[0]], at[pair[0]])
	}
	if width == 32 {
		g.neon("VADDV", 32, at[0], at[0])
		g.neon("VMOVR", 32, r, at[0])
		g.SUBL(r.As32(), count.As32())
		return
	}
	g.neon("VADDP", 64, at[0], at[0], at[0])
	g.neon("VMOVR", 64, r, at[0])
	g.SUBQ(r, count)
}

// broadcastFloat returns a vector of copies of a float parameter.
func (g *gen) broadcastFloat(v isa, name string, width int) reg.VecVirtual {
	x, vec := g.XMM(), g.vec(v)
	g.Load(g.Param(name), x)
	if width == 32 {
		g.VBROADCASTSS(x, vec)
	} else {
		g.VPBROADCASTQ(x, vec)
	}
	return vec
}

// keepBins writes the choice of keys by a set of bins, whose 2048 bits lie in
// four registers of AVX-512, and, where there are such, by being excluded those of their
// bins: as many keys at a time as a vector has 32-bit lanes.
func (g *gen) keepBins(v isa, width int) {
	params := "(dst *int%[1]d, dstBins *uint16, src *int%[1]d, bins *uint16, n int, set *uint32, excluded *int%[1]d, ahead int"
	if v == avx2 {
		params += ", orderBins, order *uint32"
	}
	g.begin(name("collectBins", width, v), fmt.Sprintf(params+") (kept int)", width))
	k := keeping{gen: g, v: v, width: width, dst: g.param("dst"), dstBins: g.param("dstBins"), src: g.param("src"), bins: g.param("bins")}
	n, from := g.param("n"), g.GP64()
	g.MOVQ(k.dstBins, from)
	k.load()
	ahead := g.param("ahead") // to the next block, which is not asked for elsewhere
	g.Label("loop")
	lanes := v.bytes / 4
	for line := 0; line < lanes*width/8; line += 64 {
		g.PREFETCHT0(operand.Mem{Base: k.src, Disp: line, Index: ahead, Scale: 1})
	}
	c := g.vec(v)
	g.VPMOVZXWD(mem(k.bins, 0), c)
	find, exclude, store := k.find, k.exclude, k.store
	if v == avx2 {
		find, exclude, store = k.find2, k.exclude2, k.store2
	}
	in := find(c)
	g.TESTQ(k.excluded, k.excluded)
	g.JZ(operand.LabelRef("all"))
	exclude(c, in)
	g.Label("all")
	r := store(c, in)
	g.LEAQ(operand.Mem{Base: k.dstBins, Index: r, Scale: 2}, k.dstBins)
	g.ADDQ(operand.I32(int32(width/8*lanes)), k.src)
	g.ADDQ(operand.U8(uint8(2*lanes)), k.bins)
	g.SUBQ(operand.U8(uint8(lanes)), n)
	g.JNZ(operand.LabelRef("loop"))
	g.SUBQ(from, k.dstBins)
	g.SHRQ(operand.U8(1), k.dstBins)
	g.ret("kept", k.dstBins)
	g.VZEROUPPER()
	g.RET()
}

// keeping holds the registers of the choice.
type keeping struct {
	*gen
	v                       isa
	width                   int
	dst, dstBins, src, bins reg.GPVirtual
	excluded                reg.GPVirtual
	words                   reg.GPVirtual // the set, of AVX2
	set                     [4]reg.VecVirtual
	one, upper, mask31      reg.VecVirtual
}

// load loads the set and the constants.
func (k *keeping) load() {
	set := k.param("set")
	k.excluded = k.param("excluded")
	k.mask31 = k.ones(k.v)
	k.VPSRLD(operand.U8(27), k.mask31, k.mask31)
	if k.v == avx2 {
		k.words = set
		return
	}
	for i := range k.set {
		k.set[i] = k.ZMM()
		k.VMOVDQU32(mem(set, 64*i), k.set[i])
	}
	k.one = k.zero(avx512)
	k.VPSUBD(k.ones(avx512), k.one, k.one)
	k.upper = k.ZMM()
	k.VPSLLD(operand.U8(10), k.one, k.upper)
}

// find returns the mask of the bins that are in the set.
func (k *keeping) find(c reg.VecVirtual) operand.Op {
	word, high, bit := k.ZMM(), k.ZMM(), k.ZMM()
	k.VPSRLD(operand.U8(5), c, word)
	k.VMOVDQA64(word, high)
	k.VPERMI2D(k.set[1], k.set[0], word) // of the lower 1024 bins
	k.VPERMI2D(k.set[3], k.set[2], high)
	isUpper := k.K()
	k.VPTESTMD(k.upper, c, isUpper)
	k.VMOVDQA32(high, isUpper, word)
	k.VPANDD(k.mask31, c, bit)
	k.VPSLLVD(bit, k.one, bit)
	in := k.K()
	k.VPTESTMD(bit, word, in)
	return in
}

// exclude takes away from a mask the keys that are those excluded of their bins.
func (k *keeping) exclude(c reg.VecVirtual, in operand.Op) {
	if k.width == 32 {
		todo, other := k.K(), k.zero(avx512)
		k.KMOVW(in, todo)
		k.VPGATHERDD(operand.Mem{Base: k.excluded, Index: c, Scale: 4}, todo, other)
		k.VPCMPD(operand.U8(4), mem(k.src, 0), other, in, in) // other != key
		return
	}
	half := k.YMM()
	low, rest := k.K(), k.K()
	for i := range 2 {
		todo, other, at := k.K(), k.zero(avx512), c.AsY()
		different := low
		if i == 1 {
			k.VEXTRACTI64X4(operand.U8(1), c, half)
			different, at = rest, half
		}
		k.KXNORB(todo, todo, todo)
		k.VPGATHERDQ(operand.Mem{Base: k.excluded, Index: at, Scale: 8}, todo, other)
		k.VPCMPQ(operand.U8(4), mem(k.src, 64*i), other, different)
	}
	k.KUNPCKBW(low, rest, rest)
	k.KANDW(rest, in, in)
}

// store stores the keys of a mask and their bins, moved to the front, and returns their number.
func (k *keeping) store(c reg.VecVirtual, in operand.Op) reg.GPVirtual {
	k.VPCOMPRESSD_Z(c, in, c)
	k.VPMOVDW(c, mem(k.dstBins, 0))
	r := k.GP64()
	k.KMOVW(in, r.As32())
	x := k.ZMM()
	if k.width == 32 {
		k.VMOVDQU32(mem(k.src, 0), x)
		k.VPCOMPRESSD_Z(x, in, x)
		k.VMOVDQU32(x, mem(k.dst, 0))
		k.POPCNTQ(r, r)
		k.LEAQ(operand.Mem{Base: k.dst, Index: r, Scale: 4}, k.dst)
		return r
	}
	for half := range 2 {
		h, count := k.K(), k.GP64()
		k.KSHIFTRW(operand.U8(uint8(8*half)), in, h)
		k.VMOVDQU64(mem(k.src, 64*half), x)
		k.VPCOMPRESSQ_Z(x, h, x)
		k.VMOVDQU64(x, mem(k.dst, 0))
		k.KMOVB(h, count.As32())
		k.POPCNTQ(count, count)
		k.LEAQ(operand.Mem{Base: k.dst, Index: count, Scale: 8}, k.dst)
	}
	k.POPCNTQ(r, r)
	return r
}

// find2 is find for AVX2: lanes are negative whose bins are in the set.
func (k *keeping) find2(c reg.VecVirtual) operand.Op {
	word, todo, bit, in := k.YMM(), k.ones(avx2), k.YMM(), k.zero(avx2)
	k.VPSRLD(operand.U8(5), c, word)
	k.VPANDN(k.mask31, c, bit) // 31 less the bit's number
	k.VPGATHERDD(todo, operand.Mem{Base: k.words, Index: word, Scale: 4}, in)
	k.VPSLLVD(bit, in, in)
	return in
}

// exclude2 is exclude for AVX2.
func (k *keeping) exclude2(c reg.VecVirtual, in operand.Op) {
	var same [2]reg.VecVirtual // of 64 bits a half each
	for i := range k.width / 32 {
		todo := k.ones(avx2)
		same[i] = k.zero(avx2)
		if k.width == 32 {
			k.VPGATHERDD(todo, operand.Mem{Base: k.excluded, Index: c, Scale: 4}, same[i])
			k.VPCMPEQD(mem(k.src, 0), same[i], same[i])
			continue
		}
		at := k.XMM()
		k.VEXTRACTI128(operand.U8(uint8(i)), c, at)
		k.VPGATHERDQ(todo, operand.Mem{Base: k.excluded, Index: at, Scale: 8}, same[i])
		k.VPCMPEQQ(mem(k.src, 32*i), same[i], same[i])
	}
	if k.width == 64 { // the halves of both take turns
		k.VPACKSSDW(same[1], same[0], same[0])
		k.VPERMQ(operand.U8(0xD8), same[0], same[0])
	}
	k.VPANDN(in, same[0], in)
}

// store2 is store for AVX2.
func (k *keeping) store2(_ reg.VecVirtual, in operand.Op) reg.GPVirtual {
	set, at, x := k.GP64(), k.GP64(), k.XMM()
	k.VMOVMSKPS(in, set.As32())
	k.MOVQ(set, at)
	k.VMOVDQU(mem(k.bins, 0), x)
	k.wordsToFront(k.param("orderBins"), at, x, x)
	k.VMOVDQU(x, mem(k.dstBins, 0))
	for part := range k.width / 32 {
		lanes, count, y, moved := k.GP64(), k.GP64(), k.YMM(), k.YMM()
		k.MOVQ(set, lanes)
		if part > 0 {
			k.SHRQ(operand.U8(4), lanes)
		} else if k.width == 64 {
			k.ANDQ(operand.U8(15), lanes)
		}
		k.POPCNTQ(lanes, count)
		k.VMOVDQU(mem(k.src, 32*part), y)
		k.toFront(k.param("order"), lanes, y, moved)
		k.VMOVDQU(moved, mem(k.dst, 0))
		k.LEAQ(operand.Mem{Base: k.dst, Index: count, Scale: uint8(k.width / 8)}, k.dst)
	}
	k.POPCNTQ(set, set)
	return set
}
