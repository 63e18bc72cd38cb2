package kernel

import (
	"slices"
	"unsafe"
)

// SortPatterns sorts the patterns and returns them without repetitions. The
// order is that of unsigned integers, for pairs the real part first.
func SortPatterns[P Pattern](patterns []P) []P {
	switch s := any(patterns).(type) {
	case []uint8:
		slices.Sort(s)
	case []uint16:
		slices.Sort(s)
	case []uint32:
		slices.Sort(s)
	case []uint64:
		slices.Sort(s)
	case []Pair32:
		slices.SortFunc(s, func(a, b Pair32) int { return slices.Compare(a[:], b[:]) })
	case []Pair64:
		slices.SortFunc(s, func(a, b Pair64) int { return slices.Compare(a[:], b[:]) })
	}
	return slices.Compact(patterns)
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
