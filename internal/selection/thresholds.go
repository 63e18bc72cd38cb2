package selection

import "github.com/ogive-go/ogive/internal/kernel"

// Thresholds are the sizes at which selection changes its way of working.
// Results do not depend on them; tests lower them to lead small inputs into
// every regime, and internal/tune measures both ways around each. Figures are
// of one thread of a Zen 4 with AVX-512, if nothing else is said.
var Thresholds = struct {
	// NetworkMax is the longest lane that is selected by a network of
	// compare-exchange steps, the same for each lane of a tile; at most
	// kernel.NetworkMax.
	NetworkMax int

	// NetworkLanes is the fewest lanes for which building and running a
	// network beats sorting each short lane by insertion.
	NetworkLanes int

	// NetworkRow is how many bytes of a row of short lanes are worth a task:
	// long enough that few of the fetches ahead of its end are for another
	// worker, and the answers stay in a first-level cache.
	NetworkRow int

	// DescentMax is the longest lane whose order statistics are found bit by
	// bit, in as many lanes at a time as a vector has, where there are vectors.
	DescentMax int

	// DescentQuantiles is the most quantiles of a descent: each is a search of
	// its own, while partitioning serves them all.
	DescentQuantiles int

	// SqueezeMin is the length from which rows are squeezed before they are
	// laid out in a block.
	SqueezeMin int

	// NarrowMin is the length from which a lane of adjacent elements is
	// narrowed where it lies rather than copied and partitioned.
	NarrowMin int

	// PackBytes is how much of a tile is packed at a time, so that it is
	// still in the second-level cache when its lanes are selected.
	PackBytes int

	// HistogramMin is the length from which 8-bit keys are counted by value.
	HistogramMin int

	// WideHistogramMin is the length from which 16-bit keys are counted by
	// value if WideHistogramQuantiles or more are asked for.
	WideHistogramMin, WideHistogramQuantiles int

	// ScaleMin is the number of order statistics from which the first pass
	// only counts, in cells: a bracket costs 5 cycles for 16 keys, two passes
	// over cells 60, and soon brackets would cover most keys.
	ScaleMin int

	// HeavyShare is the part of a sample, 1/HeavyShare, from which on one value
	// is counted for itself at the end of a bracket: below that it costs less
	// to collect its copies than to look for them apart.
	HeavyShare int

	// CollectWhole is the size of an interval that is collected whole rather
	// than bracketed again: few enough to select from in no time.
	CollectWhole int

	// CloseMin is the number of keys from which closing in on order statistics
	// beats partitioning around them.
	CloseMin int

	// InsertionMax is the length up to which keys are sorted by insertion
	// rather than partitioned again.
	InsertionMax int

	// InsertedMax is the most keys of a single lane that are sorted by
	// insertion where there is kernel.Nth.
	InsertedMax int

	// NthMax is the most keys whose order statistics are found by comparing
	// all with all, rather than leaving out half of them first.
	NthMax int
}{
	NetworkMax:       kernel.NetworkMax,
	NetworkLanes:     8,
	NetworkRow:       8 << 10,
	DescentMax:       1 << 16,
	DescentQuantiles: 16,
	SqueezeMin:       2000,
	NarrowMin:        1024,
	PackBytes:        256 << 10,
	HistogramMin:     32,

	WideHistogramMin:       1 << 15,
	WideHistogramQuantiles: 8,

	ScaleMin:     12,
	HeavyShare:   16,
	CollectWhole: 1 << 15,
	CloseMin:     1 << 11,
	InsertionMax: 20,
	InsertedMax:  8,
	NthMax:       48,
}

const (
	// BlockMax is the most keys that are looked at at a time: they and those
	// collected of them stay in the first-level cache.
	BlockMax = 2048

	// singleBlock is BlockMax for one bracket, where a block is looked at once
	// and only the calls count.
	singleBlock = 8 * BlockMax

	// repeatedBytes is the size of a block that is looked at for one bracket
	// after the other: half of a first-level cache.
	repeatedBytes = 16 << 10

	// keptMax is how many keys wait to be sorted into their groups.
	keptMax = 1 << 13

	// keepWhole is how many times the memory for collected keys the cells with
	// targets may hold; they are collected a part in each pass.
	keepWhole = 4

	// sampledPasses is how many passes trust the sample.
	sampledPasses = 3

	// workPerKey bounds the keys that Select looks at before it stops trusting
	// its pivots: random data need 2 to 3 a key for one order statistic.
	workPerKey = 12

	// pivotSample bounds the keys a pivot is chosen from.
	pivotSample = 48

	// columnsAhead is how many blocks ahead columns are prefetched.
	columnsAhead = 2

	// squeezeGroup is how many adjacent keys are sampled together: they share
	// a cache line.
	squeezeGroup = 4

	// squeezeSample is how many keys of a row are sampled, and
	// squeezeSampleLong those of a row of squeezeLong: three or two in ten of
	// the others are kept.
	squeezeSample     = 64
	squeezeSampleLong = 128
	squeezeLong       = 4096

	// squeezeRounds is how often rows are squeezed at most.
	squeezeRounds = 3

	// WeightedSample is how many elements a WeightedNarrowing should see first.
	WeightedSample = 4096

	// fewestCells is the fewest parts that the first pass of a
	// WeightedNarrowing divides a lane into, as evenly as the sample allows; to
	// search among more takes longer than to collect one of them costs.
	fewestCells = 64

	// weightedCells is the number of parts into which a later pass divides
	// the range of the keys that are left.
	weightedCells = 1024
)
