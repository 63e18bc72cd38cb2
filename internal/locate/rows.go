package locate

import (
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// locateRows finds the positions of targets where a block has all elements.
func (g *Group[K]) locateRows(b block[K]) {
	s, lanes := g.Scratch, g.Count
	n, at, upTo, number := crew.Alloc[K](s, lanes), crew.Alloc[K](s, lanes), crew.Alloc[K](s, lanes), crew.Alloc[K](s, lanes)
	least, nan := repeat(kernel.MinKey[K](), lanes, s), []K(nil)
	for t := range g.known {
		c, to := g.class(t), g.positions(t)
		kernel.CountAndLocate(n, at, b.keys, c, g.most)
		if kernel.AllOne(n) && !g.nowhere(t) {
			widen(to, at)
			continue
		}
		if g.search.SkipNaN && nan == nil {
			nan = crew.Alloc[K](s, lanes)
			kernel.CountAndLocate(nan, at, b.keys, kernel.Class[K]{Lo: g.most, Hi: g.most}, g.most)
		}
		kernel.CountAndLocate(upTo, at, b.keys, kernel.Class[K]{Lo: least, Hi: c.Hi}, g.most)
		numbers(g, t, number, n, upTo, nan)
		kernel.CountAndLocate(n, at, b.keys, c, number)
		for j, e := range at {
			if to[j] = int64(e); number[j] < 0 {
				to[j] = -1
			}
		}
	}
}

// countRows counts what is equal to targets.
func (g *Group[K]) countRows(b block[K], s *crew.Scratch) {
	n, at := crew.Alloc[K](s, g.Count), crew.Alloc[K](s, g.Count)
	for t := range g.known {
		kernel.CountAndLocate(n, at, b.keys, g.class(t), g.most)
		widen(g.counts(g.equal, t, b.index), n)
		widen(g.counts(g.last, t, b.index), at)
	}
}

// widen writes numbers given as keys to dst.
func widen[T int | int64, K kernel.Key](dst []T, from []K) {
	dst = dst[:len(from)]
	for j, k := range from {
		dst[j] = T(k)
	}
}

// nowhere reports whether a target has position -1 in some lane although it is
// there.
func (g *Group[K]) nowhere(t int) bool {
	f := g.search
	return f.NaN == Nowhere && f.Encoding.Code == kernel.Float && slices.Contains(g.class(t).Lo, kernel.MaxKey[K]())
}

// settle sets the positions of targets that have no equals in any lane, which need
// no rank, and reports whether all are such.
func (g *Group[K]) settle() (all bool) {
	all = true
	for t := range g.known {
		g.known[t] = kernel.AllOne(g.totals(g.equal, t)) && !g.nowhere(t)
		if all = all && g.known[t]; !g.known[t] {
			continue
		}
		to := g.positions(t)
		for b := range g.blocks {
			last := g.counts(g.last, t, b)
			for j, n := range g.counts(g.equal, t, b) {
				if n == 1 {
					to[j] = int64(b*g.length + last[j])
				}
			}
		}
	}
	return all
}

// rankRows counts what is not larger than targets that are not known, and NaNs.
func (g *Group[K]) rankRows(b block[K], s *crew.Scratch) {
	n, at := crew.Alloc[K](s, g.Count), crew.Alloc[K](s, g.Count)
	if g.search.SkipNaN {
		kernel.CountAndLocate(n, at, b.keys, kernel.Class[K]{Lo: g.most, Hi: g.most}, g.most)
		widen(g.counts(g.nan, 0, b.index), n)
	}
	least := repeat(kernel.MinKey[K](), g.Count, s)
	for t, known := range g.known {
		if known {
			continue
		}
		kernel.CountAndLocate(n, at, b.keys, kernel.Class[K]{Lo: least, Hi: g.class(t).Hi}, g.most)
		widen(g.counts(g.upTo, t, b.index), n)
	}
}

// chooseRows sets the positions of the targets that are in the block.
func (g *Group[K]) chooseRows(b block[K], s *crew.Scratch) {
	n, at, limit := crew.Alloc[K](s, g.Count), crew.Alloc[K](s, g.Count), crew.Alloc[K](s, g.Count)
	for t, known := range g.known {
		if known {
			continue
		}
		number := g.number[t*g.Count:][:g.Count]
		for j, in := range g.block[t*g.Count:][:g.Count] {
			if limit[j] = -1; in == b.index {
				limit[j] = K(number[j])
			}
		}
		kernel.CountAndLocate(n, at, b.keys, g.class(t), limit)
		to := g.positions(t)
		for j, l := range limit {
			if l >= 0 {
				to[j] = int64(b.from) + int64(at[j])
			}
		}
	}
}
