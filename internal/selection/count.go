package selection

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/rank"
)

// Counted sets the answers of a lane from the histogram of its keys, in which
// counts[i] belongs to the key MinKey+i; the key of NaN is the largest, if the
// elements are floats.
func Counted[K kernel.Key](w *Want, float bool, counts []int64, r *Result[K], lane int, s *crew.Scratch) {
	valid, nan := 0, 0
	for _, n := range counts {
		valid += int(n)
	}
	if float {
		nan = int(counts[len(counts)-1])
		valid -= nan
	}
	if valid == 0 || nan > 0 && !w.skip {
		r.fillNaN(lane)
		return
	}
	takeCounted(r, lane, ranksOf(s, w, valid), counts, s)
}

// countLane sets the answers of a lane from its keys.
func countLane[K kernel.Key](keys []K, ranks *rank.Wants, lane int, r *Result[K], s *crew.Scratch) {
	counts := crew.Alloc[uint32](s, 1<<(8*unsafe.Sizeof(K(0))))
	clear(counts)
	kernel.Histogram(counts, keys)
	takeCounted(r, lane, ranks, counts, s)
}

// takeCounted sets the answers of a lane from a histogram: one walk finds the
// order statistics, which ascend.
func takeCounted[K kernel.Key, C uint32 | int64](r *Result[K], lane int, ranks *rank.Wants, counts []C, s *crew.Scratch) {
	keys := crew.Alloc[K](s, len(ranks.Ranks))
	at, upTo := 0, int64(counts[0]) // the key at hand, and how many there are up to it
	for i, k := range ranks.Ranks {
		for ; upTo <= k; upTo += int64(counts[at]) {
			at++
		}
		keys[i] = kernel.MinKey[K]() + K(at)
	}
	r.take(lane, ranks, keys)
}
