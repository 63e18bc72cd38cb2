package selection

import (
	"math/bits"
	"slices"

	"github.com/ogive-go/ogive/internal/kernel"
)

// tree divides the keys into the cells of kernel.Classify.
type tree[K kernel.Key] struct {
	of        kernel.Splitters[K]
	splitters []K // of the cells; the first distinct ones are not padding
	distinct  int
}

// appendEven appends the ends of the range lo … hi and points that divide it
// evenly into at most so many parts.
func appendEven[K kernel.Key](dst []K, lo, hi K, parts int) []K {
	width := uint64(int64(hi)) - uint64(int64(lo))
	dst = append(dst, lo)
	for i := 1; i < parts; i++ {
		h, l := bits.Mul64(width, uint64(i))
		step, _ := bits.Div64(h, l, uint64(parts))
		dst = append(dst, K(int64(uint64(int64(lo))+step)))
	}
	return append(dst, hi)
}

// divide makes cells of parts of the brackets.
func (c *tree[K]) divide(brackets []interval[K]) {
	c.splitters = c.splitters[:0]
	parts := max(2, min(evenCells, 4094/max(1, len(brackets))))
	for _, b := range brackets {
		c.splitters = appendEven(c.splitters, b.lo, b.hi, parts)
	}
	slices.Sort(c.splitters)
	c.splitters = slices.Compact(c.splitters)
	if last := len(c.splitters) - 1; last >= 0 && c.splitters[last] == kernel.MaxKey[K]() {
		c.splitters = c.splitters[:last]
	}
	c.distinct = len(c.splitters)
	full := 1<<bits.Len(uint(c.distinct+1)) - 1
	for len(c.splitters) < full {
		c.splitters = append(c.splitters, kernel.MaxKey[K]())
	}
	c.of.Splitters = c.splitters
	c.of.Plant()
}

// cells returns the number of cells, those of the padding included.
func (c *tree[K]) cells() int { return 2*len(c.splitters) + 1 }

// settleTree narrows the targets by the counts of the cells.
func (nw *Narrowing[K]) settleTree() {
	c := &nw.tree
	if nw.enc.Code != kernel.Float {
		// The largest key, which is no splitter, belongs above the last one.
		nw.counts[2*c.distinct] += nw.counts[2*len(c.splitters)-1]
	}
	cell := 0
	var below int64 // keys before the cell
	for i := range nw.targets {
		t := &nw.targets[i]
		if t.done {
			continue
		}
		for ; below+nw.counts[cell] <= t.k; cell++ {
			below += nw.counts[cell]
		}
		if cell&1 == 1 {
			t.lo, t.done = c.splitters[cell/2], true
			continue
		}
		if cell > 0 {
			t.lo = max(t.lo, c.splitters[cell/2-1]+1)
		}
		if cell < 2*c.distinct {
			t.hi = min(t.hi, c.splitters[cell/2]-1)
		}
		t.below, t.inside = below, nw.counts[cell]
	}
}
