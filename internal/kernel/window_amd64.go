//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var windowAVX512, windowAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("InWindow", "avx512", &windowAVX512)
	cpu.Register("InWindow", "avx2", &windowAVX2)
}

// inWindowVector tests the first done elements. If stream is set it stores past
// the caches; then dst is aligned to a vector.
func inWindowVector[B Bits](dst []uint8, src []B, w Window[B], stream bool) (done int) {
	vector := 32
	if windowAVX512 {
		vector = 64
	}
	n := len(dst) &^ (vector - 1)
	if n == 0 || !windowAVX512 && !windowAVX2 {
		return 0
	}
	d, s := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src))
	past := uint64(bit(stream))
	mask, low, span := repeated(w.Mask), repeated(w.Low), repeated(w.Span)
	switch unsafe.Sizeof(w.Mask) {
	case 1:
		if windowAVX512 {
			window8AVX512(d, (*uint8)(s), n, mask, low, span, past)
		} else {
			window8AVX2(d, (*uint8)(s), n, mask, low, span, past)
		}
	case 2:
		if windowAVX512 {
			window16AVX512(d, (*uint16)(s), n, mask, low, span, past)
		} else {
			window16AVX2(d, (*uint16)(s), n, mask, low, span, past)
		}
	case 4:
		if windowAVX512 {
			window32AVX512(d, (*uint32)(s), n, mask, low, span, past)
		} else {
			window32AVX2(d, (*uint32)(s), n, mask, low, span, past)
		}
	default:
		if windowAVX512 {
			window64AVX512(d, (*uint64)(s), n, mask, low, span, past)
		} else {
			window64AVX2(d, (*uint64)(s), n, mask, low, span, past)
		}
	}
	return n
}

// repeated returns the pattern repeated over 64 bits.
func repeated[B Bits](b B) uint64 {
	r := uint64(b)
	for width := 8 * unsafe.Sizeof(b); width < 64; width *= 2 {
		r |= r << width
	}
	return r
}

// The functions window… are InWindow for the n elements at src, a positive
// multiple of the bytes of a vector, with a window repeated over 64 bits. Unless
// stream is 0 they store past the caches, and dst is aligned to a vector.

//go:noescape
func window8AVX512(dst *uint8, src *uint8, n int, mask, low, span, stream uint64)

//go:noescape
func window8AVX2(dst *uint8, src *uint8, n int, mask, low, span, stream uint64)

//go:noescape
func window16AVX512(dst *uint8, src *uint16, n int, mask, low, span, stream uint64)

//go:noescape
func window16AVX2(dst *uint8, src *uint16, n int, mask, low, span, stream uint64)

//go:noescape
func window32AVX512(dst *uint8, src *uint32, n int, mask, low, span, stream uint64)

//go:noescape
func window32AVX2(dst *uint8, src *uint32, n int, mask, low, span, stream uint64)

//go:noescape
func window64AVX512(dst *uint8, src *uint64, n int, mask, low, span, stream uint64)

//go:noescape
func window64AVX2(dst *uint8, src *uint64, n int, mask, low, span, stream uint64)
