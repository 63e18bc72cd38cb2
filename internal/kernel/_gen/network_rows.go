package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// networkRows writes what networks of short vectors are made of: the rows lie in memory,
// where eight or sixteen are sorted in one go, and elements are picked by the counts of
// values. AVX2 has half as many registers as a network has rows.
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
	v := g.plain()
	g.begin(fmt.Sprintf("sort%dRows%s%d", most, kind, width), "(keys *byte, row, bytes int, src *byte, stride, rows int, pad *byte, "+params)
	h := newRowSorter(g, width, float)
	h.least = map[int]int{8: 3, 16: 9}[most]
	left, nan := g.param("bytes"), g.GP32()
	g.XORL(nan, nan)
	g.Label("loop")
	g.CMPQ(left, operand.U8(uint8(v.bytes)))
	g.JGE(operand.LabelRef("whole"))
	// The last vectors overlap those before: to sort keys again changes nothing.
	g.SUBQ(operand.U8(uint8(v.bytes)), left)
	g.ADDQ(left, h.keys.first)
	g.ADDQ(left, h.src.first)
	g.MOVQ(operand.U32(uint32(v.bytes)), left)
	g.Label("whole")
	h.sort(stepsOf(most))
	if float {
		h.noteNaN(nan)
	}
	g.ADDQ(operand.U8(uint8(v.bytes)), h.keys.first)
	g.ADDQ(operand.U8(uint8(v.bytes)), h.src.first)
	g.SUBQ(operand.U8(uint8(v.bytes)), left)
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
	v         isa
	width     int
	float     bool
	keys, src rows
	rows, pad reg.GPVirtual
	least     int // so many are no padding

	vectors []reg.VecPhysical
	flip    reg.VecPhysical // of NEON: the bits to flip, or all but a float's sign
	inf     reg.VecPhysical // of NEON
	steps   [][2]int
	now     int         // the step
	loaded  [16]bool    // rows
	row     []int       // in a register, or noRow
	where   map[int]int // the register of a row
}

const noRow = -1

var (
	ys = []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}
	xs = []reg.VecPhysical{
		reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
		reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
	}
)

// newRowSorter loads the parameters of a function.
func newRowSorter(g *gen, width int, float bool) rowSorter {
	h := rowSorter{
		gen: g, v: g.plain(), width: width, float: float, vectors: ys,
		keys: newRows(g, "keys", "row"), src: newRows(g, "src", "stride"), rows: g.param("rows"), pad: g.param("pad"),
	}
	if h.v == shortARM {
		h.vectors, h.flip, h.inf = xs, reg.X24, reg.X25
		if float {
			g.VMOVDQU(mem(h.pad, 0), h.flip)
			g.spreadFrom(width, g.parameter("inf"), h.inf)
		} else {
			g.spreadFrom(64, g.parameter("flip"), h.flip)
		}
	}
	return h
}

// spreadFrom copies what is in memory to all lanes.
func (g *gen) spreadFrom(width int, from operand.Mem, to operand.Op) {
	byWidth(width, g.VPBROADCASTB, g.VPBROADCASTW, g.VBROADCASTSS, g.VPBROADCASTQ)(from, to)
}

// sort writes the steps, from memory to memory.
func (h *rowSorter) sort(steps [][2]int) {
	h.steps, h.where, h.row = steps, map[int]int{}, make([]int, len(h.vectors))
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
		h.VMOVDQU(h.keys.at(row), h.vectors[at])
		return at
	}
	h.loaded[row] = true
	h.load(row, h.vectors[at])
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
	t := h.vectors[h.free()]
	switch {
	case h.v == shortARM && !h.float:
		h.VPXOR(h.flip, x, x)
		return
	case h.v == shortARM:
		h.keyNEON(x, t)
		return
	case !h.float:
		h.VPBROADCASTQ(h.parameter("flip"), t)
		h.VPXOR(t, x, x)
		return
	}
	// Without its sign, NaN is greater than +Inf; all bits but the sign's, which are the
	// padding, are its key. Other keys are x ^ sign>>1.
	second := slices.Index(h.vectors, t)
	h.row[second] = row // so that another one is free
	nan := h.vectors[h.free()]
	h.row[second] = noRow
	h.VPAND(mem(h.pad, 0), x, t)
	h.spreadFrom(h.width, h.parameter("inf"), nan)
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

