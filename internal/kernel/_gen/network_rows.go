package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// networkRows writes what networks of short vectors are made of: the rows lie in memory,
// where eight are sorted in one go, twice eight are merged, and elements are picked by the
// counts of values. AVX2 has half as many registers as a network has rows.
func networkRows(g *gen) {
	for _, width := range []int{8, 16, 32, 64} {
		g.sortRows(width, false)
		if width > 8 {
			g.sortRows(width, true)
		}
		g.mergeRows(width)
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

// sortRows writes the sorting of eight rows, on the way from elements to keys.
func (g *gen) sortRows(width int, float bool) {
	kind, params := "", "flip uint64)"
	if float {
		kind, params = "Float", fmt.Sprintf("last int, inf int%d) (nan int)", width)
	}
	g.begin(fmt.Sprintf("sortRows%s%d", kind, width), "(keys *byte, row, bytes int, src **byte, "+params)
	h := newRowSorter(g, width)
	h.src = g.param("src")
	var last reg.GPVirtual
	if float {
		last = g.param("last")
	}
	h.loadConstants(float)
	g.eachColumn(g.param("bytes"), func(at reg.GPVirtual) {
		h.sort(sortEight, at)
		if float {
			h.noteNaN(last)
		}
	})
	if float {
		found := g.GP64()
		g.anyBits(h.v, h.any, found)
		g.ret("nan", found)
	}
	g.VZEROUPPER()
	g.RET()
}

// mergeRows writes the merging of eight sorted rows with the eight after them.
func (g *gen) mergeRows(width int) {
	g.begin(fmt.Sprintf("mergeRows%d", width), "(keys *byte, row, bytes int)")
	h := newRowSorter(g, width)
	g.eachColumn(g.param("bytes"), func(at reg.GPVirtual) {
		h.sort(mergeEights, at)
	})
	g.VZEROUPPER()
	g.RET()
}

// rows are rows in memory.
type rows struct {
	*gen
	fours       [4]reg.Register // where each four begin, or nil before it is needed
	step, step3 reg.GPVirtual
}

// at returns the memory of row i < 16.
func (r *rows) at(i int) operand.Mem {
	base := &r.fours[i/4]
	if *base == nil {
		*base = r.GP64()
		r.LEAQ(operand.Mem{Base: r.at(i - 4).Base, Index: r.step, Scale: 4}, *base)
	}
	return [4]operand.Mem{
		{Base: *base},
		{Base: *base, Index: r.step, Scale: 1},
		{Base: *base, Index: r.step, Scale: 2},
		{Base: *base, Index: r.step3, Scale: 1},
	}[i%4]
}

// rowSorter sorts a vector of each row. It keeps as many in registers as there are, those
// that are needed soonest.
type rowSorter struct {
	*gen
	v         isa
	width     int
	keys, row reg.GPVirtual
	step3     reg.GPVirtual
	src       reg.GPVirtual // the addresses of the rows of elements, of which keys are made

	vectors                  []reg.VecPhysical // for rows
	flip, low, inf, any, nan reg.VecPhysical   // of elements: bits, or of floats all but the sign; lanes that were NaN
	float                    bool

	column rows // where keys lie
	at     reg.GPVirtual
	steps  [][2]int
	now    int         // the step
	loaded [16]bool    // rows
	rows   []int       // in a register, or noRow
	where  map[int]int // the register of a row
}

const noRow = -1

// newRowSorter loads the parameters of all functions.
func newRowSorter(g *gen, width int) *rowSorter {
	h := &rowSorter{gen: g, v: g.plain(), width: width, keys: g.param("keys"), row: g.param("row"), step3: g.GP64()}
	g.LEAQ(operand.Mem{Base: h.row, Index: h.row, Scale: 2}, h.step3)
	h.vectors = []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}
	if h.v == shortARM {
		h.vectors = []reg.VecPhysical{
			reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
			reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
			reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
		}
	}
	return h
}

// loadConstants loads what makes keys of elements into the last registers: eight rows need
// no more than the others.
func (h *rowSorter) loadConstants(float bool) {
	h.float = float
	all := []*reg.VecPhysical{&h.flip}
	if float {
		all = []*reg.VecPhysical{&h.low, &h.inf, &h.any, &h.nan}
	}
	for _, c := range all {
		last := len(h.vectors) - 1
		*c, h.vectors = h.vectors[last], h.vectors[:last]
	}
	if !float {
		h.spreadFrom(64, h.parameter("flip"), h.flip)
		return
	}
	h.spreadFrom(h.width, h.parameter("inf"), h.inf)
	h.VPCMPEQD(h.low, h.low, h.low)
	byWidth(h.width, nil, h.VPSRLW, h.VPSRLD, h.VPSRLQ)(operand.U8(1), h.low, h.low)
	h.VPXOR(h.any, h.any, h.any)
}

// spreadFrom copies what is in memory to all lanes.
func (g *gen) spreadFrom(width int, from operand.Mem, to operand.Op) {
	byWidth(width, g.VPBROADCASTB, g.VPBROADCASTW, g.VBROADCASTSS, g.VPBROADCASTQ)(from, to)
}

// sort writes the steps, from memory to memory.
func (h *rowSorter) sort(steps [][2]int, at reg.GPVirtual) {
	h.column, h.at = rows{h.gen, [4]reg.Register{h.GP64()}, h.row, h.step3}, at
	h.LEAQ(indexed(h.keys, at), h.column.fours[0])
	h.steps, h.where, h.rows = steps, map[int]int{}, make([]int, len(h.vectors))
	for row := range h.loaded {
		h.loaded[row] = h.src == nil // as keys
	}
	for i := range h.rows {
		h.rows[i] = noRow
	}
	for at, s := range steps {
		h.now = at
		x, y := h.in(s[0]), h.in(s[1])
		lo := h.free(x, y)
		h.order(x, y, lo)
		h.rows[x], h.rows[lo], h.where[s[0]] = noRow, s[0], lo
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
	h.rows[at], h.where[row] = row, at
	if h.loaded[row] {
		h.VMOVDQU(h.column.at(row), h.vectors[at])
		return at
	}
	h.loaded[row] = true
	h.load(row, h.vectors[at], h.vectors[h.free()])
	return at
}

// load loads a row of elements as keys; t is free.
func (h *rowSorter) load(row int, x, t reg.VecPhysical) {
	base := h.GP64()
	h.MOVQ(mem(h.src, 8*row), base)
	from := indexed(base, h.at)
	if h.float {
		h.VMOVDQU(from, x)
	} else {
		h.VPXOR(from, h.flip, x)
	}
	from.Disp = rowsAhead
	h.PREFETCHT0(from)
	if !h.float {
		return
	}
	// Without its sign, NaN is greater than +Inf; all bits but the sign's are its key.
	greater := byWidth(h.width, nil, h.VPCMPGTW, h.VPCMPGTD, h.VPCMPGTQ)
	h.VPAND(h.low, x, h.nan)
	greater(h.inf, h.nan, h.nan)
	h.flipNegative(h.v, h.width, h.low, x, t)
	h.VPBLENDVB(h.nan, h.low, x, x)
}

// noteNaN adds the lanes that have a NaN: a row, so many bytes after the first, has the
// largest keys but for padding.
func (h *rowSorter) noteNaN(last reg.GPVirtual) {
	high := h.vectors[0]
	h.VMOVDQU(indexed(h.column.fours[0], last), high)
	h.equal(h.width)(h.low, high, high)
	h.VPOR(high, h.any, h.any)
}

// anyBits sets found to a number that is not 0 if a lane is set, of which all bits are.
func (g *gen) anyBits(v isa, lanes operand.Op, found reg.GPVirtual) {
	if v == shortARM {
		g.neon("UMAXV", 32, lanes, lanes)
		g.neon("VMOVR", 32, found, lanes)
		return
	}
	g.VPMOVMSKB(lanes, found.As32())
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
	for at, row := range h.rows {
		switch {
		case slices.Contains(taken, at) || row != noRow && slices.Contains(h.steps[h.now][:], row):
			continue
		case row == noRow:
			return at
		case best == noRow || h.next(row) > h.next(h.rows[best]):
			best = at
		}
	}
	h.put(best)
	return best
}

// put moves a row from its register to memory.
func (h *rowSorter) put(at int) {
	h.VMOVDQU(h.vectors[at], h.column.at(h.rows[at]))
	delete(h.where, h.rows[at])
	h.rows[at] = noRow
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
	g.VZEROUPPER()
	g.RET()
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
	g.VZEROUPPER()
	g.RET()
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
	g.VZEROUPPER()
	g.RET()
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
