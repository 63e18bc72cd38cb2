package kernel

import "unsafe"

// BlockBytes returns the size of the rows that blocks of lanes had best have: a vector or
// two, so that what one search looks at lies together.
func BlockBytes() int {
	if searchesLong() {
		return 64
	}
	return 32
}

// BlockLanes returns the number of lanes of such a block.
func BlockLanes[K Key]() int { return BlockBytes() / int(unsafe.Sizeof(K(0))) }

// Searches reports whether Search runs on vectors, where it beats partitioning.
func Searches() bool { return searchesOnVectors() }

// SearchesInCells reports whether Search searches in cells of the keys: bytes,
// counted in place of most of its passes.
func SearchesInCells[K Key]() bool { return unsafe.Sizeof(K(0)) >= 4 && searchesLong() }

// SearchMemory returns how many keys of memory Search needs for blocks of n rows:
// in cells a copy, bytes for its keys, and two vectors behind them.
func SearchMemory[K Key](n int) int {
	if !SearchesInCells[K]() {
		return 0
	}
	size := int(unsafe.Sizeof(K(0)))
	return n*BlockLanes[K]() + (n*BlockLanes[K]()+2*BlockBytes()+size-1)/size
}

// Block is a block of lanes to search in: key i of lane j is number i*lanes+j.
type Block[K Key] struct {
	Keys     []K
	N        int  // rows, at most MaxKey
	Float    bool // the keys are those of floats as wide as they are: a hint where to look first
	Memory   []K  // SearchMemory keys, which are overwritten
	Prefetch Prefetch
}

// Prefetch are as many cache lines as a block has rows, Step bytes apart, which are
// wanted soon: a search in cells fetches them meanwhile. They may lie beyond the memory
// there is; the zero value is none.
type Prefetch struct {
	At   uintptr
	Step int
}

// Search finds, in each lane of a block, the order statistic of the rank given for
// the lane, 0 <= rank < N, and in next the one that follows, unspecified where there
// is none. All lanes are searched together, by counting; the sampled first guess is
// for the rank of lane 0. It looks at each row once for every bit of a key at most
// three times over, whatever the data, and mostly seven or eight times, or twice and
// eight times at the cells of its keys.
func Search[K Key](b Block[K], ranks, out, next []K) {
	lanes := len(ranks)
	_, _, _ = b.Keys[b.N*lanes-1], out[lanes-1], next[lanes-1]
	_ = b.Memory[:SearchMemory[K](b.N)]
	if !searchVector(b, ranks, out, next) {
		searchGeneric(b.Keys, b.N, ranks, out)
		successorGeneric(b.Keys, b.N, out, ranks, next)
	}
}
