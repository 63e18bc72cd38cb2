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
	for _, rows := range []int{8, 16} {
		for _, width := range []int{8, 16, 32, 64} {
			g.sortRows(width, rows, false)
			if width > 8 {
				g.sortRows(width, rows, true)
			}
		}
	}
	for _, width := range []int{8, 16, 32, 64} {
		g.joinRows(width)
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

// sortRows writes the sorting of eight or sixteen rows, on the way from elements to keys.
// Those from number rows on are padding.
func (g *gen) sortRows(width, most int, float bool) {
	kind, params := "", "flip uint64)"
	if float {
		kind, params = "Float", fmt.Sprintf("inf int%d) (nan int)", width)
	}
	g.begin(name(fmt.Sprintf("sort%dRows%s", most, kind), width, avx2), "(keys *byte, row, bytes int, src *byte, stride, rows int, pad *byte, "+params)
	h := rowSorter{gen: g, width: width, float: float, keys: newRows(g, "keys", "row"), src: newRows(g, "src", "stride"),
		rows: g.param("rows"), pad: g.param("pad"), least: map[int]int{8: 3, 16: 9}[most]}
	left, nan := g.param("bytes"), g.GP32()
	g.XORL(nan, nan)
	g.Label("loop")
	g.CMPQ(left, operand.U8(uint8(avx2.bytes)))
	g.JGE(operand.LabelRef("whole"))
	// The last vectors overlap those before: to sort keys again changes nothing.
	g.SUBQ(operand.U8(uint8(avx2.bytes)), left)
	g.ADDQ(left, h.keys.first)
	g.ADDQ(left, h.src.first)
	g.MOVQ(operand.U32(uint32(avx2.bytes)), left)
	g.Label("whole")
	h.sort(stepsOf(most))
	if float {
		h.noteNaN(nan)
	}
	g.ADDQ(operand.U8(uint8(avx2.bytes)), h.keys.first)
	g.ADDQ(operand.U8(uint8(avx2.bytes)), h.src.first)
	g.SUBQ(operand.U8(uint8(avx2.bytes)), left)
	g.JNZ(operand.LabelRef("loop"))
	if float {
		g.ret("nan", nan.As64())
	}
	g.VZEROUPPER()
	g.RET()
}

// rows are rows in memory.
type rows struct {
	*gen
	first, step, step3 reg.GPVirtual
}

// newRows returns the rows from an address on, so many bytes apart: both are parameters.
func newRows(g *gen, first, step string) rows {
	r := rows{g, g.param(first), g.param(step), g.GP64()}
	g.LEAQ(operand.Mem{Base: r.step, Index: r.step, Scale: 2}, r.step3)
	return r
}

// at returns the memory of row i < 16.
func (r rows) at(i int) operand.Mem {
	base := r.first
	for _, four := range []int{8, 4} {
		if i >= four {
			next := r.GP64()
			r.LEAQ(operand.Mem{Base: base, Index: r.step, Scale: uint8(four)}, next)
			base, i = next, i-four
		}
	}
	return [4]operand.Mem{
		{Base: base},
		{Base: base, Index: r.step, Scale: 1},
		{Base: base, Index: r.step, Scale: 2},
		{Base: base, Index: r.step3, Scale: 1},
	}[i]
}

// rowSorter sorts a vector of each row. It keeps as many in registers as there are, those
// that are needed soonest.
type rowSorter struct {
	*gen
	width     int
	float     bool
	keys, src rows
	rows, pad reg.GPVirtual
	least     int // so many are no padding

	steps  [][2]int
	now    int         // the step
	loaded [16]bool    // rows
	row    [16]int     // in a register, or noRow
	where  map[int]int // the register of a row
}

const noRow = -1

var ys = [...]reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

// sort writes the steps, from memory to memory.
func (h *rowSorter) sort(steps [][2]int) {
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
func (h *rowSorter) in(row int) int {
	if at, ok := h.where[row]; ok {
		return at
	}
	at := h.free()
	h.row[at], h.where[row] = row, at
	if h.loaded[row] {
		h.VMOVDQU(h.keys.at(row), ys[at])
		return at
	}
	h.loaded[row] = true
	h.load(row, ys[at])
	return at
}

// load loads a row of elements, or padding, as keys.
func (h *rowSorter) load(row int, x reg.VecPhysical) {
	from := h.src.at(row)
	if row >= h.least {
		real := h.GP64()
		h.LEAQ(from, real)
		h.CMPQ(h.rows, operand.U8(uint8(row)))
		h.CMOVQLE(h.pad, real)
		from = mem(real, 0)
	}
	h.VMOVDQU(from, x)
	from.Disp = rowsAhead
	h.PREFETCHT0(from)
	t := ys[h.free()]
	if !h.float {
		h.VPBROADCASTQ(h.parameter("flip"), t)
		h.VPXOR(t, x, x)
		return
	}
	// Without its sign, NaN is greater than +Inf; all bits but the sign's, which are the
	// padding, are its key. Other keys are x ^ sign>>1.
	second := slices.Index(ys[:], t)
	h.row[second] = row // so that another one is free
	nan := ys[h.free()]
	h.row[second] = noRow
	h.VPAND(mem(h.pad, 0), x, t)
	byWidth(h.width, nil, h.VPBROADCASTW, h.VBROADCASTSS, h.VPBROADCASTQ)(h.parameter("inf"), nan)
	greater := byWidth(h.width, nil, h.VPCMPGTW, h.VPCMPGTD, h.VPCMPGTQ)
	greater(nan, t, nan)
	if h.width == 64 { // no arithmetic shift
		h.VPXOR(t, t, t)
		greater(x, t, t)
	} else {
		byWidth(h.width, nil, h.VPSRAW, h.VPSRAD, nil)(operand.U8(uint8(h.width-1)), x, t)
	}
	shift := byWidth(h.width, nil, h.VPSRLW, h.VPSRLD, h.VPSRLQ)
	shift(operand.U8(1), t, t)
	h.VPXOR(t, x, x)
	h.VPANDN(x, nan, x)
	shift(operand.U8(1), nan, nan)
	h.VPOR(nan, x, x)
}

// noteNaN adds to nan whether a row has one: the last row has the largest keys.
func (h *rowSorter) noteNaN(nan reg.GPVirtual) {
	last, found := h.GP64(), h.GP32()
	high, inf := reg.Y0, reg.Y1
	h.LEAQ(mem(h.rows, -1), last)
	h.IMULQ(h.keys.step, last)
	h.VMOVDQU(operand.Mem{Base: h.keys.first, Index: last, Scale: 1}, high)
	byWidth(h.width, nil, h.VPBROADCASTW, h.VBROADCASTSS, h.VPBROADCASTQ)(h.parameter("inf"), inf)
	byWidth(h.width, nil, h.VPCMPGTW, h.VPCMPGTD, h.VPCMPGTQ)(inf, high, high)
	h.VPMOVMSKB(high, found)
	h.ORL(found, nan)
}

// parameter returns the memory of a parameter.
func (g *gen) parameter(name string) operand.Mem {
	p, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// free returns a register that holds none of the rows of the step, and no other now.
func (h *rowSorter) free(taken ...int) int {
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
func (h *rowSorter) put(at int) {
	h.VMOVDQU(ys[at], h.keys.at(h.row[at]))
	delete(h.where, h.row[at])
	h.row[at] = noRow
}

// next returns the step that needs a row next.
func (h *rowSorter) next(row int) int {
	for i := h.now; i < len(h.steps); i++ {
		if slices.Contains(h.steps[i][:], row) {
			return i
		}
	}
	return len(h.steps)
}

// order writes the lesser keys of registers x and y to lo, the greater ones to y.
func (h *rowSorter) order(x, y, lo int) {
	greater := lo // of no use, but for keys of 64 bits
	if h.width == 64 {
		greater = h.free(x, y, lo)
	}
	h.lesserAndGreater(h.width, ys[x], ys[y], ys[lo], ys[y], ys[greater])
}

// lesserAndGreater sets lo and hi, which may be b, to the lesser and the greater keys of a
// and b. AVX2 needs a register more to compare keys of 64 bits.
func (g *gen) lesserAndGreater(width int, a, b, lo, hi, greater operand.Op) {
	if width == 64 {
		g.VPCMPGTQ(b, a, greater)
		g.VBLENDVPD(greater, b, a, lo)
		g.VBLENDVPD(greater, a, b, hi)
		return
	}
	byWidth(width, g.VPMINSB, g.VPMINSW, g.VPMINSD, nil)(a, b, lo)
	byWidth(width, g.VPMAXSB, g.VPMAXSW, g.VPMAXSD, nil)(a, b, hi)
}

// joinRows writes the join of the n rows from row b on with as many from row a downwards:
// lo becomes the greatest of the lesser ones and of the row below those of a, hi the least
// of the greater ones and of the row above.
func (g *gen) joinRows(width int) {
	g.begin(name("joinRows", width, avx2), "(lo, hi, a, b *byte, row, n, bytes int)")
	lo, hi, row, n := g.param("lo"), g.param("hi"), g.param("row"), g.param("n")
	a, b := g.param("a"), g.param("b")
	g.eachColumn(g.param("bytes"), func(at reg.GPVirtual) {
		pa, pb, left := g.GP64(), g.GP64(), g.GP64()
		g.LEAQ(operand.Mem{Base: a, Index: at, Scale: 1}, pa)
		g.LEAQ(operand.Mem{Base: b, Index: at, Scale: 1}, pb)
		low, high, x, y, lesser, t := reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5
		g.VMOVDQU(operand.Mem{Base: pa, Index: row, Scale: 1}, high)
		g.MOVQ(n, left)
		g.IMULQ(row, left)
		g.NEGQ(left)
		g.VMOVDQU(operand.Mem{Base: pa, Index: left, Scale: 1}, low)
		g.MOVQ(n, left)
		g.Label("row")
		g.VMOVDQU(mem(pa, 0), x)
		g.VMOVDQU(mem(pb, 0), y)
		g.lesserAndGreater(width, x, y, lesser, y, t)
		g.lesserAndGreater(width, lesser, low, x, low, t)
		g.lesserAndGreater(width, y, high, high, x, t)
		g.SUBQ(row, pa)
		g.ADDQ(row, pb)
		g.DECQ(left)
		g.JNZ(operand.LabelRef("row"))
		g.VMOVDQU(high, operand.Mem{Base: hi, Index: at, Scale: 1})
		g.VMOVDQU(low, operand.Mem{Base: lo, Index: at, Scale: 1})
	})
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
