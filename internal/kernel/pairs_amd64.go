//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var pairsAVX512, pairsAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("Pairs", "avx512", &pairsAVX512)
	cpu.Register("Pairs", "avx2", &pairsAVX2)
}

// sortPairsVector orders the pairs and reports true, if there are enough for a
// vector.
func sortPairsVector[K Key](a, b []K) bool {
	n := len(a)
	bytes := n * int(unsafe.Sizeof(K(0)))
	wide := pairsAVX512 && bytes >= 64
	if !wide && (!pairsAVX2 || bytes < 32) {
		return false
	}
	x, y := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	switch unsafe.Sizeof(K(0)) {
	case 1:
		if wide {
			sortPairs8AVX512((*int8)(x), (*int8)(y), n)
		} else {
			sortPairs8AVX2((*int8)(x), (*int8)(y), n)
		}
	case 2:
		if wide {
			sortPairs16AVX512((*int16)(x), (*int16)(y), n)
		} else {
			sortPairs16AVX2((*int16)(x), (*int16)(y), n)
		}
	case 4:
		if wide {
			sortPairs32AVX512((*int32)(x), (*int32)(y), n)
		} else {
			sortPairs32AVX2((*int32)(x), (*int32)(y), n)
		}
	default:
		if wide {
			sortPairs64AVX512((*int64)(x), (*int64)(y), n)
		} else {
			sortPairs64AVX2((*int64)(x), (*int64)(y), n)
		}
	}
	return true
}

// lowerPairsVector lowers the pairs and reports true, if there are enough for a
// vector.
func lowerPairsVector[K Key](a, b []K) bool {
	n := len(a)
	bytes := n * int(unsafe.Sizeof(K(0)))
	wide := pairsAVX512 && bytes >= 64
	if !wide && (!pairsAVX2 || bytes < 32) {
		return false
	}
	x, y := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	switch unsafe.Sizeof(K(0)) {
	case 1:
		if wide {
			lowerPairs8AVX512((*int8)(x), (*int8)(y), n)
		} else {
			lowerPairs8AVX2((*int8)(x), (*int8)(y), n)
		}
	case 2:
		if wide {
			lowerPairs16AVX512((*int16)(x), (*int16)(y), n)
		} else {
			lowerPairs16AVX2((*int16)(x), (*int16)(y), n)
		}
	case 4:
		if wide {
			lowerPairs32AVX512((*int32)(x), (*int32)(y), n)
		} else {
			lowerPairs32AVX2((*int32)(x), (*int32)(y), n)
		}
	default:
		if wide {
			lowerPairs64AVX512((*int64)(x), (*int64)(y), n)
		} else {
			lowerPairs64AVX2((*int64)(x), (*int64)(y), n)
		}
	}
	return true
}

// raisePairsVector raises the pairs and reports true, if there are enough for a
// vector.
func raisePairsVector[K Key](a, b []K) bool {
	n := len(a)
	bytes := n * int(unsafe.Sizeof(K(0)))
	wide := pairsAVX512 && bytes >= 64
	if !wide && (!pairsAVX2 || bytes < 32) {
		return false
	}
	x, y := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	switch unsafe.Sizeof(K(0)) {
	case 1:
		if wide {
			raisePairs8AVX512((*int8)(x), (*int8)(y), n)
		} else {
			raisePairs8AVX2((*int8)(x), (*int8)(y), n)
		}
	case 2:
		if wide {
			raisePairs16AVX512((*int16)(x), (*int16)(y), n)
		} else {
			raisePairs16AVX2((*int16)(x), (*int16)(y), n)
		}
	case 4:
		if wide {
			raisePairs32AVX512((*int32)(x), (*int32)(y), n)
		} else {
			raisePairs32AVX2((*int32)(x), (*int32)(y), n)
		}
	default:
		if wide {
			raisePairs64AVX512((*int64)(x), (*int64)(y), n)
		} else {
			raisePairs64AVX2((*int64)(x), (*int64)(y), n)
		}
	}
	return true
}

// The functions below are SortPairs, LowerPairs and RaisePairs for the n keys
// at a and b, at least a vector of them. They may compute a pair twice.

//go:noescape
func sortPairs8AVX512(a, b *int8, n int)

//go:noescape
func sortPairs8AVX2(a, b *int8, n int)

//go:noescape
func sortPairs16AVX512(a, b *int16, n int)

//go:noescape
func sortPairs16AVX2(a, b *int16, n int)

//go:noescape
func sortPairs32AVX512(a, b *int32, n int)

//go:noescape
func sortPairs32AVX2(a, b *int32, n int)

//go:noescape
func sortPairs64AVX512(a, b *int64, n int)

//go:noescape
func sortPairs64AVX2(a, b *int64, n int)

//go:noescape
func lowerPairs8AVX512(a, b *int8, n int)

//go:noescape
func lowerPairs8AVX2(a, b *int8, n int)

//go:noescape
func lowerPairs16AVX512(a, b *int16, n int)

//go:noescape
func lowerPairs16AVX2(a, b *int16, n int)

//go:noescape
func lowerPairs32AVX512(a, b *int32, n int)

//go:noescape
func lowerPairs32AVX2(a, b *int32, n int)

//go:noescape
func lowerPairs64AVX512(a, b *int64, n int)

//go:noescape
func lowerPairs64AVX2(a, b *int64, n int)

//go:noescape
func raisePairs8AVX512(a, b *int8, n int)

//go:noescape
func raisePairs8AVX2(a, b *int8, n int)

//go:noescape
func raisePairs16AVX512(a, b *int16, n int)

//go:noescape
func raisePairs16AVX2(a, b *int16, n int)

//go:noescape
func raisePairs32AVX512(a, b *int32, n int)

//go:noescape
func raisePairs32AVX2(a, b *int32, n int)

//go:noescape
func raisePairs64AVX512(a, b *int64, n int)

//go:noescape
func raisePairs64AVX2(a, b *int64, n int)
