package kernel

import "unsafe"

// BlockBytes is the size of a row of a block of lanes: element i of lane j is
// key number i*BlockLanes+j.
const BlockBytes = 64

// BlockLanes returns the number of lanes of a block.
func BlockLanes[K Key]() int { return BlockBytes / int(unsafe.Sizeof(K(0))) }

// Descends reports whether Descend runs on vectors, where it beats partitioning.
func Descends() bool { return descendsOnVectors() }

// Descend finds, in each lane of a block of n rows, the order statistic of the
// rank given for the lane, 0 <= rank < n <= MaxKey, and in next the one that
// follows, unspecified where there is none. If float is true the keys are those
// of floats as wide as they are: a hint where to look first. All lanes are
// searched together, by counting; the sampled first guess is for the rank of
// lane 0. It looks at each row once for every bit of a key at most three times
// over, whatever the data, and mostly seven or eight times.
func Descend[K Key](keys []K, n int, ranks []K, float bool, out, next []K) {
	lanes := BlockLanes[K]()
	_, _, _, _ = keys[n*lanes-1], ranks[lanes-1], out[lanes-1], next[lanes-1]
	if !descendVector(keys, n, ranks, float, out, next) {
		descendGeneric(keys, n, ranks, out)
		successorGeneric(keys, n, out, ranks, next)
	}
}
