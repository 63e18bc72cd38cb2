package selection

import "github.com/ogive-go/ogive/internal/kernel"

// Thresholds are the sizes at which selection changes its way of working.
// Results do not depend on them; tests lower them to lead small inputs into
// every regime, and internal/tune measures both ways around each. Figures are
// from there: two threads of a Zen 4 with AVX-512, and 4M random elements unless
// something else is said.
var Thresholds = struct {
	// NetworkMax is the longest lane that is selected by a network of
	// compare-exchange steps, the same for each lane of a tile; at most
	// kernel.NetworkMax. Lanes of 32 float32 take a third of the time that they
	// take otherwise, shorter ones less.
	NetworkMax int

	// NetworkLanes is the fewest lanes for which building and running a
	// network beats sorting each short lane by insertion: lanes of 10 take as
	// long either way if there are 8, and 1.4 times as long by insertion if
	// there are 32.
	NetworkLanes int

	// NetworkRow is how many bytes of a row of short lanes are worth a task:
	// long enough that few of the fetches ahead of its end are for another
	// worker, and what is kept of the rows stays in a core's cache. 8x1000000
	// float32 take 0.65 ms on two cores by this, 0.81 by half of it and 0.79 by
	// twice as much.
	NetworkRow int

	// DescentMax is the longest lane whose order statistics are searched for in
	// as many lanes at a time as a vector has, where there are vectors. Rows of
	// 16 384 take 0.25 (float32) and 0.4 (float64) of the time of narrowing each, of
	// 32 768 0.6 and 0.7, of 65 536 1.9 and 1.1 times as long, but from 40 000 on two
	// values take six times as long as random ones, and a block of rows is one task.
	DescentMax int

	// DescentQuantiles is the most quantiles of a descent: each is a search of
	// its own, while sorting serves them all: 24 take as long either way in
	// rows of 1000 and of 10 000.
	DescentQuantiles int

	// SortQuantiles is the number of quantiles from which lanes are sorted, up
	// to SortLength keys for each: rows of 1000 float32 and 10 000 float64 take
	// as long either way for 12 and 24 quantiles, and 100 quantiles of rows of
	// 10 000, 40 000 and 100 000 float32 0.2, 0.6 and 1.2 of the time.
	SortQuantiles, SortLength int

	// BlockSortQuantiles is the number of quantiles from which lanes of up to
	// BlockSortMax keys are sorted side by side: 6 quantiles of rows of 100
	// float32 or int16 take 1.2 and 1.4 times as long otherwise, of rows of 1000
	// float32, float64 or int16 0.8, 0.5 and 0.6 of the time, and 12 take 1.3 to
	// 3 times as long. Longer lanes are sorted as fast each by radix.
	BlockSortQuantiles, BlockSortMax int

	// RadixMin is the number of keys for each byte of one from which they are
	// sorted by radix, a digit of 11 bits after the other, rather than by
	// comparing: 100 quantiles of rows of 250 float32 take as long as partitioning
	// then, and of 500 half as long.
	RadixMin int

	// SqueezeMin is the length from which rows are squeezed before they are laid
	// out in a block where kernel.SearchesInCells: of 1000 float32 or float64
	// squeezed ones take 1.4 and 1.15 times as long as whole ones, of 2000 0.9 and
	// 0.8 of the time and of 4000 0.6 and 0.75.
	SqueezeMin int

	// SqueezeBytes is the size from which rows are squeezed elsewhere: with AVX2
	// rows of 4500 bytes of float32 or float64 take as long either way, of half as
	// much 1.6 times and of twice as much 0.7 of the time of whole ones.
	SqueezeBytes int

	// SqueezeAgain is the number of keys from which what is left of rows is
	// squeezed again: 1000 float32 take 0.84 of the time that they take with
	// twice as much, and 0.98 of that with half of it.
	SqueezeAgain int

	// NarrowMin is the length from which a lane of adjacent elements is
	// narrowed where it lies rather than copied and partitioned: at 512 they
	// take as long, at 1024 partitioning takes 1.3 to 1.4 times and at 4096 1.7
	// to 1.9 times as long.
	NarrowMin int

	// PackBytes is how much of a tile is packed at a time, so that it is
	// still in the second-level cache when its lanes are selected. From a
	// quarter to four times of it the times of 1000x4000 float32 along axis 0
	// differ by 3 %; without vectors a larger part is a little faster.
	PackBytes int

	// HistogramMin is the length from which 8-bit keys are counted by value:
	// lanes of 64 take a sixth of the time of partitioning, and up to here there
	// is a network.
	HistogramMin int

	// WideHistogramMin is the length from which 16-bit keys are counted by
	// value if WideHistogramQuantiles or more are asked for. Its 65 536
	// counters are cleared and walked for each lane; 40 lanes of 100 000 take
	// 2.9 ms for 10 quantiles and 2.1 for 101, narrowed they take 20 and 240. Of
	// half the length both ways take the same time, and so do half as many
	// quantiles.
	WideHistogramMin, WideHistogramQuantiles int

	// ScaleMin is the number of order statistics from which the first pass
	// only counts, in cells. 12 float32 take 0.7 of the time of cells, 12 int64
	// 0.9, and 24 take 1.4 times and twice as long. Soon brackets would cover most
	// keys.
	ScaleMin int

	// GuessMin is the mean number of keys of cells with targets beyond which only
	// keys near the targets, or unlike most, are collected: 101 quantiles of 1M
	// float32, some 500 a cell, take as long either way, those of 100 000, some
	// 50, 1.8 times as long.
	GuessMin int

	// HeavyShare is the part of a sample, 1/HeavyShare, beyond which one value
	// is counted for itself at the end of a bracket, or with the cells: up to that it
	// costs less to collect its copies than to look for them apart. A median with
	// copies of a 16th or more takes as long either way, with those of a 32nd 1.4
	// times and of a 64th 2.3 times as long if they are counted apart.
	HeavyShare int

	// CollectWhole is the size of an interval that is collected whole rather
	// than bracketed again: few enough to select from in no time. From a quarter
	// to four times of it no difference shows, as a second pass is rare.
	CollectWhole int

	// CloseMin is the number of keys from which closing in on order statistics
	// beats partitioning around them: 768 int16, or int32 without vectors, take
	// 1.4 and 1.07 times as long by partitioning, 384 0.9 and 0.75 of the time.
	// Where there is kernel.Nth it is half as many: 256 int32 take 1.8 times and
	// int64 1.2 times as long by partitioning, of 192 int64 0.97 of the time.
	CloseMin int

	// PlacesMin is the size of a sample, over the square of the number of places
	// in it that brackets begin and end at, from which these are looked for rather
	// than all of it sorted: for 2 places in 562 int32 that takes 0.54 of the time
	// of sorting, for 4 in 2000 0.82, for 6 in 4000 1.04, for 10 in 14 158 0.86; of
	// int64 0.4 to 0.7, of int16 as long with four times as many.
	PlacesMin int

	// InsertionMax is the length up to which keys are sorted by insertion
	// rather than partitioned again; from 5 to 80 rows of 1000 take the same
	// time within 5 %.
	InsertionMax int

	// InsertedMax is the most keys of a single lane that are sorted by
	// insertion where there is kernel.Nth: 8 float64 take 0.94 of its time, 16
	// take 1.11.
	InsertedMax int

	// NthMax is the most keys whose order statistics are found by comparing
	// all with all, rather than leaving out half of them first: 48 float64 take
	// as long either way, 64 take 1.2 times as long by comparing all.
	NthMax int
}{
	NetworkMax:         kernel.NetworkMax,
	NetworkLanes:       8,
	NetworkRow:         16 << 10,
	DescentMax:         1 << 14,
	DescentQuantiles:   24,
	SortQuantiles:      24,
	SortLength:         750,
	RadixMin:           64,
	BlockSortQuantiles: 8,
	BlockSortMax:       2000,
	SqueezeMin:         1500,
	SqueezeBytes:       4500,
	SqueezeAgain:       300,
	NarrowMin:          1024,
	PackBytes:          256 << 10,
	HistogramMin:       32,

	WideHistogramMin:       1 << 15,
	WideHistogramQuantiles: 8,

	ScaleMin:     12,
	GuessMin:     256,
	HeavyShare:   16,
	CollectWhole: 1 << 15,
	CloseMin:     1 << 9,
	PlacesMin:    128,
	InsertionMax: 20,
	InsertedMax:  8,
	NthMax:       48,
}