// keyNEON turns floats into keys.
func (h *rowSorter) keyNEON(x, t reg.VecPhysical) {
	nan := reg.X26
	h.VPAND(h.flip, x, nan)
	byWidth(h.width, nil, h.VPCMPGTW, h.VPCMPGTD, h.VPCMPGTQ)(h.inf, nan, nan)
	byWidth(h.width, nil, h.VPSRAW, h.VPSRAD, h.VPSRAQ)(operand.U8(uint8(h.width-1)), x, t)
	h.VPAND(h.flip, t, t)
	h.VPXOR(t, x, x)
	h.VPBLENDVB(nan, h.flip, x, x)
}

// noteNaN adds to nan whether a row has one: the last row has the largest keys.
func (h *rowSorter) noteNaN(nan reg.GPVirtual) {
	last, found := h.GP64(), h.GP32()
	high, inf := h.vectors[0], h.vectors[1]
	h.LEAQ(mem(h.rows, -1), last)
	h.IMULQ(h.keys.step, last)
	h.VMOVDQU(operand.Mem{Base: h.keys.first, Index: last, Scale: 1}, high)
	h.spreadFrom(h.width, h.parameter("inf"), inf)
	byWidth(h.width, nil, h.VPCMPGTW, h.VPCMPGTD, h.VPCMPGTQ)(inf, high, high)
	h.anyBits(h.v, high, found)
	h.ORL(found, nan)
}

