package engine

import (
	"math"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/selection"
)

// histogramRun counts the elements of one long lane by value. A chunk of it is
// a task.
type histogramRun[K kernel.Key] struct {
	lanes  *lane.Lanes
	enc    kernel.Encoding[K]
	lane   int
	chunk  int // elements of a task: many, as each has counters to add up
	mu     sync.Mutex
	counts []int64 // by key, from the smallest
}

// histogramBlock is how many bytes are encoded at a time: half of a first-level cache,
// for which the counts of bytes are worth tables of their own.
const histogramBlock = 16 << 10

// count counts a lane.
func (h *histogramRun[K]) count(e *execution, at, chunk int, c selection.Coding[K]) error {
	if h.counts == nil {
		h.counts = make([]int64, 1<<(8*unsafe.Sizeof(K(0))))
	}
	clear(h.counts)
	h.lanes, h.enc, h.lane = &e.lanes, c.Encoding, at
	n := e.lanes.N
	h.chunk = min(max(chunk, n/(4*e.Workers())+1), math.MaxInt32) // counters have 32 bits
	return e.Run(h, (n+h.chunk-1)/h.chunk, n)
}

// Task counts a chunk.
func (h *histogramRun[K]) Task(number int, s *crew.Scratch) {
	counts := crew.Alloc[uint32](s, len(h.counts))
	clear(counts)
	size := int(unsafe.Sizeof(K(0)))
	block := crew.Alloc[K](s, histogramBlock/size)
	to := min((number+1)*h.chunk, h.lanes.N)
	for from := number * h.chunk; from < to; from += len(block) {
		keys := block[:min(len(block), to-from)]
		lane.Encode(keys, h.lanes, h.lane, from, from+len(keys), h.enc)
		kernel.Histogram(counts, keys)
	}
	h.mu.Lock()
	for i, n := range counts {
		h.counts[i] += int64(n)
	}
	h.mu.Unlock()
}
