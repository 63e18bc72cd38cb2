package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pick writes the answers of a block with NaN, each lane's by its count of
// values, given the registers of answers and of middles.
func (n *network) pick(table, lo, hi, left, row, next reg.GPVirtual) {
	index, ranks, pairs, ones := zs[4], zs[2], zs[3], zs[5]
	rows := next // to do
	n.Label("quantileOf")
	n.MOVQ(n.memory, row)
	n.MOVL(mem(n.program, picked), rows.As32())
	n.VPTERNLOGQ(operand.U8(0xFF), ones, ones, ones)
	n.VMOVDQU64(mem(n.memory, valid), zs[0])
	n.turn("lookup", 16, 32, 64)
	for _, n.width = range []int{16, 32, 64} {
		add, none := n.by(nil, n.VPADDW, n.VPADDD, n.VPADDQ), n.by(nil, n.VPTESTNMW, n.VPTESTNMD, n.VPTESTNMQ)
		move := n.by(nil, n.VMOVDQU16, n.VMOVDQU32, n.VMOVDQU64)
		n.Label(n.of("lookup"))
		all := map[int]reg.Register{16: n.n.As32(), 32: n.n.As32(), 64: n.n}[n.width]
		n.by(nil, n.VPBROADCASTW, n.VPBROADCASTD, n.VPBROADCASTQ)(all, zs[1])
		n.by(nil, n.VPCMPW, n.VPCMPD, n.VPCMPQ)(operand.U8(4), zs[0], zs[1], reg.K2)
		add(ones, zs[0], index)
		n.lookup(table, 0, index, ranks)
		n.lookup(table, pairTable, index, pairs)
		n.Label(n.of("row"))
		none(ranks, ranks, reg.K1)
		move(mem(row, 0), reg.K1, zs[0])
		move(mem(row, 64), reg.K1, zs[1])
		add(ones, ranks, ranks)
		n.ADDQ(operand.U8(64), row)
		n.DECQ(rows)
		n.JNZ(to(n.of("row")))
		none(pairs, pairs, reg.K1)
		move(zs[0], reg.K1, zs[1])
		if n.width < 64 {
			n.JMP(to("answer"))
		}
	}
	n.Label("answer")
	n.MOVL(operand.U32(1), next.As32())
	n.CMPQ(mem(n.args, argMiddles), operand.U8(0))
	n.JNE(to("middles"))
	n.answer(table, lo, hi, left, "quantileOf")
	n.Label("noted")
	// If the block turns out to have no NaN, the next one is expected to have
	// none.
	n.KORTESTQ(reg.K2, reg.K2)
	n.JNZ(to("next"))
	n.MOVQ(mem(n.args, argWhole), n.program)
	n.JMP(to("next"))
}

// middles writes the middles of Z0 and Z1, or Z0 if next is 0, as elements, and
// those of Z8 and Z9 if the next block was sorted too. It computes what middle
// does.
func (n *network) middles(lo, left, next reg.GPVirtual) {
	a, b, sum, middle, t := zs[0], zs[1], zs[2], zs[3], zs[4]
	n.Label("middles")
	n.turn("middle", 32, 64)
	for _, n.width = range []int{32, 64} {
		by := func(d, q func(...operand.Op)) func(...operand.Op) { return n.by(nil, nil, d, q) }
		compare, half := by(n.VCMPPS, n.VCMPPD), mem(n.args, argHalf)
		n.Label(n.of("middle"))
		n.keyed(a)
		n.TESTQ(next, next)
		n.JZ(to("middle"))
		n.keyed(b)
		by(n.VADDPS, n.VADDPD)(b, a, sum)
		by(n.VMULPS_BCST, n.VMULPD_BCST)(half, sum, middle)
		by(n.VSUBPS, n.VSUBPD)(sum, sum, t)
		compare(operand.U8(unordered), t, t, reg.K3) // the sum overflows or has an infinite term
		by(n.VMULPS_BCST, n.VMULPD_BCST)(half, b, reg.K3, middle)
		by(n.VFMADD231PS_BCST, n.VFMADD231PD_BCST)(half, a, reg.K3, middle)
		compare(operand.U8(unordered), sum, sum, reg.K3)
		compare(operand.U8(different), b, a, reg.K4)
		by(n.VMOVAPS, n.VMOVAPD)(middle, reg.K4, a)
		by(n.VPBROADCASTD, n.VPBROADCASTQ)(mem(n.args, argNone), reg.K3, a)
		if n.width == 32 {
			n.JMP(to("middle"))
		}
	}
	n.Label("middle")
	n.VMOVDQU64(a, mem(lo, 0))
	n.PREFETCHT0(mem(lo, rowsAhead))
	n.CMPQ(n.program, mem(n.args, argWhole))
	n.JNE(to("noted"))
	n.DECQ(left)
	n.JS(to("next"))
	n.TESTQ(n.twin, n.twin)
	n.JZ(to("next"))
	n.ADDQ(operand.U8(64), lo)
	n.VMOVDQA64(zs[8], a)
	n.VMOVDQA64(zs[9], b)
	n.JMP(to("middles"))
}

