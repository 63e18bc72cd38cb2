// Package selection finds order statistics of lanes. It selects; only lanes of
// which many quantiles are asked are sorted. Six ideas serve all inputs:
//
//   - count: few possible values are counted, in one pass
//   - network: short lanes are ordered by the same compare-exchange steps each,
//     as many side by side as a vector has lanes
//   - search side by side: medium lanes are searched by counting, one in each
//     lane of a vector
//   - bracket: in a long lane the few keys around the wanted ones are collected
//   - bins: for many quantiles the keys are counted by bins first
//   - partition: quickselect with a bound on its work, where nothing else pays
//
// Which one serves a call is decided in one place, Choose. Bracket and bins are
// the package narrow below this one, whose passes workers may share; what they
// leave, and what else lies in memory, is closed in on by the package bracket and
// partitioned or sorted by the package partition.
package selection

import (
	"sync/atomic"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// Want is what is asked of every lane of a call. It is read by all workers.
type Want struct {
	set    rank.Set
	skip   bool   // NaNs are dropped; otherwise one makes the lane's answers NaN
	halves bool   // all weights may be taken for 1/2, so that those of lanes of different counts need not be told apart
	serial uint64 // 0 if not numbered
	tuned  *tuning.Thresholds
}

// serials numbers the Wants, so that a cache knows which one it was filled
// for: an address may be used again.
var serials atomic.Uint64

// NewWant returns the quantiles of the set, with NaNs dropped if skip.
func NewWant(set rank.Set, skip bool, t *tuning.Thresholds) (w Want) {
	w.Init(set, skip, t)
	return w
}

// Init sets w to NewWant of the same, field by field: a copy of a Want that has
// just been made waits for it to arrive in the cache.
func (w *Want) Init(set rank.Set, skip bool, t *tuning.Thresholds) {
	w.set, w.skip, w.halves, w.serial, w.tuned = set, skip, set.Method().Halves(), 0, t
}

// Number gives w a number, by which workers know the ranks that they have
// worked out for it. Without one they do so for each lane.
func (w *Want) Number() { w.serial = serials.Add(1) }

// Weigh says that somebody asks for the weights themselves, so that 1/2 does not
// serve for all.
func (w *Want) Weigh() { w.halves = false }

// Set returns the quantiles with their method.
func (w *Want) Set() rank.Set { return w.set }

// Len returns the number of quantiles.
func (w *Want) Len() int { return w.set.Len() }

// Method returns the method of the quantiles.
func (w *Want) Method() rank.Method { return w.set.Method() }

// Position returns where a quantile lies among n values, n > 0.
func (w *Want) Position(q int, n int64) rank.Position { return w.set.Position(q, n) }

// QDerivative returns what is asked of every lane for the derivative by the
// quantile: the ends of the linear pieces and, as factors of their difference,
// the slopes.
func (w *Want) QDerivative() Want {
	d := NewWant(w.set.QDerivative(), w.skip, w.tuned)
	d.Number()
	return d
}

// memo is what a worker remembers from one task to the next: the ranks of one
// Want, those of the full count and of the small counts that lanes with NaNs
// have; the picks of a network; and the state of narrowing.
type memo struct {
	serial uint64
	full   countedRanks
	small  [kernel.NetworkMax + 1]countedRanks
	picks  picks
	narrow any // a *narrowed of the keys used last
}

type countedRanks struct {
	n int // 0 if not filled
	rank.Wants
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

// ranksOf returns the ranks of n values, n > 0, valid until the next call.
func ranksOf(s *crew.Scratch, w *Want, n int) *rank.Wants {
	m := memoOf(s)
	if m.serial != w.serial || w.serial == 0 {
		m.serial, m.full.n = w.serial, 0
		for i := range m.small {
			m.small[i].n = 0
		}
	}
	slot := &m.full
	if n < len(m.small) {
		slot = &m.small[n]
	}
	if slot.n != n {
		slot.Resolve(w.set, int64(n))
		slot.n = n
	}
	return &slot.Wants
}
