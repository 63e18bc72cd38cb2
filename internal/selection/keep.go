package selection

import (
	"math"
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
)

// span is an interval of keys: so many more from first on.
type span[K kernel.Key] struct{ first, more K }

// keepCells makes groups of the cells with open targets, as many as there is
// memory for, and reports whether there are any and few enough passes do.
func (nw *Narrowing[K]) keepCells() bool {
	for i := range nw.targets {
		t := &nw.targets[i]
		if t.done {
			continue
		}
		if last := len(nw.groups) - 1; last < 0 || t.cell != nw.cellWith(&nw.groups[last]) {
			nw.newGroup(nil, 0)
			g := &nw.groups[last+1]
			g.below, g.from = t.below, i
		}
		nw.groups[len(nw.groups)-1].to = i + 1
	}
	nw.guessing = !nw.guessed && !nw.repeats()
	nw.guessed = true
	total := nw.chooseKept()
	if nw.guessing && total > int64(nw.capacity) {
		nw.guessing = false
		total = nw.chooseKept()
	}
	var room int64
	fit := 0 // groups
	for fit < len(nw.groups) && room+nw.groups[fit].room <= int64(nw.capacity) {
		room += nw.groups[fit].room
		fit++
	}
	if room == 0 || total > keepWhole*int64(nw.capacity) {
		nw.groups = nw.groups[:0]
		return false
	}
	nw.groups = nw.groups[:fit]
	nw.collected = crew.Resize(nw.collected, int(room))
	nw.keep = kernel.BinSet{}
	nw.groupOf = crew.Resize(nw.groupOf, kernel.BinCount)
	memory := nw.collected
	for i := range nw.groups {
		g := &nw.groups[i]
		cell := nw.cellWith(g)
		nw.keep.Add(cell)
		nw.groupOf[cell] = uint16(i)
		g.keys, memory = memory[:g.room:g.room], memory[g.room:]
	}
	return true
}

// chooseKept chooses what is kept of the cells of the groups, and returns for how
// many keys room is needed.
func (nw *Narrowing[K]) chooseKept() (total int64) {
	nw.spans, nw.unlike = nw.spans[:0], nw.unlike[:0]
	var all int64
	for i := range nw.groups {
		g := &nw.groups[i]
		g.whole = nw.roomFor(&nw.targets[g.from])
		g.room, g.drops = g.whole, false
		all += g.whole
	}
	nw.crowded = all > int64(nw.n/keepTwice)
	switch {
	case all <= int64(tuning.Default.GuessMin)*int64(len(nw.groups)):
		nw.guessing = false
	case nw.guessing:
		nw.spans = crew.Resize(nw.spans, kernel.BinCount)
		for i := range nw.groups {
			nw.guess(&nw.groups[i])
		}
		nw.leaveOut()
	case all > int64(nw.n/keepAll):
		for i := range nw.groups {
			nw.drop(&nw.groups[i])
		}
		nw.leaveOut()
	}
	for i := range nw.groups {
		total += nw.groups[i].room
	}
	return total
}

// leaveOut sets what is left out of the cells of the groups, if of any: of those that
// drop nothing, what is in another one.
func (nw *Narrowing[K]) leaveOut() {
	for i := range nw.groups {
		g := &nw.groups[i]
		if !g.drops {
			continue
		}
		element := nw.scale.Element(g.dropped, nw.enc)
		if len(nw.unlike) == 0 {
			nw.unlike = crew.Resize(nw.unlike, kernel.BinCount)
			for j := range nw.groups {
				nw.unlike[nw.cellWith(&nw.groups[j])] = element
			}
		}
		nw.unlike[nw.cellWith(g)] = element
	}
}

// cellWith returns the cell of a group.
func (nw *Narrowing[K]) cellWith(g *group[K]) int { return nw.targets[g.from].cell }

// repeats reports whether more than a few values of the sample, but for the heavy
// ones, have copies in it.
func (nw *Narrowing[K]) repeats() bool {
	equal, run := 0, 0
	for i, k := range nw.sample {
		run++
		if i == 0 || k != nw.sample[i-1] {
			run = 0
		}
		if run > 0 && run <= equalMost {
			equal++
		}
	}
	for _, h := range nw.heavy {
		equal -= min(h.sampled-1, equalMost)
	}
	return equal > len(nw.sample)/equalShare
}

// guess chooses to keep of the cell of a group the keys around the places that
// the targets have in a cell filled evenly, or all among which they may be if
// that is most of them.
func (nw *Narrowing[K]) guess(g *group[K]) {
	t := &nw.targets[g.from]
	around := &nw.spans[t.cell]
	*around = span[K]{t.lo, t.hi - t.lo} // which NaN is beyond
	g.room = t.inside
	if h := nw.heavyIn(t.cell); h != nil {
		// All else of the cell is in the span, as heavy values are found when nothing is
		// known of the targets, but for NaN: what is missing are copies.
		g.whole = t.inside
		g.dropHeavy(h)
		return
	}
	n := float64(t.inside)
	from, to := float64(t.k-t.below), float64(nw.targets[g.to-1].k-t.below)
	from -= guessSlack*math.Sqrt(from*(1-from/n)) + n/guessShare + 8
	to += guessSlack*math.Sqrt(to*(1-to/n)) + n/guessShare + 8
	if to-from > n/2 || t.cell == 0 || t.cell == nw.cellOf(&nw.scale, nw.scale.Hi) {
		if t.inside*int64(len(nw.groups)) > int64(nw.capacity) {
			first, last := nw.sampled(t.lo, t.hi)
			g.room = nw.expect(t, last-first)
		}
		return
	}
	low, high := t.lo, t.hi
	if from > 0 {
		low = max(low, nw.scale.KeyAt(float64(t.cell)+from/n, nw.enc))
	}
	if to < n {
		high = min(high, nw.scale.KeyAt(float64(t.cell)+to/n, nw.enc))
	}
	if low <= high {
		*around = span[K]{low, high - low}
		g.room = min(int64(1.25*(to-from)+guessSlack*math.Sqrt(to-from)), t.inside)
	}
}

