package engine

import (
	"math/rand/v2"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
)

// few is a set of a few patterns in registers.
type few[P kernel.Pattern] struct{ set kernel.Few[P] }

// newFew returns the set of the patterns, nil if it has no room for them.
func newFew[P kernel.Pattern](patterns []P) lookup {
	if size := int(unsafe.Sizeof(patterns[0])); size > 8 || len(patterns) > kernel.FewMost(size) {
		return nil
	}
	f := new(few[P])
	for range fewAttempts {
		if f.set.Make(patterns, rand.Uint64()) {
			return f
		}
	}
	return nil
}

// fewAttempts is the number of hashes that are tried for a few patterns, 1 µs
// each. Every second or third is good.
const fewAttempts = 32

func (f *few[P]) contains(dst []uint8, src unsafe.Pointer, _ *crew.Scratch) {
	f.set.Contains(dst, unsafe.Slice((*P)(src), len(dst)))
}

// byteSet is a set of bytes.
type byteSet kernel.ByteSet

func newByteSet(bytes []uint8) *byteSet {
	s := new(kernel.ByteSet)
	s.Add(bytes)
	return (*byteSet)(s)
}

func (s *byteSet) contains(dst []uint8, src unsafe.Pointer, _ *crew.Scratch) {
	(*kernel.ByteSet)(s).Contains(dst, unsafe.Slice((*uint8)(src), len(dst)))
}

// bitmap is a set of patterns as a bit for each of a range.
type bitmap[B kernel.Bits] struct {
	low, span B
	words     []uint64
}

// newBitmap returns the set of patterns from low to high.
func newBitmap[B kernel.Bits](patterns []B, low, high B, words int) *bitmap[B] {
	b := &bitmap[B]{low, high - low, make([]uint64, words)}
	kernel.MarkBitmap(b.words, patterns, low)
	return b
}

func (b *bitmap[B]) contains(dst []uint8, src unsafe.Pointer, _ *crew.Scratch) {
	kernel.InBitmap(dst, unsafe.Slice((*B)(src), len(dst)), b.words, b.low, b.span)
}

// byteTable is a set of patterns as a byte for each of a range.
type byteTable[B kernel.Bits] struct {
	low, span B
	bytes     []uint8
}

func newByteTable[B kernel.Bits](patterns []B, signed bool) *byteTable[B] {
	low, high := kernel.Range(patterns, signed)
	t := &byteTable[B]{low, high - low, make([]uint8, uint64(high-low)+2)}
	kernel.MarkTable(t.bytes, patterns, low)
	return t
}

func (t *byteTable[B]) contains(dst []uint8, src unsafe.Pointer, _ *crew.Scratch) {
	kernel.InTable(dst, unsafe.Slice((*B)(src), len(dst)), t.bytes, t.low, t.span)
}

// sortedBits is a sorted set of the patterns of real elements.
type sortedBits[B kernel.Bits] []B

func (o sortedBits[B]) contains(dst []uint8, src unsafe.Pointer, _ *crew.Scratch) {
	kernel.InSorted(dst, unsafe.Slice((*B)(src), len(dst)), o)
}

// sortedPairs is a sorted set of the patterns of complex elements.
type sortedPairs[P kernel.Pair] []P

func (o sortedPairs[P]) contains(dst []uint8, src unsafe.Pointer, _ *crew.Scratch) {
	kernel.InSortedPairs(dst, unsafe.Slice((*P)(src), len(dst)), o)
}

// hashSet is a set of patterns as a hash table.
type hashSet[P kernel.Pattern] struct {
	table kernel.Buckets[P]
	room  *crew.Scratch // the table's memory, or nil if it is its own
}

func (h *hashSet[P]) release() {
	if h.room != nil {
		rooms.Put(h.room)
		*h = hashSet[P]{}
	}
}

const (
	// firstMembers is the number of patterns for which a table is made while
	// it is not known how many repeat. It is small enough to be cheap, and
	// enough to tell.
	firstMembers = 1 << 12
	// sampleElements is the number of elements of a block from which it is
	// decided whether the filter stops enough of them.
	sampleElements = 1 << 8
	// mostPassing is the share of elements that pass the filter up to which it
	// is of use, in eighths: where a quarter are members it saves 7 % of the
	// time, where half are it costs a third more than it saves, in tables that
	// fit the caches.
	mostPassing = 2
)

// newHashSet returns a set of the patterns, of which there are some, made by so
// many workers if it is large.
func newHashSet[P kernel.Pattern](patterns []P, unique bool, workers int) *hashSet[P] {
	expected := len(patterns)
	if !unique {
		expected = min(expected, firstMembers)
	} else if expected >= tuning.Default.PartedMembers {
		return newParted(patterns, workers)
	}
	t := newTable(patterns[0], bucketsFor[P](expected))
	all := patterns
	for {
		patterns = patterns[t.Insert(patterns):]
		if len(patterns) == 0 && !t.Lost() {
			return &hashSet[P]{table: t}
		}
		n := t.Buckets()
		if t.Crowded() {
			n = bucketsFor[P](t.Used + len(patterns))
			if seen := len(all) - len(patterns); 4*t.Used < 3*seen {
				// Many repeat: the rest will not all need room.
				n = min(n, 4*t.Buckets())
			} else if len(patterns) >= tuning.Default.PartedMembers {
				return newParted(all, workers)
			}
		}
		t = rebuilt(&t, n)
	}
}

// bucketsFor returns a number of buckets of which so many members fill at most
// half: a power of two.
func bucketsFor[P kernel.Pattern](members int) int {
	n := 2
	for size := int(unsafe.Sizeof(*new(P))) * kernel.BucketSlots; n*kernel.BucketSlots < 2*members || n*kernel.BucketSlots < 3*members && 2*n*size <= tuning.Default.RoomyBytes; {
		n *= 2
	}
	return n
}

// newTable returns a table with seeds that nobody can know.
func newTable[P kernel.Pattern](first P, buckets int) kernel.Buckets[P] {
	least := tuning.Default.FilterBytes
	if kernel.SlowScreen[P]() {
		least = tuning.Default.SlowFilterBytes
	}
	filter := buckets*kernel.BucketSlots*int(unsafe.Sizeof(first)) >= least
	return kernel.NewBuckets(first, buckets, [2]uint64{rand.Uint64(), rand.Uint64()}, filter)
}

// rebuilt returns a table with the members of old, of at least n buckets. An
// attempt fails with a small probability, the smaller the larger n; after a
// few there is more room.
func rebuilt[P kernel.Pattern](old *kernel.Buckets[P], n int) kernel.Buckets[P] {
	for attempt := 1; ; attempt++ {
		t := newTable(old.First(), n)
		if t.Rebuild(old) {
			return t
		}
		if attempt%4 == 0 {
			n *= 2
		}
	}
}

func (h *hashSet[P]) contains(dst []uint8, at unsafe.Pointer, _ *crew.Scratch) {
	src := unsafe.Slice((*P)(at), len(dst))
	sample := src[:min(sampleElements, len(src))]
	if h.table.Filter == nil || 8*h.table.Passes(sample) > mostPassing*len(sample) {
		h.table.Contains(dst, src)
	} else {
		h.table.ContainsScreened(dst, src)
	}
}
