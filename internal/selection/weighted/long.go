package weighted

import (
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/selection/partition"
)

// Input is where a Long reads lanes.
type Input[K kernel.Key] interface {
	// Pointer returns the address of an element of a lane.
	Pointer(lane, element int) unsafe.Pointer
	// Read sets keys to those of the elements of a lane from the given one on, and
	// weights to their loaded weights, with memory from s. It returns how many are
	// NaN.
	Read(keys []K, weights []uint64, lane, from int, s *crew.Scratch) (nan int)
}

// Long selects in long weighted lanes by passes over them, in each pass over all
// lanes together, so that memory is read in its order. It is run as stages;
// afterwards the answers are there. The zero value is ready for Start.
//
// The first pass adds up the weights in the bins between splitters, which divide a
// sample evenly. When the bins in which targets lie hold few enough elements, the
// next pass collects them. Otherwise these bins are divided again, by the range of
// their keys, which at least halves it each time. Indices take one more pass, which
// adds up the weights of the copies of the answers, chunk by chunk.
type Long[K kernel.Key] struct {
	call   *Call[K]
	input  Input[K]
	first  int // the first lane
	n      int // elements of a lane
	chunk  int // elements of a lane in one task
	chunks int
	lanes  []*lane[K]
	memory []*lane[K] // some of which are lanes
	passes bool       // a pass is under way; otherwise each lane is looked at for itself
}

const (
	// betweenShare is how much of the elements, 1/betweenShare, could be read in the
	// time that all else takes between two passes, about.
	betweenShare = 8

	// sampleMax is the most elements that are drawn of a lane.
	sampleMax = 4096
)

// Start makes g select in so many other lanes of n elements, n > 0, from the first
// on. Memory for the answers is from s.
func (g *Long[K]) Start(c *Call[K], input Input[K], first, lanes, n int, s *crew.Scratch) {
	g.call, g.input, g.first, g.n, g.passes = c, input, first, n, true
	t := c.Thresholds
	g.chunk = max(t.ChunkBytes/(PairBytes*lanes)/kernel.CacheKeys, 1) * kernel.CacheKeys
	g.chunks = (n + g.chunk - 1) / g.chunk
	for len(g.memory) < lanes {
		g.memory = append(g.memory, new(lane[K]))
	}
	g.lanes = g.memory[:lanes]
	for _, l := range g.lanes {
		l.Answers, l.pass = newAnswers(c, s), none
		l.collectMax = max(t.CollectBytes/(2*PairBytes*lanes), 1)
		l.locateMax = max(t.LocateCounts/(c.Weighting.words*g.chunks*lanes), 1)
	}
}

// Lane returns the answers of one of the lanes.
func (g *Long[K]) Lane(number int) *Answers[K] { return &g.lanes[number].Answers }

// Next is [crew.Stages].
func (g *Long[K]) Next() (tasks, elements int) {
	if g.passes = !g.passes; !g.passes {
		return len(g.lanes), len(g.lanes) * g.n / betweenShare
	}
	for _, l := range g.lanes {
		if l.pass != done {
			tasks, elements = g.chunks, elements+g.n
		}
	}
	return tasks, elements
}

// Task is [crew.Phase]: it passes over a chunk of the lanes that need it, or ends
// the pass over a lane and prepares the next one.
func (g *Long[K]) Task(number int, s *crew.Scratch) {
	if !g.passes {
		g.settle(number, s)
		return
	}
	for j, l := range g.lanes {
		if l.pass == done {
			continue
		}
		mark := s.Mark()
		w := l.newWorker(number, s)
		g.scan(j, number*g.chunk, (number+1)*g.chunk, s, func(keys []K, weights []uint64, nan int) int {
			w.add(keys, weights, nan)
			return -1
		})
		w.merge()
		s.Release(mark)
	}
}

