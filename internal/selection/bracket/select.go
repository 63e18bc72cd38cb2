package bracket

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/partition"
	"github.com/ogive-go/ogive/internal/tuning"
)

const (
	// sampleMax is how many keys are sampled, kernel.NthStep of fewer than twice as many:
	// kernel.Nth takes 0.4 µs to find the bounds among sampleMax keys, in which a
	// pass looks at 4000.
	sampleMax = 128

	// sigma is how many standard deviations the bounds lie from the place of an
	// order statistic: a fifth of the keys is kept, and one pass in thirty is made
	// again. With three selecting among 20 000 takes 1.15 times as long. Of few keys
	// it is fewSigma: half of 100 are kept, as many as are compared with all.
	sigma, fewSigma = 2, 1.25

	// compareMax is the most keys of which all are compared with all, rather than
	// half of them left out first.
	compareMax = 48

	// spread is the part of the keys, 1/spread, over which order statistics may lie
	// that are closed in on together, and severalMax how many at most are not left to
	// partition.
	spread, severalMax = 32, 16
)

// Select sets answers to the wanted order statistics of keys, ascending and
// distinct. It may reorder the keys, overwrites what follows them up to their
// capacity, and changes wanted.
func Select[K kernel.Key](answers, keys []K, wanted []int64, s *crew.Scratch, t *tuning.Thresholds) {
	var spare []K
	if len(wanted) <= severalMax {
		spare = crew.Alloc[K](s, len(keys)/2+2*kernel.CacheKeys)
	}
	Near(answers, keys, spare, wanted, t)
}

// Near is Select with spare memory, for half of the keys and two blocks or for all
// of few: it closes in on order statistics that are near each other, and on each
// cluster of them if they are not.
func Near[K kernel.Key](answers, keys, spare []K, wanted []int64, t *tuning.Thresholds) {
	fewest := max(t.CloseMin, sampleMax) // from which on it beats partitioning
	if kernel.NthOnVectors[K]() {
		fewest = compareMax + 1
	}
	for len(keys) >= fewest && len(spare) > 0 {
		most := int64(len(keys)) / spread
		if last := len(wanted) - 1; wanted[last]-wanted[0] > max(most, 1) {
			for from := 0; from <= last; {
				to := from + 1
				for to <= last && wanted[to]-wanted[from] <= most {
					to++
				}
				Near(answers[from:to], keys, spare, wanted[from:to], t)
				from = to
			}
			return
		}
		closer, below := closeIn(keys, spare, wanted)
		if len(closer) == len(keys) {
			break
		}
		for j := range wanted {
			wanted[j] -= below
		}
		keys, spare = closer, spare[len(closer):]
	}
	if len(wanted) <= 2 && len(keys) <= sampleMax && kernel.NthOnVectors[K]() {
		answers[0], answers[len(answers)-1] = nth(keys, int(wanted[0]), int(wanted[len(wanted)-1]))
		return
	}
	partition.Select(keys, wanted)
	for j, k := range wanted {
		answers[j] = keys[k]
	}
}

// nth returns order statistics i and j of at most sampleMax keys. What follows
// these, up to a multiple of kernel.NthStep, is overwritten if they have room for it.
func nth[K kernel.Key](keys []K, i, j int) (lo, hi K) {
	n := len(keys)
	end := (n + kernel.NthStep - 1) &^ (kernel.NthStep - 1)
	if cap(keys) < end {
		var array [sampleMax]K
		copy(array[:], keys)
		keys = array[:]
	}
	keys = keys[:end]
	for i := n; i < end; i++ {
		keys[i] = kernel.MaxKey[K]()
	}
	return kernel.Nth(keys, i, j)
}

// closeIn returns fewer keys than given, with the same order statistics wanted
// of them, by a pass that keeps those near the wanted ones; below is how many
// smaller ones are left out. It writes to spare, and gives the keys back as they
// are if that does not take them or guesses were wrong.
func closeIn[K kernel.Key](keys, spare []K, wanted []int64) (fewer []K, below int64) {
	n := len(keys)
	first, last := wanted[0], wanted[len(wanted)-1]
	from, to, apart := bounds(keys, first, last)
	if apart {
		return setApart(keys, spare, wanted, from, to)
	}
	for range 2 {
		kept, below := collect(spare, keys, from, to)
		if kept < 0 || kept == n {
			break
		}
		low, high := Beyond(from, to, below, int64(kept), first, last)
		if low == from && high == to {
			return spare[:kept], below
		}
		from, to = low, high
	}
	return keys, 0
}

