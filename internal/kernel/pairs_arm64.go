//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var pairsNEON = cpu.NEON

func init() { cpu.Register("Pairs", "neon", &pairsNEON) }

// sortPairsVector orders all whole rounds of four vectors and then, if keys are
// left, the last round once more: to order a pair again changes nothing. It
// reports true, if there are enough keys for a round.
func sortPairsVector[K Key](a, b []K) bool {
	size := int(unsafe.Sizeof(K(0)))
	round := 64 / size
	if !pairsNEON || len(a) < round {
		return false
	}
	for from, n := 0, len(a)&^(round-1); ; from, n = len(a)-round, round {
		x, y := unsafe.Pointer(&a[from]), unsafe.Pointer(&b[from])
		switch size {
		case 1:
			sortPairs8NEON((*int8)(x), (*int8)(y), n)
		case 2:
			sortPairs16NEON((*int16)(x), (*int16)(y), n)
		case 4:
			sortPairs32NEON((*int32)(x), (*int32)(y), n)
		default:
			sortPairs64NEON((*int64)(x), (*int64)(y), n)
		}
		if from+n == len(a) {
			return true
		}
	}
}

// The functions sortPairs… are SortPairs for n keys, a positive multiple of
// those in four vectors.

//go:noescape
func sortPairs8NEON(a, b *int8, n int)

//go:noescape
func sortPairs16NEON(a, b *int16, n int)

//go:noescape
func sortPairs32NEON(a, b *int32, n int)

//go:noescape
func sortPairs64NEON(a, b *int64, n int)
