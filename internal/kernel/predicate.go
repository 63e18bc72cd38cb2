package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

// Bits is a real element, or a part of a complex one, read as its bit pattern.
type Bits interface {
	uint8 | uint16 | uint32 | uint64
}

// Window is a set of bit patterns: those that, masked, lie between Low and
// Low + Span. Every test of a real element is one.
type Window[B Bits] struct{ Mask, Low, Span B }

// Has reports whether the pattern is in the window.
func (w Window[B]) Has(b B) bool { return b&w.Mask-w.Low <= w.Span }

// Everything is the window of all patterns.
func Everything[B Bits]() Window[B] { return Window[B]{} }

// FloatWindows are the windows of the tests of a float dtype.
type FloatWindows[B Bits] struct{ PosInf, NegInf, Inf, NaN, Finite, Negative, Zero Window[B] }

// WindowsOf returns the windows of a float dtype of B's width. Negative is the
// set sign bit, NaN and -0 included.
func WindowsOf[B Bits](dt dtype.DType) FloatWindows[B] {
	all := ^B(0)
	sign := all ^ all>>1
	rest := all >> 1
	inf := infinity[B](dt)
	return FloatWindows[B]{
		PosInf:   Window[B]{all, inf, 0},
		NegInf:   Window[B]{all, sign | inf, 0},
		Inf:      Window[B]{rest, inf, 0},
		NaN:      Window[B]{rest, inf + 1, rest - inf - 1},
		Finite:   Window[B]{rest, 0, inf - 1},
		Negative: Negative[B](),
		Zero:     Window[B]{rest, 0, 0},
	}
}

// Negative is the window of patterns with the highest bit set: of the negative
// integers.
func Negative[B Bits]() Window[B] {
	all := ^B(0)
	return Window[B]{all, all ^ all>>1, all >> 1}
}

// infinity returns the pattern of +Inf.
func infinity[B Bits](dt dtype.DType) B {
	var inf uint64
	switch dt {
	case dtype.Float16:
		inf = 0x7C00
	case dtype.BFloat16:
		inf = 0x7F80
	case dtype.Float32:
		inf = 0x7F800000
	case dtype.Float64:
		inf = 0x7FF << 52
	default:
		panic("kernel: " + dt.String() + " has no infinity")
	}
	return B(inf)
}

// bit returns 1 for true.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// Fill writes v to all of dst.
func Fill(dst []uint8, v uint8) {
	for i := range dst {
		dst[i] = v
	}
}

// InWindow writes 1 to dst[i] if src[i] is in the window, else 0.
func InWindow[B Bits](dst []uint8, src []B, w Window[B]) {
	src = src[:len(dst)]
	done := inWindowVector(dst, src, w, false)
	inWindowGeneric(dst[done:], src[done:], w)
}

// StreamInWindow is InWindow for answers too many to stay in the caches: where
// it can it stores past them, which saves reading what is overwritten.
func StreamInWindow[B Bits](dst []uint8, src []B, w Window[B]) {
	src = src[:len(dst)]
	first := min(int(-uintptr(unsafe.Pointer(unsafe.SliceData(dst)))%vectorBytes), len(dst))
	inWindowGeneric(dst[:first], src, w)
	dst, src = dst[first:], src[first:]
	done := inWindowVector(dst, src, w, true)
	inWindowGeneric(dst[done:], src[done:], w)
}

// vectorBytes is the size of the largest vectors.
const vectorBytes = 64

// EitherInWindow writes 1 to dst[i] if src[2i], the real part, or src[2i+1],
// the imaginary part, is in the window, else 0.
func EitherInWindow[B Bits](dst []uint8, src []B, w Window[B]) {
	src = src[:2*len(dst)]
	for i := range dst {
		dst[i] = bit(w.Has(src[2*i])) | bit(w.Has(src[2*i+1]))
	}
}

// BothInWindow writes 1 to dst[i] if src[2i], the real part, is in the window
// re and src[2i+1], the imaginary part, in im, else 0.
func BothInWindow[B Bits](dst []uint8, src []B, re, im Window[B]) {
	src = src[:2*len(dst)]
	for i := range dst {
		dst[i] = bit(re.Has(src[2*i])) & bit(im.Has(src[2*i+1]))
	}
}
