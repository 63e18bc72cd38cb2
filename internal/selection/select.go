package selection

import "github.com/ogive-go/ogive/internal/kernel"

// Select reorders keys so that keys[k] is order statistic k for each k of
// wanted, which is ascending and distinct. It takes O(n log len(wanted)) time,
// and no more than 64 n per order statistic for any input.
func Select[K kernel.Key](keys []K, wanted []int64) {
	s := selector[K]{seed: uint64(len(keys))*0x9E3779B97F4A7C15 + 1, budget: workPerKey * len(keys)}
	s.run(keys, wanted, 0)
}

// selector carries the state of one Select.
type selector[K kernel.Key] struct {
	seed   uint64
	budget int // keys that may yet be partitioned by sampled pivots
}

// run selects in keys, whose first has order statistic base.
func (s *selector[K]) run(keys []K, wanted []int64, base int64) {
	for len(wanted) > 0 {
		n := len(keys)
		if n <= Thresholds.InsertionMax {
			insertionSort(keys)
			return
		}
		var pivot K
		if s.budget > 0 {
			pivot = s.pivot(keys, int(wanted[len(wanted)/2]-base), len(wanted) == 1)
		} else {
			lo, hi := bounds(keys)
			if lo == hi {
				return
			}
			pivot = midpoint(lo, hi) + 1
		}
		s.budget -= n
		split := partition(keys, pivot)
		if split == 0 {
			// The pivot is the smallest key: set its copies aside.
			split = partitionEqual(keys, pivot)
			wanted = wanted[search(wanted, base+int64(split)):]
			keys, base = keys[split:], base+int64(split)
			continue
		}
		left := search(wanted, base+int64(split))
		if left == len(wanted) {
			keys = keys[:split]
			continue
		}
		s.run(keys[:split], wanted[:left], base)
		keys, wanted, base = keys[split:], wanted[left:], base+int64(split)
	}
}

// pivot returns one of the keys, near order statistic k. Where that is the
// only one wanted, it is aimed a little beyond k on the far side, so that the
// smaller part is likely to hold it.
func (s *selector[K]) pivot(keys []K, k int, alone bool) K {
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
		s.seed = s.seed*6364136223846793005 + 1442695040888963407
		sample[i] = keys[i*stride+int(uint64(uint32(s.seed>>33))*uint64(stride)>>31)]
	}
	insertionSort(sample)
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

// partition moves the keys below the pivot to the front and returns how many
// there are. The loop has no branch to mispredict.
func partition[K kernel.Key](keys []K, pivot K) int {
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

// partitionEqual moves the keys up to the pivot to the front and returns how
// many there are.
func partitionEqual[K kernel.Key](keys []K, pivot K) int {
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

// insertionSort sorts a few keys.
func insertionSort[K kernel.Key](keys []K) {
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		j := i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}

// bounds returns the smallest and the largest of the keys.
func bounds[K kernel.Key](keys []K) (lo, hi K) {
	lo, hi = keys[0], keys[0]
	for _, k := range keys {
		lo, hi = min(lo, k), max(hi, k)
	}
	return lo, hi
}

// midpoint returns the floor of the mean of lo and hi.
func midpoint[K kernel.Key](lo, hi K) K { return lo&hi + (lo^hi)>>1 }
