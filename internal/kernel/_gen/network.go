package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The offsets in networkArgs and in a program; see network_amd64.go.
const (
	argBase, argStride, argN, argEnd = 0, 8, 16, 24
	argLo, argHi, argStep, argQ      = 32, 40, 48, 56
	argTables, argCounts, argMemory  = 64, 72, 80
	argWhole, argHoled               = 88, 96
	argFlip, argInf, argLow          = 104, 112, 120
	argCode, argShift, argLanes      = 128, 136, 144
	argNaN, argLaneStep              = 160, 168
	argMiddles, argHalf, argNone     = 176, 184, 192
	argNearer                        = 200

	codeUnsigned, codeNegative = 1, 3 // signed, or a key, is below; float is between, with signs codeNegative

	lastRows, mergedRows         = 8, 16 // stages, after those of rows 0 to 15
	groups, picked, joins, above = 24, 28, 32, 36

	joinMax = 8 // rows of the second half

	tableBytes, pairTable = 64, 32     // of a quantile
	encoded, valid        = 2048, 4096 // in the memory, after the sorted rows
)

// rowsAhead is how far ahead rows are fetched, and the memory of middles: the
// hardware follows fewer streams than there may be rows. On one core 20x500000
// float32 take 1.4 ms by this, 1.5 at 384 and 1.7 at 256, and 32x300000 1.6, 2.4
// and 3.2.
const rowsAhead = 320

// encodeAhead is that of blocks with NaN, which take longer: 32x300000 float32
// with a tenth of NaN take 3.9 ms by this, and 4.9 at 384.
const encodeAhead = 256

// network is the writer of the selection networks, which keep up to 32 rows of a
// vector of lanes in registers. A vector of lanes is a block: its rows 0 to 29
// are in Z0 to Z29, rows 30 and 31 in memory. Two blocks of up to 8 rows are
// sorted together, from Z0 and from Z8 on: half of what is done beside sorting
// serves both. What depends on the width of a key is written for each of them,
// and the rest once.
type network struct {
	*gen
	width int // of the keys that instructions are for

	args, at, n, memory, program reg.GPVirtual // for the whole function
	src, step, pad               reg.GPVirtual // the rows of a block, what stands for more
	code                         reg.GPVirtual // the rows' code
	rows, stages, second         reg.GPVirtual // of the half that is sorted
	twin                         reg.GPVirtual // 8 if the next block is in the other rows of this half
}

// The registers beside the rows.
var (
	temp  = reg.Z30
	extra = reg.Z31 // the padding; when rows are checked for NaN, the largest key
)

// nearer are the lanes whose wanted row is among those four, two and one behind
// the first, of up to eight: all or none.
var nearer = [...]reg.OpmaskPhysical{reg.K5, reg.K6, reg.K7}

// row returns where row i of a block is.
func (n *network) row(i int) operand.Op {
	if i < 30 {
		return zs[i]
	}
	return mem(n.memory, 64*i)
}

var zs = [...]reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// to names a label as the target of a jump.
func to(label string) operand.LabelRef { return operand.LabelRef(label) }

// by returns the instruction for the width.
func (n *network) by(b, w, d, q func(...operand.Op)) func(...operand.Op) {
	return byWidth(n.width, b, w, d, q)
}

// of names a label of the width.
func (n *network) of(label string) string { return fmt.Sprintf("%s_%d", label, n.width) }

// turn jumps to the label of the width that the keys have.
func (n *network) turn(label string, widths ...int) {
	for _, width := range widths[:len(widths)-1] {
		n.CMPQ(mem(n.args, argShift), operand.U8(shiftOf(width/8)))
		n.JE(to(fmt.Sprintf("%s_%d", label, width)))
	}
	n.JMP(to(fmt.Sprintf("%s_%d", label, widths[len(widths)-1])))
}

