//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var fewAVX512, inBitmapAVX512 = cpu.AVX512, cpu.AVX512

func init() {
	cpu.Register("Few", "avx512", &fewAVX512)
	cpu.Register("InBitmap", "avx512", &inBitmapAVX512)
}

func fewLong() bool { return fewAVX512 }

// containsLong looks patterns up, a positive multiple of four vectors.
func (f *Few[P]) containsLong(dst []uint8, src []P) {
	d, s, slots := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(&f.Slots)
	if unsafe.Sizeof(f.Slots[0]) == 4 {
		few32AVX512(d, (*uint32)(s), len(dst), (*uint32)(slots), f.Seed)
	} else {
		few64AVX512(d, (*uint64)(s), len(dst), (*uint64)(slots), f.Seed)
	}
}

// inBitmapVector looks the first done patterns up.
func inBitmapVector[B Bits](dst []uint8, src []B, bitmap []uint64, low, span B) (done int) {
	n := len(dst) &^ 15
	if n == 0 || !inBitmapAVX512 || uint64(span) >= 1<<32-1 {
		return 0 // distances are saturated to 32 bits
	}
	d, s, words := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src)), unsafe.SliceData(bitmap)
	switch unsafe.Sizeof(low) {
	case 2:
		inBitmap16AVX512(d, (*uint16)(s), n, words, uint64(low), uint64(span))
	case 4:
		inBitmap32AVX512(d, (*uint32)(s), n, words, uint64(low), uint64(span))
	case 8:
		inBitmap64AVX512(d, (*uint64)(s), n, words, uint64(low), uint64(span))
	default:
		return 0
	}
	return n
}

//go:noescape
func few32AVX512(dst *uint8, src *uint32, n int, slots *uint32, seed uint64)

//go:noescape
func few64AVX512(dst *uint8, src *uint64, n int, slots *uint64, seed uint64)

// The functions inBitmap… are InBitmap for n patterns, a positive multiple of
// 16, and a span below 2^32 - 1.

//go:noescape
func inBitmap16AVX512(dst *uint8, src *uint16, n int, bitmap *uint64, low, span uint64)

//go:noescape
func inBitmap32AVX512(dst *uint8, src *uint32, n int, bitmap *uint64, low, span uint64)

//go:noescape
func inBitmap64AVX512(dst *uint8, src *uint64, n int, bitmap *uint64, low, span uint64)
