package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// networkRows writes what networks of AVX2 are made of, which has half as many registers
// as a network has rows: the rows lie in memory, where eight or sixteen are sorted in one
// go, and elements are picked by the counts of values.
func networkRows(g *gen) {
	for _, width := range []int{8, 16, 32, 64} {
		for _, rows := range []int{8, 16} {
			g.sortRows(width, rows)
		}
	}
	for _, width := range []int{16, 32, 64} {
		g.countValues(width)
		g.pickRows(width)
	}
}

// The steps that sort eight rows, and those that merge twice eight (Knuth, TAOCP 3, 5.3.4).
var (
	sortEight = [][2]int{
		{0, 2}, {1, 3}, {0, 1}, {2, 3}, {4, 6}, {5, 7}, {4, 5}, {6, 7}, {1, 2}, {5, 6},
		{0, 4}, {3, 7}, {1, 5}, {2, 6}, {1, 4}, {3, 6}, {2, 4}, {3, 5}, {3, 4},
	}
	mergeEights = [][2]int{
		{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15},
		{4, 8}, {5, 9}, {6, 10}, {7, 11},
		{2, 4}, {3, 5}, {6, 8}, {7, 9}, {10, 12}, {11, 13},
		{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14},
	}
)

// stepsOf returns the steps that sort eight or sixteen rows.
func stepsOf(rows int) [][2]int {
	steps := slices.Clone(sortEight)
	if rows == 16 {
		for _, s := range sortEight {
			steps = append(steps, [2]int{s[0] + 8, s[1] + 8})
		}
		steps = append(steps, mergeEights...)
	}
	return steps
}

// sortRows writes the sorting of so many rows.
func (g *gen) sortRows(width, rows int) {
	g.begin(fmt.Sprintf("sort%dRows%dAVX2", rows, width), "(keys *byte, row, bytes int)")
	keys, row, end := g.param("keys"), g.param("row"), g.param("bytes")
	row3 := g.GP64()
	g.LEAQ(operand.Mem{Base: row, Index: row, Scale: 2}, row3)
	g.eachColumn(end, func(at reg.GPVirtual) {
		bases := []reg.GPVirtual{g.GP64()}
		g.LEAQ(operand.Mem{Base: keys, Index: at, Scale: 1}, bases[0])
		for len(bases) < rows/4 {
			next := g.GP64()
			g.LEAQ(operand.Mem{Base: bases[len(bases)-1], Index: row, Scale: 4}, next)
			bases = append(bases, next)
		}
		h := held{gen: g, width: width, home: func(r int) operand.Mem {
			return [4]operand.Mem{
				{Base: bases[r/4]},
				{Base: bases[r/4], Index: row, Scale: 1},
				{Base: bases[r/4], Index: row, Scale: 2},
				{Base: bases[r/4], Index: row3, Scale: 1},
			}[r%4]
		}}
		h.run(stepsOf(rows))
	})
}

// held keeps as many rows in registers as there are, those that are needed soonest.
type held struct {
	*gen
	width int
	home  func(row int) operand.Mem
	steps [][2]int
	now   int         // the step
	row   [16]int     // in a register, or none
	where map[int]int // the register of a row
}

const noRow = -1

var ys = [...]reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

// run writes the steps, from memory to memory.
func (h *held) run(steps [][2]int) {
	h.steps, h.where = steps, map[int]int{}
	for i := range h.row {
		h.row[i] = noRow
	}
	for at, s := range steps {
		h.now = at
		x, y := h.in(s[0]), h.in(s[1])
		lo := h.free(x, y)
		h.order(x, y, lo)
		h.row[x], h.row[lo], h.where[s[0]] = noRow, s[0], lo
		h.now++
		for _, row := range s {
			if h.next(row) == len(steps) {
				h.put(h.where[row])
			}
		}
	}
}

// in returns the register of a row, into which it is loaded if it is in none.
func (h *held) in(row int) int {
	if at, ok := h.where[row]; ok {
		return at
	}
	at := h.free()
	h.VMOVDQU(h.home(row), ys[at])
	h.row[at], h.where[row] = row, at
	return at
}

// free returns a register that holds none of the rows of the step, and no other now.
func (h *held) free(taken ...int) int {
	best := noRow
	for at, row := range h.row {
		switch {
		case slices.Contains(taken, at) || row != noRow && slices.Contains(h.steps[h.now][:], row):
			continue
		case row == noRow:
			return at
		case best == noRow || h.next(row) > h.next(h.row[best]):
			best = at
		}
	}
	h.put(best)
	return best
}

// put moves a row from its register to memory.
func (h *held) put(at int) {
	h.VMOVDQU(ys[at], h.home(h.row[at]))
	delete(h.where, h.row[at])
	h.row[at] = noRow
}

// next returns the step that needs a row next.
func (h *held) next(row int) int {
	for i := h.now; i < len(h.steps); i++ {
		if slices.Contains(h.steps[i][:], row) {
			return i
		}
	}
	return len(h.steps)
}

// order writes the lesser keys of registers x and y to lo, the greater ones to y.
func (h *held) order(x, y, lo int) {
	a, b, dst := ys[x], ys[y], ys[lo]
	if h.width == 64 {
		greater := ys[h.free(x, y, lo)]
		h.VPCMPGTQ(b, a, greater)
		h.VBLENDVPD(greater, b, a, dst)
		h.VBLENDVPD(greater, a, b, b)
		return
	}
	byWidth(h.width, h.VPMINSB, h.VPMINSW, h.VPMINSD, nil)(a, b, dst)
	byWidth(h.width, h.VPMAXSB, h.VPMAXSW, h.VPMAXSD, nil)(a, b, b)
}

