//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

// A vector of AVX-512 is worth a network of its own, see network_amd64.go.
var pairsAVX2 = cpu.AVX2

func init() { cpu.Register("Pairs", "avx2", &pairsAVX2) }

// sortPairsVector orders the pairs and reports true, if there are enough for a
// vector.
func sortPairsVector[K Key](a, b []K) bool {
	n, size := len(a), int(unsafe.Sizeof(K(0)))
	if !pairsAVX2 || n*size < 32 {
		return false
	}
	x, y := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	switch size {
	case 1:
		sortPairs8AVX2((*int8)(x), (*int8)(y), n)
	case 2:
		sortPairs16AVX2((*int16)(x), (*int16)(y), n)
	case 4:
		sortPairs32AVX2((*int32)(x), (*int32)(y), n)
	default:
		sortPairs64AVX2((*int64)(x), (*int64)(y), n)
	}
	return true
}

// The functions below are SortPairs for the n keys at a and b, at least a
// vector of them. They may compute a pair twice.

//go:noescape
func sortPairs8AVX2(a, b *int8, n int)

//go:noescape
func sortPairs16AVX2(a, b *int16, n int)

//go:noescape
func sortPairs32AVX2(a, b *int32, n int)

//go:noescape
func sortPairs64AVX2(a, b *int64, n int)
