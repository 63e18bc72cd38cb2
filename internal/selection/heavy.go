package selection

import (
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/tuning"
)

// heavy is a value with many copies among which targets are expected. If all targets
// are, these values alone are counted in the first pass. Otherwise they are together
// with the cells, so that they need not be collected from theirs.
type heavy[K kernel.Key] struct {
	key     K
	element K     // as it is compared
	sampled int   // copies in the sample
	cell    int   // of the scale
	copies  int64 // in the lane, once counted
}

// isHeavy reports whether a value is heavy of which the sample has so many copies.
func (nw *Narrowing[K]) isHeavy(copies int) bool {
	return copies > max(len(nw.sample)/tuning.Default.HeavyShare, 1)
}

// findHeavy finds the heavy values before the first pass, ascending, and reports
// whether all targets are expected to be among them.
func (nw *Narrowing[K]) findHeavy() (all bool) {
	nw.heavy, all = nw.heavy[:0], true
	end := 0 // of the copies of the last one
	for i := range nw.targets {
		at := nw.expectedAt(&nw.targets[i])
		if at < end {
			continue
		}
		key := nw.sample[at]
		from, to := nw.sampled(key, key)
		if !nw.isHeavy(to - from) {
			all = false
			continue
		}
		nw.heavy = append(nw.heavy, heavy[K]{key: key, sampled: to - from})
		end = to
	}
	return all
}

// expectedAt returns the place in the sample at which t is expected, whatever is
// known of it.
func (nw *Narrowing[K]) expectedAt(t *target[K]) int {
	return min(bracket.MulDiv(int(t.k), len(nw.sample), nw.valid), len(nw.sample)-1)
}

// bracketHeavy sets the brackets to the heavy values.
func (nw *Narrowing[K]) bracketHeavy() {
	nw.brackets = nw.brackets[:0]
	for _, h := range nw.heavy {
		nw.brackets = append(nw.brackets, interval[K]{lo: h.key, hi: h.key})
	}
}

// cellHeavy finds the cells of the heavy values; of several in a cell it keeps that
// of which there seem to be most.
func (nw *Narrowing[K]) cellHeavy() {
	kept := nw.heavy[:0]
	for _, h := range nw.heavy {
		h.element, h.cell = nw.scale.Element(h.key, nw.enc), nw.cellOf(&nw.scale, h.key)
		if last := len(kept) - 1; last < 0 || kept[last].cell != h.cell {
			kept = append(kept, h)
		} else if kept[last].sampled < h.sampled {
			kept[last] = h
		}
	}
	nw.heavy = kept
}

// countHeavy counts the copies of the heavy values in a block.
func (p *Pass[K]) countHeavy(elements []K) {
	for i := range p.counts {
		_, equal := kernel.CountBelow(elements, p.nw.heavy[i].element)
		p.counts[i] += int64(equal)
	}
}

// heavyIn returns the heavy value of a cell, nil if it has none.
func (nw *Narrowing[K]) heavyIn(cell int) *heavy[K] {
	for i := range nw.heavy {
		if h := &nw.heavy[i]; h.cell == cell {
			return h
		}
	}
	return nil
}

// settleHeavy sets a target of known cell if it is a copy of the cell's heavy value
// wherever the others of the cell lie, before it or after it.
func (nw *Narrowing[K]) settleHeavy(t *target[K]) {
	if h := nw.heavyIn(t.cell); h != nil {
		if at := t.k - t.below; at >= t.inside-h.copies && at < h.copies {
			t.lo, t.done = h.key, true
		}
	}
}
