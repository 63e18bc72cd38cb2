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
// rank given for the lane, 0 <= rank < n <= MaxKey. It looks at each row once
// for every bit of a key, whatever the data.
func Descend[K Key](keys []K, n int, ranks, out []K) {
	lanes := BlockLanes[K]()
	_, _, _ = keys[n*lanes-1], ranks[lanes-1], out[lanes-1]
	if !descendVector(keys, n, ranks, out) {
		descendGeneric(keys, n, ranks, out)
	}
}

// Successor finds, in each lane of a block of n rows, the order statistic that
// follows the value of the given rank, rank+1 < n; lanes for which there is
// none get an unspecified key. out may be values.
func Successor[K Key](keys []K, n int, values, ranks, out []K) {
	lanes := BlockLanes[K]()
	_, _, _, _ = keys[n*lanes-1], values[lanes-1], ranks[lanes-1], out[lanes-1]
	if !successorVector(keys, n, values, ranks, out) {
		successorGeneric(keys, n, values, ranks, out)
	}
}