// scan reads the elements from … to-1 of a lane, block by block, until look finds
// something: a position in the block, or -1. It returns that position in the lane,
// -1 if there is none.
func (g *Long[K]) scan(lane, from, to int, s *crew.Scratch, look func(keys []K, weights []uint64, nan int) int) int {
	keys, weights := crew.Alloc[K](s, kernel.CacheKeys), crew.Alloc[uint64](s, kernel.CacheKeys)
	for to = min(to, g.n); from < to; from += kernel.CacheKeys {
		m := min(kernel.CacheKeys, to-from)
		nan := g.input.Read(keys[:m], weights[:m], g.first+lane, from, s)
		if at := look(keys[:m], weights[:m], nan); at >= 0 {
			return from + at
		}
	}
	return -1
}

// settle ends the pass over a lane and prepares the next one.
func (g *Long[K]) settle(number int, s *crew.Scratch) {
	l := g.lanes[number]
	switch l.pass {
	case none:
		g.sample(number, s)
		return
	case counting:
		if l.intervals[0].to == 0 { // the first pass: there are no targets yet
			g.aim(number, s)
		}
		l.descend(s)
	case collecting:
		n := min(int(l.cursor.Load()), len(l.collected))
		l.among(l.intervals, l.collected[:n], l.weights[:n], s)
		l.intervals = l.intervals[:0]
	case locating:
		g.locate(number, s)
	case done:
		return
	}
	l.plan(g.chunks)
}

// sample prepares the first pass over a lane, by a sample of it.
func (g *Long[K]) sample(number int, s *crew.Scratch) {
	l, c := g.lanes[number], g.call
	keys := crew.Alloc[K](s, min(sampleMax, g.n))
	at := bracket.NewPositions(len(keys), g.n)
	bracket.Draw(keys, &at, func(i int) unsafe.Pointer { return g.input.Pointer(g.first+number, i) })
	nan := kernel.Encode(keys, keys, c.Encoding)
	partition.Sort(keys, crew.Alloc[K](s, len(keys)), c.Thresholds)
	keys = keys[:len(keys)-nan]

	whole := interval[K]{lo: kernel.MinKey[K](), hi: kernel.MaxKey[K]()}
	if c.isFloat() {
		whole.hi-- // the largest is NaN
	}
	l.intervals = append(l.intervals[:0], whole)
	n, q := pieces, c.Set.Len()
	for n < len(keys)/4 && (n < 4*q || g.n/n*q > l.collectMax/2) {
		n *= 2
	}
	splitters := bracket.AppendEnd(l.splitters.Memory(), whole.hi)
	for i := 1; i < n && len(keys) > 0; i++ {
		key := keys[len(keys)*i/n] // of which there may be many
		splitters = bracket.AppendEnd(append(splitters, key), key)
	}
	l.count(splitters)
}

// aim sets the targets of a lane after the first pass.
func (g *Long[K]) aim(number int, s *crew.Scratch) {
	l := g.lanes[number]
	total := newSum(l.sums.words, s)
	for bin := range l.splitters.BinOf(l.intervals[0].hi) + 1 { // beyond is NaN
		total.add(l.sums.at(bin))
	}
	l.aim(total, l.nan > 0)
	l.intervals[0].to = len(l.keys)
	if l.isNaN && g.call.Index {
		l.at[0] = g.scan(number, 0, g.n, s, func(keys []K, _ []uint64, _ int) int {
			at, _ := kernel.IndexOf(keys, kernel.MaxKey[K](), 0)
			return at
		})
	}
}

// locate finds the elements that are the answers of a lane, as far as their copies
// have been added up.
func (g *Long[K]) locate(number int, s *crew.Scratch) {
	l := g.lanes[number]
	reached := newSum(l.copies.words, s)
	for i, key := range l.keys {
		at, found := slices.BinarySearch(l.open, key)
		if !found {
			continue
		}
		rest, chunk := l.rest.at(i), 0
		for ; chunk < g.chunks-1; chunk++ {
			copies := l.copies.at(chunk*len(l.open) + at)
			if !copies.less(rest) {
				break
			}
			rest.sub(copies)
		}
		clear(reached)
		l.at[i] = g.scan(number, chunk*g.chunk, (chunk+1)*g.chunk, s, func(keys []K, weights []uint64, _ int) int {
			return reach(g.call.Weighting, reached, rest, key, keys, weights)
		})
	}
}
