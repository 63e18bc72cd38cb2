//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var nthAVX512, nthAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("Nth", "avx512", &nthAVX512)
	cpu.Register("Nth", "avx2", &nthAVX2)
}

func nthOnVectors[K Key]() bool { return unsafe.Sizeof(K(0)) >= 4 && (nthAVX512 || nthAVX2) }

// nthVector is Nth.
func nthVector[K Key](keys []K, k int) (at, next K) {
	p, n := unsafe.Pointer(unsafe.SliceData(keys)), len(keys)
	switch size := unsafe.Sizeof(K(0)); {
	case size == 4 && nthAVX512:
		a, b := nth32AVX512((*int32)(p), n, k)
		return K(a), K(b)
	case size == 4:
		a, b := nth32AVX2((*int32)(p), n, k)
		return K(a), K(b)
	case nthAVX512:
		a, b := nth64AVX512((*int64)(p), n, k)
		return K(a), K(b)
	default:
		a, b := nth64AVX2((*int64)(p), n, k)
		return K(a), K(b)
	}
}

// The functions below are nthGeneric for n keys, a positive multiple of
// NthStep.

//go:noescape
func nth32AVX512(keys *int32, n, k int) (at, next int32)

//go:noescape
func nth32AVX2(keys *int32, n, k int) (at, next int32)

//go:noescape
func nth64AVX512(keys *int64, n, k int) (at, next int64)

//go:noescape
func nth64AVX2(keys *int64, n, k int) (at, next int64)
