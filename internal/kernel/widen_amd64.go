//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

// There is no code for longer vectors: the middles of 8 bytes take 3.3 cycles, of
// which storing takes 2, and on longer vectors at least 2.6.
var widenAVX2 = cpu.FMA

func init() { cpu.Register("Widen", "avx2", &widenAVX2) }

// middleIntVector sets the first done middles.
func middleIntVector[K Key](dst []float64, lo, hi []K, offset float64) (done int) {
	n := len(dst) &^ 3
	if n == 0 || !widenAVX2 {
		return 0
	}
	d, a, b := &dst[0], unsafe.Pointer(unsafe.SliceData(lo)), unsafe.Pointer(unsafe.SliceData(hi))
	switch unsafe.Sizeof(K(0)) {
	case 1:
		middleInt8AVX2(d, (*int8)(a), (*int8)(b), n, offset)
	case 2:
		middleInt16AVX2(d, (*int16)(a), (*int16)(b), n, offset)
	case 4:
		middleInt32AVX2(d, (*int32)(a), (*int32)(b), n, offset)
	default:
		middleInt64AVX2(d, (*int64)(a), (*int64)(b), n, offset)
	}
	return n
}

// widen16Vector widens the first done keys.
func widen16Vector(dst []int32, keys []int16, e Encoding[int16]) (done int) {
	n := len(dst) &^ 7
	switch {
	case n == 0 || !widenAVX2:
		return 0
	case e.Inf == infF16:
		widenF16AVX2(&dst[0], &keys[0], n)
	default:
		widenBF16AVX2(&dst[0], &keys[0], n)
	}
	return n
}

// round16Vector rounds the first done numbers.
func round16Vector(dst []int16, src []int32, e Encoding[int16]) (done int) {
	n := len(dst) &^ 7
	switch {
	case n == 0 || !widenAVX2:
		return 0
	case e.Inf == infF16:
		roundF16AVX2(&dst[0], &src[0], n)
	default:
		roundBF16AVX2(&dst[0], &src[0], n)
	}
	return n
}

// middle16Vector is Middle16.
func middle16Vector(dst, lo, hi []int16, e Encoding[int16]) (done int) {
	n := len(dst) &^ 15
	switch {
	case n == 0 || !widenAVX2:
		return 0
	case e.Inf == infF16:
		middleF16AVX2(&dst[0], &lo[0], &hi[0], n)
	default:
		middleBF16AVX2(&dst[0], &lo[0], &hi[0], n)
	}
	return n
}

// The functions below are those of widen_generic.go for n elements, a positive
// multiple of 4 or, of 16-bit floats, of 8, and Middle16 of one of 16.

//go:noescape
func middleInt8AVX2(dst *float64, lo, hi *int8, n int, offset float64)

//go:noescape
func middleInt16AVX2(dst *float64, lo, hi *int16, n int, offset float64)

//go:noescape
func middleInt32AVX2(dst *float64, lo, hi *int32, n int, offset float64)

//go:noescape
func middleInt64AVX2(dst *float64, lo, hi *int64, n int, offset float64)

//go:noescape
func widenF16AVX2(dst *int32, src *int16, n int)

//go:noescape
func roundF16AVX2(dst *int16, src *int32, n int)

//go:noescape
func middleF16AVX2(dst, lo, hi *int16, n int)

//go:noescape
func widenBF16AVX2(dst *int32, src *int16, n int)

//go:noescape
func roundBF16AVX2(dst *int16, src *int32, n int)

//go:noescape
func middleBF16AVX2(dst, lo, hi *int16, n int)
