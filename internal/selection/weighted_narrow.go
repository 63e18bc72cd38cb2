package selection

import (
	"slices"
	"sync/atomic"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// WeightedNarrowing finds the answers of one long weighted lane by passes over
// it. A pass adds up the weights in the cells between splitters; when the
// cells in which answers lie hold few enough elements, the last pass collects
// them. The splitters of the first pass divide a sample evenly, those of later
// ones the range of the keys, which at least halves it each time.
//
//	w.Start(…); for w.Next() { for each block { p.Add(block) }; w.Merge(p); w.Settle() }; w.Finish(…)
//
// Between Next and Merge, passes of several workers may add to one.
type WeightedNarrowing[K kernel.Key] struct {
	goal     goal[K]
	float    bool
	capacity int
	passes   int
	state    laneState
	s        *crew.Scratch

	intervals []weightedInterval[K]
	sums      []uint64 // of interval i, below it at 2i and inside it at 2i+1
	after     []weightedInterval[K]
	sumsAfter []uint64

	splitters []K
	padded    []K      // the splitters, and MaxKey up to one less than a power of two
	weigh     []bool   // the cells whose weights count
	cells     []uint64 // sums, a cell each
	counts    []int64
	nan       int

	collects bool
	cursor   atomic.Int64
	keys     []K
	weights  []uint64
}

// weightedInterval is a range of keys that holds what reaches some targets.
type weightedInterval[K kernel.Key] struct {
	lo, hi   K
	count    int64 // elements with a weight
	from, to int   // the targets
}

// Start prepares to narrow a lane of n elements, n > 0, of which sample are the
// keys of some, drawn at random. It sorts the sample. At most capacity pairs
// are collected. Memory that is needed to the end is from s.
func (w *WeightedNarrowing[K]) Start(want *Want, g *Weighting, e kernel.Encoding[K], n, capacity int, sample []K, s *crew.Scratch) {
	w.goal = newGoal[K](want, g, true, s)
	w.float, w.capacity, w.s = e.Code == kernel.Float, capacity, s
	w.passes, w.state, w.nan = 0, laneValues, 0
	w.intervals = w.intervals[:0]
	slices.Sort(sample)
	for w.float && len(sample) > 0 && sample[len(sample)-1] == kernel.MaxKey[K]() {
		sample = sample[:len(sample)-1]
	}
	w.splitters = w.splitters[:0]
	parts := fewestCells
	for parts < len(sample)/4 && (parts < 4*want.Len() || n/parts*want.Len() > capacity/2) {
		parts *= 2
	}
	for i := 1; i < parts && len(sample) > 0; i++ {
		w.splitters = append(w.splitters, sample[len(sample)*i/parts])
	}
}

// Next prepares a pass and reports whether one is needed.
func (w *WeightedNarrowing[K]) Next() bool {
	if w.passes > 0 && len(w.intervals) == 0 {
		return false
	}
	total := int64(0)
	for _, v := range w.intervals {
		total += v.count
	}
	w.passes++
	if w.collects = w.passes > 1 && total <= int64(w.capacity); w.collects {
		w.keys, w.weights = crew.Resize(w.keys, int(total)), crew.Resize(w.weights, int(total))
		w.cursor.Store(0)
		return true
	}
	if w.passes > 1 {
		w.divide()
	}
	w.splitters = slices.Compact(w.splitters)
	w.padded = append(w.padded[:0], w.splitters...)
	for len(w.padded)&(len(w.padded)+1) != 0 {
		w.padded = append(w.padded, kernel.MaxKey[K]())
	}
	cells := 2*len(w.splitters) + 1
	w.weigh = crew.Resize(w.weigh, cells)
	for i := range w.weigh {
		w.weigh[i] = w.passes == 1
	}
	for _, v := range w.intervals {
		from, to := w.span(&v)
		for c := from; c <= to; c++ {
			w.weigh[c] = true
		}
	}
	w.cells, w.counts = crew.Resize(w.cells, cells*w.goal.g.words), crew.Resize(w.counts, cells)
	clear(w.cells)
	clear(w.counts)
	return true
}

// divide makes splitters of the ends of the intervals and of points that divide
// them evenly.
func (w *WeightedNarrowing[K]) divide() {
	w.splitters = w.splitters[:0]
	parts := max(2, min(evenCells, weightedCells/len(w.intervals)))
	for _, v := range w.intervals {
		w.splitters = appendEven(w.splitters, v.lo, v.hi, parts)
	}
}

// span returns the first and the last cell of an interval whose ends are
// splitters.
func (w *WeightedNarrowing[K]) span(v *weightedInterval[K]) (from, to int) {
	return 2*searchKey(w.splitters, v.lo) + 1, 2*searchKey(w.splitters, v.hi) + 1
}

// WeightedPass is one worker's part of a pass over a weighted lane.
type WeightedPass[K kernel.Key] struct {
	of      *WeightedNarrowing[K]
	cells   []uint64
	counts  []int64
	nan     int
	cell    []uint32 // of a block
	keys    []K
	weights []uint64
}

// NewPass returns a worker's part of the pass, with memory from s.
func (w *WeightedNarrowing[K]) NewPass(s *crew.Scratch) WeightedPass[K] {
	p := WeightedPass[K]{of: w}
	if w.collects {
		p.keys, p.weights = crew.Alloc[K](s, BlockMax), crew.Alloc[uint64](s, BlockMax)
		return p
	}
	p.cells, p.counts = crew.Alloc[uint64](s, len(w.cells)), crew.Alloc[int64](s, len(w.counts))
	p.cell = crew.Alloc[uint32](s, BlockMax)
	clear(p.cells)
	clear(p.counts)
	return p
}

// Add adds a block of at most BlockMax keys with their loaded weights.
func (p *WeightedPass[K]) Add(keys []K, weights []uint64) {
	if p.of.collects {
		p.collect(keys, weights[:len(keys)])
		return
	}
	w := p.of
	w.classify(p.cell, keys)
	weights = weights[:len(keys)]
	words := w.goal.g.words
	nan := kernel.MaxKey[K]()
	for i, c := range p.cell[:len(keys)] {
		if w.float && keys[i] == nan {
			p.nan++
			continue
		}
		if weights[i] == 0 || !w.weigh[c] {
			continue
		}
		p.counts[c]++
		if words == 1 {
			p.cells[c] += weights[i]
		} else {
			w.goal.g.addOne(p.cells[int(c)*words:][:words], weights[i])
		}
	}
}

// classify sets the cells of keys: 2i of those between splitters i-1 and i,
// 2i+1 of those equal to splitter i.
func (w *WeightedNarrowing[K]) classify(cells []uint32, keys []K) {
	splitters := w.padded
	half := (len(splitters) + 1) / 2
	distinct := len(w.splitters)
	cells = cells[:len(keys)]
	for i, k := range keys {
		at := 0 // the number of splitters less than k
		for step := half; step > 0; step >>= 1 {
			less := 0 // a number: a branch would be mispredicted half the time
			if splitters[at+step-1] < k {
				less = 1
			}
			at += step & -less
		}
		c := 2 * at
		if at < distinct && splitters[at] == k {
			c++
		}
		cells[i] = uint32(c)
	}
}

// collect collects the pairs of a block that lie in an interval.
func (p *WeightedPass[K]) collect(keys []K, weights []uint64) {
	w := p.of
	n := 0
	if len(w.intervals) == 1 {
		lo, hi := w.intervals[0].lo, w.intervals[0].hi
		for i, k := range keys {
			p.keys[n], p.weights[n] = k, weights[i]
			if k >= lo && k <= hi && weights[i] != 0 {
				n++
			}
		}
	} else {
		for i, k := range keys {
			if weights[i] != 0 && w.inside(k) {
				p.keys[n], p.weights[n] = k, weights[i]
				n++
			}
		}
	}
	// Weights that have been changed since they were counted may not fit.
	if end := int(w.cursor.Add(int64(n))); end <= len(w.keys) {
		copy(w.keys[end-n:end], p.keys[:n])
		copy(w.weights[end-n:end], p.weights[:n])
	}
}

// inside reports whether a key lies in an interval.
func (w *WeightedNarrowing[K]) inside(k K) bool {
	lo, hi := 0, len(w.intervals)
	for lo < hi {
		if mid := (lo + hi) / 2; w.intervals[mid].hi < k {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(w.intervals) && w.intervals[lo].lo <= k
}

// Merge adds a worker's part to the pass. The caller merges one at a time.
func (w *WeightedNarrowing[K]) Merge(p *WeightedPass[K]) {
	w.nan += p.nan
	if w.collects {
		return
	}
	words := w.goal.g.words
	for i, n := range p.counts {
		if n > 0 {
			w.counts[i] += n
			AddSum(w.cells[i*words:][:words], p.cells[i*words:][:words])
		}
	}
}

// Settle ends a pass when all parts are merged.
func (w *WeightedNarrowing[K]) Settle() {
	words := w.goal.g.words
	mark := w.s.Mark()
	defer w.s.Release(mark)
	switch {
	case w.collects:
		w.selectCollected()
	case w.passes > 1:
		after, sums := w.after[:0], w.sumsAfter[:0]
		below := crew.Alloc[uint64](w.s, words)
		for i := range w.intervals {
			v := &w.intervals[i]
			copy(below, w.sums[2*i*words:])
			from, to := w.span(v)
			after, sums = w.descend(after, sums, from, to, v, below)
		}
		w.after, w.intervals = w.intervals, after
		w.sumsAfter, w.sums = w.sums, sums
	default:
		total := crew.Alloc[uint64](w.s, words)
		clear(total)
		for c := range w.counts {
			AddSum(total, w.cells[c*words:][:words])
		}
		w.sums = w.sums[:0]
		switch {
		case w.nan > 0 && !w.goal.want.skip:
			w.state = laneIsNaN
			return
		case isZero(total):
			w.state = laneIsVoid
			return
		}
		w.goal.aim(total)
		clear(total)
		all := weightedInterval[K]{lo: kernel.MinKey[K](), hi: kernel.MaxKey[K](), to: w.goal.targets.n}
		if w.float {
			all.hi-- // the largest is NaN
		}
		w.intervals, w.sums = w.descend(w.intervals, w.sums, 0, len(w.counts)-1, &all, total)
	}
}

// descend finds the cells, from … to, that hold the targets of an interval
// before which the weights add up to below, and appends those that hold
// several keys as intervals. It overwrites below.
func (w *WeightedNarrowing[K]) descend(dst []weightedInterval[K], sums []uint64, from, to int, v *weightedInterval[K], below []uint64) ([]weightedInterval[K], []uint64) {
	words := len(below)
	t := &w.goal.targets
	reached := crew.Alloc[uint64](w.s, words)
	copy(reached, below)
	first := v.from
	for c := from; c <= to && first < v.to; c++ {
		inside := w.cells[c*words:][:words]
		AddSum(reached, inside)
		next := t.beyond(first, v.to, reached)
		if next > first {
			cell := weightedInterval[K]{lo: v.lo, hi: v.hi, count: w.counts[c], from: first, to: next}
			if c&1 == 1 {
				cell.lo, cell.hi = w.splitters[c/2], w.splitters[c/2]
			} else {
				if c > 0 {
					cell.lo = max(v.lo, w.splitters[c/2-1]+1)
				}
				if c/2 < len(w.splitters) {
					cell.hi = min(v.hi, w.splitters[c/2]-1)
				}
			}
			if cell.lo == cell.hi {
				t.settle(first, next, cell.lo, below)
			} else {
				dst = append(dst, cell)
				sums = append(append(sums, below...), inside...)
			}
		}
		first = next
		copy(below, reached)
	}
	return dst, sums
}

// selectCollected selects among the pairs of all intervals. Their targets are
// moved down by the weights that lie between the intervals.
func (w *WeightedNarrowing[K]) selectCollected() {
	words := w.goal.g.words
	t := &w.goal.targets
	moved := newTargets[K](t.g, t.n, true, w.s)
	inside := crew.Alloc[uint64](w.s, words)
	clear(inside)
	for i, v := range w.intervals {
		for j := v.from; j < v.to; j++ {
			sum := moved.sum(moved.n)
			copy(sum, t.sum(j))
			subSum(sum, w.sums[2*i*words:][:words])
			AddSum(sum, inside)
			moved.n++
		}
		AddSum(inside, w.sums[(2*i+1)*words:][:words])
	}
	n := min(int(w.cursor.Load()), len(w.keys))
	selectWeighted(&moved, w.keys[:n], w.weights[:n], w.s)
	at := 0
	for _, v := range w.intervals {
		copy(t.keys[v.from:v.to], moved.keys[at:])
		copy(t.rest[v.from*words:v.to*words], moved.rest[at*words:])
		at += v.to - v.from
	}
	w.intervals = w.intervals[:0]
}

// Finish sets the answers of a lane of the result, as keys. Next must have
// returned false.
func (w *WeightedNarrowing[K]) Finish(r *Result[K], lane int) {
	if w.state != laneValues {
		r.fillNaN(lane, lane+1)
		return
	}
	w.goal.put(r, lane)
}

// IsNaN reports whether the answer is NaN because there is one, and IsVoid
// whether it is because no weight is left.
func (w *WeightedNarrowing[K]) IsNaN() bool  { return w.state == laneIsNaN }
func (w *WeightedNarrowing[K]) IsVoid() bool { return w.state == laneIsVoid }

// Copies returns the key that reaches target from, and the end of the targets
// that it reaches; to is from where there is no such target.
func (w *WeightedNarrowing[K]) Copies(from int) (key K, to int) {
	t := &w.goal.targets
	if from == t.n {
		return key, from
	}
	return t.keys[from], t.sameKey(from)
}

// Rest returns what the copies of its key must add up to for a target.
func (w *WeightedNarrowing[K]) Rest(target int) []uint64 { return w.goal.targets.restOf(target) }

// Target returns the target of a quantile by a discrete method.
func (w *WeightedNarrowing[K]) Target(quantile int) int { return w.goal.lo[quantile] }
