//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var (
	fewAVX512, fewAVX2         = cpu.AVX512, cpu.AVX2
	inBitmapAVX512             = cpu.AVX512
	byteSetAVX512, byteSetAVX2 = cpu.AVX512, cpu.AVX2
)

func init() {
	cpu.Register("Few", "avx512", &fewAVX512)
	cpu.Register("Few", "avx2", &fewAVX2)
	cpu.Register("InBitmap", "avx512", &inBitmapAVX512)
	cpu.Register("ByteSet", "avx512", &byteSetAVX512)
	cpu.Register("ByteSet", "avx2", &byteSetAVX2)
}

// containsVector looks the first done patterns up.
func (f *Few[P]) containsVector(dst []uint8, src []P) (done int) {
	size := int(unsafe.Sizeof(f.Slots[0]))
	n := len(dst) &^ (256/size - 1)
	if n == 0 || !fewAVX512 && !fewAVX2 {
		return 0
	}
	d, s, slots := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(&f.Slots)
	members := unsafe.Pointer(unsafe.SliceData(f.Members))
	switch {
	case fewAVX512 && size == 4:
		few32AVX512(d, (*uint32)(s), n, (*uint32)(slots), f.Seed)
	case fewAVX512:
		few64AVX512(d, (*uint64)(s), n, (*uint64)(slots), f.Seed)
	case len(f.Members) == 0:
		return 0
	case size == 4:
		few32AVX2(d, (*uint32)(s), n, (*uint32)(members), len(f.Members))
	default:
		few64AVX2(d, (*uint64)(s), n, (*uint64)(members), len(f.Members))
	}
	return n
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

// containsVector looks the first done bytes up. Vectors of 32 bytes are as
// fast as memory.
func (s *ByteSet) containsVector(dst, src []uint8) (done int) {
	n := len(dst) &^ 31
	if n == 0 || !byteSetAVX512 && !byteSetAVX2 {
		return 0
	}
	inBytesAVX2(unsafe.SliceData(dst), unsafe.SliceData(src), n, &s[0])
	return n
}

// The functions few… look n patterns up, a positive multiple of four vectors.

//go:noescape
func few32AVX2(dst *uint8, src *uint32, n int, members *uint32, count int)

//go:noescape
func few64AVX2(dst *uint8, src *uint64, n int, members *uint64, count int)

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

// inBytesAVX2 is Contains for n bytes, a positive multiple of 32.
//
//go:noescape
func inBytesAVX2(dst, src *uint8, n int, rows *uint8)