// drop chooses to keep of the cell of a group all keys but the copies of one: that
// of which there seem to be most, so that cells with few values take no room.
func (nw *Narrowing[K]) drop(g *group[K]) {
	t := &nw.targets[g.from]
	g.drops, g.dropped = true, t.lo
	if h := nw.heavyIn(t.cell); h != nil {
		g.dropHeavy(h)
	} else if nw.pass <= sampledPasses {
		first, end := nw.sampledIn(t.cell)
		if g.whole > 2*t.inside {
			g.room, g.dropped = t.inside, kernel.MaxKey[K]() // NaN
		} else if m := end - first; m >= sampledMin {
			median := nw.sample[first+m/2]
			from, to := nw.sampled(median, median)
			if others := m - (to - from); others < m/2 {
				g.dropped = median
				g.room = nw.expect(t, others) + g.whole - t.inside
			}
		}
	}
}

// dropHeavy chooses to keep all keys of the cell but the copies of its heavy value.
func (g *group[K]) dropHeavy(h *heavy[K]) {
	g.drops, g.dropped, g.room = true, h.key, g.whole-h.copies
}

// expect returns for how many keys of the cell of t to make room if so many of the
// sample are kept: some twice the standard deviation more.
func (nw *Narrowing[K]) expect(t *target[K], kept int) int64 {
	first, end := nw.sampledIn(t.cell)
	if end-first < sampledMin {
		return t.inside
	}
	most := float64(kept) + 2*math.Sqrt(float64(kept)+1) + 2
	return min(int64(most/float64(end-first)*float64(t.inside)), t.inside)
}

// roomFor returns how many keys are in the cell of t, NaNs included.
func (nw *Narrowing[K]) roomFor(t *target[K]) int64 {
	if nw.dropped > 0 && !nw.scale.ByValue && t.cell == nw.scale.BinOf(kernel.MaxKey[K]()) {
		return t.inside + int64(nw.dropped)
	}
	return t.inside
}

// sampledIn returns the part of the sample in a cell.
func (nw *Narrowing[K]) sampledIn(cell int) (from, to int) {
	before := func(key K, cell int) int { return nw.cellOf(&nw.scale, key) - cell }
	from, _ = slices.BinarySearchFunc(nw.sample, cell, before)
	n, _ := slices.BinarySearchFunc(nw.sample[from:], cell+1, before)
	return from, from + n
}

// keep writes what is kept of a block, which comes from raw elements, after what waits,
// and returns how many. What is like the elements to leave out is looked for in the
// cells to collect alone, unless most are in them.
func (p *Pass[K]) keep(elements []K, cells []uint16, raw []K) (n int) {
	nw := p.nw
	kept, keptCells := p.kept[p.waiting:], p.keptCells[p.waiting:]
	if len(nw.unlike) == 0 || nw.crowded {
		return kernel.CollectBins(kept, keptCells, elements, cells, &nw.keep, nw.unlike, raw)
	}
	n = kernel.CollectBins(kept, keptCells, elements, cells, &nw.keep, nil, raw)
	return kernel.CollectBins(kept, keptCells, kept[:n], keptCells[:n], &nw.keep, nw.unlike, raw)
}

// deliver moves the keys that wait, as far as they are kept, to their groups.
func (p *Pass[K]) deliver() {
	nw := p.nw
	keys, cells := p.kept[:p.waiting], p.keptCells[:p.waiting]
	p.waiting = 0
	if nw.scale.ByValue {
		kernel.Encode(keys, keys, nw.enc)
	}
	if nw.guessing {
		kept := p.keepAround(keys, cells)
		keys, cells = keys[:kept], cells[:kept]
	}
	clear(p.places)
	for i, c := range cells {
		g := nw.groupOf[c%kernel.BinCount]
		cells[i] = g
		p.places[g]++
	}
	for i, n := range p.places {
		if n > 0 {
			p.places[i] = nw.groups[i].cursor.Add(n) - n
		}
	}
	for i, key := range keys {
		g := cells[i]
		at := p.places[g]
		p.places[g] = at + 1
		if room := nw.groups[g].keys; uint64(at) < uint64(len(room)) {
			room[at] = key
		}
	}
}

// keepAround counts the keys below the spans of their cells, and keeps those
// inside, which are few; it returns how many they are.
func (p *Pass[K]) keepAround(keys []K, cells []uint16) (kept int) {
	spans, under := (*[kernel.BinCount]span[K])(p.nw.spans), (*[kernel.BinCount]uint32)(p.tables)
	cells = cells[:len(keys)]
	for i, key := range keys {
		c := cells[i] % kernel.BinCount
		first, more := spans[c].first, spans[c].more
		var below uint32 // added without a branch to mispredict
		if key < first {
			below = 1
		}
		under[c] += below
		if uint64(int64(key-first)) <= uint64(int64(more)) {
			keys[kept], cells[kept] = key, c
			kept++
		}
	}
	return kept
}
