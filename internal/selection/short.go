package selection

import "github.com/ogive-go/ogive/internal/kernel"

const (
	// ShortMax is the longest lane for Short: what the arrays on its stack hold.
	ShortMax = 128

	// ShortQuantiles is the most quantiles for Short.
	ShortQuantiles = 4

	// fewKeys is how many keys Short clears an array for at least: clearing
	// the large one takes as long as all the rest for five values.
	fewKeys = 16
)

// Short sets the answers of a single short lane of adjacent elements, without
// scratch memory. r has room for one lane and one weight for each quantile.
func Short[K kernel.Key](w *Want, e kernel.Encoding[K], lane []K, r *Result[K]) {
	if len(lane) <= fewKeys {
		var keys [fewKeys]K
		short(w, e, keys[:len(lane)], lane, r)
		return
	}
	var keys [ShortMax]K
	short(w, e, keys[:len(lane)], lane, r)
}

func short[K kernel.Key](w *Want, e kernel.Encoding[K], keys, lane []K, r *Result[K]) {
	nan := kernel.Encode(keys, lane, e)
	valid := len(keys) - nan
	if valid == 0 || nan > 0 && !w.skip {
		r.fillNaN(0, 1)
		return
	}
	sorted := len(keys) <= insertionMax
	if sorted {
		insertionSort(keys)
	}
	for q := range w.Len() {
		p := w.set.Position(q, int64(valid))
		if !sorted {
			wanted := [2]int64{p.Lo, p.Hi}
			Select(keys, wanted[:1+min(p.Hi-p.Lo, 1)])
		}
		r.Lo[q], r.Hi[q], r.G[q] = keys[p.Lo], keys[p.Hi], p.G
	}
}
