// Package partition finds order statistics of keys that lie in memory, in
// place: by partitioning around pivots from a sample, with a bound on the work
// for any data, or by sorting.
package partition

import (
	"slices"

	"github.com/ogive-go/ogive/internal/kernel"
)

const (
	// insertionMax is the length up to which keys are sorted by insertion
	// rather than partitioned again; from 5 to 80 the times differ by 5 %.
	insertionMax = 20

	// workPerKey bounds the keys that are looked at before pivots are no longer
	// trusted: random data need 2 to 3 a key for one order statistic.
	workPerKey = 12

	// pivotSample bounds the keys a pivot is chosen from.
	pivotSample = 48
)

// Few reports whether so many keys are best sorted by insertion.
func Few(n int) bool { return n <= insertionMax }

// Select reorders keys so that keys[k] is order statistic k for each k of
// wanted, which is ascending and distinct. It takes O(n log len(wanted)) time,
// and no more than 64 n per order statistic for any input.
func Select[K kernel.Key](keys []K, wanted []int64) {
	p := NewPivots(keys)
	run(&p, keys, wanted, 0)
}

// run selects in keys, whose first has order statistic base.
func run[K kernel.Key](p *Pivots[K], keys []K, wanted []int64, base int64) {
	for len(wanted) > 0 {
		n := len(keys)
		if Few(n) {
			InsertionSort(keys)
			return
		}
		pivot, constant := p.Next(keys, int(wanted[len(wanted)/2]-base), len(wanted) == 1)
		if constant {
			return
		}
		split := below(keys, pivot)
		if split == 0 {
			// The pivot is the smallest key: set its copies aside.
			split = upTo(keys, pivot)
			left, _ := slices.BinarySearch(wanted, base+int64(split))
			keys, wanted, base = keys[split:], wanted[left:], base+int64(split)
			continue
		}
		left, _ := slices.BinarySearch(wanted, base+int64(split))
		if left == len(wanted) {
			keys = keys[:split]
			continue
		}
		run(p, keys[:split], wanted[:left], base)
		keys, wanted, base = keys[split:], wanted[left:], base+int64(split)
	}
}

// Pivots chooses pivots for one selection: keys of a sample as long as the work
// is what it should be, then the middles of ranges, which at least halve these.
type Pivots[K kernel.Key] struct {
	seed   uint64
	budget int // keys that may yet be partitioned by sampled pivots
}

// NewPivots returns the pivots of a selection among keys.
func NewPivots[K kernel.Key](keys []K) Pivots[K] {
	return Pivots[K]{seed: uint64(len(keys))*0x9E3779B97F4A7C15 + 1, budget: workPerKey * len(keys)}
}

// Next returns a pivot for keys, near order statistic k, around which they are
// going to be partitioned; or that all of them are the same. Where k alone is
// wanted, it is aimed a little beyond it on the far side, so that the smaller
// part is likely to hold it.
func (p *Pivots[K]) Next(keys []K, k int, alone bool) (pivot K, constant bool) {
	sampled := p.budget > 0
	p.budget -= len(keys)
	if sampled {
		return p.sampled(keys, k, alone), false
	}
	lo, hi := keys[0], keys[0]
	for _, k := range keys {
		lo, hi = min(lo, k), max(hi, k)
	}
	return lo&hi + (lo^hi)>>1 + 1, lo == hi
}

// sampled returns one of the keys.
func (p *Pivots[K]) sampled(keys []K, k int, alone bool) K {
	n := len(keys)
	m := 5
	for m < pivotSample && m*m*8 < n {
		m = 2*m + 1
	}
	m = min(m, pivotSample)
	var buf [pivotSample]K
	sample := buf[:m]
	stride := n / m
	for i := range sample {
		p.seed = p.seed*6364136223846793005 + 1442695040888963407
		sample[i] = keys[i*stride+int(uint64(uint32(p.seed>>33))*uint64(stride)>>31)]
	}
	InsertionSort(sample)
	at := int(uint64(k) * uint64(m) / uint64(n))
	if alone {
		if slack := m / 8; k < n/2 {
			at += slack
		} else {
			at -= slack
		}
	}
	return sample[min(max(at, 0), m-1)]
}

// below moves the keys below the pivot to the front and returns how many there
// are. The loop has no branch to mispredict.
func below[K kernel.Key](keys []K, pivot K) int {
	split := 0
	for i, k := range keys {
		keys[i] = keys[split]
		keys[split] = k
		if k < pivot {
			split++
		}
	}
	return split
}

// upTo moves the keys up to the pivot to the front and returns how many there
// are.
func upTo[K kernel.Key](keys []K, pivot K) int {
	split := 0
	for i, k := range keys {
		keys[i] = keys[split]
		keys[split] = k
		if k <= pivot {
			split++
		}
	}
	return split
}

// InsertionSort sorts a few keys.
func InsertionSort[K kernel.Key](keys []K) {
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		j := i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}
