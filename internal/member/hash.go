package member

import (
	"math"
	"math/rand/v2"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
)

const (
	// firstMembers is the number of patterns for which a table is made while
	// it is not known how many repeat. It is small enough to be cheap, and
	// enough to tell.
	firstMembers = 1 << 12
	// leastRoom is the number of patterns for which a table has room until it
	// grows: repeated ones are not inserted one by one into the last slots.
	leastRoom = 64
	// sampleElements is the number of elements of a block from which it is
	// decided whether the filter stops enough of them.
	sampleElements = 1 << 8
	// mostPassing is the share of elements that pass the filter up to which it
	// is of use, in eighths: where a quarter are members it saves 7 % of the
	// time, where half are it costs a third more than it saves, in tables that
	// fit the caches.
	mostPassing = 2
)

// inHash looks up in a hash table of the patterns. The table's memory is in room
// if that is not nil.
func inHash[P kernel.Pattern](patterns []P, o *Options) (find lookup, room *crew.Scratch) {
	t, room := newTable(patterns, o)
	return func(dst []uint8, src unsafe.Pointer) { t.find(dst, unsafe.Slice((*P)(src), len(dst))) }, room
}

// table is a hash table that grows.
type table[P kernel.Pattern] struct {
	kernel.Buckets[P]
	taken int // slots
}

// newTable returns a table of the patterns, of which there are some, made by all
// workers if it is large.
func newTable[P kernel.Pattern](patterns []P, o *Options) (*table[P], *crew.Scratch) {
	th := o.Thresholds()
	expected := len(patterns)
	if !o.Unique {
		expected = min(expected, firstMembers)
	} else if expected >= th.PartedMembers {
		return newParted(patterns, o.Config)
	}
	t := emptyTable(patterns[0], bucketsFor[P](expected, th), th)
	for rest := patterns; ; {
		rest = rest[t.insert(rest):]
		if len(rest) == 0 {
			return t, nil
		}
		n := bucketsFor[P](t.taken+len(rest), th)
		if seen := len(patterns) - len(rest); 4*t.taken < 3*seen {
			n = min(n, 4*t.Count()) // many repeat: the rest will not all need room
		} else if len(rest) >= th.PartedMembers {
			return newParted(patterns, o.Config)
		}
		t = t.grown(n, th)
	}
}

// bucketsFor returns a number of buckets of which so many members fill at most
// half: a power of two.
func bucketsFor[P kernel.Pattern](members int, th *tuning.Thresholds) int {
	for n := 2; ; n *= 2 {
		slots := n * kernel.BucketSlots
		roomy := 2*slots*int(unsafe.Sizeof(*new(P))) <= th.RoomyBytes
		if 2*members <= slots && (3*members <= slots || !roomy) {
			return n
		}
	}
}

// emptyTable returns a table with one member, and seeds that nobody can know.
func emptyTable[P kernel.Pattern](member P, buckets int, th *tuning.Thresholds) *table[P] {
	t := &table[P]{Buckets: kernel.Buckets[P]{Slots: make([]P, kernel.BucketSlots*buckets), Free: member, Seeds: newSeeds()}}
	least := th.FilterBytes
	if kernel.SlowScreen[P]() {
		least = th.SlowFilterBytes
	}
	if len(t.Slots)*int(unsafe.Sizeof(member)) >= least {
		t.Filter = make([]uint64, buckets)
	}
	var zero P
	if member != zero {
		fill(t.Slots, member)
	}
	return t
}

// newSeeds returns seeds that nobody can know.
func newSeeds() [2]uint64 { return [2]uint64{rand.Uint64() | 1, rand.Uint64() | 1} }

// fill writes p to all slots.
func fill[P kernel.Pattern](slots []P, p P) {
	slots[0] = p
	for n := 1; n < len(slots); n *= 2 {
		copy(slots[n:], slots[:n])
	}
}

// insert inserts patterns until hardly more have room in half of the slots, or
// one finds no slot, and returns how many it has inserted.
func (t *table[P]) insert(patterns []P) (done int) {
	for done < len(patterns) {
		room := min(len(t.Slots)/2-t.taken, len(patterns)-done)
		if room < min(leastRoom, len(patterns)-done) {
			break
		}
		n, taken := t.Insert(patterns[done:done+room], math.MaxInt)
		t.taken, done = t.taken+taken, done+n
		if n < room {
			break
		}
	}
	return done
}

// grown returns a table of at least n buckets with the members of t, which is
// of no more use. An attempt fails with a small probability, the smaller the
// larger n; after a few there is more room.
func (t *table[P]) grown(n int, th *tuning.Thresholds) *table[P] {
	members := t.Slots[:0]
	for _, p := range t.Slots {
		if p != t.Free {
			members = append(members, p)
		}
	}
	members = append(members, t.Free)
	for attempt := 1; ; attempt++ {
		to := emptyTable(t.Free, n, th)
		if to.insert(members) == len(members) {
			return to
		}
		if attempt%4 == 0 {
			n *= 2
		}
	}
}

