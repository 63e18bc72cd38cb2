package kernel

import (
	"math/bits"
	"unsafe"
)

// comparator is one step of a network: rows a and b are ordered.
type comparator struct {
	a, b uint8
	run  uint8 // the length of the runs that are merged
}

// program is a network with what its steps are for.
type program struct {
	steps  []comparator
	inner  int          // so many come first, which sort a unit of rows each
	few    []comparator // those of the last unit if its rows are few
	middle int          // the first wanted row, if the others are joined
	others int          // the number of these, or 0
	wanted int          // one more than the last wanted row
	stages networkStages
}

const (
	// sixteen is the number of rows that are sorted first, before these are merged.
	sixteen = 16

	// fewRows is how many rows of the last unit are not worth to sort eight.
	fewRows = 2

	// joinMax is how many rows behind the first sixteen or eight are joined with those before rather
	// than merged: with AVX-512 the median of 24 rows of bytes takes as long either way,
	// that of 17 and of 20 rows 0.8 and 0.88 of the time.
	joinMax = 8
)

// unitOf returns how many rows are sorted first in a network of n rows: eight if there are few more.
func unitOf(n int) int {
	if n <= 8+fewRows {
		return 8
	}
	return sixteen
}

// build makes the network of n rows in which the rows of need end as order
// statistics.
func (g *program) build(n, quantiles int, need uint64) {
	g.steps = batcher(g.steps[:0], n, n, need)
	g.stages.set(n, quantiles, need, g.steps)
	var ok bool
	unit := unitOf(n)
	if g.middle, g.others, ok = joins(n, unit, quantiles, need); ok {
		g.steps = joined(g.steps[:0], n, unit, g.middle, g.others)
	} else {
		g.others = 0
	}
	g.inner, g.few = 0, g.few[:0]
	g.wanted = bits.Len64(need)
	last := n % unit
	for g.inner < len(g.steps) && int(g.steps[g.inner].run) < unit {
		if s := g.steps[g.inner]; int(s.a) >= n-last && last <= fewRows {
			g.few = append(g.few, s)
		}
		g.inner++
	}
}

// joins reports whether the rows behind the first, which are sorted, are few, and can be
// joined with as many of these rather than merged: the wanted rows are k, or k and the next
// one, near the middle.
func joins(n, first, quantiles int, need uint64) (k, others int, ok bool) {
	k, others = bits.TrailingZeros64(need), n-first
	return k, others, quantiles == 1 && bits.Len64(need) <= k+2 &&
		0 < others && others <= min(joinMax, k) && k+1 < first
}

// joined appends the steps that sort the first rows a and the others b, as far as
// they are needed, and find rows k and k+1 of all: the smallest k+1 elements are the
// lesser ones of the pairs of a[i] and b[k-i], so that row k is the greatest of them, and
// the next row the least of the greater ones and a[k+1]. Of the elements of a without a
// partner the last one is as great as all.
func joined(steps []comparator, n, first, k, others int) []comparator {
	need := uint64(1)<<(k+2) - 1<<(k-others) | (1<<n - 1<<first)
	steps = batcher(steps, n, first, need)
	step := func(a, b int) { steps = append(steps, comparator{a: uint8(a), b: uint8(b), run: uint8(first)}) }
	for j := range others {
		step(k-j, first+j)
	}
	for i := k - others; i < k; i++ {
		step(i, k)
	}
	for j := range others {
		step(k+1, first+j)
	}
	return steps
}

// batcher appends the steps that sort runs of so many of n rows, on which one of
// the rows of need depends: Batcher's odd-even merge sort (Knuth, TAOCP 3, 5.3.4).
func batcher(steps []comparator, n, run int, need uint64) []comparator {
	for p := 1; p < run; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := 0; i < min(k, n-j-k); i++ {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						steps = append(steps, comparator{a: uint8(i + j), b: uint8(i + j + k), run: uint8(p)})
					}
				}
			}
		}
	}
	// Backwards from the wanted rows; the steps that stay gather at the end.
	live, first := need, len(steps)
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		if rows := uint64(1<<s.a | 1<<s.b); live&rows != 0 {
			live |= rows
			first--
			steps[first] = s
		}
	}
	return steps[:copy(steps, steps[first:])]
}

// apply runs the network on rows of keys, width keys each. Steps of neighbours
// are one.
func apply[K Key](steps []comparator, keys []K, width int) {
	for i := 0; i < len(steps); {
		a, b, n := int(steps[i].a), int(steps[i].b), 1
		for i++; i < len(steps) && a+n < b && int(steps[i].a) == a+n && int(steps[i].b) == b+n; i++ {
			n++
		}
		SortPairs(keys[a*width:][:n*width], keys[b*width:][:n*width])
	}
}

