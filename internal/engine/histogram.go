package engine

import (
	"math"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/tuning"
)

// histogramRun counts the elements of one long lane by value. A chunk of it is
// a task.
type histogramRun[K kernel.Key] struct {
	of     *bigRun[K]
	mu     sync.Mutex
	counts []int64 // by key, from the smallest
	chunk  int     // elements of a task: many, as each has counters to add up
}

// histogramBlock is how many bytes are encoded at a time: half of a first-level cache,
// for which the counts of bytes are worth tables of their own.
const histogramBlock = 16 << 10

// countsValues reports whether the group at hand is counted by value.
func (b *bigRun[K]) countsValues() bool {
	return unsafe.Sizeof(K(0)) <= 2 && b.count == 1 && b.run.e.plan.order.want.Len() >= tuning.Default.HistogramQuantiles
}

// lane selects in the group's only lane.
func (h *histogramRun[K]) lane() error {
	b := h.of
	e := b.run.e
	n := e.lanes.N
	if h.counts == nil {
		h.counts = make([]int64, 1<<(8*unsafe.Sizeof(K(0))))
	}
	clear(h.counts)
	h.chunk = min(max(b.chunk, n/(4*e.Workers())+1), math.MaxInt32) // counters have 32 bits
	if err := e.Run(h, (n+h.chunk-1)/h.chunk, n); err != nil {
		return err
	}
	s := crew.Borrow()
	defer s.Return()
	w := &e.plan.order.want
	res := selection.NewResult[K](w, 1, s)
	selection.Counted(w, b.run.coding.Code == kernel.Float, h.counts, &res, 0, s)
	finishLanes(e, &res, b.first, s)
	return nil
}

// task counts a chunk.
func (h *histogramRun[K]) Task(number int, s *crew.Scratch) {
	b := h.of
	l := &b.run.e.lanes
	from := number * h.chunk
	counts := crew.Alloc[uint32](s, len(h.counts))
	clear(counts)
	size := int(unsafe.Sizeof(K(0)))
	block := crew.Alloc[K](s, histogramBlock/size)
	l.Runs(b.first, from, min(from+h.chunk, l.N), func(p unsafe.Pointer, stride, n int) {
		for first := 0; first < n; first += len(block) {
			keys := block[:min(len(block), n-first)]
			kernel.EncodeStrided(unsafe.Pointer(unsafe.SliceData(keys)), 1, unsafe.Add(p, first*stride*size), stride, len(keys), b.run.coding.Encoding)
			kernel.Histogram(counts, keys)
		}
	})
	h.mu.Lock()
	for i, n := range counts {
		h.counts[i] += int64(n)
	}
	h.mu.Unlock()
}
