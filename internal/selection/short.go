package selection

import "github.com/ogive-go/ogive/internal/kernel"

const (
	// ShortMax is the longest lane for Short: what the arrays on its stack hold.
	ShortMax = 128

	// ShortQuantiles is the most quantiles for Short.
	ShortQuantiles = 4

	// fewKeys is how many keys Short clears an array for at least: clearing
	// the large one takes as long as all the rest for five values.
	fewKeys = kernel.NthStep

	// nthMax is the most keys whose order statistics are found by comparing
	// all with all: from about 60 random float64 on it pays to leave out half of
	// them first (BenchmarkShort).
	nthMax = 48

	// insertedMax is the most keys that are sorted by insertion where there is
	// Nth: five take 33 ns, and 52 by Nth; sixteen take 66 and 48.
	insertedMax = 8
)

// Short sets the answers of a single short lane of adjacent elements, without
// scratch memory. r has room for one lane and one weight for each quantile.
func Short[K kernel.Key](w *Want, e kernel.Encoding[K], lane []K, r *Result[K]) {
	if len(lane) <= fewKeys {
		var keys [fewKeys]K
		short(w, e, keys[:], lane, r)
		return
	}
	var keys [ShortMax]K
	short(w, e, keys[:], lane, r)
}

// short is Short with an array for the keys, of a multiple of NthStep.
func short[K kernel.Key](w *Want, e kernel.Encoding[K], array, lane []K, r *Result[K]) {
	n := len(lane)
	keys := array[:n]
	nan := kernel.Encode(keys, lane, e)
	valid := n - nan
	if valid == 0 || nan > 0 && !w.skip {
		r.fillNaN(0, 1)
		return
	}
	nth := kernel.NthOnVectors[K]()
	sorted := n <= insertedMax || n <= insertionMax && !nth
	if sorted {
		insertionSort(keys)
	}
	for q := range w.Len() {
		p := w.set.Position(q, int64(valid))
		r.G[q] = p.G
		switch {
		case sorted:
			r.Lo[q], r.Hi[q] = keys[p.Lo], keys[p.Hi]
			continue
		case q > 0 && n > nthMax:
			kernel.Encode(keys, lane, e) // some of them have been left out
		}
		lo, hi, ok := K(0), K(0), false
		if nth {
			if lo, hi, ok = closest(array, n, int(p.Lo), p.Hi > p.Lo); !ok {
				kernel.Encode(keys, lane, e)
			}
		}
		if !ok {
			wanted := [2]int64{p.Lo, p.Hi}
			Select(keys, wanted[:1+min(p.Hi-p.Lo, 1)])
			lo, hi = keys[p.Lo], keys[p.Hi]
		}
		r.Lo[q], r.Hi[q] = lo, hi
	}
}

// closest returns order statistic k of the first n keys of an array, and the
// following one if it is wanted as a pair. Of more than nthMax keys it leaves
// out those beyond two of a sample; it fails if k or the next are among those,
// or if none are left out.
func closest[K kernel.Key](array []K, n, k int, pair bool) (lo, hi K, ok bool) {
	for n > nthMax {
		var sample [kernel.NthStep]K
		for i := range sample {
			sample[i] = array[i*n/len(sample)]
		}
		const slack = 4 // twice the standard deviation of a median's rank
		at := k * len(sample) / n
		from, to := kernel.MinKey[K](), kernel.MaxKey[K]()
		if at >= slack {
			from, _ = kernel.Nth(sample[:], at-slack)
		}
		if at+slack < len(sample) {
			to, _ = kernel.Nth(sample[:], at+slack)
		}
		c := kernel.Narrow(array[:n], array[:n], kernel.Encoding[K]{}, from, to)
		last := k
		if pair {
			last++
		}
		switch {
		case k < c.Below || last >= c.Below+c.Inside:
			return lo, hi, false
		case from == to:
			return from, from, true
		case c.Inside == n:
			return lo, hi, false
		}
		n, k = c.Inside, k-c.Below
	}
	end := (n + kernel.NthStep - 1) &^ (kernel.NthStep - 1)
	for i := n; i < end; i++ {
		array[i] = kernel.MaxKey[K]()
	}
	lo, hi = kernel.Nth(array[:end], k)
	if !pair {
		hi = lo
	}
	return lo, hi, true
}
