// Package narrow finds order statistics of long lanes by passes over their
// elements, without moving them. A sample of a lane tells between which bounds
// an order statistic is expected; a pass looks at the elements, counts and
// collects by these bounds; and if the order statistic is not among what it
// has collected, there is another one, by what the counts say. They are exact,
// so that an expectation that fails costs another sample and another pass, and
// never the answer; from the fourth pass on intervals are divided evenly, which
// ends after at most 64/6 more passes whatever the data.
//
// That is one loop, Next. What a pass looks for is its strategy: brackets around a
// few targets; for many, bins that are counted in one pass, and in another the
// keys kept of those with targets; and bounds for bytes. Which one it is, and by
// which bounds, says plan.
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

	mu   sync.Mutex
	free []*worker[K]
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

// Start makes g narrow other lanes. It keeps memory of those before.
func (g *Lanes[K]) Start(c Call[K]) {
	g.call, g.stage, g.drawn.again = c, beginning, false
	for len(g.lanes) < c.Lanes {
		g.lanes = append(g.lanes, new(narrowing[K]))
	}
}

// Next is [crew.Stages].
func (g *Lanes[K]) Next() (tasks, elements int) {
	c, lanes := &g.call, g.lanes[:g.call.Lanes]
	switch g.stage {
	case beginning:
		return g.draw()
	case drawing:
		for j, n := range lanes {
			n.sample(c, g.drawn.keys[j*g.drawn.each:][:g.drawn.each], g.drawn.again)
		}
	case looking:
		g.stage = selecting
		for _, n := range lanes {
			buckets, keys := n.settle()
			tasks, elements = tasks+buckets, elements+keys
		}
		if tasks > 0 && len(lanes) > 1 {
			tasks = len(lanes)
		}
		if tasks > 0 {
			return tasks, elements
		}
		fallthrough
	case selecting:
		misled := false
		for _, n := range lanes {
			misled = n.lane.isMisled(n.strategy != &n.bins) || misled
		}
		if misled {
			g.drawn.again = true
			return g.draw()
		}
	}
	g.stage = looking
	open := false
	for _, n := range lanes {
		open = n.plan() || open
	}
	if !open {
		return 0, 0
	}
	return (c.N + c.Chunk - 1) / c.Chunk, c.N * len(lanes)
}

// draw prepares to draw the samples.
func (g *Lanes[K]) draw() (tasks, elements int) {
	g.stage = drawing
	d, c := &g.drawn, &g.call
	d.each, d.run = c.sampleSize(), 1
	if unsafe.Sizeof(K(0)) == 1 && d.each >= bracket.SampleRun && c.Adjacent {
		d.run = bracket.SampleRun
		d.each -= d.each % d.run
	}
	d.tasks = (d.each + bracket.DrawnAhead*d.run - 1) / (bracket.DrawnAhead * d.run)
	d.keys = crew.Resize(d.keys, d.each*c.Lanes)
	return c.Lanes * d.tasks, d.each * c.Lanes / d.run * drawnShare
}

// Task is [crew.Phase].
func (g *Lanes[K]) Task(number int, s *crew.Scratch) {
	switch {
	case g.stage == drawing:
		g.drawPart(number/g.drawn.tasks, number%g.drawn.tasks)
	case g.stage == looking:
		g.look(number, s)
	case g.call.Lanes == 1:
		g.lanes[0].selectIn(number, s)
	case g.lanes[number].strategy != nil:
		for i := range g.lanes[number].lane.buckets.list {
			g.lanes[number].selectIn(i, s)
		}
	}
}

// drawPart draws a part of a lane's sample, as keys.
func (g *Lanes[K]) drawPart(lane, part int) {
	d, c := &g.drawn, &g.call
	of := &g.lanes[lane].lane.sample
	if d.again && !of.misled {
		return
	}
	from := part * bracket.DrawnAhead * d.run
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
func (g *Lanes[K]) look(number int, s *crew.Scratch) {
	c := &g.call
	to := min((number+1)*c.Chunk, c.N)
	block := crew.Alloc[K](s, kernel.CacheKeys)
	w := g.takeWorker()
	for j, n := range g.lanes[:c.Lanes] {
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
	g.mu.Lock()
	g.free = append(g.free, w)
	g.mu.Unlock()
}

// takeWorker returns a worker that nobody uses.
func (g *Lanes[K]) takeWorker() *worker[K] {
	g.mu.Lock()
	defer g.mu.Unlock()
	last := len(g.free) - 1
	if last < 0 {
		return new(worker[K])
	}
	w := g.free[last]
	g.free = g.free[:last]
	return w
}

// IsNaN reports whether the answers of one of the lanes are NaN.
func (g *Lanes[K]) IsNaN(lane int) bool { return g.lanes[lane].lane.isNaN() }

// Answer returns the keys of the two values between which quantile q of one of the
// lanes lies, which is not NaN, and the position with the weight of hi.
func (g *Lanes[K]) Answer(lane, q int) (lo, hi K, p *rank.Position) {
	l := &g.lanes[lane].lane
	w := &l.wants
	return l.targets[w.Lo[q]].lo, l.targets[w.Hi[q]].lo, &w.Positions[q]
}
