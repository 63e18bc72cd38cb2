// Package selection finds order statistics: of one lane, or of a tile of
// lanes, plain, with NaNs dropped, and weighted. It selects; only lanes of
// which many quantiles are asked are sorted.
//
// Many short lanes are ordered by a network; medium ones are searched side by
// side in vectors, or packed and partitioned in scratch memory; long ones are
// narrowed: passes over the data count the keys between bounds and collect the
// few that can still be the answer. Which way is taken stands in Tile, and from
// which sizes on in Thresholds.
package selection

import (
	"sync/atomic"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/rank"
)

// Want is what is asked of every lane of a call. It is read by all workers.
type Want struct {
	set    rank.Set
	skip   bool   // NaNs are dropped; otherwise one makes the lane's answers NaN
	serial uint64 // 0 if not numbered
	halves bool   // see Halves
}

// serials numbers the Wants, so that a cache knows which one it was filled
// for: an address may be used again.
var serials atomic.Uint64

// NewWant returns the quantiles of the set, with NaNs dropped if skip.
func NewWant(set rank.Set, skip bool) (w Want) {
	w.Init(set, skip)
	return w
}

// Init sets w to NewWant of the same, field by field: a copy of a Want that has
// just been made waits for it to arrive in the cache.
func (w *Want) Init(set rank.Set, skip bool) { w.set, w.skip, w.serial, w.halves = set, skip, 0, false }

// Number gives w a number, by which workers know the ranks that they have
// worked out for it. Without one they do so for each lane.
func (w *Want) Number() { w.serial = serials.Add(1) }

// Halves says whether all weights may be taken for 1/2, so that those of lanes
// of different counts need not be told apart.
func (w *Want) Halves(yes bool) { w.halves = yes }

// Len returns the number of quantiles.
func (w *Want) Len() int { return w.set.Len() }

// Method returns the method of the quantiles.
func (w *Want) Method() rank.Method { return w.set.Method() }

// ranks are the order statistics that a Want names for a count of values.
type ranks struct {
	pos    []rank.Position
	wanted []int64 // ascending, distinct
	lo, hi []int   // for each quantile, where its two order statistics stand in wanted
}

// resolve fills r for n values, n > 0.
func (w *Want) resolve(r *ranks, n int) {
	r.pos = w.set.Positions(r.pos[:0], int64(n))
	r.wanted = rank.Wanted(r.wanted[:0], r.pos)
	r.lo, r.hi = r.lo[:0], r.hi[:0]
	for _, p := range r.pos {
		r.lo = append(r.lo, search(r.wanted, p.Lo))
		r.hi = append(r.hi, search(r.wanted, p.Hi))
	}
}

// search returns the index of k in the ascending list.
func search(list []int64, k int64) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; list[mid] < k {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// rankCache remembers the ranks of one Want: those of the full count, and of
// the small counts that lanes with NaNs have.
type rankCache struct {
	serial uint64
	full   countedRanks
	small  [kernel.NetworkMax + 1]countedRanks
}

type countedRanks struct {
	n int // 0 if not filled
	ranks
}

// ranksOf returns the ranks of n values, n > 0, valid until the next call.
func ranksOf(s *crew.Scratch, w *Want, n int) *ranks {
	c := &memoOf(s).ranks
	if c.serial != w.serial || w.serial == 0 {
		c.serial, c.full.n = w.serial, 0
		for i := range c.small {
			c.small[i].n = 0
		}
	}
	slot := &c.full
	if n < len(c.small) {
		slot = &c.small[n]
	}
	if slot.n != n {
		w.resolve(&slot.ranks, n)
		slot.n = n
	}
	return &slot.ranks
}

// Result are the answers of a tile of lanes: for quantile q and lane j the keys
// of the two values between which it lies at q*Lanes+j of Lo and Hi. The weight
// of Hi is G[q] if len(G) is the number of quantiles, the same for all lanes,
// and G[q*Lanes+j] otherwise. A NaN answer has two NaNs, and one of weight 0 the
// same key twice. G may be nil where 1/2 serves every lane, by Want.Halves. If
// Values is set, Lo holds the answers, as elements.
type Result[K kernel.Key] struct {
	Lanes  int
	Lo, Hi []K
	G      []float64
	Values bool
}

// RankOf returns the order statistic that a discrete quantile q names among n
// values, n > 0.
func (w *Want) RankOf(q, n int) int64 { return w.set.Position(q, int64(n)).Lo }

// memo is what a worker remembers from one task to the next.
type memo struct {
	ranks rankCache
	picks kernel.Picks
	// narrowing is a *Narrowing of the keys used last.
	narrowing any
}

// memoOf returns what the worker remembers.
func memoOf(s *crew.Scratch) *memo {
	m, ok := s.Memo.(*memo)
	if !ok {
		m = new(memo)
		s.Memo = m
	}
	return m
}
