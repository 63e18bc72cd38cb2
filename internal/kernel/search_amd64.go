//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var searchAVX512, searchAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("Search", "avx512", &searchAVX512)
	cpu.Register("Search", "avx2", &searchAVX2)
}

func searchesOnVectors() bool { return searchAVX512 || searchAVX2 }
func searchesInCells() bool   { return searchAVX512 }

// searchVector is Search; it reports whether there is vector code. Keys of 8
// and 16 bits are searched bit by bit: there are few, and rows are short.
func searchVector[K Key](b Block[K], ranks, out, next []K) bool {
	if !searchesOnVectors() {
		return false
	}
	isFloat := 0
	if b.Float {
		isFloat = 1
	}
	n, m := b.N, (*byte)(unsafe.Pointer(unsafe.SliceData(b.Memory)))
	soon := b.Prefetch
	if soon.At == 0 {
		soon.At = uintptr(unsafe.Pointer(unsafe.SliceData(b.Keys)))
	}
	step := BlockBytes
	if !searchAVX512 {
		step /= 2
	}
	for part := 0; part < BlockBytes; part += step {
		k, r, o, f := at(b.Keys, part), at(ranks, part), at(out, part), at(next, part)
		switch unsafe.Sizeof(K(0)) {
		case 1:
			k, r, o, f := (*int8)(k), (*int8)(r), (*int8)(o), (*int8)(f)
			if searchAVX512 {
				search8AVX512(k, n, r, o, f)
			} else {
				search8AVX2(k, n, r, o, f)
			}
		case 2:
			k, r, o, f := (*int16)(k), (*int16)(r), (*int16)(o), (*int16)(f)
			if searchAVX512 {
				search16AVX512(k, n, r, o, f)
			} else {
				search16AVX2(k, n, r, o, f)
			}
		case 4:
			if searchAVX512 {
				secant32AVX512((*int32)(k), n, (*int32)(r), isFloat, (*int32)(o), (*int32)(f), m, soon.At, soon.Step)
			} else {
				secant32AVX2((*int32)(k), n, (*int32)(r), isFloat, (*int32)(o), (*int32)(f))
			}
		default:
			if searchAVX512 {
				secant64AVX512((*int64)(k), n, (*int64)(r), isFloat, (*int64)(o), (*int64)(f), m, soon.At, soon.Step)
			} else {
				secant64AVX2((*int64)(k), n, (*int64)(r), isFloat, (*int64)(o), (*int64)(f))
			}
		}
	}
	return true
}

// at returns the address of a byte of a slice.
func at[K Key](s []K, byte int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), byte)
}

// The functions descend… are searchGeneric and successorGeneric for a block of
// n rows of 64 bytes; those of AVX2 look at the first 32 of each.

//go:noescape
func search8AVX512(keys *int8, n int, ranks, out, next *int8)

//go:noescape
func search8AVX2(keys *int8, n int, ranks, out, next *int8)

//go:noescape
func search16AVX512(keys *int16, n int, ranks, out, next *int16)

//go:noescape
func search16AVX2(keys *int16, n int, ranks, out, next *int16)

// The functions secant… are Search, for the same rows.

//go:noescape
func secant32AVX512(keys *int32, n int, ranks *int32, float int, out, next *int32, memory *byte, soon uintptr, step int)

//go:noescape
func secant32AVX2(keys *int32, n int, ranks *int32, float int, out, next *int32)

//go:noescape
func secant64AVX512(keys *int64, n int, ranks *int64, float int, out, next *int64, memory *byte, soon uintptr, step int)

//go:noescape
func secant64AVX2(keys *int64, n int, ranks *int64, float int, out, next *int64)
