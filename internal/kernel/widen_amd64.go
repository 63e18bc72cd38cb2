//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var widenAVX512, widenAVX2 = cpu.AVX512, cpu.FMA

func init() {
	cpu.Register("Widen", "avx512", &widenAVX512)
	cpu.Register("Widen", "avx2", &widenAVX2)
}

// widenVector widens the first done keys.
func widenVector[K Key](dst []float64, keys []K, e Encoding[K]) (done int) {
	n := len(dst) &^ 7
	if n == 0 || !widenAVX512 && !widenAVX2 {
		return 0
	}
	offset := 0.0
	if e.Code == Unsigned {
		offset = -float64(MinKey[K]())
	}
	d, k := &dst[0], unsafe.Pointer(unsafe.SliceData(keys))
	switch size := unsafe.Sizeof(K(0)); {
	case size == 1 && widenAVX512:
		widen8AVX512(d, (*int8)(k), n, offset)
	case size == 1:
		widen8AVX2(d, (*int8)(k), n, offset)
	case size == 2 && widenAVX512:
		widen16AVX512(d, (*int16)(k), n, offset)
	case size == 2:
		widen16AVX2(d, (*int16)(k), n, offset)
	case size == 4 && widenAVX512:
		widen32AVX512(d, (*int32)(k), n, offset)
	case size == 4:
		widen32AVX2(d, (*int32)(k), n, offset)
	default:
		return 0
	}
	return n
}

// widenHalfVector widens the first done keys.
func widenHalfVector(dst []int32, keys []int16, e Encoding[int16]) (done int) {
	n := len(dst) &^ 15
	ieee := e.Inf == infF16
	switch {
	case n == 0:
	case ieee && widenAVX512:
		widenF16AVX512(&dst[0], &keys[0], n)
	case ieee && widenAVX2:
		widenF16AVX2(&dst[0], &keys[0], n)
	case widenAVX512:
		widenBF16AVX512(&dst[0], &keys[0], n)
	case widenAVX2:
		widenBF16AVX2(&dst[0], &keys[0], n)
	default:
		return 0
	}
	return n
}

// narrowHalfVector narrows the first done numbers.
func narrowHalfVector(dst []int16, src []int32, e Encoding[int16]) (done int) {
	n := len(dst) &^ 15
	ieee := e.Inf == infF16
	switch {
	case n == 0:
	case ieee && widenAVX512:
		narrowF16AVX512(&dst[0], &src[0], n)
	case ieee && widenAVX2:
		narrowF16AVX2(&dst[0], &src[0], n)
	case widenAVX512:
		narrowBF16AVX512(&dst[0], &src[0], n)
	case widenAVX2:
		narrowBF16AVX2(&dst[0], &src[0], n)
	default:
		return 0
	}
	return n
}

// The functions below are those of widen_generic.go for n elements, a positive
// multiple of 8 or, between floats, of 16; offset is added to each integer.

//go:noescape
func widen8AVX512(dst *float64, src *int8, n int, offset float64)

//go:noescape
func widen16AVX512(dst *float64, src *int16, n int, offset float64)

//go:noescape
func widen32AVX512(dst *float64, src *int32, n int, offset float64)

//go:noescape
func widenF16AVX512(dst *int32, src *int16, n int)

//go:noescape
func narrowF16AVX512(dst *int16, src *int32, n int)

//go:noescape
func widenBF16AVX512(dst *int32, src *int16, n int)

//go:noescape
func narrowBF16AVX512(dst *int16, src *int32, n int)

//go:noescape
func widen8AVX2(dst *float64, src *int8, n int, offset float64)

//go:noescape
func widen16AVX2(dst *float64, src *int16, n int, offset float64)

//go:noescape
func widen32AVX2(dst *float64, src *int32, n int, offset float64)

//go:noescape
func widenF16AVX2(dst *int32, src *int16, n int)

//go:noescape
func narrowF16AVX2(dst *int16, src *int32, n int)

//go:noescape
func widenBF16AVX2(dst *int32, src *int16, n int)

//go:noescape
func narrowBF16AVX2(dst *int16, src *int32, n int)
