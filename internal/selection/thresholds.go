package selection

import "github.com/ogive-go/ogive/internal/kernel"

const (
	networkRow         = 16 << 10
	packBytes          = 256 << 10
	insertionMax       = 20
	insertedMax        = 8
	nthMax             = 48
	blockSortQuantiles = 8

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

var placesLeast = 128
