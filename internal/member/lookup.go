package member

import (
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
)

// lookup writes 1 to dst[i] if the ith of the contiguous elements at src has a
// pattern of a set, else 0.
type lookup func(dst []uint8, src unsafe.Pointer)

// inBytes looks up in a set of bytes.
func inBytes(bytes []uint8) lookup {
	s := new(kernel.ByteSet)
	s.Add(bytes)
	return func(dst []uint8, src unsafe.Pointer) { s.Contains(dst, unsafe.Slice((*uint8)(src), len(dst))) }
}

// fewAttempts is the number of hashes that are tried for a few patterns, 1 µs
// each. Every second or third is good.
const fewAttempts = 32

// inFew looks up in a few patterns in registers. It returns nil if these have no
// room for all.
func inFew[P kernel.Pattern](patterns []P) lookup {
	if size := int(unsafe.Sizeof(patterns[0])); size != 4 && size != 8 || len(patterns) > kernel.FewMost(size) {
		return nil
	}
	f := &kernel.Few[P]{Members: slices.Clone(patterns)}
	for range fewAttempts {
		if fillFew(f, patterns, rand.Uint64()) {
			return func(dst []uint8, src unsafe.Pointer) { f.Contains(dst, unsafe.Slice((*P)(src), len(dst))) }
		}
	}
	return nil
}

// fillFew makes f the set of the patterns, which may repeat. It reports whether
// each has found a slot. With another seed, which is made odd, it may.
func fillFew[P kernel.Pattern](f *kernel.Few[P], patterns []P, seed uint64) bool {
	f.Seed = seed | 1
	for i := range f.Slots {
		f.Slots[i] = patterns[0]
	}
	var taken uint64 // a bit for each slot
	for _, p := range patterns {
		if !insertFew(f, p, &taken) {
			return false
		}
	}
	return true
}

// insertFew inserts a pattern; those that are in its way move to their other
// slots.
func insertFew[P kernel.Pattern](f *kernel.Few[P], p P, taken *uint64) bool {
	at, second := f.Homes(&p)
	for _, i := range [2]int{at, second} {
		if f.Slots[i] == p && *taken>>i&1 != 0 {
			return true
		}
	}
	for range 2 * len(f.Slots) {
		p, f.Slots[at] = f.Slots[at], p
		if *taken>>at&1 == 0 {
			*taken |= 1 << at
			return true
		}
		if first, second := f.Homes(&p); first != at {
			at = first
		} else {
			at = second
		}
	}
	return false
}

// rangeBlock is the number of patterns after which a range that has become too
// wide is given up.
const rangeBlock = 1 << 13

// inBitmap looks up in a bit for each of the range of the patterns, which are
// those of signed integers or not. It returns nil if that takes more than most
// words.
func inBitmap[B kernel.Bits](patterns []B, signed bool, most uint64) lookup {
	low, high := patterns[0], patterns[0]
	var words uint64
	for first := 0; first < len(patterns); first += rangeBlock {
		l, h := kernel.Range(patterns[first:min(first+rangeBlock, len(patterns))], signed)
		low, high = kernel.Range([]B{low, high, l, h}, signed)
		if words = kernel.BitmapWords(uint64(high - low)); words > most {
			return nil
		}
	}
	bitmap := make([]uint64, words)
	kernel.MarkBitmap(bitmap, patterns, low)
	return func(dst []uint8, src unsafe.Pointer) {
		kernel.InBitmap(dst, unsafe.Slice((*B)(src), len(dst)), bitmap, low, high-low)
	}
}

// TableMax is the most bytes of a table: one for each value of a range.
const TableMax = 1 << 30

// inTable looks up in a byte for each of the range of the patterns, which takes no more than
// most of them unless they have changed since that was checked.
func inTable[B kernel.Bits](patterns []B, signed bool, most uint64) lookup {
	low, high := kernel.Range(patterns, signed)
	span := min(uint64(high-low), most-1)
	table := make([]uint8, span+2)
	kernel.MarkTable(table[:span+1], patterns, low)
	return func(dst []uint8, src unsafe.Pointer) {
		kernel.InTable(dst, unsafe.Slice((*B)(src), len(dst)), table, low, B(span))
	}
}

// inSorted looks up in a sorted copy of the patterns.
func inSorted[B kernel.Bits](patterns []B) lookup {
	sorted := slices.Clone(patterns)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	return func(dst []uint8, src unsafe.Pointer) {
		kernel.InSorted(dst, unsafe.Slice((*B)(src), len(dst)), sorted)
	}
}

// inSortedPairs looks up in the patterns, which it sorts.
func inSortedPairs[P kernel.Pair](patterns []P) lookup {
	switch s := any(patterns).(type) {
	case []kernel.Pair32:
		slices.SortFunc(s, func(a, b kernel.Pair32) int { return slices.Compare(a[:], b[:]) })
	case []kernel.Pair64:
		slices.SortFunc(s, func(a, b kernel.Pair64) int { return slices.Compare(a[:], b[:]) })
	}
	sorted := slices.Compact(patterns)
	return func(dst []uint8, src unsafe.Pointer) {
		kernel.InSortedPairs(dst, unsafe.Slice((*P)(src), len(dst)), sorted)
	}
}