// anyBits sets found to a number that is not 0 if a lane is set, of which all bits are.
func (g *gen) anyBits(v isa, lanes operand.Op, found reg.GPVirtual) {
	if v == shortARM {
		g.neon("UMAXV", 32, lanes, lanes)
		g.neon("VMOVR", 32, found, lanes)
		return
	}
	g.VPMOVMSKB(lanes, found)
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
	h.VMOVDQU(h.vectors[at], h.keys.at(h.row[at]))
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
	h.lesserAndGreater(h.width, h.vectors[x], h.vectors[y], h.vectors[lo], h.vectors[y], h.vectors[greater])
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
	g.begin(fmt.Sprintf("joinRows%d", width), "(lo, hi, a, b *byte, row, n, bytes int)")
	lo, hi, row, n := g.param("lo"), g.param("hi"), g.param("row"), g.param("n")
	a, b := g.param("a"), g.param("b")
	g.eachColumn(g.param("bytes"), func(at reg.GPVirtual) {
		pa, pb, left := g.GP64(), g.GP64(), g.GP64()
		g.LEAQ(operand.Mem{Base: a, Index: at, Scale: 1}, pa)
		g.LEAQ(operand.Mem{Base: b, Index: at, Scale: 1}, pb)
		v := g.plain()
		low, high, x, y, lesser, t := g.vec(v), g.vec(v), g.vec(v), g.vec(v), g.vec(v), g.vec(v)
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
	v, at, last := g.plain(), g.GP64(), g.GP64()
	g.LEAQ(mem(end, -v.bytes), last)
	g.XORQ(at, at)
	g.Label("column")
	g.CMPQ(at, last)
	g.CMOVQGT(last, at)
	body(at)
	g.ADDQ(operand.U8(uint8(v.bytes)), at)
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
	g.begin(fmt.Sprintf("countValues%d", width), fmt.Sprintf("(counts, keys *int%d, row, n, bytes int, all, none int%[1]d)", width))
	counts, keys, row, n := g.param("counts"), g.param("keys"), g.param("row"), g.param("n")
	v := g.plain()
	all, none := g.broadcast(v, "all", width), g.broadcast(v, "none", width)
	g.eachColumn(g.param("bytes"), func(at reg.GPVirtual) {
		m, missing := g.vec(v), g.vec(v)
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
	g.begin(fmt.Sprintf("pickRows%d", width), fmt.Sprintf("(lo, hi, counts, keys *int%d, row, n, bytes int, table *uint8, upper int%[1]d)", width))
	lo, hi, counts, keys := g.param("lo"), g.param("hi"), g.param("counts"), g.param("keys")
	row, n := g.param("row"), g.param("n")
	v := g.plain()
	p := g.newPicker(width)
	g.eachColumn(g.param("bytes"), func(at reg.GPVirtual) {
		index, first, second := g.vec(v), g.vec(v), g.vec(v)
		g.VMOVDQU(operand.Mem{Base: counts, Index: at, Scale: 1}, index)
		g.plus(width)(p.ones, index, index)
		p.lookup(0, index, first)
		p.lookup(2, index, second)
		g.plus(width)(first, second, second)
		zero, x, is, a, b := g.zero(v), g.vec(v), g.vec(v), g.vec(v), g.vec(v)
		g.eachRow(keys, at, row, n, func(of operand.Mem) {
			g.VMOVDQU(of, x)
			g.equal(width)(zero, first, is)
			g.VPBLENDVB(is, x, a, a)
			g.equal(width)(zero, second, is)
			g.VPBLENDVB(is, x, b, b)
			g.plus(width)(p.ones, first, first)
			g.plus(width)(p.ones, second, second)
		})
		g.VMOVDQU(a, operand.Mem{Base: lo, Index: at, Scale: 1})
		g.VMOVDQU(b, operand.Mem{Base: hi, Index: at, Scale: 1})
	})
}

// picker looks elements up in a table of 32 bytes, and of 32 that are to be added for the
// second ones.
type picker struct {
	*gen
	parts       [4]operand.Op
	upper, ones reg.VecVirtual
	half, seven reg.VecVirtual // of AVX2, whose tables have 16 bytes
}

// newPicker loads the parameters.
func (g *gen) newPicker(width int) *picker {
	v, table := g.plain(), g.param("table")
	p := &picker{gen: g, upper: g.broadcast(v, "upper", width), ones: g.ones(v)}
	if v == shortARM { // two in a row are one table
		p.parts = [4]operand.Op{reg.X24, reg.X25, reg.X26, reg.X27}
		for i, part := range p.parts {
			g.VMOVDQU(mem(table, 16*i), part)
		}
		return p
	}
	for i := range p.parts {
		p.parts[i] = g.YMM()
		g.VBROADCASTI128(mem(table, 16*i), p.parts[i])
	}
	// Bytes of 0x10, and of 0x70: with these added indices from 16 on have the highest bit
	// set, with those taken away the others have, and what is looked up then is 0.
	p.half, p.seven = g.YMM(), g.YMM()
	g.VPABSB(p.ones, p.half)
	g.VPSLLW(operand.U8(4), p.half, p.half)
	g.VPSLLW(operand.U8(3), p.half, p.seven)
	g.VPSUBB(p.half, p.seven, p.seven)
	return p
}

// lookup sets dst to what a table has at an index.
func (p *picker) lookup(part int, index, dst reg.VecVirtual) {
	t := p.vec(p.plain())
	if p.plain() == shortARM {
		p.VPOR(p.upper, index, t)
		p.neon("VTBL2", 8, dst, p.parts[part], t)
		return
	}
	p.VPADDB(p.seven, index, t)
	p.VPOR(p.upper, t, t)
	p.VPSHUFB(t, p.parts[part], dst)
	p.VPSUBB(p.half, index, t)
	p.VPOR(p.upper, t, t)
	p.VPSHUFB(t, p.parts[part+1], t)
	p.VPOR(t, dst, dst)
}