// bounds returns the keys of a sample between which order statistics first … last are
// expected, or the smallest and the largest key; and whether the copies of one bound
// fill so much of the sample that they are best set apart.
func bounds[K kernel.Key](keys []K, first, last int64) (from, to K, apart bool) {
	if len(keys) < 2*sampleMax {
		var sample [kernel.NthStep]K
		from, to = boundsBy(sample[:], keys, first, last, fewSigma)
		return from, to, from == to
	}
	var sample [sampleMax]K
	from, to = boundsBy(sample[:], keys, first, last, sigma)
	return from, to, from == to || fills(sample[:], from) || fills(sample[:], to)
}

// boundsBy is bounds with memory for the sample.
func boundsBy[K kernel.Key](sample, keys []K, first, last int64, sigma float64) (from, to K) {
	if len(sample) == kernel.NthStep { // which takes as long as all the rest otherwise
		for i := range sample {
			sample[i] = keys[i*len(keys)/len(sample)]
		}
	} else {
		at := NewPositions(len(sample), len(keys))
		for i := range sample {
			sample[i] = keys[at.Next()]
		}
	}
	lo, hi := Around(first, last, int64(len(keys)), len(sample), sigma)
	i, j := max(lo, 0), min(hi, len(sample)-1)
	if kernel.NthOnVectors[K]() {
		from, to = kernel.Nth(sample, i, j)
	} else {
		partition.Select(sample, []int64{int64(i), int64(j)})
		from, to = sample[i], sample[j]
	}
	if lo < 0 {
		from = kernel.MinKey[K]()
	}
	if hi >= len(sample) {
		to = kernel.MaxKey[K]()
	}
	return from, to
}

// fills reports whether a key takes more than an eighth of a sample.
func fills[K kernel.Key](sample []K, key K) bool {
	_, copies := kernel.CountBelow(sample, key)
	return copies > len(sample)/8
}

// collect writes the keys from … to to spare. It returns how many they are, less
// than 0 if spare does not take them, and how many are smaller.
func collect[K kernel.Key](spare, keys []K, from, to K) (kept int, below int64) {
	for at := 0; at < len(keys); at += kernel.CacheKeys {
		block := keys[at:min(at+kernel.CacheKeys, len(keys))]
		if kept+len(block) > len(spare) {
			return -1, 0
		}
		c := kernel.Collect(spare[kept:], block, kernel.Encoding[K]{}, from, to)
		kept += c.Inside
		below += int64(c.Below)
	}
	return kept, below
}

// setApart is closeIn for bounds with many copies: these are counted, and one
// key stands for all of each.
func setApart[K kernel.Key](keys, spare []K, wanted []int64, from, to K) (fewer []K, below int64) {
	var smaller, low, high int64 // keys less than from, and its and to's copies
	kept := 1
	for at := 0; at < len(keys); at += kernel.CacheKeys {
		block := keys[at:min(at+kernel.CacheKeys, len(keys))]
		if kept+len(block) >= len(spare) {
			return keys, 0
		}
		less, equal := kernel.CountBelow(block, from)
		smaller, low = smaller+int64(less), low+int64(equal)
		if from == to {
			continue
		}
		_, equal = kernel.CountBelow(block, to)
		high += int64(equal)
		if from+1 < to {
			kept += kernel.Collect(spare[kept:], block, kernel.Encoding[K]{}, from+1, to-1).Inside
		}
	}
	between := int64(kept - 1)
	if wanted[0] < smaller || wanted[len(wanted)-1] >= smaller+low+between+high {
		return keys, 0
	}
	spare[0] = from
	if from < to {
		spare[kept] = to
		kept++
	}
	for i, k := range wanted {
		wanted[i] = min(max(k-smaller-low+1, 0), between+1)
	}
	return spare[:kept], 0
}
