// Package narrow finds order statistics of long lanes by passes over their
// elements, without moving them. A sample of a lane tells between which bounds
// an order statistic is expected; a pass looks at the elements, counts and
// collects by these bounds; and if the order statistic is not among what it
// has collected, there is another one, by what the counts say. They are exact,
// so that an expectation that fails costs another sample and another pass, and
// never the answer; from the fourth pass on intervals are divided evenly, which
// ends after at most 64/6 more passes whatever the data.
//
// That is one loop, [Lanes.Next]. What a pass looks for is its strategy, a type each:
// brackets around a few targets; for many, bins that are counted in one pass, and the keys
// kept of those with targets in another; and for bytes how many are up to each of some.
package narrow

import (
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/rank"
)

// Lanes narrows lanes: all of them in each pass, so that memory is read in its
// order. It is run as stages, on one goroutine or several; afterwards the
// answers are there. The zero value is ready for Start.
type Lanes[K kernel.Key] struct {
	call  Call[K]
	lanes []*narrowing[K]
	stage stage
	drawn drawn[K]

	workers sync.Pool // of *worker[K]
}

// stage is what Lanes are doing.
type stage uint8

const (
	beginning stage = iota // nothing is known of the lanes
	drawing                // a sample of each
	looking                // at the elements, in a pass
	selecting              // among the keys that the pass has collected
)

// drawn are elements that are drawn for samples, lane after lane. That is a
// wait for memory, which workers share.
type drawn[K kernel.Key] struct {
	keys  []K
	each  int  // of a lane
	run   int  // so many of them adjacent
	tasks int  // that draw those of a lane
	again bool // not the first
}

// drawnShare is how many elements a pass looks at while one is drawn, in some 50 ns.
const drawnShare = 64

// Start makes ls narrow other lanes. It keeps memory of those before.
func (ls *Lanes[K]) Start(c Call[K]) {
	ls.call, ls.stage, ls.drawn.again = c, beginning, false
	for len(ls.lanes) < c.Lanes {
		ls.lanes = append(ls.lanes, new(narrowing[K]))
	}
}

// all returns the lanes that are narrowed.
func (ls *Lanes[K]) all() []*narrowing[K] { return ls.lanes[:ls.call.Lanes] }

// Next is [crew.Stages]. Samples are drawn, passes planned by them; a pass looks at the
// elements, its counts say where the order statistics are, and those among the keys that it
// has collected are selected; where a sample has misled, another one is drawn; and so on
// until no lane needs a pass.
func (ls *Lanes[K]) Next() (tasks, elements int) {
	switch ls.stage {
	case beginning:
		return ls.draw()
	case drawing:
		for j, n := range ls.all() {
			n.take(&ls.call, ls.drawn.keys[j*ls.drawn.each:][:ls.drawn.each], ls.drawn.again)
		}
	case looking:
		if tasks, elements = ls.settle(); tasks > 0 {
			return tasks, elements
		}
		fallthrough
	case selecting:
		if ls.areMisled() {
			ls.drawn.again = true
			return ls.draw()
		}
	}
	return ls.plan()
}

// draw prepares to draw the samples.
func (ls *Lanes[K]) draw() (tasks, elements int) {
	ls.stage = drawing
	d, c := &ls.drawn, &ls.call
	d.each, d.run = c.sampleSize(), 1
	if unsafe.Sizeof(K(0)) == 1 && d.each >= bracket.SampleRun && c.Adjacent {
		d.run = bracket.SampleRun
		d.each -= d.each % d.run
	}
	d.tasks = (d.each + bracket.DrawnAhead*d.run - 1) / (bracket.DrawnAhead * d.run)
	d.keys = crew.Resize(d.keys, d.each*c.Lanes)
	return c.Lanes * d.tasks, d.each * c.Lanes / d.run * drawnShare
}

// plan prepares a pass over the lanes that need one.
func (ls *Lanes[K]) plan() (tasks, elements int) {
	ls.stage = looking
	needed := false
	for _, n := range ls.all() {
		n.strategy = n.plan()
		needed = needed || n.strategy != nil
	}
	if !needed {
		return 0, 0
	}
	return (ls.call.N + ls.call.Chunk - 1) / ls.call.Chunk, ls.call.N * ls.call.Lanes
}

// settle ends a pass, and prepares to select in the buckets of keys that it has collected.
func (ls *Lanes[K]) settle() (tasks, elements int) {
	ls.stage = selecting
	for _, n := range ls.all() {
		if n.strategy != nil {
			n.lane.settle(n.strategy)
			tasks, elements = tasks+len(n.lane.buckets.list), elements+len(n.lane.buckets.memory)
		}
	}
	return tasks, elements
}

// areMisled reports whether the sample of a lane was no help.
func (ls *Lanes[K]) areMisled() (misled bool) {
	for _, n := range ls.all() {
		misled = n.lane.isMisled(n.strategy != &n.bins) || misled
	}
	return misled
}

