// Package weighted finds order statistics of weighted lanes. A quantile is the
// first value, in order, whose cumulative weight reaches a target, or lies
// between two such values.
//
// Targets follow from the total weight of a lane. They are found by setting keys
// aside: where the weight of those that come before a target is known, it is
// taken from the target. In the end one key is left for each target, whose
// copies must add up to what remains of it. Sums are exact, so that no order of
// elements or workers shows in the answers.
//
// Short lanes are selected in where their keys lie; long ones are read in passes,
// several lanes together, by all workers.
package weighted

import (
	"sort"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// Call is what is asked of every lane of a call. It is read by all workers.
type Call[K kernel.Key] struct {
	Set        rank.Set
	Skip       bool // NaNs are dropped; otherwise one makes the lane's answers NaN
	Index      bool // the elements that are the answers are asked for too; the method is discrete
	Encoding   kernel.Encoding[K]
	Weighting  *Weighting
	Thresholds *tuning.Thresholds
}

// isFloat reports whether the largest key is that of NaN.
func (c *Call[K]) isFloat() bool { return c.Encoding.Code == kernel.Float }

// PairBytes is the most that a key takes with its weight.
const PairBytes = 16

// Answers are those of one lane.
type Answers[K kernel.Key] struct {
	call  *Call[K]
	isNaN bool       // the answers are NaN because there is one
	wants rank.Wants // which targets the quantiles have
	total uint64     // the count of values that wants are for, 0 if for none
	rest  sums       // of each target, ascending, what remains of it
	keys  []K        // what reaches each target; without targets all answers are NaN
	at    []int      // and the element that does
}

// newAnswers returns Answers with memory from s.
func newAnswers[K kernel.Key](c *Call[K], s *crew.Scratch) Answers[K] {
	q := c.Set.Len()
	a := Answers[K]{
		call: c,
		wants: rank.Wants{
			Positions: crew.Alloc[rank.Position](s, q),
			Ranks:     crew.Alloc[int64](s, 2*q),
			Lo:        crew.Alloc[int](s, q), Hi: crew.Alloc[int](s, q),
		},
		rest: newSums(2*q, c.Weighting.words, s),
		keys: crew.Alloc[K](s, 2*q),
	}
	if c.Weighting.float {
		clear(a.wants.Positions)
		for i, q := range c.Weighting.order {
			a.wants.Lo[q], a.wants.Hi[q] = i, i
		}
	}
	if c.Index {
		a.at = crew.Alloc[int](s, 2*q)
	}
	return a
}

// aim sets the targets of a lane of the given total weight; there are none if
// its answers are NaN, as they are if the lane has a NaN that is not skipped.
func (a *Answers[K]) aim(total sum, hasNaN bool) {
	a.isNaN = hasNaN && !a.call.Skip
	if a.call.Index {
		a.at[0] = -1
	}
	switch set := a.call.Set; {
	case a.isNaN || total.isZero():
		a.keys = a.keys[:0]
	case a.call.Weighting.float:
		a.keys = a.keys[:set.Len()]
		for i, q := range a.call.Weighting.order {
			setTarget(a.rest.at(i), total, set.Q(q))
		}
	default:
		// No more than was checked, whatever the weights have become since.
		if total := min(total[0], MaxFrequencies-1); a.total != total {
			a.total = total
			a.wants.Resolve(set, int64(a.total))
		}
		a.keys = a.keys[:len(a.wants.Ranks)]
		for i, k := range a.wants.Ranks {
			a.rest.at(i)[0] = uint64(k) + 1
		}
	}
}

// reached returns the first of the targets from … to-1 that the sum does not
// reach, to if it reaches all.
func (a *Answers[K]) reached(from, to int, reached sum) int {
	return from + sort.Search(to-from, func(i int) bool { return reached.less(a.rest.at(from + i)) })
}

// take takes the weight of keys that come before them from the targets from … to-1.
func (a *Answers[K]) take(from, to int, before sum) {
	for i := from; i < to; i++ {
		a.rest.at(i).sub(before)
	}
}

// set sets the key that reaches the targets from … to-1.
func (a *Answers[K]) set(from, to int, key K) {
	for i := from; i < to; i++ {
		a.keys[i] = key
	}
}

// noPosition is the position of NaN answers, of which weights are taken.
var noPosition rank.Position

// Answer returns the keys of the two values between which quantile q lies, and the
// position with the weight of hi. Where the answer is NaN both are the largest key.
func (a *Answers[K]) Answer(q int) (lo, hi K, p *rank.Position) {
	if len(a.keys) == 0 {
		return kernel.MaxKey[K](), kernel.MaxKey[K](), &noPosition
	}
	return a.keys[a.wants.Lo[q]], a.keys[a.wants.Hi[q]], &a.wants.Positions[q]
}

// Index returns the element that is the answer of a quantile: of several with the
// same key the one whose cumulative weight reaches the target first; the first
// NaN where there is one that is not skipped, and -1 if no weight is left.
func (a *Answers[K]) Index(q int) int {
	if len(a.keys) == 0 {
		return a.at[0]
	}
	return a.at[a.wants.Lo[q]]
}

// reach adds the weights of the copies of a key to the sum until it reaches the
// target, and returns the position of the last one, -1 if it does not. Without a
// target it adds all.
func reach[K kernel.Key](g *Weighting, reached, target sum, key K, keys []K, weights []uint64) int {
	first, _ := kernel.IndexOf(keys, key, 0)
	if first < 0 {
		return -1
	}
	for i := first; i < len(keys); i++ {
		if keys[i] == key {
			g.addOne(reached, weights[i])
			if target != nil && !reached.less(target) {
				return i
			}
		}
	}
	return -1
}
