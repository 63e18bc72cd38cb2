package selection

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/selection/partition"
	"github.com/ogive-go/ogive/internal/tuning"
)

// pickMost is how many order statistics pick closes in on at most.
const pickMost = 16

// pick sets answers to the wanted order statistics of keys, which it may reorder.
// It changes wanted.
func pick[K kernel.Key](answers, keys []K, wanted []int64, s *crew.Scratch) {
	n := len(keys)
	var spare []K
	if n >= closeMin[K]() && len(wanted) <= pickMost {
		spare = crew.Alloc[K](s, n/2+2*BlockMax)
	}
	pickNear(answers, keys, spare, wanted)
}

// pickNear is pick with spare memory: it closes in on wanted order statistics that
// are close to each other, and on each cluster of them if they are not.
func pickNear[K kernel.Key](answers, keys, spare []K, wanted []int64) {
	for len(keys) >= closeMin[K]() && len(spare) > 0 {
		spread := int64(len(keys)) / closeSpread
		if wanted[len(wanted)-1]-wanted[0] > spread {
			for from := 0; from < len(wanted); {
				to := from + 1
				for to < len(wanted) && wanted[to]-wanted[from] <= spread {
					to++
				}
				pickNear(answers[from:to], keys, spare, wanted[from:to])
				from = to
			}
			return
		}
		closer, first := closeIn(keys, spare, wanted)
		if len(closer) == len(keys) {
			break
		}
		for j := range wanted {
			wanted[j] -= first
		}
		keys, spare = closer, spare[len(closer):]
	}
	if len(wanted) <= 2 && len(keys) <= closeSample && kernel.NthOnVectors[K]() {
		var buf [closeSample]K
		n := copy(buf[:], keys)
		lo, hi := nthOf(buf[:], n, int(wanted[0]), int(wanted[len(wanted)-1]))
		answers[0], answers[len(answers)-1] = lo, hi
		return
	}
	partition.Select(keys, wanted)
	for j, k := range wanted {
		answers[j] = keys[k]
	}
}

const (
	// closeSample is how many keys closeIn samples: kernel.Nth takes 0.4 us for them,
	// in which a pass looks at 4000. Four times as many take 8 us to sort.
	closeSample = 128

	// closeSlack is how many places of a sample the bounds lie from that of an order
	// statistic, twice the standard deviation of a median's rank: a fifth of the keys
	// is kept, and one pass in thirty is made again. With 17, by which one is in 400,
	// selecting among 20 000 takes 1.15 times as long.
	closeSlack = 12

	// closeSpread is the part of the keys, 1/closeSpread, over which order
	// statistics may be spread that are closed in on together.
	closeSpread = 32
)

// closeMin returns the number of keys from which closeIn beats partitioning.
func closeMin[K kernel.Key]() int {
	if kernel.NthOnVectors[K]() {
		return max(tuning.Default.CloseMin/2, closeSample)
	}
	return max(tuning.Default.CloseMin, closeSample)
}

// closeIn returns fewer keys than given, with the same order statistics wanted
// of them, by a pass that keeps those near the wanted ones; first is how many
// smaller ones are left out. It writes to spare, and gives the keys back as they
// are if that does not take them or guesses were wrong.
func closeIn[K kernel.Key](keys, spare []K, wanted []int64) (fewer []K, first int64) {
	n := len(keys)
	lowest, highest := wanted[0], wanted[len(wanted)-1]
	var sample [closeSample]K
	at := bracket.NewPositions(len(sample), n)
	for i := range sample {
		sample[i] = keys[at.Next()]
	}
	from, to := nearby(&sample, int(lowest*closeSample/int64(n))-closeSlack, int(highest*closeSample/int64(n))+closeSlack)
	for range 2 {
		if from == to || fills(sample[:], from) || fills(sample[:], to) {
			return closeApart(keys, spare, wanted, from, to)
		}
		kept, below := keepBetween(spare, keys, from, to)
		switch { // on failure again, beyond the bound that was wrong
		case kept < 0:
			return keys, 0
		case lowest >= below && highest < below+int64(kept):
			return spare[:kept], below
		case highest < below:
			from, to = kernel.MinKey[K](), from-1
		case lowest >= below+int64(kept):
			from, to = to+1, kernel.MaxKey[K]()
		case lowest < below:
			from = kernel.MinKey[K]()
		default:
			to = kernel.MaxKey[K]()
		}
	}
	return keys, 0
}

// keepBetween writes the keys from … to to spare. It returns how many they are, less
// than 0 if spare does not take them, and how many are smaller.
func keepBetween[K kernel.Key](spare, keys []K, from, to K) (kept int, below int64) {
	for at := 0; at < len(keys); at += BlockMax {
		block := keys[at:min(at+BlockMax, len(keys))]
		if kept+len(block) > len(spare) {
			return -1, 0
		}
		c := kernel.Collect(spare[kept:], block, kernel.Encoding[K]{}, from, to)
		kept += c.Inside
		below += int64(c.Below)
	}
	return kept, below
}

// nearby returns order statistics lo and hi of a sample, or the smallest and the
// largest key where it has no such ones.
func nearby[K kernel.Key](sample *[closeSample]K, lo, hi int) (from, to K) {
	if i, j := max(lo, 0), min(hi, closeSample-1); kernel.NthOnVectors[K]() {
		from, to = kernel.Nth(sample[:], i, j)
	} else {
		partition.Select(sample[:], []int64{int64(i), int64(j)})
		from, to = sample[i], sample[j]
	}
	if lo < 0 {
		from = kernel.MinKey[K]()
	}
	if hi >= closeSample {
		to = kernel.MaxKey[K]()
	}
	return from, to
}

// fills reports whether a key takes an eighth of a sample, or more.
func fills[K kernel.Key](sample []K, key K) bool {
	copies := 0
	for _, k := range sample {
		if k == key {
			copies++
		}
	}
	return copies >= len(sample)/8
}

// closeApart is closeIn for bounds with many copies: these are counted, and one
// key stands for all of each.
func closeApart[K kernel.Key](keys, spare []K, wanted []int64, from, to K) (fewer []K, first int64) {
	var below, low, high int64 // keys below from, and its and to's copies
	kept := 1
	for at := 0; at < len(keys); at += BlockMax {
		block := keys[at:min(at+BlockMax, len(keys))]
		if kept+len(block) >= len(spare) {
			return keys, 0
		}
		room := spare[kept:]
		c := kernel.Collect(room, block, kernel.Encoding[K]{}, from, from)
		below, low = below+int64(c.Below), low+int64(c.Inside)
		if from < to {
			high += int64(kernel.Collect(room, block, kernel.Encoding[K]{}, to, to).Inside)
			if from+1 < to {
				kept += kernel.Collect(room, block, kernel.Encoding[K]{}, from+1, to-1).Inside
			}
		}
	}
	between := int64(kept - 1)
	if wanted[0] < below || wanted[len(wanted)-1] >= below+low+between+high {
		return keys, 0
	}
	spare[0] = from
	if from < to {
		spare[kept] = to
		kept++
	}
	for i, k := range wanted {
		wanted[i] = min(max(k-below-low+1, 0), between+1)
	}
	return spare[:kept], 0
}