// lookup sets each lane of dst to the entry of a table of 32 bytes.
func (n *network) lookup(table reg.GPVirtual, offset int, index, dst reg.VecPhysical) {
	n.VMOVDQA64(index, dst)
	switch n.width {
	case 16:
		n.VPMOVSXBW(mem(table, offset), zs[6])
		n.VPERMI2W(zs[6], zs[6], dst)
	case 32:
		n.VPMOVSXBD(mem(table, offset), zs[6])
		n.VPMOVSXBD(mem(table, offset+16), zs[7])
		n.VPERMI2D(zs[7], zs[6], dst)
	default:
		// The entry to the lower half of a lane, 0 to the upper one.
		bits := n.GP32()
		n.MOVL(operand.U32(0x5555), bits)
		n.KMOVW(bits, reg.K3)
		n.VPMOVSXBD(mem(table, offset), zs[6])
		n.VPMOVSXBD(mem(table, offset+16), zs[7])
		n.VPERMI2D_Z(zs[7], zs[6], reg.K3, dst)
	}
}

// encode turns a block with NaN into keys in memory, counting the values of
// each lane, and has it sorted from there.
func (n *network) encode() {
	n.Label("holed")
	n.XORQ(n.twin, n.twin)
	n.CMPQ(mem(n.args, argLaneStep), operand.U8(0))
	n.JNE(to("leave"))
	n.MOVQ(mem(n.args, argHoled), n.program)
	n.MOVQ(operand.U32(1), mem(n.args, argNaN))
	n.MOVQ(mem(n.args, argBase), n.src)
	n.ADDQ(n.at, n.src)
	n.MOVQ(mem(n.args, argStride), n.step)
	n.Label("encode")
	x, t, low, inf, ones, counts := zs[0], zs[1], zs[2], zs[3], zs[4], zs[5]
	n.XORQ(n.code, n.code)
	n.LEAQ(mem(n.args, argLow), n.pad)
	n.VPBROADCASTQ(mem(n.pad, 0), low)
	n.VPBROADCASTQ(mem(n.args, argInf), inf)
	n.VPADDQ(inf, inf, inf)
	n.VPTERNLOGQ(operand.U8(0xFF), ones, ones, ones)
	n.VPXORQ(counts, counts, counts)
	dst, left := n.GP64(), n.GP64()
	n.LEAQ(mem(n.memory, encoded), dst)
	n.MOVQ(n.n, left)
	n.turn("encode", 16, 32, 64)
	for _, n.width = range []int{16, 32, 64} {
		n.Label(n.of("encode"))
		n.VMOVDQU64(mem(n.src, 0), x)
		n.PREFETCHT0(mem(n.src, encodeAhead))
		n.by(nil, n.VPADDW, n.VPADDD, n.VPADDQ)(x, x, t)                            // drops the sign
		n.by(nil, n.VPCMPUW, n.VPCMPUD, n.VPCMPUQ)(operand.U8(2), inf, t, reg.K1)   // t <= inf
		n.by(nil, n.VPSRAW, n.VPSRAD, n.VPSRAQ)(operand.U8(uint8(n.width-1)), x, t) // sign
		n.VPTERNLOGQ(operand.U8(0x78), low, t, x)                                   // x ^ sign&low
		n.by(nil, n.VPBLENDMW, n.VPBLENDMD, n.VPBLENDMQ)(x, low, reg.K1, x)         // NaN: the largest
		n.by(nil, n.VPSUBW, n.VPSUBD, n.VPSUBQ)(ones, counts, reg.K1, counts)       // a value more
		n.VMOVDQU64(x, mem(dst, 0))
		n.ADDQ(n.step, n.src)
		n.ADDQ(operand.U8(64), dst)
		n.DECQ(left)
		n.JNZ(to(n.of("encode")))
		n.by(nil, n.VPMOVWB, n.VPMOVDB, n.VPMOVQB)(counts, map[int]reg.Register{16: reg.Y0, 32: reg.X0, 64: reg.X0}[n.width])
		if n.width < 64 {
			n.JMP(to("encoded"))
		}
	}
	n.Label("encoded")
	n.VMOVDQU64(counts, mem(n.memory, valid))
	n.LEAQ(mem(n.memory, encoded), n.src)
	n.MOVQ(operand.U32(64), n.step)
	n.count("halves")
	n.JMP(to("halves"))
}
