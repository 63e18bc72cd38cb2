package kernel

import (
	"math/bits"
	"unsafe"
)

// Pair is a complex element as the bit patterns of its parts.
type Pair interface{ Pair32 | Pair64 }

// Pair32 is a complex64, Pair64 a complex128; the real part comes first.
type (
	Pair32 [2]uint32
	Pair64 [2]uint64
)

// Pattern is any element read as its bit pattern. A set of patterns stands for
// a set of values: it holds every pattern of a value (both zeros), so that
// members are found by comparing bits.
type Pattern interface{ Bits | Pair }

// ByteSet is a set of bytes, a bit for each.
type ByteSet [32]uint8

// place returns the place of a byte's bit. The bits of those with the same
// lower half are in the same place of either half of the set, the upper half of
// the byte chooses the bit: vectors look both up in registers.
func (s *ByteSet) place(b uint8) (row *uint8, bit uint8) {
	return &s[b>>7<<4|b&15], b >> 4 & 7
}

// Add adds bytes.
func (s *ByteSet) Add(bytes []uint8) {
	for _, b := range bytes {
		row, bit := s.place(b)
		*row |= 1 << bit
	}
}

// Contains writes 1 to dst[i] if src[i] is in the set, else 0.
func (s *ByteSet) Contains(dst, src []uint8) {
	src = src[:len(dst)]
	done := s.containsVector(dst, src)
	s.containsGeneric(dst[done:], src[done:])
}

// Few is a set of a few patterns of 32 or 64 bits, which fits registers: two
// tables of 128 bytes, in each of which a pattern has a slot by a hash. Free
// slots hold a member.
type Few[P Pattern] struct {
	Members []P                 // those in the slots
	Slots   [2 * fewBytes / 4]P // those in use are fewer if P is wider
	Seed    uint64              // odd: a hash is the product with it, its upper bits
}

// fewBytes is the size of a table.
const fewBytes = 128

// FewMost is the number of patterns of a size in bytes of which there is a set:
// half of the slots. With more, hardly any hash has room for all.
func FewMost(size int) int { return fewBytes / size }

// Homes returns the two slots that p may be in: the highest bits of its hash,
// as many as number the slots of a table, and those after them.
func (f *Few[P]) Homes(p *P) (first, second int) {
	h := word(p) * f.Seed
	if unsafe.Sizeof(*p) == 4 {
		return int(h >> 27 & 31), fewBytes/4 + int(h>>22&31)
	}
	return int(h >> 60), fewBytes/8 + int(h>>56&15)
}

// Contains writes 1 to dst[i] if src[i] is a member, else 0.
func (f *Few[P]) Contains(dst []uint8, src []P) {
	src = src[:len(dst)]
	done := f.containsVector(dst, src)
	f.containsGeneric(dst[done:], src[done:])
}

// word returns a pattern of 32 or 64 bits as an integer.
func word[P Pattern](p *P) uint64 {
	switch at := unsafe.Pointer(p); {
	case unsafe.Sizeof(*p) == 4:
		return uint64(*(*uint32)(at))
	case unsafe.Alignof(*p) == 8:
		return *(*uint64)(at)
	default:
		q := (*Pair32)(at)
		return uint64(q[0]) | uint64(q[1])<<32
	}
}

// BitmapWords returns the number of words of a bitmap over low … low + span.
func BitmapWords(span uint64) uint64 { return span/64 + 2 }

// MarkBitmap sets the bits of the patterns from low on in a bitmap. It passes over those for
// which there is none: patterns that have changed since their range was found.
func MarkBitmap[B Bits](bitmap []uint64, patterns []B, low B) {
	for _, p := range patterns {
		if d := uint64(p - low); d/64 < uint64(len(bitmap)) {
			bitmap[d/64] |= 1 << (d % 64)
		}
	}
}

