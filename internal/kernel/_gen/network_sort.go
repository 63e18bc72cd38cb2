package main

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sort sorts up to 16 rows, and merges both halves.
func (n *network) sort() {
	n.sortEight(0)
	n.Label(n.of("others"))
	n.CMPQ(n.rows, operand.U8(8))
	n.JLE(to(n.of("eights")))
	n.sortEight(8)
	n.Label(n.of("eights"))
	if n.width > 8 {
		n.check()
	}
	n.CMPQ(n.rows, operand.U8(8))
	n.JLE(to(n.of("ordered")))
	n.TESTQ(n.twin, n.twin)
	n.JNZ(to("rows"))
	for k := 8; k >= 1; k /= 2 {
		n.stage(8, k, n.stages, 0)
	}
	n.Label(n.of("ordered"))
	n.TESTQ(n.second, n.second)
	n.JNZ(to("makeRoom"))
	n.CMPB(mem(n.program, mergedRows), operand.U8(0))
	n.JEQ(to("rows"))
	for k := 16; k >= 1; k /= 2 {
		n.stage(16, k, n.program, mergedRows)
	}
}

// The pairs of rows that sort two, four that begin with these, five that begin
// with these four, and eight that are two fours. The first of a pair changes its
// register, and in this order almost all find back.
var (
	two   = [][2]int{{0, 1}}
	four  = [][2]int{{2, 3}, {2, 0}, {1, 3}, {1, 2}}
	five  = [][2]int{{4, 0}, {2, 4}, {2, 1}, {4, 3}}
	eight = [][2]int{{0, 4}, {5, 1}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {2, 1}, {3, 4}, {5, 6}}
)

// sortEight sorts rows first to first+7, or of these the first two, four or
// five, if there are no more.
func (n *network) sortEight(first int) {
	done, fifth, rows := to(n.of("eights")), n.of(fmt.Sprintf("fifth_%d", first)), n.rows
	if first == 0 {
		rows = n.n // also of blocks that are sorted together
	}
	n.steps(first, two)
	n.top(first, first+1)
	n.CMPQ(n.rows, operand.U8(uint8(first+2)))
	n.JLE(done)
	n.steps(first, four)
	n.top(first, first+3)
	n.CMPQ(n.rows, operand.U8(uint8(first+4)))
	n.JLE(done)
	if first == 0 {
		n.CMPQ(n.n, operand.U8(4))
		n.JLE(to(n.of("others")))
	}
	n.CMPQ(rows, operand.U8(uint8(first+5)))
	n.JLE(to(fifth))
	n.steps(first+4, two)
	n.steps(first+4, four)
	n.steps(first, eight)
	n.top(first, first+7)
	if first == 0 {
		n.JMP(to(n.of("others")))
	} else {
		n.JMP(done)
	}
	n.Label(fifth)
	n.steps(first, five)
	n.top(first, first+4)
}

// top notes the last row of those sorted from first on, which has the largest
// keys.
func (n *network) top(first, last int) {
	switch {
	case n.width == 8:
	case first == 0:
		n.VMOVDQA64(zs[last], extra)
	default:
		n.max(zs[last], extra, extra)
	}
}

// steps orders pairs of rows, counted from first.
func (n *network) steps(first int, pairs [][2]int) {
	var at [8]operand.Op
	for i := range at {
		at[i] = zs[first+i]
	}
	var free operand.Op = temp
	for _, s := range pairs {
		a, b := at[min(s[0], s[1])], at[max(s[0], s[1])]
		if s[0] < s[1] {
			n.min(a, b, free)
			n.max(a, b, b)
		} else {
			n.max(a, b, free)
			n.min(a, b, a)
		}
		at[s[0]], free = free, at[s[0]]
	}
	for free != operand.Op(temp) {
		i := slices.Index(zs[:], free.(reg.VecPhysical)) - first
		n.VMOVDQA64(at[i], free)
		at[i], free = free, at[i]
	}
	for i, r := range at {
		if r != operand.Op(zs[first+i]) {
			panic("rows are not in their registers")
		}
	}
}

// order orders rows a and b.
func (n *network) order(a, b int) {
	x, y := n.row(a), n.row(b)
	if b < 30 {
		n.min(x, y, temp)
		n.max(x, y, y)
	} else {
		n.min(y, x, temp)
		n.max(y, x, x)
		n.VMOVDQU64(x, y)
	}
	n.VMOVDQA64(temp, x)
}

