package selection

import (
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
)

// pick sets answers to the wanted order statistics of keys, which it reorders,
// a cluster of close ones at a time. It changes wanted.
func pick[K kernel.Key](answers, keys []K, wanted []int64, s *Scratch) {
	n := len(keys)
	spread := int64(n) / 64 // of what one window serves
	if n < Thresholds.CloseMin || len(wanted) > 16 {
		Select(keys, wanted)
		for i, k := range wanted {
			answers[i] = keys[k]
		}
		return
	}
	spare := Alloc[K](s, n/2+2*BlockMax)
	for from := 0; from < len(wanted); {
		to := from + 1
		for to < len(wanted) && wanted[to]-wanted[from] <= spread {
			to++
		}
		cluster := wanted[from:to]
		fewer, room := keys, spare
		for {
			closer, first := closeIn(fewer, room, cluster)
			if len(closer) == len(fewer) {
				break
			}
			for j := range cluster {
				cluster[j] -= first
			}
			fewer, room = closer, room[len(closer):]
		}
		Select(fewer, cluster)
		for j, k := range cluster {
			answers[from+j] = fewer[k]
		}
		from = to
	}
}

// closeSample is how many keys closeIn samples at least.
const closeSample = 128

// closeIn returns fewer keys than given, with the same order statistics wanted
// of them, by a pass that keeps those near the wanted ones; first is how many
// smaller ones are left out. It writes to spare, and gives the keys back as they
// are if that does not take them or the guess was wrong.
func closeIn[K kernel.Key](keys, spare []K, wanted []int64) (fewer []K, first int64) {
	n := len(keys)
	lowest, highest := wanted[0], wanted[len(wanted)-1]
	if n < max(Thresholds.CloseMin, closeSample) || highest-lowest > int64(n)/32 {
		return keys, 0
	}
	// m is near n^0.6; slack is three times the standard deviation of a
	// median's rank in a sample of m.
	m, slack := closeSample, 17
	if n >= 1<<15 {
		m, slack = 512, 34
	}
	var buf [512]K
	sample := buf[:m]
	at := NewPositions(m, n)
	for i := range sample {
		sample[i] = keys[at.Next()]
	}
	var other [512]K
	sortKeys(sample, other[:m])
	lo, hi := int(lowest*int64(m)/int64(n))-slack, int(highest*int64(m)/int64(n))+slack
	from, to := kernel.MinKey[K](), kernel.MaxKey[K]()
	if lo >= 0 {
		from = sample[lo]
	}
	if hi < m {
		to = sample[hi]
	}
	if fills(sample, from) || fills(sample, to) {
		return closeApart(keys, spare, wanted, from, to)
	}
	kept, below := 0, int64(0)
	for at := 0; at < n; at += BlockMax {
		block := keys[at:min(at+BlockMax, n)]
		if kept+len(block) > len(spare) {
			return keys, 0
		}
		c := kernel.Narrow(spare[kept:], block, kernel.Encoding[K]{}, from, to)
		kept += c.Inside
		below += int64(c.Below)
	}
	if lowest < below || highest >= below+int64(kept) {
		return keys, 0
	}
	return spare[:kept], below
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
		c := kernel.Narrow(room, block, kernel.Encoding[K]{}, from, from)
		below, low = below+int64(c.Below), low+int64(c.Inside)
		if from < to {
			high += int64(kernel.Narrow(room, block, kernel.Encoding[K]{}, to, to).Inside)
			if from+1 < to {
				kept += kernel.Narrow(room, block, kernel.Encoding[K]{}, from+1, to-1).Inside
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

// radixBits is the size of a digit of sortKeys: its counts are 8 KiB.
const radixBits = 11

// radixMin returns the number of keys from which sortKeys sorts by radix.
func radixMin[K kernel.Key]() int { return Thresholds.RadixMin * int(unsafe.Sizeof(K(0))) }

// sortKeys sorts keys, with as many others for scratch: by radix, which takes a
// tenth of the time of comparing, if there are enough.
func sortKeys[K kernel.Key](keys, other []K) {
	width := 8 * int(unsafe.Sizeof(K(0)))
	if len(keys) < max(radixMin[K](), 2) {
		slices.Sort(keys)
		return
	}
	other = other[:len(keys)]
	top := kernel.MinKey[K]()
	from, to := keys, other
	for shift := 0; shift < width; shift += radixBits {
		var at [1 << radixBits]int32
		for _, k := range from {
			at[uint64(int64(k^top))>>shift&(1<<radixBits-1)]++
		}
		if at[uint64(int64(from[0]^top))>>shift&(1<<radixBits-1)] == int32(len(from)) {
			continue
		}
		sum := int32(0)
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, k := range from {
			digit := uint64(int64(k^top)) >> shift & (1<<radixBits - 1)
			to[at[digit]] = k
			at[digit]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}