func networks(g *gen) {
	n := &network{gen: g}
	n.begin("networkBlocksAVX512", "(a *byte)")
	n.args = n.param("a")
	n.at, n.n, n.memory, n.program = n.GP64(), n.GP64(), n.GP64(), n.GP64()
	n.src, n.step, n.pad, n.code = n.GP64(), n.GP64(), n.GP64(), n.GP64()
	n.rows, n.stages, n.second, n.twin = n.GP64(), n.GP64(), n.GP64(), n.GP64()
	n.XORQ(n.at, n.at)
	n.MOVQ(mem(n.args, argN), n.n)
	n.MOVQ(mem(n.args, argMemory), n.memory)
	n.MOVQ(mem(n.args, argWhole), n.program)
	for i, k := range nearer {
		n.KMOVQ(mem(n.args, argNearer+8*i), k)
	}

	n.Label("block")
	n.MOVQ(mem(n.args, argBase), n.src)
	n.ADDQ(n.at, n.src)
	n.MOVQ(mem(n.args, argStride), n.step)
	n.MOVQ(mem(n.args, argCode), n.code)
	n.LEAQ(mem(n.args, argInf), n.pad)
	n.XORQ(n.twin, n.twin)
	n.CMPQ(n.program, mem(n.args, argWhole))
	n.JNE(to("encode"))
	n.pair()
	n.Label("halves")
	n.XORQ(n.second, n.second)
	n.MOVQ(n.n, n.rows)
	n.MOVQ(n.program, n.stages)
	n.CMPQ(n.n, operand.U8(16))
	n.JLE(to("pads"))
	// The rows from 16 on come first, and make room.
	n.INCQ(n.second)
	n.SUBQ(operand.U8(16), n.rows)
	n.ADDQ(operand.U8(lastRows), n.stages)
	n.Label("pads")
	n.padding()
	n.Label("load")
	n.load()
	for _, n.width = range []int{8, 16, 32, 64} {
		if n.width > 8 {
			n.Label(n.of("float"))
			n.keys()
		}
		n.Label(n.of("sort"))
		n.sort()
		if n.width < 64 {
			n.JMP(to("rows"))
		}
	}
	n.store()
	n.makeRoom()
	n.encode()
	n.lanes()
	n.leave()
	n.Label("end")
	n.VZEROUPPER()
	n.RET()
}

// pair has short lanes that lie side by side sorted two blocks at a time, if there
// is another block.
func (n *network) pair() {
	n.CMPQ(n.n, operand.U8(8))
	n.JG(to("halves"))
	n.CMPQ(mem(n.args, argLaneStep), operand.U8(0))
	n.JNE(to("halves"))
	last := n.GP64()
	n.LEAQ(mem(n.at, 128), last)
	n.CMPQ(last, mem(n.args, argEnd))
	n.JG(to("halves"))
	n.MOVQ(operand.U32(8), n.twin)
}

// padding fills the eight rows that have the last one, or all sixteen of two
// blocks: a stage may take a step too many, and with padding that changes
// nothing.
func (n *network) padding() {
	n.VPBROADCASTQ(mem(n.pad, 0), extra)
	n.TESTQ(n.twin, n.twin)
	n.JNZ(to("upper"))
	n.CMPQ(n.rows, operand.U8(8))
	n.JLE(to("lower"))
	n.Label("upper")
	for i := range 16 {
		if i == 8 {
			n.TESTQ(n.twin, n.twin)
			n.JZ(to("load"))
			n.Label("lower")
		}
		n.VMOVDQA64(extra, zs[(8+i)%16])
	}
}

