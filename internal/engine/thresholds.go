package engine

// Thresholds are the sizes at which the engine changes its way of working.
// Results do not depend on them; tests lower them to lead small inputs into
// every regime.
var Thresholds = struct {
	// SoloWork is the number of elements below which one goroutine does all:
	// waking another takes 50 to 100 µs from a deep sleep and 5 from a shallow
	// one, in which one core looks at about so many. Up to 262 144 float32 in
	// columns or rows both ways take the same time within 20 %; slower
	// selections gain from two workers much earlier.
	SoloWork int

	// TaskElements is the number of elements of a small task: some tens of
	// microseconds, against which handing it out costs nothing: from a quarter
	// to four times of it the times of 10x100000 float32 differ by 2 %.
	TaskElements int

	// BigBytes is the size of a lane, or of the narrowest tile of lanes worth
	// packing, from which lanes are narrowed in passes by all workers rather
	// than each by one: such a tile would not stay in a core's cache. Eight
	// float32 lanes of half a megabyte take twice as long in shared passes,
	// those of 1 to 4 MB as long either way.
	BigBytes int

	// ChunkBytes is how much of the lanes of a group a task of such a pass, or
	// of a search for indices, looks at: large against the cost of handing it out,
	// small against a core's cache, from which all but the first lane of a group
	// are read. From a quarter to four times of it times differ by 3 %.
	ChunkBytes int

	// CollectBytes is how much memory the keys collected from a group of
	// lanes may take, if an eighth of its elements are less. 1000 quantiles of
	// float64 take the same time from a quarter to four times of it.
	CollectBytes int

	// LongChunk is the number of elements of a long weighted lane that are
	// looked at in one task; times differ by 5 % from a quarter of it to twice as
	// many.
	LongChunk int

	// TallyMax is how many counts a search for indices in long lanes keeps at a
	// time, in 16 MiB, if a pass for each quantile does not take more.
	TallyMax int

	// HistogramQuantiles is the number of quantiles from which a long lane of
	// 8- or 16-bit elements is counted by value, in one pass whatever is asked,
	// rather than narrowed: fewer brackets are narrowed faster than a counter is
	// found for each element. Of bytes as of 16-bit elements 5 quantiles take
	// half, 10 take 0.96 of the time and 20 thrice as long or more.
	HistogramQuantiles int

	// BitmapWords is the size of the largest bitmap of test values: a range of
	// 16 M values, in 2 MiB, which still share the caches with the elements. A
	// hash table of 10 000 values takes 1.1 times as long as it, and 0.9 as one
	// of twice the size.
	BitmapWords int

	// RoomyBytes is the size up to which a hash table is filled to a third, so
	// that few buckets are full: a search that goes on is a branch that is
	// mispredicted. 1000 uint64 cost 1.0 ns a lookup, 1.4 if it is filled to a
	// half. Larger tables are better small than roomy.
	RoomyBytes int

	// FilterBytes is the size of a hash table from which it has a filter. Where
	// a tenth of the elements are members, a lookup among 300 uint64, in 8 KiB,
	// costs 0.67 ns with the filter and 0.91 without, among 10 000 0.75 and
	// 1.03, among a million 2.5 and 7.5; portable code 3.1 and 6.5 among 10 000.
	FilterBytes int

	// SlowFilterBytes is FilterBytes where vector code reads the table and not
	// the filter: among 160 000 uint64, in 4 MiB, a lookup costs 3.8 ns with the
	// filter and 3.6 without, among a million 6.4 and 11.8.
	SlowFilterBytes int

	// PartedMembers is the number of members from which a hash table is made in
	// parts, by all workers: 128 000 uint64 take one worker 1.1 ms and not 1.3,
	// a million 9.6 and not 24, and two 5.4.
	PartedMembers int

	// StreamAnswers is the number of answers of an element test from which
	// they are stored past the caches: they would not stay there, and reading
	// the lines that they overwrite takes a quarter of the time, 2.3 ms and
	// not 1.75 for 10M float32 on one thread.
	StreamAnswers int
}{
	SoloWork:     1 << 16,
	TaskElements: 1 << 13,
	BigBytes:     2 << 20,
	ChunkBytes:   256 << 10,
	CollectBytes: 40 << 20,
	LongChunk:    1 << 16,
	TallyMax:     1 << 20,

	HistogramQuantiles: 10,

	BitmapWords:     1 << 18,
	RoomyBytes:      512 << 10,
	FilterBytes:     8 << 10,
	SlowFilterBytes: 8 << 20,
	PartedMembers:   1 << 17,
	StreamAnswers:   2 << 20,
}