// InBitmap writes to dst[i] the bit of src[i] in a bitmap over low … low +
// span, in which the bit after the last is 0, else 0. Differences wrap around:
// the range of a signed dtype may begin below zero.
func InBitmap[B Bits](dst []uint8, src []B, bitmap []uint64, low, span B) {
	src = src[:len(dst)]
	_ = bitmap[(uint64(span)+1)/64]
	done := inBitmapVector(dst, src, bitmap, low, span)
	inBitmapGeneric(dst[done:], src[done:], bitmap, low, span)
}

// clip returns the smaller of d and limit. The built-in min compiles to a
// branch, and data decides it.
func clip(d, limit uint64) uint64 {
	_, below := bits.Sub64(d, limit, 0)
	return limit ^ (d^limit)&-below
}

// MarkTable is MarkBitmap with a byte for each bit.
func MarkTable[B Bits](table []uint8, patterns []B, low B) {
	for _, p := range patterns {
		if d := uint64(p - low); d < uint64(len(table)) {
			table[d] = 1
		}
	}
}

// InTable is InBitmap with a byte for each bit: table has one more than the
// range, and that is 0.
func InTable[B Bits](dst []uint8, src []B, table []uint8, low, span B) {
	src = src[:len(dst)]
	beyond := uint64(span) + 1
	_ = table[beyond]
	base := unsafe.Pointer(unsafe.SliceData(table))
	for i := range dst {
		dst[i] = *(*uint8)(unsafe.Add(base, clip(uint64(src[i]-low), beyond)))
	}
}

// InSorted writes 1 to dst[i] if src[i] is among the patterns, which are
// sorted and at least one, else 0.
func InSorted[B Bits](dst []uint8, src []B, sorted []B) {
	src = src[:len(dst)]
	base, size := unsafe.Pointer(unsafe.SliceData(sorted)), unsafe.Sizeof(B(0))
	for i := range dst {
		x := src[i]
		// The last pattern that is not above x, if there is one, is among the
		// n from at on. Each step is a conditional move.
		at, n := base, uintptr(len(sorted))
		for n > 1 {
			half := n / 2
			middle := unsafe.Add(at, half*size)
			if *(*B)(middle) <= x {
				at = middle
			}
			n -= half
		}
		dst[i] = bit(*(*B)(at) == x)
	}
}

// InSortedPairs is InSorted for pairs.
func InSortedPairs[P Pair](dst []uint8, src []P, sorted []P) {
	src = src[:len(dst)]
	for i := range dst {
		x := src[i]
		at, n := 0, len(sorted)
		for n > 1 {
			half := n / 2
			if !pairLess(&x, &sorted[at+half]) {
				at += half
			}
			n -= half
		}
		dst[i] = bit(sorted[at] == x)
	}
}

// pairLess reports whether *a is sorted before *b.
func pairLess[P Pair](a, b *P) bool {
	if unsafe.Sizeof(*a) == 8 {
		a, b := (*Pair32)(unsafe.Pointer(a)), (*Pair32)(unsafe.Pointer(b))
		return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
	}
	c, d := (*Pair64)(unsafe.Pointer(a)), (*Pair64)(unsafe.Pointer(b))
	return c[0] < d[0] || c[0] == d[0] && c[1] < d[1]
}

// Invert negates the answers in dst.
func Invert(dst []uint8) {
	for i, v := range dst {
		dst[i] = v ^ 1
	}
}

// Or adds the answers in src to those in dst.
func Or(dst, src []uint8) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] |= v
	}
}

// Range returns the smallest and largest pattern, in the order of the values
// of an integer dtype. There is at least one.
func Range[B Bits](patterns []B, signed bool) (low, high B) {
	var sign B
	if signed {
		all := ^sign
		sign = all ^ all>>1
	}
	low, high = patterns[0]^sign, patterns[0]^sign
	for _, p := range patterns {
		low, high = min(low, p^sign), max(high, p^sign)
	}
	return low ^ sign, high ^ sign
}