// load loads up to 16 rows: rows of them, of the first 16, or of those after
// these if this is the second half, or twice as many, from row 8 on of the next
// block. It turns to where they become keys.
func (n *network) load() {
	n.CMPQ(mem(n.args, argLaneStep), operand.U8(0))
	n.JNE(to("lanes"))
	from, step3 := n.GP64(), n.GP64()
	n.MOVQ(n.second, from)
	n.SHLQ(operand.U8(4), from)
	n.IMULQ(n.step, from)
	n.ADDQ(n.src, from)
	n.LEAQ(operand.Mem{Base: n.step, Index: n.step, Scale: 2}, step3)
	at := [4]operand.Mem{
		{Base: from},
		{Base: from, Index: n.step, Scale: 1},
		{Base: from, Index: n.step, Scale: 2},
		{Base: from, Index: step3, Scale: 1},
	}
	for i := range 16 {
		if i > 0 {
			n.CMPQ(n.rows, operand.U8(uint8(i)))
			n.JLE(to("loaded"))
		}
		if i > 0 && i%4 == 0 {
			n.LEAQ(operand.Mem{Base: from, Index: n.step, Scale: 4}, from)
		}
		if i == 8 {
			n.Label("loadNext")
		}
		ahead := at[i%4]
		n.VMOVDQU64(ahead, zs[i])
		ahead.Disp = rowsAhead
		n.PREFETCHT0(ahead)
	}
	n.Label("loaded")
	n.CMPQ(n.twin, n.rows)
	n.JL(to("complete"))
	n.ADDQ(n.twin, n.rows)
	n.LEAQ(mem(n.src, 64), from)
	n.JMP(to("loadNext"))
	n.Label("complete")
	n.CMPQ(n.code, operand.U8(codeUnsigned))
	n.JLT(to("keys"))
	n.JEQ(to("unsigned"))
	n.signs()
	n.turn("float", 32, 16, 64)
	n.Label("unsigned")
	n.VPBROADCASTQ(mem(n.args, argFlip), temp) // also in the padding
	n.each(8, "keys", func(row operand.Op) { n.VPXORQ(temp, row, row) })
	n.Label("keys")
	n.turn("sort", 32, 8, 16, 64)
}

// signs turns to where rows are sorted if they are floats without signs, whose
// bits are keys. After a block with signs no other is looked at: 7 rows take an
// eighth less time so, and those with signs no more.
func (n *network) signs() {
	const or, orAndNot = 0xFE, 0x54
	n.CMPQ(n.code, operand.U8(codeNegative))
	n.JEQ(to("negative"))
	n.VMOVDQA64(zs[0], temp)
	for i := 1; i < 16; i += 2 {
		if i == 7 {
			n.CMPQ(n.rows, operand.U8(8))
			n.JLE(to("signs"))
			i = 8
		}
		n.VPTERNLOGQ(operand.U8(or), zs[i+1], zs[i], temp)
	}
	n.Label("signs")
	n.VPTERNLOGQ_BCST(operand.U8(orAndNot), mem(n.args, argLow), zs[7], temp)
	n.VPTESTMQ(temp, temp, reg.K1)
	n.KORTESTB(reg.K1, reg.K1)
	n.JZ(to("keys"))
	n.MOVQ(operand.U32(codeNegative), mem(n.args, argCode))
	n.Label("negative")
}

// each does something to all rows, so many at a time, and turns to a label when
// there are no more.
func (n *network) each(few int, label string, do func(row operand.Op)) {
	for i := range 16 {
		if i > 0 && i%few == 0 {
			n.CMPQ(n.rows, operand.U8(uint8(i)))
			n.JLE(to(label))
		}
		do(zs[i])
	}
}

// keys turns floats into keys.
func (n *network) keys() {
	n.each(4, n.of("sort"), n.keyed)
}

// keyed turns a row of floats into keys, or the reverse.
func (n *network) keyed(row operand.Op) {
	n.by(nil, n.VPSRAW, n.VPSRAD, n.VPSRAQ)(operand.U8(uint8(n.width-1)), row, temp)
	n.VPTERNLOGQ_BCST(operand.U8(0x78), mem(n.args, argLow), temp, row) // x ^ sign&low
}

