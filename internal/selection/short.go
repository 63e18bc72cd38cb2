package selection

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/selection/partition"
)

// fewKeys is how many keys Short has an array on its stack for: clearing a
// larger one takes as long as borrowing memory.
const fewKeys = 16

// ShortResult are the answers of a single lane: for each quantile the keys of
// the two values between which it lies, and the weight of Hi with what that lacks.
type ShortResult[K kernel.Key] struct {
	Lo, Hi [shortQuantiles]K
	G, Low [shortQuantiles]float64
}

// Short sets the answers of a short lane of adjacent elements, on the calling
// goroutine. A NaN answer has two NaNs.
func Short[K kernel.Key](w *Want, e kernel.Encoding[K], lane []K, r *ShortResult[K]) {
	n := len(lane)
	if n <= fewKeys {
		var keys [fewKeys]K
		short(w, e, keys[:n], nil, lane, r)
		return
	}
	s := crew.Borrow()
	keys := crew.Alloc[K](s, shortMax)
	short(w, e, keys[:n], crew.Alloc[K](s, shortMax), lane, r)
	s.Return()
}

// short is Short with memory for the keys, and for closing in on order
// statistics among them.
func short[K kernel.Key](w *Want, e kernel.Encoding[K], keys, spare, lane []K, r *ShortResult[K]) {
	nan := kernel.Encode(keys, lane, e)
	valid := len(keys) - nan
	if valid == 0 || nan > 0 && !w.skip {
		for q := range w.Len() {
			r.Lo[q], r.Hi[q] = kernel.MaxKey[K](), kernel.MaxKey[K]()
		}
		return
	}
	sorted := sortsShort[K](len(keys))
	if sorted {
		partition.InsertionSort(keys)
	}
	for q := range w.Len() {
		p := w.set.Position(q, int64(valid))
		r.G[q], r.Low[q] = p.G, p.Low
		if sorted {
			r.Lo[q], r.Hi[q] = keys[p.Lo], keys[p.Hi]
			continue
		}
		wanted, found := [2]int64{p.Lo, p.Hi}, [2]K{}
		n := 1 + int(p.Hi-p.Lo) // at most 2
		bracket.Near(found[:n], keys, spare, wanted[:n], w.tuned)
		r.Lo[q], r.Hi[q] = found[0], found[n-1]
	}
}
