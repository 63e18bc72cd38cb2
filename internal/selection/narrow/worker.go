package narrow

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// strategy is what a pass looks for, and what is made of it.
type strategy[K kernel.Key] interface {
	// prepare gives a worker memory from s.
	prepare(w *worker[K], s *crew.Scratch)
	// add counts and collects a block of elements that lie together.
	add(w *worker[K], elements []K)
	// finish does what add has put off, and hands over what the worker knows besides its
	// counts of elements.
	finish(w *worker[K])
	// settle narrows the targets of the lane by what all workers have counted.
	settle(l *lane[K])
}

// worker is what one worker has counted and collected of a chunk of a lane.
type worker[K kernel.Key] struct {
	lane     *lane[K]
	strategy strategy[K]
	block    int     // elements that are looked at at a time
	counts   []int64 // as those of the lane
	nan      int
	keys     []K // of the block at hand

	bins     []uint16            // of the block at hand
	tables   []uint32            // counts of bins: two, as equal bins often follow each other; or of keys below those kept
	brackets *kernel.Brackets[K] // if they are looked at together

	kept     []K      // elements or keys that wait to be collected
	keptBins []uint16 // and their bins
	places   []int64  // in the buckets
}

// begin gives w a chunk of a lane, with memory from s.
func (w *worker[K]) begin(l *lane[K], of strategy[K], s *crew.Scratch) {
	*w = worker[K]{lane: l, strategy: of, block: kernel.CacheKeys, counts: crew.Alloc[int64](s, len(l.counted.counts))}
	clear(w.counts)
	of.prepare(w, s)
}

// end adds the counts to those of the lane.
func (w *worker[K]) end() {
	w.strategy.finish(w)
	t := &w.lane.counted
	t.mu.Lock()
	t.nan += w.nan
	for i, n := range w.counts {
		t.counts[i] += n
	}
	t.mu.Unlock()
}

// addStrided adds n elements that lie stride elements apart, by way of the block
// copied, of kernel.CacheKeys, where they are not adjacent.
func (w *worker[K]) addStrided(first unsafe.Pointer, stride, n int, copied []K) {
	size := int(unsafe.Sizeof(K(0)))
	if stride == 1 {
		all := unsafe.Slice((*K)(first), n)
		for from := 0; from < n; from += w.block {
			w.strategy.add(w, all[from:min(from+w.block, n)])
		}
		return
	}
	most := min(w.block, len(copied))
	for from := 0; from < n; from += most {
		block := copied[:min(most, n-from)]
		kernel.EncodeStrided(unsafe.Pointer(unsafe.SliceData(block)), 1, unsafe.Add(first, from*stride*size), stride, len(block), kernel.Encoding[K]{})
		w.strategy.add(w, block)
	}
}

// encode returns the keys of elements, and counts NaNs.
func (w *worker[K]) encode(elements []K) []K {
	e := w.lane.call.Encoding
	if e.Code == kernel.Signed {
		return elements
	}
	keys := w.keys[:len(elements)]
	w.nan += kernel.Encode(keys, elements, e)
	return keys
}

// room returns the memory after the keys that wait, and after their bins if they have any.
func (w *worker[K]) room() (keys []K, bins []uint16) {
	n := len(w.kept)
	if w.keptBins != nil {
		bins = w.keptBins[n:]
	}
	return w.kept[n:cap(w.kept)], bins
}