// join finds row k, and the one above it, from the sorted halves a and b in
// memory. The smallest k+1 elements are the lesser ones of the pairs of a[i] and
// b[k-i], where one that is not there is the greater one; so row k is the greatest
// of them, and the next row the least of the greater ones and a[k+1]. Of the
// elements of a without a partner the last one is as great as all.
func (n *network) join(table, base, left reg.GPVirtual) {
	lo, hi, a, b, t := zs[0], zs[1], zs[2], zs[3], zs[4]
	n.Label("join")
	n.MOVL(mem(n.program, above), base.As32())
	n.ADDQ(n.memory, base)
	n.VMOVDQU64(operand.Mem{Base: base, Index: left, Scale: 1, Disp: -64}, lo)
	n.VMOVDQU64(mem(base, 0), hi)
	n.turn("join", 8, 16, 32, 64)
	for _, n.width = range []int{8, 16, 32, 64} {
		n.Label(n.of("join"))
		n.VMOVDQU64(operand.Mem{Base: base, Index: left, Scale: 1}, a)
		n.VMOVDQU64(operand.Mem{Base: n.memory, Index: left, Scale: 1, Disp: 32 * 64}, b)
		n.min(a, b, t)
		n.max(a, b, b)
		n.max(t, lo, lo)
		n.min(b, hi, hi)
		n.ADDQ(operand.U8(64), left)
		n.JNZ(to(n.of("join")))
		if n.width < 64 {
			n.JMP(to("joined"))
		}
	}
	n.Label("joined")
	n.MOVBLZX(operand.Mem{Base: table, Index: n.n, Scale: 1, Disp: pairTable - 1}, left.As32())
	n.TESTQ(left, left)
	n.JNZ(to("chosen"))
	n.VMOVDQA64(lo, hi)
	n.JMP(to("chosen"))
}

// store writes the answers of a block without NaN. For middles of up to eight
// rows they stay in registers.
func (n *network) store() {
	n.Label("rows")
	table, lo, hi, left := n.answers()
	from, next, mask := n.GP64(), n.GP64(), n.GP64()
	n.CMPQ(n.program, mem(n.args, argWhole))
	n.JNE(to("store"))
	n.CMPQ(mem(n.args, argMiddles), operand.U8(0))
	n.JE(to("store"))
	n.CMPQ(n.n, operand.U8(8))
	n.JG(to("store"))
	// The wanted row, and the one behind it, come to the front.
	for i, k := range nearer {
		few := 4 >> i
		for r := range min(few+1, 4) {
			n.VMOVDQA64(zs[r+few], k, zs[r])
			n.VMOVDQA64(zs[8+r+few], k, zs[8+r])
		}
	}
	n.MOVBLZX(operand.Mem{Base: table, Index: n.n, Scale: 1, Disp: pairTable - 1}, next.As32())
	n.JMP(to("middles"))
	n.storeGroups(mask)
	n.CMPQ(n.program, mem(n.args, argWhole))
	n.JNE(to("quantileOf"))
	n.MOVLQSX(mem(n.program, joins), next)
	n.TESTQ(next, next)
	n.JNZ(to("join"))
	n.choose(table, lo, hi, left, from, next)
	n.advance()
	n.pick(table, lo, hi, left, from, next)
	n.middles(lo, left, next)
	n.join(table, from, next)
}

// storeGroups writes the groups of four rows with a wanted one to memory.
func (n *network) storeGroups(mask reg.GPVirtual) {
	n.Label("store")
	n.MOVL(mem(n.program, groups), mask.As32())
	n.TESTQ(n.twin, n.twin)
	n.JZ(to("groups"))
	n.LEAL(operand.Mem{Base: mask, Index: mask, Scale: 4}, mask.As32())
	n.Label("groups")
	for i := 0; i < 32; i += 4 {
		label := fmt.Sprintf("group_%d", i)
		n.TESTL(operand.U32(1<<(i/4)), mask.As32())
		n.JZ(to(label))
		for r := i; r < min(i+4, 30); r++ {
			n.VMOVDQU64(zs[r], mem(n.memory, 64*r))
		}
		if i < 28 {
			n.CMPL(mask.As32(), operand.U32(1<<(i/4+1)))
			n.JLT(to("stored"))
		}
		n.Label(label)
	}
	n.Label("stored")
}

