package selection

import (
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/partition"
)

const (
	// ShortMax is the longest lane for Short: what the arrays on its stack hold.
	ShortMax = 128

	// ShortQuantiles is the most quantiles for Short.
	ShortQuantiles = 4

	// fewKeys is how many keys Short clears an array for at least: clearing
	// the large one takes as long as all the rest for five values.
	fewKeys = kernel.NthStep

	// slack is how many places of a sample of NthStep keys a bound is from the
	// place of an order statistic, which then lies beyond it one time in ten and
	// is looked for there: 100 random float64 take 240 ns, and 256 by 4 places.
	slack = 3
)

// ShortResult are the answers of a single lane: for each quantile the keys of
// the two values between which it lies, and the weight of Hi.
type ShortResult[K kernel.Key] struct {
	Lo, Hi [ShortQuantiles]K
	G      [ShortQuantiles]float64
}

// Short sets the answers of a short lane of adjacent elements, without scratch
// memory. A NaN answer has two NaNs.
func Short[K kernel.Key](w *Want, e kernel.Encoding[K], lane []K, r *ShortResult[K]) {
	if len(lane) <= fewKeys {
		var keys [fewKeys]K
		short(w, e, keys[:], lane, r)
		return
	}
	var keys [ShortMax]K
	short(w, e, keys[:], lane, r)
}

// short is Short with an array for the keys, of a multiple of NthStep.
func short[K kernel.Key](w *Want, e kernel.Encoding[K], array, lane []K, r *ShortResult[K]) {
	n := len(lane)
	keys := array[:n]
	nan := kernel.Encode(keys, lane, e)
	valid := n - nan
	if valid == 0 || nan > 0 && !w.skip {
		for q := range w.Len() {
			r.Lo[q], r.Hi[q] = kernel.MaxKey[K](), kernel.MaxKey[K]()
		}
		return
	}
	sorted := n <= insertedMax || n <= insertionMax && !kernel.NthOnVectors[K]()
	if sorted {
		partition.InsertionSort(keys)
	}
	for q := range w.Len() {
		p := w.set.Position(q, int64(valid))
		r.G[q] = p.G
		if sorted {
			r.Lo[q], r.Hi[q] = keys[p.Lo], keys[p.Hi]
			continue
		}
		if q > 0 {
			kernel.Encode(keys, lane, e) // some of them may have been left out
		}
		r.Lo[q], r.Hi[q] = nearest(array, lane, e, int(p.Lo), int(p.Hi))
	}
}

// nearest returns order statistics k and last, which is k or the next, of the
// keys of a lane, with which the array begins.
func nearest[K kernel.Key](array, lane []K, e kernel.Encoding[K], k, last int) (lo, hi K) {
	if kernel.NthOnVectors[K]() {
		if n, below := shorten(array, lane, e, k, last); n > 0 {
			return nthOf(array, n, k-below, last-below)
		}
		kernel.Encode(array[:len(lane)], lane, e)
	}
	keys := array[:len(lane)]
	wanted := [2]int64{int64(k), int64(last)}
	partition.Select(keys, wanted[:1+last-k])
	return keys[k], keys[last]
}

// nthOf returns order statistics k and last of the n keys with which an array begins.
// It overwrites what follows up to a multiple of kernel.NthStep.
func nthOf[K kernel.Key](array []K, n, k, last int) (lo, hi K) {
	end := (n + kernel.NthStep - 1) &^ (kernel.NthStep - 1)
	for i := n; i < end; i++ {
		array[i] = kernel.MaxKey[K]()
	}
	return kernel.Nth(array[:end], k, last)
}

// shorten leaves out keys of a lane until there are at most nthMax, among them
// order statistics k and last. The array then begins with n keys, and below are
// less than these; n is 0 if that has failed.
func shorten[K kernel.Key](array, lane []K, e kernel.Encoding[K], k, last int) (n, below int) {
	n = len(lane)
	from, to := kernel.MinKey[K](), kernel.MaxKey[K]() // bounds of order statistic k
	for n > nthMax {
		var sample [kernel.NthStep]K
		for i := range sample {
			sample[i] = array[i*n/len(sample)]
		}
		at := (k - below) * len(sample) / n
		lo, hi := kernel.Nth(sample[:], max(at-slack, 0), min(at+slack, len(sample)-1))
		if at < slack {
			lo = from
		}
		if at+slack >= len(sample) {
			hi = to
		}
		c := kernel.Collect(array[:n], array[:n], kernel.Encoding[K]{}, lo, hi)
		switch {
		case k < below+c.Below:
			to = lo - 1
		case k >= below+c.Below+c.Inside:
			from = hi + 1
		case last >= below+c.Below+c.Inside:
			return 0, 0
		case lo == hi:
			return 1 + last - k, k
		case c.Inside == n:
			return 0, 0
		default:
			n, below = c.Inside, below+c.Below
			continue
		}
		// On the other side of a bound: again, from the start.
		kernel.Encode(array[:len(lane)], lane, e)
		c = kernel.Collect(array[:len(lane)], array[:len(lane)], kernel.Encoding[K]{}, from, to)
		n, below = c.Inside, c.Below
		if last >= below+n {
			return 0, 0
		}
	}
	return n, below
}