// networkGeneric is Network, for as many lanes at a time as memory holds.
func networkGeneric[K Key](p *Networks, t Tile, e Encoding[K], to Picked[K], memory []K) (nan bool) {
	rows := paddedRows[K](p.n)
	width := min(len(memory)/(rows+1), t.Lanes) // a row is for counts of values
	if width > 64 {
		width &^= 63 // whole cache lines
	}
	for first := 0; first < t.Lanes; first += width {
		lanes := min(width, t.Lanes-first)
		keys := memory[:rows*lanes]
		part, answers := t.part(0, first, t.N, lanes, unsafe.Sizeof(K(0))), to.from(first)
		holed, sorted := sortUnitsVector(keys, part, e)
		if !sorted {
			// Elements that are laid side by side become keys as they are sorted, or before.
			sooner, later := e, Encoding[K]{}
			if sortsInPlace[K](lanes) {
				sooner, later = later, sooner
			}
			holed = EncodeTile(keys, lanes, 1, part, sooner) > 0
			laid := Tile{Base: unsafe.Pointer(unsafe.SliceData(keys)), N: p.n, Stride: lanes, Lanes: lanes, LaneStride: 1}
			var nan bool
			nan, sorted = sortUnitsVector(keys, laid, later)
			holed = holed || nan
		}
		if holed {
			networkHoled(p, keys, memory[len(keys):][:lanes], answers, sorted)
		} else {
			networkWhole(p, keys, lanes, answers, sorted)
		}
		nan = nan || holed
	}
	return nan
}

// run runs a network, or what follows sortUnitsVector if that has been done.
func run[K Key](g *program, keys []K, width int, sorted bool) {
	if sorted {
		apply(g.few, keys, width)
		apply(g.steps[g.inner:], keys, width)
	} else {
		apply(g.steps, keys, width)
	}
}

// from returns the answers from the given lane on.
func (to Picked[K]) from(lane int) Picked[K] {
	to.Lo = to.Lo[lane:]
	if to.Hi != nil {
		to.Hi = to.Hi[lane:]
	}
	if to.Counts != nil {
		to.Counts = to.Counts[lane:]
	}
	return to
}

// once reports whether both elements of a lane have one place.
func (to Picked[K]) once() bool { return unsafe.SliceData(to.Hi) == unsafe.SliceData(to.Lo) }

// networkWhole picks elements of lanes without NaN: rows. sorted tells whether units of
// them have been.
func networkWhole[K Key](p *Networks, keys []K, lanes int, to Picked[K], sorted bool) {
	if g := &p.whole; !sorted || g.others == 0 || !joinWhole(p, keys, lanes, to) {
		run(g, keys, lanes, sorted)
		for q := range p.tables {
			lo, hi := p.tables[q].at(p.n)
			copy(to.Lo[q*to.Stride:], keys[lo*lanes:][:lanes])
			if !to.once() {
				copy(to.Hi[q*to.Stride:], keys[hi*lanes:][:lanes])
			}
		}
	}
	if to.Counts != nil {
		for j := range lanes {
			to.Counts[j] = uint8(p.n)
		}
	}
}

// joinWhole joins the others with sorted rows, and reports whether there is vector code.
func joinWhole[K Key](p *Networks, keys []K, lanes int, to Picked[K]) bool {
	g := &p.whole
	apply(g.few, keys, lanes)
	lo, hi := p.tables[0].at(p.n)
	upper := to.Lo
	if hi > lo {
		upper = to.Hi
	}
	if !joinRowsVector(to.Lo[:lanes], upper[:lanes], keys, unitOf(p.n), g.middle, g.others) {
		return false
	}
	if hi == lo && !to.once() {
		copy(to.Hi, to.Lo[:lanes])
	}
	return true
}

// networkHoled picks elements of lanes by their counts of values, for which there is memory.
// sorted is that of networkWhole.
func networkHoled[K Key](p *Networks, keys, counts []K, to Picked[K], sorted bool) {
	lanes := len(counts)
	rows := keys[:p.n*lanes]
	if !countValuesVector(counts, rows) {
		clear(counts)
		for at := 0; at < len(rows); at += lanes {
			for j, k := range rows[at : at+lanes] {
				value := K(0)
				if k != MaxKey[K]() {
					value = 1
				}
				counts[j] += value
			}
		}
	}
	g := &p.holed
	run(g, keys, lanes, sorted)
	for q := range p.tables {
		lower, upper := to.Lo[q*to.Stride:][:lanes], to.Hi[q*to.Stride:][:lanes]
		if pickRowsVector(lower, upper, counts, rows[:g.wanted*lanes], &p.tables[q]) {
			continue
		}
		for j, m := range counts {
			lo, hi := p.tables[q].at(int(m))
			lower[j], upper[j] = rows[lo*lanes+j], rows[hi*lanes+j]
		}
	}
	if to.Counts != nil {
		for j, m := range counts {
			to.Counts[j] = uint8(m)
		}
	}
}