// choose writes the answers of lanes without NaN, quantile by quantile.
func (n *network) choose(table, lo, hi, left, from, next reg.GPVirtual) {
	n.Label("quantile")
	n.MOVBLZX(operand.Mem{Base: table, Index: n.n, Scale: 1, Disp: -1}, from.As32())
	n.MOVBLZX(operand.Mem{Base: table, Index: n.n, Scale: 1, Disp: pairTable - 1}, next.As32())
	n.SHLQ(operand.U8(6), from)
	n.SHLQ(operand.U8(6), next)
	n.ADDQ(n.memory, from)
	n.VMOVDQU64(mem(from, 0), zs[0])
	n.VMOVDQU64(operand.Mem{Base: from, Index: next, Scale: 1}, zs[1])
	n.Label("chosen")
	n.CMPQ(mem(n.args, argMiddles), operand.U8(0))
	n.JNE(to("middles"))
	n.TESTQ(n.twin, n.twin)
	n.JZ(to("one"))
	n.VMOVDQU64(mem(from, 8*64), zs[2])
	n.VMOVDQU64(operand.Mem{Base: from, Index: next, Scale: 1, Disp: 8 * 64}, zs[3])
	n.VMOVDQU64(zs[2], mem(lo, 64))
	n.VMOVDQU64(zs[3], mem(hi, 64))
	n.Label("one")
	n.answer(table, lo, hi, left, "quantile")
	n.VPBROADCASTB(n.n.As32(), zs[0])
	n.count("next")
}

// advance goes on to the next block of lanes, if there is one.
func (n *network) advance() {
	n.Label("next")
	last := n.GP64()
	n.LEAQ(operand.Mem{Base: n.at, Index: n.twin, Scale: 8, Disp: 64}, n.at)
	n.MOVQ(mem(n.args, argEnd), last)
	n.CMPQ(n.at, last)
	n.JGE(to("end"))
	// The last block overlaps the one before it if the lanes are no multiple.
	n.SUBQ(operand.U8(64), last)
	n.CMPQ(n.at, last)
	n.CMOVQGT(last, n.at)
	n.JMP(to("block"))
}

// answers returns the table of the first quantile, where its answers go, and
// the number of quantiles.
func (n *network) answers() (table, lo, hi, left reg.GPVirtual) {
	table, lo, hi, left = n.GP64(), n.GP64(), n.GP64(), n.GP64()
	n.MOVQ(mem(n.args, argTables), table)
	n.MOVQ(mem(n.args, argLo), lo)
	n.ADDQ(n.at, lo)
	n.MOVQ(mem(n.args, argHi), hi)
	n.ADDQ(n.at, hi)
	n.MOVQ(mem(n.args, argQ), left)
	return table, lo, hi, left
}

// answer writes Z0 and Z1 as the answers of a quantile and goes on to the next.
func (n *network) answer(table, lo, hi, left reg.GPVirtual, again string) {
	n.VMOVDQU64(zs[0], mem(lo, 0))
	n.VMOVDQU64(zs[1], mem(hi, 0))
	n.ADDQ(operand.U8(tableBytes), table)
	n.ADDQ(mem(n.args, argStep), lo)
	n.ADDQ(mem(n.args, argStep), hi)
	n.DECQ(left)
	n.JNZ(to(again))
}

// count stores the bytes of Z0 as the counts of the lanes of a block, or turns
// to a label if they are not asked for.
func (n *network) count(none string) {
	n.CMPQ(mem(n.args, argCounts), operand.U8(0))
	n.JE(to(none))
	dst := n.GP64()
	n.MOVQ(mem(n.args, argShift), dst)
	n.SHRXQ(dst, n.at, dst)
	n.ADDQ(mem(n.args, argCounts), dst)
	n.KMOVQ(operand.Mem{Base: n.args, Index: n.twin, Scale: 1, Disp: argLanes}, reg.K1)
	n.VMOVDQU8(zs[0], reg.K1, mem(dst, 0))
}
