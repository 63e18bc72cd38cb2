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

// BitmapWords returns the number of words of a bitmap over low … low + span.
func BitmapWords(span uint64) uint64 { return span/64 + 2 }

// MarkBitmap sets the bits of the patterns, of which none lies outside
// low … low + span, in a bitmap of BitmapWords.
func MarkBitmap[B Bits](bitmap []uint64, patterns []B, low B) {
	for _, p := range patterns {
		d := uint64(p - low)
		bitmap[d/64] |= 1 << (d % 64)
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
		table[uint64(p-low)] = 1
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
