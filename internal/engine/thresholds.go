package engine

// Thresholds are the sizes at which the engine changes its way of working.
// Results do not depend on them; tests lower them to lead small inputs into
// every regime.
var Thresholds = struct {
	// SoloWork is the number of elements below which one goroutine does all:
	// waking another takes 50 to 100 µs, in which one core looks at about so
	// many.
	SoloWork int

	// TaskElements is the number of elements of a small task: some tens of
	// microseconds, against which handing it out costs nothing.
	TaskElements int

	// BigBytes is the size of a lane, or of the narrowest tile of lanes worth
	// packing, from which lanes are narrowed in passes by all workers rather
	// than each by one: such a tile would not stay in a core's cache.
	BigBytes int

	// ChunkBytes is how much of the lanes of a group a task of such a pass, or
	// of a search for indices, looks at: large against the cost of handing it out, small against a
	// core's cache, from which all but the first lane of a group are read.
	ChunkBytes int

	// CollectBytes is how much memory the keys collected from a group of
	// lanes may take, if an eighth of its elements are less.
	CollectBytes int

	// LongChunk is the number of elements of a long weighted lane that are
	// looked at in one task.
	LongChunk int

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

	StreamAnswers: 2 << 20,
}