const (
	// BlockMax is the most keys that are looked at at a time: they and those
	// collected of them stay in the first-level cache.
	BlockMax = 2048

	// singleBlock is BlockMax for one bracket, or several together, where a block is
	// looked at once and only the calls count.
	singleBlock = 8 * BlockMax

	// repeatedBytes is the size of a block that is looked at for one bracket
	// after the other: half of a first-level cache.
	repeatedBytes = 16 << 10

	// encodedBytes is repeatedBytes where the keys of a block are made first. While they
	// are looked at, the next block comes from memory, as far ahead as kernel.Encode
	// asks for it: the median of two values in 10M float32 takes 1.9 ms, 2.0 to 2.8
	// with twice and 3.4 with four times as much.
	encodedBytes = 4 << 10

	// stepsMin is the size of a block for which looking at several brackets together
	// should make up for setting that up and reading its counts: an estimate, from
	// 0.2 us for those and 1 ns saved for 16 float32 and three brackets.
	stepsMin = 2 * BlockMax

	// stepsWait is how many keys of several brackets wait to be split among them:
	// from a quarter to twice as many, 3 quantiles of 10M float32 take as long.
	stepsWait = BlockMax

	// keptMax is how many keys wait to be sorted into their groups.
	keptMax = 1 << 13

	// keepWhole is how many times the memory for collected keys the cells with
	// targets may hold; they are collected a part in each pass.
	keepWhole = 4

	// keepAll is the part of a lane, 1/keepAll, up to which cells with targets are
	// collected whole where values have copies: 10 000 values among 10M float32, a
	// twentieth of them in such cells, take 1.2 times as long as distinct values,
	// and 1.6 times if copies are left out.
	keepAll = 16

	// keepTwice is the part of a lane, 1/keepTwice, up to which cells to collect are
	// kept first, and of them what is unlike most: a thousand values among 10M
	// float32, a tenth of them in such cells, take 0.7 of the time so, thirty, all
	// in such cells, 1.25 times as long.
	keepTwice = 2

	// guessSlack is how many standard deviations of its rank a target may lie
	// away from its place in a cell filled evenly, and guessShare the part of the
	// cell, 1/guessShare, that it may lie away besides, for others. Of 101
	// quantiles of normal elements none is missed in 200 lanes of 200 000, and
	// of 10M an eighth of the cells is collected.
	guessSlack = 4
	guessShare = 64

	// equalShare is the part of a sample, 1/equalShare, that equals the key
	// before, from which on cells are taken to hold values with copies, which
	// fill none evenly: a lane of 10M with some 40 copies of each. Of one value
	// equalMost copies count.
	equalShare = 64
	equalMost  = 16

	// sampledMin is the fewest keys that a sample must have of a cell to tell
	// which part of it is kept: 101 cells of 10M elements with a thousand values
	// have 7 each, of which 4 tell all but a twelfth of the cells.
	sampledMin = 4

	// fewSampled is the fewest keys of a sample that tell a bracket.
	fewSampled = 8

	// sampledPasses is how many passes trust the sample.
	sampledPasses = 3

	// workPerKey bounds the keys that Select looks at before it stops trusting
	// its pivots: random data need 2 to 3 a key for one order statistic.
	workPerKey = 12

	// pivotSample bounds the keys a pivot is chosen from.
	pivotSample = 48

	// columnsAhead is how many blocks ahead columns are prefetched while one is packed.
	columnsAhead = 2

	// squeezeGroup is how many adjacent keys are sampled together: they share
	// a cache line.
	squeezeGroup = 4

	// squeezeSample is how many keys of a row are sampled: as many as a network
	// sorts.
	squeezeSample = kernel.NetworkMax

	// squeezeSlack is how many standard deviations the bounds lie from the place
	// of the answer in the sample: three in ten of the keys are kept, and one row
	// in seven is looked at again. From 1.25 to 2 times of 10 000 float32 differ by
	// a quarter, and are shortest here.
	squeezeSlack = 1.5

	// squeezeHeavy is how many more copies of a value, at the place of the answer
	// in the sample, make it likely to be the answer: rows of 10 000 float32 of
	// two values take 0.46 and of ten 0.7 of the time so, those with Zipf's
	// frequencies 1.3 times as long.
	squeezeHeavy = 4

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
