package rank

import "slices"

// Wants are the order statistics that a Set names for some count of values.
// The zero value is ready for Resolve.
type Wants struct {
	Positions []Position // of each quantile
	Ranks     []int64    // the order statistics, ascending and distinct
	Lo, Hi    []int      // for each quantile, where the two of its position stand in Ranks
}

// Resolve sets w to the order statistics of n values, 1 <= n <= 2^53. Once w
// has room for so many quantiles it does not allocate.
func (w *Wants) Resolve(s Set, n int64) {
	w.Positions = s.Positions(w.Positions[:0], n)
	w.Ranks = Wanted(w.Ranks[:0], w.Positions)
	w.Lo, w.Hi = w.Lo[:0], w.Hi[:0]
	for _, p := range w.Positions {
		lo, _ := slices.BinarySearch(w.Ranks, p.Lo)
		hi, _ := slices.BinarySearch(w.Ranks, p.Hi)
		w.Lo, w.Hi = append(w.Lo, lo), append(w.Hi, hi)
	}
}