// check turns to where blocks with NaN are encoded if one has been sorted by
// eights: NaN is above +Inf or, with the sign set, below -Inf.
func (n *network) check() {
	n.CMPQ(n.code, operand.U8(codeUnsigned))
	n.JLE(to(n.of("merge")))
	n.VMOVDQA64(zs[0], temp)
	n.CMPQ(n.rows, operand.U8(8))
	n.JLE(to(n.of("check")))
	n.min(zs[8], temp, temp)
	n.Label(n.of("check"))
	n.VPTERNLOGQ(operand.U8(0x55), temp, temp, temp) // below -Inf becomes above +Inf
	n.max(temp, extra, extra)
	n.VPBROADCASTQ(mem(n.args, argInf), temp)
	n.by(nil, n.VPCMPW, n.VPCMPD, n.VPCMPQ)(operand.U8(6), temp, extra, reg.K1) // extra > inf
	n.KORTESTQ(reg.K1, reg.K1)
	n.JNZ(to("holed"))
	n.Label(n.of("merge"))
}

func (n *network) min(a, b, dst operand.Op) {
	n.by(n.VPMINSB, n.VPMINSW, n.VPMINSD, n.VPMINSQ)(a, b, dst)
}

func (n *network) max(a, b, dst operand.Op) {
	n.by(n.VPMAXSB, n.VPMAXSW, n.VPMAXSD, n.VPMAXSQ)(a, b, dst)
}

// stage writes the steps of distance k of the merge of two sorted runs of p rows
// (Batcher's odd-even merge sort; Knuth, TAOCP 3, 5.3.4). Each orders rows a and
// b. They are taken a few at a time, none of which has rows behind the padding if
// another has not, up to those with the stage's last bit; in the last stages
// without the first half, if these have none.
func (n *network) stage(p, k int, stages reg.Register, offset int) {
	few := p / 4 // rows of a bit; in the last stages those of two are taken together
	if k <= p/4 {
		few = p / 2
	}
	var steps [8][][2]int
	for j := k % p; j+k < 2*p; j += 2 * k {
		for i := j; i < j+min(k, 2*p-j-k); i++ {
			steps[(i+k)/few] = append(steps[(i+k)/few], [2]int{i, i + k})
		}
	}
	end, half := n.of(fmt.Sprintf("stage_%d_%d", p, k)), n.of(fmt.Sprintf("half_%d_%d", p, k))
	wanted := n.GP32()
	n.MOVBLZX(mem(stages, offset+bits.Len(uint(p))-bits.Len(uint(k))), wanted)
	for at, steps := range steps {
		if k <= p/4 && at == 0 {
			n.TESTB(operand.U8(0x0F), wanted.As8())
			n.JZ(to(half))
		}
		if k <= p/4 && at == 2 {
			n.Label(half)
		}
		if len(steps) == 0 {
			continue
		}
		if at > 0 {
			n.CMPL(wanted, operand.U8(uint8(1<<(at*few/(p/4)))))
			n.JCS(to(end))
		}
		for _, s := range steps {
			n.order(s[0], s[1])
		}
	}
	n.Label(end)
}

// makeRoom moves the rows of the second half to their places, or those that are
// joined to memory, the last one first, and turns to the first half.
func (n *network) makeRoom() {
	n.Label("makeRoom")
	n.CMPL(mem(n.program, joins), operand.U8(0))
	n.JEQ(to("move"))
	for i := range joinMax {
		if i > 0 && i%4 == 0 {
			n.CMPQ(n.rows, operand.U8(uint8(i)))
			n.JLE(to("room"))
		}
		n.VMOVDQU64(zs[i], mem(n.memory, 64*(31-i)))
	}
	n.JMP(to("room"))
	n.Label("move")
	for i := range 14 {
		n.VMOVDQA64(zs[i], zs[16+i])
	}
	n.CMPQ(n.n, operand.U8(24))
	n.JLE(to("room"))
	n.VMOVDQU64(zs[14], n.row(30))
	n.VMOVDQU64(zs[15], n.row(31))
	n.Label("room")
	n.XORQ(n.second, n.second)
	n.MOVQ(operand.U32(16), n.rows)
	n.MOVQ(n.program, n.stages)
	n.JMP(to("load"))
}
