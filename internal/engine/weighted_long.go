package engine

import (
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/tuning"
)

// longWeighted selects in weighted lanes that are too long for one worker's
// cache, in passes over their data that all workers share. Lanes that lie side
// by side are taken together, so that memory is read in its order. A pass over
// a chunk of the lanes is a task.
type longWeighted[K kernel.Key] struct {
	of    *weightedRun[K]
	mu    sync.Mutex
	lanes []*selection.WeightedNarrowing[K]
	open  []bool // the lanes that take part in the pass
	first int    // the first lane of the group
	count int
	chunk int // elements of a lane in one task
	find  copySearch[K]
}

// weightedGroup is the most lanes that are narrowed together: few enough for
// each to have a chunk in cache that is large against its sums.
const weightedGroup = 64

// all selects in all lanes.
func (w *longWeighted[K]) all() error {
	l := &w.of.lanes
	size := int(unsafe.Sizeof(K(0)))
	for first := 0; first < l.Count; first += w.count {
		w.first, w.count = first, 1
		if l.SideBySide() {
			w.count = l.Neighbours(first, min(weightedGroup, 128/size))
		}
		w.chunk = max(tuning.Default.ChunkBytes/(pairBytes*w.count)/selection.BlockMax, 1) * selection.BlockMax
		if err := w.group(); err != nil {
			return err
		}
	}
	return nil
}

// group selects in the lanes of a group.
func (w *longWeighted[K]) group() error {
	e := w.of.e
	l := &w.of.lanes
	o := &e.plan.order
	s := crew.Borrow()
	defer s.Return()
	for len(w.lanes) < w.count {
		w.lanes = append(w.lanes, new(selection.WeightedNarrowing[K]))
		w.open = append(w.open, false)
	}
	for j := range w.count {
		sample := crew.Alloc[K](s, min(selection.WeightedSample, l.N))
		at := bracket.NewPositions(len(sample), l.N)
		bracket.Draw(sample, &at, func(i int) unsafe.Pointer { return l.Pointer(w.first+j, i) })
		kernel.Encode(sample, sample, w.of.coding.Encoding)
		w.lanes[j].Start(&o.want, &o.weights.sums, w.of.coding.Encoding, l.N, max(tuning.Default.CollectBytes/(2*pairBytes*w.count), 1), sample, s)
	}
	for w.next() {
		if err := e.Run(w, (l.N+w.chunk-1)/w.chunk, l.N*w.count); err != nil {
			return err
		}
		for j := range w.count {
			if w.open[j] {
				w.lanes[j].Settle()
			}
		}
	}
	res := selection.WeightedResult[K](&o.want, w.count, s)
	for j := range w.count {
		w.lanes[j].Finish(&res, j)
	}
	finishLanes(e, &res, w.first, s)
	if !e.index.active {
		return nil
	}
	for j := range w.count {
		if err := w.find.all(w.lanes[j], w.first+j); err != nil {
			return err
		}
	}
	return nil
}

// next prepares a pass over the lanes that need one, and reports whether any does.
func (w *longWeighted[K]) next() bool {
	any := false
	for j := range w.count {
		w.open[j] = w.lanes[j].Next()
		any = any || w.open[j]
	}
	return any
}

// task passes over a chunk of the lanes of the group.
func (w *longWeighted[K]) Task(number int, s *crew.Scratch) {
	from := number * w.chunk
	to := min(from+w.chunk, w.of.lanes.N)
	for j := range w.count {
		if !w.open[j] {
			continue
		}
		mark := s.Mark()
		pass := w.lanes[j].NewPass(s)
		w.of.blocks(w.first+j, from, to, s, func(keys []K, weights []uint64, _ int) bool {
			pass.Add(keys, weights)
			return true
		})
		w.mu.Lock()
		w.lanes[j].Merge(&pass)
		w.mu.Unlock()
		s.Release(mark)
	}
}

