package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanesAhead is how far ahead lanes of adjacent elements are fetched. A million
// lanes of 10 float32 take 3.2 ms on one core of a busy machine, 3.8 at half of
// it, 3.3 at twice and 3.6 at four times as much.
const lanesAhead = 2048

// lanes loads up to 16 rows of a block from 16 lanes of adjacent elements of 32
// bits: the first 16 of each, or those after these if this is the second half.
// Rows behind them hold padding.
//
// Four lanes are transposed by quarters of a vector; then there are four
// vectors of lanes for each place in a quarter, and these transpose the quarters.
func (n *network) lanes() {
	n.Label("lanes")
	from, step, step3, t := n.src, n.step, n.pad, n.GP64()
	n.MOVQ(n.at, from)
	n.SHRQ(operand.U8(2), from)
	n.MOVQ(mem(n.args, argLaneStep), step)
	n.IMULQ(step, from)
	n.ADDQ(mem(n.args, argBase), from)
	n.MOVQ(n.second, t)
	n.SHLQ(operand.U8(6), t)
	n.ADDQ(t, from)
	n.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step3)
	n.MOVL(operand.U32(0xFFFF), t.As32())
	n.BZHIL(n.rows.As32(), t.As32(), t.As32())
	n.KMOVW(t.As32(), reg.K1)
	for lane := range 16 {
		at := [4]operand.Mem{
			{Base: from},
			{Base: from, Index: step, Scale: 1},
			{Base: from, Index: step, Scale: 2},
			{Base: from, Index: step3, Scale: 1},
		}[lane%4]
		if lane > 0 && lane%4 == 0 {
			n.LEAQ(operand.Mem{Base: from, Index: step, Scale: 4}, from)
		}
		x := zs[[4]int{0, 8, 4, 12}[lane/4]+lane%4]
		n.VPBLENDMD(at, extra, reg.K1, x)
		at.Disp = lanesAhead
		n.PREFETCHT0(at)
	}
	n.transposeLanes()
	n.JMP(to("loaded"))
}

// transposeLanes transposes the lanes: by quarters of a vector, and then the quarters.
func (n *network) transposeLanes() {
	for i := 0; i < 16; i += 4 {
		a, b, c, d := zs[i], zs[i+1], zs[i+2], zs[i+3]
		n.VPUNPCKLDQ(c, a, temp)
		n.VPUNPCKHDQ(c, a, c)
		n.VPUNPCKLDQ(d, b, a)
		n.VPUNPCKHDQ(d, b, d)
		n.VPUNPCKHDQ(a, temp, b)
		n.VPUNPCKLDQ(a, temp, a)
		n.VPUNPCKLDQ(d, c, temp)
		n.VPUNPCKHDQ(d, c, d)
		n.VMOVDQA64(temp, c)
	}
	const lower, upper, even, odd = 0x44, 0xEE, 0x88, 0xDD // of the quarters of both
	for i := range 4 {
		a, b, c, d := zs[i], zs[i+4], zs[i+8], zs[i+12]
		few, both := fmt.Sprintf("few_%d", i), fmt.Sprintf("both_%d", i)
		n.CMPQ(n.rows, operand.U8(uint8(8+i)))
		n.JLE(to(few))
		n.VSHUFI32X4(operand.U8(upper), c, a, temp)
		n.VSHUFI32X4(operand.U8(lower), c, a, a)
		n.VSHUFI32X4(operand.U8(upper), d, b, c)
		n.VSHUFI32X4(operand.U8(lower), d, b, b)
		n.VSHUFI32X4(operand.U8(odd), c, temp, d)
		n.VSHUFI32X4(operand.U8(even), c, temp, c)
		n.JMP(to(both))
		n.Label(few)
		n.VSHUFI32X4(operand.U8(lower), c, a, a)
		n.VSHUFI32X4(operand.U8(lower), d, b, b)
		n.VMOVDQA64(extra, c)
		n.VMOVDQA64(extra, d)
		n.Label(both)
		n.VSHUFI32X4(operand.U8(even), b, a, temp)
		n.VSHUFI32X4(operand.U8(odd), b, a, b)
		n.VMOVDQA64(temp, a)
	}
}

// leave ends at a block of lanes that has a NaN.
func (n *network) leave() {
	n.Label("leave")
	n.MOVQ(n.at, mem(n.args, argEnd))
	n.JMP(to("end"))
}
