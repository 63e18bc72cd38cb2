package narrow

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// even counts the keys in bins that divide one interval evenly, where there are too many
// to collect and samples have failed. What lies outside the interval has the first and
// the last bin for itself.
type even[K kernel.Key] struct {
	*lane[K]
	of    kernel.Bins[K]
	inBin [kernel.BinCount]int64
}

// begin prepares a pass.
func (c *even[K]) begin(v interval[K]) {
	c.of = kernel.Bins[K]{}
	width := uint64(int64(v.hi)) - uint64(int64(v.lo))
	for width>>c.of.Shift >= kernel.BinCount-2 {
		c.of.Shift++
	}
	// One bin below the interval and one above, as far as there are keys.
	step := uint64(1) << c.of.Shift
	c.of.Lo, c.of.Hi = kernel.MinKey[K](), kernel.MaxKey[K]()
	if uint64(int64(v.lo))-uint64(int64(c.of.Lo)) >= step {
		c.of.Lo = K(int64(uint64(int64(v.lo)) - step))
	}
	if uint64(int64(c.of.Hi))-uint64(int64(v.hi)) >= step {
		c.of.Hi = K(int64(uint64(int64(v.hi)) + step))
	}
	for (uint64(int64(c.of.Hi))-uint64(int64(c.of.Lo)))>>c.of.Shift >= kernel.BinCount {
		c.of.Shift++ // an interval that begins or ends near the last keys
	}
	c.counts = c.counts[:0]
	clear(c.inBin[:])
}

func (c *even[K]) prepare(p *part[K], s *crew.Scratch) {
	p.keys, p.bins = crew.Alloc[K](s, p.block), crew.Alloc[uint16](s, p.block)
	p.tables = crew.Alloc[uint32](s, 2*kernel.BinCount)
	clear(p.tables)
}

func (c *even[K]) add(p *part[K], elements []K) {
	found := p.bins[:len(elements)]
	kernel.FindBins(found, p.encode(elements, c.call.Encoding), &c.of)
	kernel.CountBins((*[2 * kernel.BinCount]uint32)(p.tables), found, elements)
}

func (c *even[K]) merge(p *part[K]) {
	for i := range c.inBin {
		c.inBin[i] += int64(p.tables[i]) + int64(p.tables[kernel.BinCount+i])
	}
}

// settle narrows the targets to their bins.
func (c *even[K]) settle() {
	if c.call.Encoding.Code == kernel.Float {
		c.inBin[c.of.BinOf(kernel.MaxKey[K]())] -= int64(c.nan)
	}
	bin := 0
	var below int64 // keys before the bin
	for i := range c.targets {
		t := &c.targets[i]
		if t.done {
			continue
		}
		for ; below+c.inBin[bin] <= t.k; bin++ {
			below += c.inBin[bin]
		}
		t.below, t.inside = below, c.inBin[bin]
		if bin > 0 {
			t.lo = max(t.lo, c.key(uint64(bin)<<c.of.Shift))
		}
		if bin < kernel.BinCount-1 {
			t.hi = min(t.hi, c.key(uint64(bin+1)<<c.of.Shift-1))
		}
	}
}

// key returns the key that lies so far above the first bin's beginning, or the largest.
func (c *even[K]) key(distance uint64) K {
	lo, most := uint64(int64(c.of.Lo)), uint64(int64(kernel.MaxKey[K]()))
	return K(int64(lo + min(distance, most-lo)))
}
