package locate

import (
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/rank"
)

// count is the type of a count: an int, or a key where rows are few.
type count interface{ kernel.Key | int }

// numbers writes to number[j] which of its equals target t is in lane j: the one
// numbered k-b, if it has rank k and b elements are smaller. It is negative where
// the target is nowhere. equal and upTo are the counts of what is equal and what is
// not larger; nan those of NaNs, or nil if they have a rank.
func numbers[K kernel.Key, C count](g *Group[K], t int, number, equal, upTo, nan []C) {
	f := g.search
	q, end := g.target(t)
	first := q*f.Lanes.Count + g.First
	weighs := end == 1 && len(f.Weights) == len(f.Values[0]) // each lane for itself
	valid, known, k := f.Lanes.N, 0, C(0)
	var p rank.Position // of the quantile among the known number of elements
	for j, key := range g.class(t).Lo {
		if nan != nil {
			valid = f.Lanes.N - int(nan[j])
		}
		if valid != known {
			if known = valid; valid > 0 { // otherwise all are NaN
				p = f.Want.Position(q, int64(valid))
			}
			if k = C(p.Lo); end == 1 && f.Weight(q, first+j) != 0 {
				k = C(p.Hi)
			}
		}
		if weighs {
			if k = C(p.Hi); f.Weights[first+j] == 0 {
				k = C(p.Lo)
			}
		}
		nth := k - (upTo[j] - equal[j])
		if g.isNaN(key) {
			nth = C(f.NaN.number(int(equal[j])))
		}
		if number[j] = nth; nth >= equal[j] {
			number[j] = -1
		}
	}
}

// resolve finds out in which block target t is in each lane, and which of its equals
// there.
func (g *Group[K]) resolve(t int) {
	if g.known[t] {
		for j := range g.Count {
			g.block[t*g.Count+j] = -1
		}
		return
	}
	number, nan := g.number[t*g.Count:][:g.Count], []int(nil)
	if g.search.SkipNaN {
		nan = g.totals(g.nan, 0)
	}
	numbers(g, t, number, g.totals(g.equal, t), g.totals(g.upTo, t), nan)
	g.place(t)
}

// place finds the blocks of a target whose numbers are known, and those there. Its positions
// are -1 until it is found, which it may not be where elements have changed.
func (g *Group[K]) place(t int) {
	block, number, to := g.block[t*g.Count:][:g.Count], g.number[t*g.Count:][:g.Count], g.positions(t)
	for j, nth := range number {
		b := 0
		for ; nth >= 0 && b < g.blocks-1; b++ {
			n := g.equal[(t*g.blocks+b)*g.Count+j]
			if nth < n {
				break
			}
			nth -= n
		}
		if block[j], number[j], to[j] = b, nth, -1; nth < 0 {
			block[j] = -1
		}
	}
}

// isNaN reports whether a key is that of NaN.
func (g *Group[K]) isNaN(k K) bool {
	return k == kernel.MaxKey[K]() && g.search.Encoding.Code == kernel.Float
}

// Alone finds the ends of the only quantile where they have no equals, which needs
// no ranks, and reports whether that is so in all lanes. Otherwise the positions
// say nothing with rows, and are -1 in the lanes where one has equals without.
func (g *Group[K]) Alone() (all bool, err error) {
	g.prepare()
	g.aim(0, 1)
	if err := g.run(counting); err != nil {
		return false, err
	}
	if g.search.layout.Rows {
		return g.settle(), nil
	}
	all = true
	lower, upper := g.Equal(0), g.Equal(1)
	for j := range g.Count {
		alone := lower[j] == 1 && upper[j] == 1 && g.single(0, j) && g.single(len(g.known)-1, j)
		all = all && alone
		for t := range g.known {
			if g.number[t*g.Count+j] = 0; !alone {
				g.number[t*g.Count+j] = -1
			}
		}
	}
	for t := range g.known {
		g.place(t)
	}
	return all, g.run(choosing)
}

// single reports whether only elements with the same bits are equal to a target.
func (g *Group[K]) single(t, j int) bool { return g.lo[t*g.Count+j] == g.hi[t*g.Count+j] }
