package selection

import (
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// picks say which elements of sorted lanes of n elements are wanted, by how many of a lane
// are values. The networks that lead to them are made again only if something else was asked
// since.
type picks struct {
	n        int
	tables   []kernel.PickTable // by quantile
	stale    bool               // the networks are others
	networks kernel.Networks
}

// start begins the picks of so many quantiles in lanes of n elements.
func (p *picks) start(n, quantiles int) {
	if p.n != n || len(p.tables) != quantiles {
		p.n, p.stale = n, true
		p.tables = slices.Grow(p.tables[:0], quantiles)[:quantiles]
		clear(p.tables)
	}
}

// set makes elements lo and hi, which is lo or lo+1, those that quantile q wants of lanes
// with m values.
func (p *picks) set(q, m, lo, hi int) {
	if p.tables[q].Set(m, lo, hi) {
		p.stale = true
	}
}

// finish returns the networks that lead to the elements that were set.
func (p *picks) finish() *kernel.Networks {
	if p.stale {
		p.networks.Make(p.n, p.tables)
		p.stale = false
	}
	return &p.networks
}

// networksOf returns the networks that lead to what is wanted of lanes of n elements. If
// NaNs are not dropped, the answers of lanes that hold one are NaN, the last element.
func networksOf(s *crew.Scratch, w *Want, n int) *kernel.Networks {
	p := &memoOf(s).picks
	p.start(n, w.Len())
	wanted := func(m int) {
		for q, pos := range ranksOf(s, w, m).Positions {
			p.set(q, m, int(pos.Lo), int(pos.Hi))
		}
	}
	for m := 1; m < n; m++ {
		if w.skip {
			wanted(m)
			continue
		}
		for q := range p.tables {
			p.set(q, m, n-1, n-1)
		}
	}
	wanted(n)
	return p.finish()
}
