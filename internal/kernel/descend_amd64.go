//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var descendAVX512, descendAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("Descend", "avx512", &descendAVX512)
	cpu.Register("Descend", "avx2", &descendAVX2)
}

func descendsOnVectors() bool { return descendAVX512 || descendAVX2 }

// descendVector is Descend; it reports whether there is vector code.
func descendVector[K Key](keys []K, n int, ranks, out []K) bool {
	if !descendsOnVectors() {
		return false
	}
	for half := 0; half < BlockBytes; half += BlockBytes / 2 {
		k, r, o := at(keys, half), at(ranks, half), at(out, half)
		switch unsafe.Sizeof(K(0)) {
		case 1:
			if descendAVX512 {
				descend8AVX512((*int8)(k), n, (*int8)(r), (*int8)(o))
				return true
			}
			descend8AVX2((*int8)(k), n, (*int8)(r), (*int8)(o))
		case 2:
			if descendAVX512 {
				descend16AVX512((*int16)(k), n, (*int16)(r), (*int16)(o))
				return true
			}
			descend16AVX2((*int16)(k), n, (*int16)(r), (*int16)(o))
		case 4:
			if descendAVX512 {
				descend32AVX512((*int32)(k), n, (*int32)(r), (*int32)(o))
				return true
			}
			descend32AVX2((*int32)(k), n, (*int32)(r), (*int32)(o))
		default:
			if descendAVX512 {
				descend64AVX512((*int64)(k), n, (*int64)(r), (*int64)(o))
				return true
			}
			descend64AVX2((*int64)(k), n, (*int64)(r), (*int64)(o))
		}
	}
	return true
}

// successorVector is Successor; it reports whether there is vector code.
func successorVector[K Key](keys []K, n int, values, ranks, out []K) bool {
	if !descendsOnVectors() {
		return false
	}
	for half := 0; half < BlockBytes; half += BlockBytes / 2 {
		k, v, r, o := at(keys, half), at(values, half), at(ranks, half), at(out, half)
		switch unsafe.Sizeof(K(0)) {
		case 1:
			if descendAVX512 {
				successor8AVX512((*int8)(k), n, (*int8)(v), (*int8)(r), (*int8)(o))
				return true
			}
			successor8AVX2((*int8)(k), n, (*int8)(v), (*int8)(r), (*int8)(o))
		case 2:
			if descendAVX512 {
				successor16AVX512((*int16)(k), n, (*int16)(v), (*int16)(r), (*int16)(o))
				return true
			}
			successor16AVX2((*int16)(k), n, (*int16)(v), (*int16)(r), (*int16)(o))
		case 4:
			if descendAVX512 {
				successor32AVX512((*int32)(k), n, (*int32)(v), (*int32)(r), (*int32)(o))
				return true
			}
			successor32AVX2((*int32)(k), n, (*int32)(v), (*int32)(r), (*int32)(o))
		default:
			if descendAVX512 {
				successor64AVX512((*int64)(k), n, (*int64)(v), (*int64)(r), (*int64)(o))
				return true
			}
			successor64AVX2((*int64)(k), n, (*int64)(v), (*int64)(r), (*int64)(o))
		}
	}
	return true
}

// at returns the address of a byte of a slice.
func at[K Key](s []K, byte int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), byte)
}

// The functions below are descendGeneric and successorGeneric for a block of
// n rows of 64 bytes; those of AVX2 look at the first 32 of each.

//go:noescape
func descend8AVX512(keys *int8, n int, ranks, out *int8)

//go:noescape
func successor8AVX512(keys *int8, n int, values, ranks, out *int8)

//go:noescape
func descend8AVX2(keys *int8, n int, ranks, out *int8)

//go:noescape
func successor8AVX2(keys *int8, n int, values, ranks, out *int8)

//go:noescape
func descend16AVX512(keys *int16, n int, ranks, out *int16)

//go:noescape
func successor16AVX512(keys *int16, n int, values, ranks, out *int16)

//go:noescape
func descend16AVX2(keys *int16, n int, ranks, out *int16)

//go:noescape
func successor16AVX2(keys *int16, n int, values, ranks, out *int16)

//go:noescape
func descend32AVX512(keys *int32, n int, ranks, out *int32)

//go:noescape
func successor32AVX512(keys *int32, n int, values, ranks, out *int32)

//go:noescape
func descend32AVX2(keys *int32, n int, ranks, out *int32)

//go:noescape
func successor32AVX2(keys *int32, n int, values, ranks, out *int32)

//go:noescape
func descend64AVX512(keys *int64, n int, ranks, out *int64)

//go:noescape
func successor64AVX512(keys *int64, n int, values, ranks, out *int64)

//go:noescape
func descend64AVX2(keys *int64, n int, ranks, out *int64)

//go:noescape
func successor64AVX2(keys *int64, n int, values, ranks, out *int64)
