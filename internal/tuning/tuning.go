// Package tuning holds the sizes at which the way of working changes. Results
// do not depend on them: tests set others to lead small inputs into every
// regime. What was measured around each is not told here but printed by
//
//	go run ./internal/tune
//
// and with the flag -check it fails where one is far from its best.
package tuning

import "math/bits"

// Thresholds are the sizes at which the way of working changes. A call takes
// one set of them.
type Thresholds struct {
	// How work is shared.

	SoloWork     int // elements below which one goroutine does all: waking another takes up to 100 µs
	TaskElements int // elements of a small task: some tens of microseconds
	BigBytes     int // of a lane, or the narrowest tile of lanes, from which all workers share it: it fits no core's cache
	ChunkBytes   int // of a lane, or lanes side by side, that a task of a shared pass looks at
	CollectBytes int // that the keys collected from lanes may take, if an eighth of their elements are less
	LocateCounts int // counts that a search for indices in long lanes keeps at a time, if a pass for each quantile takes no more

	// Which way order statistics are selected.

	NetworkMax         int // the longest lane for a network of compare-exchange steps; at most kernel.NetworkMax
	NetworkLanes       int // the fewest lanes worth a network
	SearchWork         int // elements times quantiles of a lane up to which it is searched side by side with others: each quantile takes a search of its own
	BlockSortShare     int // lanes of up to BlockSortMax keys are sorted side by side from log2(n)²/BlockSortShare quantiles on
	BlockSortMax       int // beyond it each lane is sorted by radix as fast
	SqueezeMin         int // the length of rows from which they are squeezed for one quantile where a search looks in cells
	SqueezeBytes       int // the size of rows from which they are squeezed elsewhere
	SqueezeAgain       int // keys left of a row from which it is squeezed again
	SortQuantiles      int // quantiles from which a lane is sorted …
	SortBytes          int // … up to so many bytes of keys for each
	RadixMin           int // keys for each byte of one from which they are sorted by radix
	HistogramMin       int // the length from which 8-bit keys are counted by value
	HistogramQuantiles int // quantiles from which bytes in shared passes are counted by value; from half as many on, 16-bit keys are …
	WideHistogramMin   int // … in lanes of that length, and are sorted in shorter ones
	NarrowMin          int // the length from which a lane is narrowed rather than partitioned, for each of up to four quantiles

	// How a long lane is narrowed.

	BinsMin      int // order statistics from which the first pass only counts, in bins
	GuessMin     int // mean number of keys of bins with targets beyond which only those near the targets are collected
	HeavyShare   int // the part of a sample, 1/HeavyShare, beyond which one value is counted for itself
	CollectWhole int // the size of an interval that is collected whole rather than bracketed again
	CloseMin     int // keys from which closing in on order statistics beats partitioning around them

	// How isin looks values up.

	BitmapWords     int // of the largest bitmap of test values
	RoomyBytes      int // of a hash table up to which it is filled to a third
	FilterBytes     int // of a hash table from which it has a filter …
	SlowFilterBytes int // … where vector code reads the table and not the filter
	PartedMembers   int // from which a hash table is made in parts, by all workers

	// How answers are written.

	StreamAnswers  int // of an element test, from which they are stored past the caches
	StreamGradient int // bytes of a gradient from which rows are written past the caches
	GradientRows   int // elements of a lane up to which a gradient is written by rows again rather than to known positions
}

// BlockSortMin returns the number of quantiles from which lanes of n keys of a size
// are best sorted side by side. That takes time as log2(n)², and a search as long for
// each quantile; keys of up to 16 bits are searched bit by bit, and take thrice as
// long.
func (t *Thresholds) BlockSortMin(n, size int) int {
	log, share := bits.Len(uint(n)), t.BlockSortShare
	if size <= 2 {
		share *= 3
	}
	return log*log/max(share, 1) + 1
}

// Default are the thresholds of every call that is given no others, measured
// on two threads of a Zen 4 with AVX-512.
var Default = Thresholds{
	SoloWork:     1 << 16,
	TaskElements: 1 << 13,
	BigBytes:     2 << 20,
	ChunkBytes:   256 << 10,
	CollectBytes: 40 << 20,
	LocateCounts: 1 << 20,

	NetworkMax:         32,
	NetworkLanes:       8,
	SearchWork:         64_000,
	BlockSortShare:     5,
	BlockSortMax:       4000,
	SqueezeMin:         1500,
	SqueezeBytes:       4500,
	SqueezeAgain:       300,
	SortQuantiles:      24,
	SortBytes:          400,
	RadixMin:           64,
	HistogramMin:       32,
	HistogramQuantiles: 20,
	WideHistogramMin:   10_000,
	NarrowMin:          300,

	BinsMin:      12,
	GuessMin:     256,
	HeavyShare:   16,
	CollectWhole: 1 << 15,
	CloseMin:     512,

	BitmapWords:     1 << 18,
	RoomyBytes:      512 << 10,
	FilterBytes:     8 << 10,
	SlowFilterBytes: 8 << 20,
	PartedMembers:   1 << 17,

	StreamAnswers:  2 << 20,
	StreamGradient: 8 << 20,
	GradientRows:   32,
}
