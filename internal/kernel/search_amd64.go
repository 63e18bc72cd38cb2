//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var searchAVX512 = cpu.AVX512

func init() { cpu.Register("Search", "avx512", &searchAVX512) }

func searchesLong() bool { return searchAVX512 }

// searchLong is Search.
func searchLong[K Key](b Block[K], ranks, out, next []K) {
	n, isFloat, m := b.N, 0, (*byte)(unsafe.Pointer(unsafe.SliceData(b.Memory)))
	if b.Float {
		isFloat = 1
	}
	soon := b.Prefetch
	if soon.At == 0 {
		soon.At = uintptr(unsafe.Pointer(unsafe.SliceData(b.Keys)))
	}
	k, r, o, f := at(b.Keys, 0), at(ranks, 0), at(out, 0), at(next, 0)
	switch unsafe.Sizeof(K(0)) {
	case 1:
		search8AVX512((*int8)(k), n, (*int8)(r), (*int8)(o), (*int8)(f))
	case 2:
		search16AVX512((*int16)(k), n, (*int16)(r), (*int16)(o), (*int16)(f))
	case 4:
		secant32AVX512((*int32)(k), n, (*int32)(r), isFloat, (*int32)(o), (*int32)(f), m, soon.At, soon.Step)
	default:
		secant64AVX512((*int64)(k), n, (*int64)(r), isFloat, (*int64)(o), (*int64)(f), m, soon.At, soon.Step)
	}
}

//go:noescape
func search8AVX512(keys *int8, n int, ranks, out, next *int8)

//go:noescape
func search16AVX512(keys *int16, n int, ranks, out, next *int16)

//go:noescape
func secant32AVX512(keys *int32, n int, ranks *int32, float int, out, next *int32, memory *byte, soon uintptr, step int)

//go:noescape
func secant64AVX512(keys *int64, n int, ranks *int64, float int, out, next *int64, memory *byte, soon uintptr, step int)
