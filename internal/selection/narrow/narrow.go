// Package narrow finds order statistics of long lanes by passes over their
// elements, without moving them. A pass counts keys between some bounds and
// collects those among which the wanted order statistics are expected; what is
// left is few enough to select in. Expectations come from a sample. The counts
// are exact, so that an expectation that fails costs another sample and another pass,
// and never the answer; from the fourth pass on intervals are divided evenly, which
// ends after at most 64/6 more passes whatever the data.
//
// What a pass looks for is one of five ways, a type each: brackets around a few
// targets, evenly spaced bins for many (counted in one pass, collected in
// another), an even division of one interval (even) or of several (tree), and bounds
// for bytes.
package narrow

import (
	"math"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// Input is where lanes lie.
type Input interface {
	// Pointer returns the address of an element of a lane.
	Pointer(lane, element int) unsafe.Pointer
	// Run returns the address of element from of a lane, and how many of those
	// from it on, up to to-1, are how far apart, in elements.
	Run(lane, from, to int) (first unsafe.Pointer, stride, n int)
}

// Call is what is asked of a group of lanes.
type Call[K kernel.Key] struct {
	Set        rank.Set
	Skip       bool // NaNs are dropped; otherwise one makes the lane's answers NaN
	Encoding   kernel.Encoding[K]
	Thresholds *tuning.Thresholds

	Input Input
	First int // the first lane of the group
	Lanes int // so many side by side, or one
	N     int // elements of a lane, not 0

	Chunk    int  // elements of a lane in one task
	Capacity int  // keys of a lane that may be collected at a time, best a hundred or more
	Far      bool // the lanes do not fit a core's cache
	Adjacent bool // the elements of a lane follow each other
}

// Group narrows lanes: all of a group in each pass, so that memory is read in
// its order. It is run as stages, on one goroutine or several; afterwards the
// answers are there. The zero value is ready for Start.
type Group[K kernel.Key] struct {
	call  Call[K]
	lanes []*lane[K]
	stage stage
	drawn sample[K]

	mu   sync.Mutex
	free []*part[K]
}

// stage is what a Group does next, or is doing.
type stage uint8

const (
	drawing   stage = iota // a sample of each lane
	passing                // over the elements
	selecting              // among the keys that the pass has collected
)

// sample are the samples of a group's lanes, lane after lane. Drawing one is a
// wait for memory, which workers share.
type sample[K kernel.Key] struct {
	keys  []K
	each  int // of a lane
	group int // so many of them adjacent
	parts int // tasks that draw those of a lane
	begun bool
	again bool // not the first
}

const (
	// drawTask is how many elements a task draws: some tens of microseconds.
	drawTask = 1 << 9

	// drawnShare is how many elements a pass looks at while one is drawn, in
	// some 50 ns.
	drawnShare = 64

	// collectedShare is the part of the elements that is collected, about.
	collectedShare = 16
)

// Start makes g narrow other lanes. It keeps memory of those before.
func (g *Group[K]) Start(c Call[K]) {
	g.call, g.stage, g.drawn.begun, g.drawn.again = c, drawing, false, false
	for len(g.lanes) < c.Lanes {
		g.lanes = append(g.lanes, newLane[K]())
	}
}

// sampleSize returns how many elements of a lane are sampled. More narrow the
// brackets, as 1/sqrt; fewer take less time to draw. Of lanes that do not fit a
// cache collecting costs more, so that a few brackets are worth a larger sample:
// three quantiles of 10M float32 or float64 take 0.93 of the time, one or two
// and narrower elements no less.
func (c *Call[K]) sampleSize() int {
	m := max(int(math.Pow(float64(c.N), 0.55)), 32)
	if q := c.Set.Len(); c.Far && unsafe.Sizeof(K(0)) >= 4 && q > 2 && 2*q < c.Thresholds.BinsMin {
		m *= 2
	}
	return min(m, c.N)
}

// Next is [crew.Stages].
func (g *Group[K]) Next() (tasks, elements int) {
	c := &g.call
	lanes := g.lanes[:c.Lanes]
	switch {
	case g.stage == drawing && !g.drawn.begun:
		g.drawn.begun = true
		return g.draw()
	case g.stage == drawing:
		for j, l := range lanes {
			keys := g.drawn.keys[j*g.drawn.each:][:g.drawn.each]
			switch {
			case !g.drawn.again:
				l.start(c, keys)
			case l.misled:
				l.resample(keys)
			}
		}
	case g.stage == passing:
		g.stage = selecting
		groups := 0
		for _, l := range lanes {
			if l.way != nil {
				groups += l.settle()
			}
		}
		if groups > 0 && len(lanes) > 1 {
			groups = len(lanes)
		}
		if groups > 0 {
			return groups, c.N * len(lanes) / collectedShare
		}
		fallthrough
	default:
		misled := false
		for _, l := range lanes {
			misled = l.isMisled() || misled
		}
		if misled {
			g.stage, g.drawn.again = drawing, true
			return g.draw()
		}
	}
	g.stage = passing
	open := false
	for _, l := range lanes {
		open = l.plan() || open
	}
	if !open {
		return 0, 0
	}
	return (c.N + c.Chunk - 1) / c.Chunk, c.N * len(lanes)
}

// draw prepares the sample.
func (g *Group[K]) draw() (tasks, elements int) {
	d, c := &g.drawn, &g.call
	d.each, d.group = c.sampleSize(), 1
	if unsafe.Sizeof(K(0)) == 1 && d.each >= bracket.SampleGroup && c.Adjacent {
		d.group = bracket.SampleGroup
		d.each -= d.each % d.group
	}
	d.parts = (d.each + drawTask*d.group - 1) / (drawTask * d.group)
	d.keys = crew.Resize(d.keys, d.each*c.Lanes)
	return c.Lanes * d.parts, d.each * c.Lanes / d.group * drawnShare
}

// Task is [crew.Phase].
func (g *Group[K]) Task(number int, s *crew.Scratch) {
	switch {
	case g.stage == drawing:
		g.drawPart(number/g.drawn.parts, number%g.drawn.parts)
	case g.stage == passing:
		g.pass(number, s)
	case g.call.Lanes == 1:
		g.lanes[0].selectIn(number, s)
	case g.lanes[number].way != nil:
		for i := range g.lanes[number].groups {
			g.lanes[number].selectIn(i, s)
		}
	}
}

// drawPart draws a part of a lane's sample, as keys.
func (g *Group[K]) drawPart(lane, part int) {
	d, c := &g.drawn, &g.call
	if d.again && !g.lanes[lane].misled {
		return
	}
	from := part * drawTask * d.group
	keys := d.keys[lane*d.each:][:d.each][from:min(from+drawTask*d.group, d.each)]
	at := bracket.NewPositions(d.each/d.group, c.N/d.group)
	if d.again {
		at = at.Again(g.lanes[lane].known)
	}
	at.Skip(from / d.group)
	address := func(element int) unsafe.Pointer { return c.Input.Pointer(c.First+lane, element) }
	if d.group == 1 {
		bracket.Draw(keys, &at, address)
	} else {
		bracket.DrawGroups(keys, &at, address)
	}
	kernel.Encode(keys, keys, c.Encoding)
}

// pass looks at a chunk of the lanes that need it.
func (g *Group[K]) pass(number int, s *crew.Scratch) {
	c := &g.call
	to := min((number+1)*c.Chunk, c.N)
	block := crew.Alloc[K](s, kernel.CacheKeys)
	p := g.takePart()
	for j, l := range g.lanes[:c.Lanes] {
		if l.way == nil {
			continue
		}
		mark := s.Mark()
		p.begin(l, s)
		for from := number * c.Chunk; from < to; {
			first, stride, n := c.Input.Run(c.First+j, from, to)
			p.addStrided(first, stride, n, block)
			from += n
		}
		l.way.flush(p)
		g.mu.Lock()
		p.merge(l)
		g.mu.Unlock()
		s.Release(mark)
	}
	g.mu.Lock()
	g.free = append(g.free, p)
	g.mu.Unlock()
}

// takePart returns a part that nobody uses.
func (g *Group[K]) takePart() *part[K] {
	g.mu.Lock()
	defer g.mu.Unlock()
	last := len(g.free) - 1
	if last < 0 {
		return new(part[K])
	}
	p := g.free[last]
	g.free = g.free[:last]
	return p
}

// IsNaN reports whether the answers of a lane of the group are NaN.
func (g *Group[K]) IsNaN(lane int) bool { return g.lanes[lane].isNaN }

// Answer returns the keys of the two values between which quantile q of a lane
// of the group lies, which is not NaN, and the position with the weight of hi.
func (g *Group[K]) Answer(lane, q int) (lo, hi K, p *rank.Position) {
	l := g.lanes[lane]
	w := &l.wants
	return l.targets[w.Lo[q]].lo, l.targets[w.Hi[q]].lo, &w.Positions[q]
}

// Tile is an Input: the lanes of a tile.
type Tile[K kernel.Key] struct{ kernel.Tile }

// Pointer is [Input].
func (t *Tile[K]) Pointer(lane, element int) unsafe.Pointer {
	return unsafe.Add(t.Base, (lane*t.LaneStride+element*t.Stride)*int(unsafe.Sizeof(K(0))))
}

// Run is [Input].
func (t *Tile[K]) Run(lane, from, to int) (first unsafe.Pointer, stride, n int) {
	return t.Pointer(lane, from), t.Stride, to - from
}