// Task is [crew.Phase].
func (ls *Lanes[K]) Task(number int, s *crew.Scratch) {
	switch ls.stage {
	case drawing:
		ls.drawSome(number/ls.drawn.tasks, number%ls.drawn.tasks)
	case looking:
		ls.look(number, s)
	default:
		lane := 0 // whose bucket it is
		for ; number >= len(ls.lanes[lane].lane.buckets.list); lane++ {
			number -= len(ls.lanes[lane].lane.buckets.list)
		}
		l := &ls.lanes[lane].lane
		l.buckets.list[number].selectIn(l.targets, ls.call.Thresholds, s)
	}
}

// drawSome draws some of a lane's sample, as keys.
func (ls *Lanes[K]) drawSome(lane, number int) {
	d, c := &ls.drawn, &ls.call
	of := &ls.lanes[lane].lane.sample
	if d.again && !of.misled {
		return
	}
	from := number * bracket.DrawnAhead * d.run
	keys := d.keys[lane*d.each:][:d.each][from:min(from+bracket.DrawnAhead*d.run, d.each)]
	at := bracket.NewPositions(d.each/d.run, c.N/d.run)
	if d.again {
		at = at.Again(of.known)
	}
	at.Skip(from / d.run)
	address := func(element int) unsafe.Pointer { return c.Input.Pointer(c.First+lane, element) }
	if d.run == 1 {
		bracket.Draw(keys, &at, address)
	} else {
		bracket.DrawRuns(keys, &at, address)
	}
	kernel.Encode(keys, keys, c.Encoding)
}

// look looks at a chunk of the lanes that need it.
func (ls *Lanes[K]) look(number int, s *crew.Scratch) {
	c := &ls.call
	to := min((number+1)*c.Chunk, c.N)
	block := crew.Alloc[K](s, kernel.CacheKeys)
	w, ok := ls.workers.Get().(*worker[K])
	if !ok {
		w = new(worker[K])
	}
	for j, n := range ls.all() {
		if n.strategy == nil {
			continue
		}
		mark := s.Mark()
		w.begin(&n.lane, n.strategy, s)
		for from := number * c.Chunk; from < to; {
			first, stride, n := c.Input.Run(c.First+j, from, to)
			w.addStrided(first, stride, n, block)
			from += n
		}
		w.end()
		s.Release(mark)
	}
	ls.workers.Put(w)
}

// IsNaN reports whether the answers of one of the lanes are NaN.
func (ls *Lanes[K]) IsNaN(lane int) bool { return ls.lanes[lane].lane.values == 0 }

// Answer returns the keys of the two values between which quantile q of one of the
// lanes lies, which is not NaN, and the position with the weight of hi.
func (ls *Lanes[K]) Answer(lane, q int) (lo, hi K, p *rank.Position) {
	l := &ls.lanes[lane].lane
	w := &l.ranks
	return l.targets[w.Lo[q]].lo, l.targets[w.Hi[q]].lo, &w.Positions[q]
}

// fewOpen is for how many targets places in the sample are found one by one where that
// takes no vectors: to sort that of 10M float16 takes as long as to find ten.
const fewOpen = 4

// narrowing is a lane with the strategies by which it is narrowed.
type narrowing[K kernel.Key] struct {
	lane     lane[K]
	bounds   bounds[K]
	strategy strategy[K] // of the pass; nil if the lane needs none
	binned   bool        // a pass has counted bins

	brackets brackets[K]
	bins     bins[K]
	kept     kept[K]
	bytes    bytes[K]
}

// take takes the keys that were drawn for a sample: the first one, with which the lane
// begins, or another one if it needs that.
func (n *narrowing[K]) take(c *Call[K], keys []K, again bool) {
	switch s := &n.lane.sample; {
	case !again:
		n.lane.start(c, keys)
		n.strategy, n.binned, n.kept.guessed, n.kept.bins = nil, false, false, &n.bins
	case s.misled:
		s.set(keys, c.Encoding)
	}
}

// plan returns the strategy of the next pass, ready; nil if none is needed.
func (n *narrowing[K]) plan() strategy[K] {
	l := &n.lane
	open, needed := l.begin()
	if !needed {
		return nil
	}
	least := l.call.Thresholds.BinsMin
	if unsafe.Sizeof(K(0)) == 2 {
		least *= 3 // the bins of 16-bit keys are found one key at a time
	}
	bins := open >= least && !n.binned && len(l.sample.keys) > 0
	if bins || l.passes > 0 || open > fewOpen && !kernel.NthOnVectors[K]() {
		l.sample.sort()
	}
	if unsafe.Sizeof(K(0)) == 1 {
		n.bytes.begin(l, n.bounds.of(l))
		return &n.bytes
	}
	if bins {
		if n.bins.findHeavy(l) {
			list := n.bounds.list[:0]
			for _, h := range n.bins.heavy {
				list = append(list, interval[K]{lo: h.key, hi: h.key})
			}
			n.bounds.list = list
			n.brackets.begin(l, list)
			return &n.brackets
		}
		n.binned = true
		n.bins.begin(l)
		return &n.bins
	}
	if (n.strategy == &n.bins && open >= least || n.strategy == &n.kept) && n.kept.begin(l) {
		return &n.kept
	}
	list := n.bounds.of(l)
	if l.passes > 0 && (expected(list) > int64(l.call.Capacity) || len(list) > kernel.BracketsMax) {
		n.binned = true
		n.bins.divide(l, list)
		return &n.bins
	}
	n.brackets.begin(l, list)
	return &n.brackets
}
