//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

// Comparing the halves of a vector of AVX-512 takes no longer than comparing
// all of it into a mask, or less.
var nthAVX2 = cpu.AVX2

func init() { cpu.Register("Nth", "avx2", &nthAVX2) }

func nthOnVectors[K Key]() bool { return unsafe.Sizeof(K(0)) >= 4 && nthAVX2 }

// nthVector is Nth.
func nthVector[K Key](keys []K, i, j int) (a, b K) {
	p, n := unsafe.Pointer(unsafe.SliceData(keys)), len(keys)
	if unsafe.Sizeof(K(0)) == 4 {
		a, b := nth32AVX2((*int32)(p), n, i, j)
		return K(a), K(b)
	}
	c, d := nth64AVX2((*int64)(p), n, i, j)
	return K(c), K(d)
}

// The functions below are nthGeneric for n keys, a positive multiple of
// NthStep.

//go:noescape
func nth32AVX2(keys *int32, n, i, j int) (a, b int32)

//go:noescape
func nth64AVX2(keys *int64, n, i, j int) (a, b int64)
