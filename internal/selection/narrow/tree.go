package narrow

import (
	"math/bits"
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
)

// evenParts is how many parts of its range an interval is divided into once
// samples have failed.
const evenParts = 64

// tree counts the keys between and at splitters that divide intervals evenly,
// where there are too many to collect.
type tree[K kernel.Key] struct {
	*lane[K]
	splitters kernel.Splitters[K]
	distinct  int // of them; the others are padding
}

// begin prepares a pass with cells made of parts of the intervals.
func (c *tree[K]) begin(list []interval[K]) {
	keys := c.splitters.Keys[:0]
	parts := max(2, min(evenParts, 4094/max(1, len(list))))
	for _, v := range list {
		keys = bracket.AppendEven(keys, v.lo, v.hi, parts)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if last := len(keys) - 1; last >= 0 && keys[last] == kernel.MaxKey[K]() {
		keys = keys[:last]
	}
	c.distinct = len(keys)
	for full := 1<<bits.Len(uint(c.distinct+1)) - 1; len(keys) < full; {
		keys = append(keys, kernel.MaxKey[K]())
	}
	c.splitters.Keys = keys
	c.splitters.Plant()
	c.counts = crew.Resize(c.counts, 2*len(keys)+1)
}

func (c *tree[K]) prepare(p *part[K], s *crew.Scratch) { p.keys = crew.Alloc[K](s, p.block) }

func (c *tree[K]) add(p *part[K], elements []K) {
	kernel.Classify(p.encode(elements, c.call.Encoding), &c.splitters, p.counts)
}

// settle narrows the targets to the cells that hold them.
func (c *tree[K]) settle() {
	keys := c.splitters.Keys
	if c.call.Encoding.Code != kernel.Float {
		// The largest key, which is no splitter, belongs above the last one.
		c.counts[2*c.distinct] += c.counts[2*len(keys)-1]
	}
	cell := 0
	var below int64 // keys before the cell
	for i := range c.targets {
		t := &c.targets[i]
		if t.done {
			continue
		}
		for ; below+c.counts[cell] <= t.k; cell++ {
			below += c.counts[cell]
		}
		if cell&1 == 1 {
			t.found(keys[cell/2])
			continue
		}
		if cell > 0 {
			t.lo = max(t.lo, keys[cell/2-1]+1)
		}
		if cell < 2*c.distinct {
			t.hi = min(t.hi, keys[cell/2]-1)
		}
		t.below, t.inside = below, c.counts[cell]
	}
}
