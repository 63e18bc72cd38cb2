package kernel

import "unsafe"

// BlockBytes is the size of a row of a block of lanes: element i of lane j is
// key number i*BlockLanes+j.
const BlockBytes = 64

// BlockLanes returns the number of lanes of a block.
func BlockLanes[K Key]() int { return BlockBytes / int(unsafe.Sizeof(K(0))) }

// Descends reports whether Descend runs on vectors, where it beats partitioning.
func Descends() bool { return descendsOnVectors() }

// DescendsInCells reports whether Descend finds lanes of 32 and 64 bits in cells:
// bytes, counted in place of most of its passes over the keys.
func DescendsInCells() bool { return descendsInCells() }

// DescendMemory returns how many keys of memory Descend needs for blocks of n rows:
// in cells a copy, bytes for its keys, and two vectors behind them.
func DescendMemory[K Key](n int) int {
	size := int(unsafe.Sizeof(K(0)))
	if size < 4 || !descendsInCells() {
		return 0
	}
	return n*BlockLanes[K]() + (n*BlockLanes[K]()+2*BlockBytes+size-1)/size
}

// Descend finds, in each lane of a block of n rows, the order statistic of the
// rank given for the lane, 0 <= rank < n <= MaxKey, and in next the one that
// follows, unspecified where there is none. If float is true the keys are those
// of floats as wide as they are: a hint where to look first. All lanes are
// searched together, by counting; the sampled first guess is for the rank of
// lane 0. It looks at each row once for every bit of a key at most three times
// over, whatever the data, and mostly seven or eight times, or twice and eight times
// at the cells of its keys. memory is overwritten.
func Descend[K Key](keys []K, n int, ranks []K, float bool, out, next, memory []K) {
	lanes := BlockLanes[K]()
	_, _, _, _ = keys[n*lanes-1], ranks[lanes-1], out[lanes-1], next[lanes-1]
	_ = memory[:DescendMemory[K](n)]
	if !descendVector(keys, n, ranks, float, out, next, memory) {
		descendGeneric(keys, n, ranks, out)
		successorGeneric(keys, n, out, ranks, next)
	}
}
