package engine

import (
	"math"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/interpolate"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/selection/narrow"
)

// longRun selects in lanes that are too long for one worker's cache, in passes
// over their data that all workers share. Lanes that lie side by side are
// taken together, so that memory is read in its order; nothing is copied but
// the few keys that can still be the answer.
type longRun[K kernel.Key] struct {
	group  narrow.Lanes[K]
	counts countRun[K]
}

// run selects in all lanes in the given way.
func (r *longRun[K]) run(j *job, way selection.Way, v *interpolate.Values[K]) error {
	l, w, t, e := &j.lanes, &j.want, j.Config.Thresholds(), v.Coding.Encoding
	size := int(unsafe.Sizeof(K(0)))
	s := crew.Borrow()
	defer s.Return()
	for first, lanes := 0, 0; first < l.Count; first += lanes {
		lanes = l.Group(first)
		chunk := max(t.ChunkBytes/(size*lanes), 64)
		s.Reset()
		res := selection.NewResult[K](w, lanes, s)
		if way == selection.Count {
			if err := r.counts.run(j, first, chunk, e); err != nil {
				return err
			}
			selection.Counted(w, e.Code == kernel.Float, r.counts.counts, &res, 0, s)
		} else {
			call := selection.NarrowCall(w, e, l, l.N)
			call.First, call.Lanes, call.Chunk = first, lanes, chunk
			call.Capacity = max(l.N/8, t.CollectBytes/(size*lanes), 4*kernel.CacheKeys)
			call.Far, call.Adjacent = true, l.Adjacent()
			r.group.Start(call)
			if err := j.RunStages(&r.group); err != nil {
				return err
			}
			res.Take(0, lanes, &r.group)
		}
		finish(j, v, &res, first, s)
	}
	return nil
}

// countRun counts the elements of one long lane by value. A chunk of it is
// a task.
type countRun[K kernel.Key] struct {
	lanes  *lane.Lanes
	enc    kernel.Encoding[K]
	lane   int
	chunk  int // elements of a task: many, as each has counters to add up
	mu     sync.Mutex
	counts []int64 // by key, from the smallest
}

// countBlock is how many bytes are encoded at a time: half of a first-level cache,
// for which the counts of bytes are worth tables of their own.
const countBlock = 16 << 10

// run counts a lane.
func (r *countRun[K]) run(j *job, at, chunk int, e kernel.Encoding[K]) error {
	if r.counts == nil {
		r.counts = make([]int64, 1<<(8*unsafe.Sizeof(K(0))))
	}
	clear(r.counts)
	r.lanes, r.enc, r.lane = &j.lanes, e, at
	n := j.lanes.N
	r.chunk = min(max(chunk, n/(4*j.Workers())+1), math.MaxInt32) // counters have 32 bits
	return j.Run(r, (n+r.chunk-1)/r.chunk, n)
}

// Task counts a chunk.
func (r *countRun[K]) Task(number int, s *crew.Scratch) {
	counts := crew.Alloc[uint32](s, len(r.counts))
	clear(counts)
	size := int(unsafe.Sizeof(K(0)))
	block := crew.Alloc[K](s, countBlock/size)
	to := min((number+1)*r.chunk, r.lanes.N)
	for from := number * r.chunk; from < to; from += len(block) {
		keys := block[:min(len(block), to-from)]
		lane.Encode(keys, r.lanes, r.lane, from, from+len(keys), r.enc)
		kernel.Histogram(counts, keys)
	}
	r.mu.Lock()
	for i, n := range counts {
		r.counts[i] += int64(n)
	}
	r.mu.Unlock()
}
