package engine

import (
	"math/rand/v2"
	"sync"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// partsChunk is the number of patterns that a task puts in order by parts:
// enough for those of a part to fill some cache lines.
const partsChunk = 1 << 15

// rooms holds the memory of large tables that are of no more use.
var rooms = sync.Pool{New: func() any { return new(crew.Scratch) }}

// parted makes a large hash table in three phases: the patterns of each chunk
// are counted by the part of the table that they belong to, then copied there,
// and then each part is filled.
type parted[P kernel.Pattern] struct {
	crew.Crew
	patterns, sorted []P
	table            kernel.Buckets[P]
	at               [][kernel.Parts]int // for each chunk the numbers, then the places, of its patterns
	start            [kernel.Parts + 1]int
	used, left       [kernel.Parts]int
}

// The phases.
type (
	countingParts[P kernel.Pattern]   parted[P]
	scatteringParts[P kernel.Pattern] parted[P]
	fillingParts[P kernel.Pattern]    parted[P]
)

// newParted returns a set of the patterns, of which there are many.
func newParted[P kernel.Pattern](patterns []P, workers int) *hashSet[P] {
	chunks := (len(patterns) + partsChunk - 1) / partsChunk
	b := &parted[P]{patterns: patterns, at: make([][kernel.Parts]int, chunks)}
	b.Config.Workers = workers
	room := rooms.Get().(*crew.Scratch)
	buckets := max(bucketsFor[P](len(patterns)), kernel.Parts)
	n := kernel.BucketSlots * buckets
	room.Reset()
	crew.Alloc[P](room, n+len(patterns)+8*buckets) // one block for all
	room.Reset()
	slots, filter := crew.Alloc[P](room, n), crew.Alloc[uint64](room, buckets)
	b.sorted = crew.Alloc[P](room, len(patterns))
	for !b.attempt(slots, filter) {
	}
	return &hashSet[P]{b.table, room}
}

// attempt makes a table with seeds that nobody can know. It reports whether
// all patterns have found a slot.
func (b *parted[P]) attempt(slots []P, filter []uint64) bool {
	b.table = kernel.NewParts(b.patterns[0], slots, filter, [2]uint64{rand.Uint64(), rand.Uint64()})
	clear(b.at)
	b.do((*countingParts[P])(b), len(b.at))
	sum := 0
	for part := range kernel.Parts {
		b.start[part] = sum
		for chunk := range b.at {
			n := b.at[chunk][part]
			b.at[chunk][part] = sum
			sum += n
		}
	}
	b.start[kernel.Parts] = sum
	b.do((*scatteringParts[P])(b), len(b.at))
	b.do((*fillingParts[P])(b), kernel.Parts)
	for _, used := range b.used {
		b.table.Used += used
	}
	for part, left := range b.left {
		b.table.Insert(b.sorted[b.start[part]:][:left])
	}
	return !b.table.Lost()
}

// do runs a phase, which nothing ends before its time.
func (b *parted[P]) do(p crew.Phase, tasks int) {
	if err := b.Run(p, tasks, len(b.patterns)); err != nil {
		panic("engine: a phase without a context has ended: " + err.Error())
	}
}

// chunk returns the patterns of a task.
func (b *parted[P]) chunk(number int) []P {
	first := number * partsChunk
	return b.patterns[first:min(first+partsChunk, len(b.patterns))]
}

func (c *countingParts[P]) Task(number int, _ *crew.Scratch) {
	b := (*parted[P])(c)
	b.table.CountParts(&b.at[number], b.chunk(number))
}

func (c *scatteringParts[P]) Task(number int, _ *crew.Scratch) {
	b := (*parted[P])(c)
	b.table.Scatter(b.sorted, &b.at[number], b.chunk(number))
}

func (c *fillingParts[P]) Task(number int, _ *crew.Scratch) {
	b := (*parted[P])(c)
	b.used[number], b.left[number] = b.table.FillPart(number, b.sorted[b.start[number]:b.start[number+1]])
}