// eachColumn writes the loop over the vectors of rows that end bytes after at their
// beginning. The last one may overlap the one before it.
func (g *gen) eachColumn(end reg.GPVirtual, body func(at reg.GPVirtual)) {
	at, last := g.GP64(), g.GP64()
	g.LEAQ(mem(end, -avx2.bytes), last)
	g.XORQ(at, at)
	g.Label("column")
	g.CMPQ(at, last)
	g.CMOVQGT(last, at)
	body(at)
	g.ADDQ(operand.U8(uint8(avx2.bytes)), at)
	g.CMPQ(at, end)
	g.JL(operand.LabelRef("column"))
	g.VZEROUPPER()
	g.RET()
}

// eachRow writes the loop over n rows of a column, from an address on.
func (g *gen) eachRow(keys, at, row, n reg.GPVirtual, body func(of operand.Mem)) {
	from, left := g.GP64(), g.GP64()
	g.LEAQ(operand.Mem{Base: keys, Index: at, Scale: 1}, from)
	g.MOVQ(n, left)
	g.Label("row")
	body(mem(from, 0))
	g.ADDQ(row, from)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("row"))
}

// equal and plus return the instructions for a width.
func (g *gen) equal(width int) func(...operand.Op) {
	return byWidth(width, nil, g.VPCMPEQW, g.VPCMPEQD, g.VPCMPEQQ)
}

func (g *gen) plus(width int) func(...operand.Op) {
	return byWidth(width, nil, g.VPADDW, g.VPADDD, g.VPADDQ)
}

// countValues writes the counts of the keys of each lane that are not the largest.
func (g *gen) countValues(width int) {
	g.begin(name("countValues", width, avx2), fmt.Sprintf("(counts, keys *int%d, row, n, bytes int, all, none int%[1]d)", width))
	counts, keys, row, n := g.param("counts"), g.param("keys"), g.param("row"), g.param("n")
	all, none := g.broadcast(avx2, "all", width), g.broadcast(avx2, "none", width)
	g.eachColumn(g.param("bytes"), func(at reg.GPVirtual) {
		m, missing := g.YMM(), g.YMM()
		g.VMOVDQA(all, m)
		g.eachRow(keys, at, row, n, func(of operand.Mem) {
			g.equal(width)(of, none, missing)
			g.plus(width)(missing, m, m)
		})
		g.VMOVDQU(m, operand.Mem{Base: counts, Index: at, Scale: 1})
	})
}

// pickRows writes the choice of each lane's elements by its count of values.
func (g *gen) pickRows(width int) {
	g.begin(name("pickRows", width, avx2), fmt.Sprintf("(lo, hi, counts, keys *int%d, row, n, bytes int, table *uint8, upper int%[1]d)", width))
	lo, hi, counts, keys := g.param("lo"), g.param("hi"), g.param("counts"), g.param("keys")
	row, n := g.param("row"), g.param("n")
	// The table has 32 bytes of elements and 32 that are to be added for the second ones.
	table := g.param("table")
	var parts [4]reg.VecVirtual
	for i := range parts {
		parts[i] = g.YMM()
		g.VBROADCASTI128(mem(table, 16*i), parts[i])
	}
	upper, ones, half := g.broadcast(avx2, "upper", width), g.ones(avx2), g.YMM()
	// Bytes of 0x10, and of 0x70: with these added indices from 16 on have the highest bit
	// set, with those taken away the others have, and what is looked up then is 0.
	g.VPABSB(ones, half)
	g.VPSLLW(operand.U8(4), half, half)
	seven := g.YMM()
	g.VPSLLW(operand.U8(3), half, seven)
	g.VPSUBB(half, seven, seven)
	g.eachColumn(g.param("bytes"), func(at reg.GPVirtual) {
		index, first, second, t := g.YMM(), g.YMM(), g.YMM(), g.YMM()
		g.VMOVDQU(operand.Mem{Base: counts, Index: at, Scale: 1}, index)
		g.plus(width)(ones, index, index)
		lookup := func(part int, dst reg.VecVirtual) {
			g.VPADDB(seven, index, t)
			g.VPOR(upper, t, t)
			g.VPSHUFB(t, parts[part], dst)
			g.VPSUBB(half, index, t)
			g.VPOR(upper, t, t)
			g.VPSHUFB(t, parts[part+1], t)
			g.VPOR(t, dst, dst)
		}
		lookup(0, first)
		lookup(2, second)
		g.plus(width)(first, second, second)
		zero, x, is, a, b := g.zero(avx2), g.YMM(), g.YMM(), g.YMM(), g.YMM()
		g.eachRow(keys, at, row, n, func(of operand.Mem) {
			g.VMOVDQU(of, x)
			g.equal(width)(zero, first, is)
			g.VPBLENDVB(is, x, a, a)
			g.equal(width)(zero, second, is)
			g.VPBLENDVB(is, x, b, b)
			g.plus(width)(ones, first, first)
			g.plus(width)(ones, second, second)
		})
		g.VMOVDQU(a, operand.Mem{Base: lo, Index: at, Scale: 1})
		g.VMOVDQU(b, operand.Mem{Base: hi, Index: at, Scale: 1})
	})
}
