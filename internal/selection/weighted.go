package selection

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/rank"
)

// WeightedResult returns a result for so many weighted lanes, each with
// weights of its own, as the lanes may have different totals.
func WeightedResult[K kernel.Key](w *Want, lanes int, s *crew.Scratch) Result[K] {
	size := w.Len() * lanes
	r := Result[K]{Lanes: lanes, Lo: crew.Alloc[K](s, size), Hi: crew.Alloc[K](s, size), G: crew.Alloc[float64](s, size)}
	clear(r.G)
	return r
}

// goal is what is asked of one weighted lane: the targets once its total
// weight is known, and where the quantiles find their answers among them.
type goal[K kernel.Key] struct {
	want    *Want
	g       *Weighting
	total   int64 // for which the positions are, 0 if for none
	pos     []rank.Position
	wanted  []int64
	lo, hi  []int
	targets targets[K]
}

// newGoal returns a goal with memory from s.
func newGoal[K kernel.Key](w *Want, g *Weighting, rest bool, s *crew.Scratch) goal[K] {
	q := w.Len()
	a := goal[K]{
		want: w, g: g,
		lo: crew.Alloc[int](s, q), hi: crew.Alloc[int](s, q),
		targets: newTargets[K](g, 2*q, rest, s),
	}
	if g.float {
		a.targets.n = q
		for i, q := range g.order {
			a.lo[q], a.hi[q] = i, i
		}
	} else {
		a.pos, a.wanted = crew.Alloc[rank.Position](s, q), crew.Alloc[int64](s, 2*q)
	}
	return a
}

// aim sets the targets for a total that is not 0.
func (a *goal[K]) aim(total []uint64) {
	if a.g.float {
		for i, q := range a.g.order {
			setTarget(a.targets.sum(i), total, a.g.qs[q])
		}
		return
	}
	n := int64(total[0])
	if n != a.total {
		a.total = n
		a.pos = a.want.set.Positions(a.pos[:0], n)
		a.wanted = rank.Wanted(a.wanted[:0], a.pos)
		for q, p := range a.pos {
			a.lo[q], a.hi[q] = search(a.wanted, p.Lo), search(a.wanted, p.Hi)
		}
	}
	a.targets.n = len(a.wanted)
	for i, k := range a.wanted {
		a.targets.sums[i] = uint64(k) + 1
	}
}

// put sets the answers of a lane of the result from what reached the targets.
func (a *goal[K]) put(r *Result[K], lane int) {
	for q := range a.lo {
		at := q*r.Lanes + lane
		r.Lo[at], r.Hi[at] = a.targets.keys[a.lo[q]], a.targets.keys[a.hi[q]]
		if !a.g.float {
			r.G[at] = a.pos[q].G
		}
	}
}

// WeightedLanes selects in weighted lanes of n elements, one after another.
type WeightedLanes[K kernel.Key] struct {
	goal    goal[K]
	float   bool // keys that are floats: the largest is NaN
	s       *crew.Scratch
	keys    []K // the pairs that count
	weights []uint64
	total   []uint64

	state  laneState
	values []K      // that reach the targets, distinct
	next   []int    // for each of them, the first of its targets not yet reached
	ends   []int    // and the end of its targets
	seen   []uint64 // and the weight of its copies so far
	at     []int    // for each target, the element that reaches it
}

// laneState says what the answer of a weighted lane is.
type laneState uint8

const (
	laneValues laneState = iota
	laneIsNaN            // NaN, because there is one
	laneIsVoid           // NaN, because no weight is left
)

// NewWeightedLanes returns WeightedLanes with memory from s; index says that
// Locate is going to be called.
func NewWeightedLanes[K kernel.Key](w *Want, g *Weighting, e kernel.Encoding[K], n int, index bool, s *crew.Scratch) WeightedLanes[K] {
	l := WeightedLanes[K]{
		goal:  newGoal[K](w, g, index, s),
		float: e.Code == kernel.Float,
		s:     s,
		keys:  crew.Alloc[K](s, n), weights: crew.Alloc[uint64](s, n),
		total: crew.Alloc[uint64](s, g.words),
	}
	if index {
		room := 2 * w.Len()
		l.values, l.at = crew.Alloc[K](s, room), crew.Alloc[int](s, room)
		l.next, l.ends = crew.Alloc[int](s, room), crew.Alloc[int](s, room)
		l.seen = crew.Alloc[uint64](s, room*g.words)
	}
	return l
}

// Select sets the answers of a lane of r, as keys, from the keys of its
// elements and their loaded weights.
func (l *WeightedLanes[K]) Select(r *Result[K], lane int, keys []K, weights []uint64) {
	l.state = laneValues
	n := l.compact(keys, weights)
	clear(l.total)
	l.goal.g.add(l.total, l.weights[:n])
	if l.state == laneValues && isZero(l.total) {
		l.state = laneIsVoid
	}
	if l.state != laneValues {
		r.fillNaN(lane, lane+1)
		return
	}
	l.goal.aim(l.total)
	selectWeighted(&l.goal.targets, l.keys[:n], l.weights[:n], l.s)
	l.goal.put(r, lane)
}

// compact collects the pairs of a lane that have a weight and are not NaN, and
// returns how many there are.
func (l *WeightedLanes[K]) compact(keys []K, weights []uint64) int {
	weights = weights[:len(keys)]
	n := 0
	if !l.float {
		for i, k := range keys {
			l.keys[n], l.weights[n] = k, weights[i]
			if weights[i] != 0 {
				n++
			}
		}
		return n
	}
	nan := false
	for i, k := range keys {
		l.keys[n], l.weights[n] = k, weights[i]
		if k == kernel.MaxKey[K]() {
			nan = true
		} else if weights[i] != 0 {
			n++
		}
	}
	if nan && !l.goal.want.skip {
		l.state = laneIsNaN
	}
	return n
}

// Locate finds the elements of the lane last selected in, given again, that
// are its answers: among equal keys those whose cumulative weight reaches the
// target first. The method must be discrete.
func (l *WeightedLanes[K]) Locate(keys []K, weights []uint64) {
	if l.state != laneValues {
		l.at[0] = -1
		if l.state == laneIsNaN {
			l.at[0], _ = kernel.IndexOf(keys, kernel.MaxKey[K](), 0)
		}
		return
	}
	t := &l.goal.targets
	values, words := 0, t.g.words
	for from := 0; from < t.n; values++ {
		l.values[values], l.next[values] = t.keys[from], from
		from = t.sameKey(from)
		l.ends[values] = from
	}
	clear(l.seen[:values*words])
	open := t.n
	for i, k := range keys {
		v := 0
		if values > 1 {
			v = searchKey(l.values[:values], k)
		}
		if v == values || l.values[v] != k || weights[i] == 0 {
			continue
		}
		seen := l.seen[v*words:][:words]
		t.g.addOne(seen, weights[i])
		for l.next[v] < l.ends[v] && !exceeds(t.restOf(l.next[v]), seen) {
			l.at[l.next[v]] = i
			l.next[v]++
			open--
		}
		if open == 0 {
			return
		}
	}
}

// searchKey returns the index of the first of the ascending keys that is not
// less than k.
func searchKey[K kernel.Key](keys []K, k K) int {
	lo, hi := 0, len(keys)
	for lo < hi {
		if mid := (lo + hi) / 2; keys[mid] < k {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Index returns the element that Locate found for a quantile: of a lane that is
// NaN the first NaN, -1 where no weight is left.
func (l *WeightedLanes[K]) Index(quantile int) int {
	if l.state != laneValues {
		return l.at[0]
	}
	return l.at[l.goal.lo[quantile]]
}
