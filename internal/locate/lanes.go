package locate

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
)

// parts calls fn for the keys of lane j of a block, part by part, with how many are
// NaN and the number of the first, until it returns false. part is memory for
// kernel.CacheKeys keys.
func (g *Group[K]) parts(b block[K], j int, part []K, fn func(keys []K, nan, from int) bool) {
	f := g.search
	more := true
	for from, end := b.from, b.from+b.n; from < end && more; from += kernel.CacheKeys {
		n, nan, keys := min(kernel.CacheKeys, end-from), 0, part
		if b.keys == nil {
			nan = lane.Encode(part[:n], &f.Lanes, g.First+j, from, from+n, f.Encoding)
		} else if keys = b.keys[j*b.n+from-b.from:]; g.hasNaN {
			_, nan = kernel.CountBelow(keys[:n], kernel.MaxKey[K]())
		}
		more = fn(keys[:n], nan, from)
	}
}

// elements calls fn for the elements of lane j of a block as they lie in memory, as
// parts does.
func (g *Group[K]) elements(b block[K], j int, fn func(elements []K, from int) bool) {
	more := true
	for from, end := b.from, b.from+b.n; from < end && more; from += kernel.CacheKeys {
		p := (*K)(g.search.Lanes.Pointer(g.First+j, from))
		more = fn(unsafe.Slice(p, min(kernel.CacheKeys, end-from)), from)
	}
}

// countLanes counts what is equal to targets, what is not larger, and NaNs.
func (g *Group[K]) countLanes(b block[K], s *crew.Scratch) {
	part := crew.Alloc[K](s, kernel.CacheKeys)
	for j := range g.Count {
		nans := &g.nan[b.index*g.Count+j]
		if g.search.direct {
			g.elements(b, j, func(elements []K, _ int) bool {
				*nans += g.countEnds(part, elements, b.index, j)
				return true
			})
			continue
		}
		g.parts(b, j, part, func(keys []K, nan, _ int) bool {
			*nans += nan
			g.countKeys(keys, b.index, j)
			return true
		})
	}
}

// countKeys adds up the counts of keys of lane j.
func (g *Group[K]) countKeys(keys []K, block, j int) {
	var k K
	below, equal := 0, 0
	for t := range g.known {
		if lo, hi := g.lo[t*g.Count+j], g.hi[t*g.Count+j]; t == 0 || lo != k {
			k = lo
			below, equal = countClass(keys, lo, hi)
		}
		g.add(t, block, j, below, equal)
	}
}

// countClass counts the keys below and inside a class of one key or two.
func countClass[K kernel.Key](keys []K, lo, hi K) (below, equal int) {
	if below, equal = kernel.CountBelow(keys, lo); lo != hi {
		_, more := kernel.CountBelow(keys, hi)
		equal += more
	}
	return below, equal
}

// add adds counts of a target in lane j of a block.
func (g *Group[K]) add(t, block, j, below, equal int) {
	i := (t*g.blocks+block)*g.Count + j
	g.equal[i] += equal
	g.upTo[i] += below + equal
}

// countEnds adds up the counts of elements of lane j by both ends of one quantile at
// once, and returns how many are NaN. kept is memory for as many keys.
func (g *Group[K]) countEnds(kept, elements []K, block, j int) (nan int) {
	last := (len(g.known)-1)*g.Count + j
	lo, hi := g.lo[j], g.hi[last]
	c := kernel.Collect(kept[:len(elements)], elements, g.search.Encoding, lo, hi)
	for t := range g.known {
		from, to := g.lo[t*g.Count+j], g.hi[t*g.Count+j]
		below, equal := 0, c.Inside
		switch {
		case g.isNaN(from):
			equal = c.NaN
		case from != lo || to != hi:
			below, equal = countClass(kept[:c.Inside], from, to)
		}
		g.add(t, block, j, c.Below+below, equal)
	}
	return c.NaN
}

// chooseLanes sets the positions of the targets that are in the block.
func (g *Group[K]) chooseLanes(b block[K], s *crew.Scratch) {
	part := crew.Alloc[K](s, kernel.CacheKeys)
	for j := range g.Count {
		for t := range g.known {
			i := t*g.Count + j
			if g.block[i] != b.index {
				continue
			}
			k, left, to := g.lo[i:i+1], g.number[i], g.positions(t)
			look := func(keys []K, _, from int) bool {
				at, equal := kernel.IndexOf(keys, k[0], left)
				if at >= 0 {
					to[j] = int64(from + at)
				}
				left -= equal
				return at < 0
			}
			if g.search.direct && !g.isNaN(k[0]) {
				var element [1]K
				kernel.Decode(element[:], k, g.search.Encoding, 0)
				k = element[:]
				g.elements(b, j, func(elements []K, from int) bool { return look(elements, 0, from) })
			} else {
				g.parts(b, j, part, look)
			}
		}
	}
}

// visitLanes calls visit for the lanes of a block that have elements equal to an
// end of the only quantile.
func (g *Group[K]) visitLanes(b block[K], s *crew.Scratch) {
	part := crew.Alloc[K](s, kernel.CacheKeys)
	last := len(g.known) - 1
	for j := range g.Count {
		if g.counts(g.equal, 0, b.index)[j]+g.counts(g.equal, last, b.index)[j] == 0 {
			continue
		}
		g.parts(b, j, part, func(keys []K, _, from int) bool {
			g.visit(j, from, keys, s)
			return true
		})
	}
}