// blocks calls fn for the keys of the elements from … to-1 of a lane, in order,
// with their loaded weights and the position of the first, until it returns
// false.
func (w *weightedRun[K]) blocks(lane, from, to int, s *crew.Scratch, fn func(keys []K, weights []uint64, first int) bool) {
	keyBlock, weightBlock := crew.Alloc[K](s, selection.BlockMax), crew.Alloc[uint64](s, selection.BlockMax)
	for ; from < to; from += selection.BlockMax {
		end := min(from+selection.BlockMax, to)
		keys, weights := keyBlock[:end-from], weightBlock[:end-from]
		encodeLanes(keys, &w.lanes, lane, from, end, w.coding.Encoding)
		w.weights.read(weights, lane, 1, from, end, s)
		if !fn(keys, weights, from) {
			return
		}
	}
}

// copySearch finds the elements of a long lane that reach targets: among the
// copies of a key, those whose cumulative weight does so first. As a phase it
// adds up the weights of the copies, chunk by chunk.
type copySearch[K kernel.Key] struct {
	of   *weightedRun[K]
	lane int
	key  K
	sums []uint64 // a chunk each
	at   []int    // for each target, the element
}

// all finds the indices of a lane that has been narrowed.
func (c *copySearch[K]) all(nw *selection.WeightedNarrowing[K], at int) error {
	c.lane = at
	want := &c.of.e.plan.order.want
	if nw.IsNaN() || nw.IsVoid() {
		index := -1
		if nw.IsNaN() {
			index = c.firstNaN()
		}
		for q := range want.Len() {
			c.of.setIndex(q, at, index)
		}
		return nil
	}
	n := c.of.lanes.N
	chunks := (n + (tuning.Default.ChunkBytes / 4) - 1) / (tuning.Default.ChunkBytes / 4)
	size := chunks * c.of.weights.sums.Words()
	c.sums = resize(c.sums, size)
	c.at = c.at[:0]
	for {
		from := len(c.at)
		key, to := nw.Copies(from)
		if from == to {
			break
		}
		c.key = key
		if err := c.of.e.Run(c, chunks, n); err != nil {
			return err
		}
		for i := from; i < to; i++ {
			c.at = append(c.at, c.reach(nw.Rest(i)))
		}
	}
	for q := range want.Len() {
		c.of.setIndex(q, at, c.at[nw.Target(q)])
	}
	return nil
}

// task adds up the weights of the copies in a chunk.
func (c *copySearch[K]) Task(number int, s *crew.Scratch) {
	g := c.of.weights.sums
	sum := c.sums[number*g.Words():][:g.Words()]
	clear(sum)
	from := number * (tuning.Default.ChunkBytes / 4)
	c.of.blocks(c.lane, from, min(from+(tuning.Default.ChunkBytes/4), c.of.lanes.N), s, func(keys []K, weights []uint64, _ int) bool {
		selection.AddCopies(g, sum, keys, weights, c.key)
		return true
	})
}

// reach returns the first copy up to which the weights add up to the target.
func (c *copySearch[K]) reach(target []uint64) int {
	s := crew.Borrow()
	defer s.Return()
	g := c.of.weights.sums
	words := g.Words()
	before, after := crew.Alloc[uint64](s, words), crew.Alloc[uint64](s, words)
	clear(before)
	clear(after)
	found := -1
	for chunk := 0; chunk*words < len(c.sums); chunk++ {
		selection.AddSum(after, c.sums[chunk*words:][:words])
		if !selection.Reaches(after, target) {
			copy(before, after)
			continue
		}
		from := chunk * (tuning.Default.ChunkBytes / 4)
		c.of.blocks(c.lane, from, min(from+(tuning.Default.ChunkBytes/4), c.of.lanes.N), s, func(keys []K, weights []uint64, first int) bool {
			if at := selection.ReachCopies(g, before, target, keys, weights, c.key); at >= 0 {
				found = first + at
			}
			return found < 0
		})
		break
	}
	return found
}

// firstNaN returns the position of the first NaN of the lane.
func (c *copySearch[K]) firstNaN() int {
	s := crew.Borrow()
	defer s.Return()
	found := -1
	c.of.blocks(c.lane, 0, c.of.lanes.N, s, func(keys []K, _ []uint64, first int) bool {
		if at, _ := kernel.IndexOf(keys, kernel.MaxKey[K](), 0); at >= 0 {
			found = first + at
		}
		return found < 0
	})
	return found
}
