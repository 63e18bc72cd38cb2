package engine

import (
	"math/rand/v2"
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection"
)

// few is a set of a few patterns, each compared with every element.
type few[P kernel.Pattern] [kernel.FewPatterns]P

func newFew[P kernel.Pattern](patterns []P) *few[P] {
	f := new(few[P])
	for i := range f {
		f[i] = patterns[min(i, len(patterns)-1)]
	}
	return f
}

func (f *few[P]) contains(dst []uint8, src unsafe.Pointer, _ *selection.Scratch) {
	kernel.AnyOf(dst, unsafe.Slice((*P)(src), len(dst)), (*[kernel.FewPatterns]P)(f))
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

func (b *bitmap[B]) contains(dst []uint8, src unsafe.Pointer, _ *selection.Scratch) {
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

func (t *byteTable[B]) contains(dst []uint8, src unsafe.Pointer, _ *selection.Scratch) {
	kernel.InTable(dst, unsafe.Slice((*B)(src), len(dst)), t.bytes, t.low, t.span)
}

// sortedBits is a sorted set of the patterns of real elements.
type sortedBits[B kernel.Bits] []B

func (o sortedBits[B]) contains(dst []uint8, src unsafe.Pointer, _ *selection.Scratch) {
	kernel.InSorted(dst, unsafe.Slice((*B)(src), len(dst)), o)
}

// sortedPairs is a sorted set of the patterns of complex elements.
type sortedPairs[P kernel.Pair] []P

func (o sortedPairs[P]) contains(dst []uint8, src unsafe.Pointer, _ *selection.Scratch) {
	kernel.InSortedPairs(dst, unsafe.Slice((*P)(src), len(dst)), o)
}

// hashSet is a set of patterns as a hash table.
type hashSet[P kernel.Pattern] struct{ table kernel.Cuckoo[P] }

const (
	// firstMembers is the number of patterns for which a table is made while
	// it is not known how many repeat. It is small enough to be cheap, and
	// enough to tell.
	firstMembers = 1 << 12
	// filterBytes is the size of a table from which it has a filter. Smaller
	// ones stay in the second-level cache or near it, where a filter saves
	// nothing.
	filterBytes = 4 << 20
	// sampleElements is the number of elements of a block from which it is
	// decided whether the filter stops enough of them.
	sampleElements = 1 << 9
)

// newHashSet returns a set of the patterns, of which there are some.
func newHashSet[P kernel.Pattern](patterns []P, unique bool) *hashSet[P] {
	expected := len(patterns)
	if !unique {
		expected = min(expected, firstMembers)
	}
	c := emptyTable[P](slotsFor(expected))
	total := len(patterns)
	for {
		patterns = patterns[c.Insert(patterns):]
		if len(patterns) == 0 && !c.Lost() {
			c.Seal()
			return &hashSet[P]{c}
		}
		n := len(c.Slots)
		if c.Crowded() {
			n = slotsFor(c.Used + len(patterns))
			if seen := total - len(patterns); 4*c.Used < 3*seen {
				// Many repeat: the rest will not all need room.
				n = min(n, 4*len(c.Slots))
			}
		}
		c = rebuilt(&c, n)
	}
}

// slotsFor returns a number of slots of which so many members fill at most
// half: a power of two.
func slotsFor(members int) int {
	n := 8
	for n < 2*members {
		n *= 2
	}
	return n
}

// emptyTable returns a table with seeds that nobody can know.
func emptyTable[P kernel.Pattern](slots int) kernel.Cuckoo[P] {
	c := kernel.Cuckoo[P]{Slots: make([]P, slots), Seeds: [2]uint64{rand.Uint64(), rand.Uint64() | 1}}
	if slots*int(unsafe.Sizeof(*new(P))) >= filterBytes {
		c.Filter = make([]uint64, slots/8) // some 16 bits a member: one in 50 others passes
	}
	return c
}

// rebuilt returns a table with the members of old, of at least n slots. An
// attempt fails with a small probability, the smaller the larger n; after a
// few there is more room.
func rebuilt[P kernel.Pattern](old *kernel.Cuckoo[P], n int) kernel.Cuckoo[P] {
	for attempt := 1; ; attempt++ {
		c := emptyTable[P](n)
		if c.Rebuild(old) {
			return c
		}
		if attempt%4 == 0 {
			n *= 2
		}
	}
}

func (h *hashSet[P]) contains(dst []uint8, at unsafe.Pointer, s *selection.Scratch) {
	src := unsafe.Slice((*P)(at), len(dst))
	if h.table.Filter == nil {
		h.table.Contains(dst, src)
		return
	}
	mark := s.Mark()
	pass := selection.Alloc[uint32](s, len(src))
	sample := src[:min(sampleElements, len(src))]
	if 2*h.table.Screen(pass, sample) > len(sample) {
		h.table.Contains(dst, src)
	} else {
		clear(dst)
		h.table.ContainsAt(dst, src, pass[:h.table.Screen(pass, src)])
	}
	s.Release(mark)
}