// find looks up, first in the filter if that stops enough.
func (t *table[P]) find(dst []uint8, src []P) {
	sample := src[:min(sampleElements, len(src))]
	if t.Filter == nil || 8*t.Passes(sample) > mostPassing*len(sample) {
		t.Contains(dst, src)
	} else {
		t.ContainsScreened(dst, src)
	}
}

// rooms holds the memory of large tables that are of no more use.
var rooms = sync.Pool{New: func() any { return new(crew.Scratch) }}

// partsChunk is the number of patterns that a task puts in order by parts:
// enough for those of a part to fill some cache lines.
const partsChunk = 1 << 15

// parted makes a large table in stages: the patterns of each chunk are counted
// by the part of the table that they belong to, then copied there, and then
// each part is filled.
type parted[P kernel.Pattern] struct {
	table[P]
	stage            int
	patterns, sorted []P
	at               [][kernel.BucketParts]int // for each chunk the numbers, then the places, of its patterns
	start            [kernel.BucketParts + 1]int
	added, left      [kernel.BucketParts]int
}

// The stages.
const (
	counting = iota + 1
	scattering
	filling
)

// newParted returns a table of the patterns, of which there are many, and its
// memory.
func newParted[P kernel.Pattern](patterns []P, config crew.Config) (*table[P], *crew.Scratch) {
	chunks := (len(patterns) + partsChunk - 1) / partsChunk
	buckets := max(bucketsFor[P](len(patterns), config.Thresholds()), kernel.BucketParts)
	n := kernel.BucketSlots * buckets
	room := rooms.Get().(*crew.Scratch)
	room.Reset()
	crew.Alloc[P](room, n+len(patterns)+8*buckets) // one block for all
	room.Reset()
	b := &parted[P]{patterns: patterns, at: make([][kernel.BucketParts]int, chunks)}
	b.Free, b.Slots, b.Filter = patterns[0], crew.Alloc[P](room, n), crew.Alloc[uint64](room, buckets)
	b.sorted = crew.Alloc[P](room, len(patterns))
	c := crew.Crew{Config: config}
	if err := c.RunStages(b); err != nil {
		panic("member: stages without a context have ended: " + err.Error())
	}
	return &table[P]{b.Buckets, b.taken}, room
}

// Next goes on to the next stage. After the last it inserts what parts had no
// room for; if there is none for one of these, it begins again with other
// seeds.
func (b *parted[P]) Next() (tasks, elements int) {
	if b.stage == filling {
		if b.finish() {
			return 0, 0
		}
		b.stage = 0
	}
	b.stage++
	switch b.stage {
	case counting:
		b.Seeds = newSeeds()
		clear(b.at)
	case scattering:
		sum := 0
		for part := range kernel.BucketParts {
			b.start[part] = sum
			for chunk := range b.at {
				n := b.at[chunk][part]
				b.at[chunk][part] = sum
				sum += n
			}
		}
		b.start[kernel.BucketParts] = sum
	case filling:
		return kernel.BucketParts, len(b.patterns)
	}
	return len(b.at), len(b.patterns)
}

func (b *parted[P]) Task(number int, _ *crew.Scratch) {
	if b.stage == filling {
		b.fill(number)
		return
	}
	first := number * partsChunk
	chunk := b.patterns[first:min(first+partsChunk, len(b.patterns))]
	if b.stage == counting {
		b.CountParts(&b.at[number], chunk)
	} else {
		b.Scatter(b.sorted, &b.at[number], chunk)
	}
}

// fill makes a part that of all patterns at home in it. Those that do not fit in
// it move to the beginning of its patterns.
func (b *parted[P]) fill(part int) {
	n := b.Count() / kernel.BucketParts
	end := (part + 1) * n
	fill(b.Slots[part*n*kernel.BucketSlots:end*kernel.BucketSlots], b.Free)
	clear(b.Filter[part*n : end])
	b.added[part], b.left[part] = 0, 0
	patterns := b.sorted[b.start[part]:b.start[part+1]]
	for i := 0; i < len(patterns); i++ {
		done, added := b.Insert(patterns[i:], end)
		b.added[part] += added
		if i += done; i < len(patterns) {
			patterns[b.left[part]] = patterns[i]
			b.left[part]++
		}
	}
}

// finish inserts the patterns that did not fit in their parts. It reports
// whether all have found a slot.
func (b *parted[P]) finish() bool {
	b.taken = 0
	for part, n := range b.left {
		done, added := b.Insert(b.sorted[b.start[part]:][:n], math.MaxInt)
		b.taken += b.added[part] + added
		if done < n {
			return false
		}
	}
	return true
}
