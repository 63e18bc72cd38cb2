package selection

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// Counted sets the answers of a lane from the histogram of its keys, in which
// counts[i] belongs to the key MinKey+i; the key of NaN is the largest, if the
// elements are floats.
func Counted[K kernel.Key](w *Want, float bool, counts []int64, r *Result[K], lane int, s *crew.Scratch) {
	valid := 0
	for _, n := range counts {
		valid += int(n)
	}
	nan := 0
	if float {
		nan = int(counts[len(counts)-1])
		valid -= nan
	}
	if valid == 0 || nan > 0 && !w.skip {
		r.fillNaN(lane, lane+1)
		return
	}
	pickCounted(r, lane, ranksOf(s, w, valid), counts, s)
}

// pickCounted sets the answers of a lane from a histogram: one walk finds the
// order statistics, which ascend.
func pickCounted[K kernel.Key, C uint32 | int64](r *Result[K], lane int, ranks *ranks, counts []C, s *crew.Scratch) {
	keys := crew.Alloc[K](s, len(ranks.wanted))
	at, upTo := 0, int64(counts[0]) // the key at hand, and how many there are up to it
	for i, k := range ranks.wanted {
		for ; upTo <= k; upTo += int64(counts[at]) {
			at++
		}
		keys[i] = kernel.MinKey[K]() + K(at)
	}
	for q := range ranks.pos {
		to := q*r.Lanes + lane
		r.Lo[to], r.Hi[to] = keys[ranks.lo[q]], keys[ranks.hi[q]]
	}
	r.weigh(ranks, lane, lane+1)
}
