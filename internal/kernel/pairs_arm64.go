//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var pairsNEON = cpu.NEON

func init() { cpu.Register("Pairs", "neon", &pairsNEON) }

// These order rows and report true, if there are enough keys for a round of
// four vectors.

func sortPairsVector[K Key](a, b []K) bool  { return orderVector(a, b, true, true) }
func lowerPairsVector[K Key](a, b []K) bool { return orderVector(a, b, true, false) }
func raisePairsVector[K Key](a, b []K) bool { return orderVector(a, b, false, true) }

// orderVector orders all whole rounds and then, if keys are left, the last
// round once more: to order a pair again changes nothing.
func orderVector[K Key](a, b []K, lower, upper bool) bool {
	size := int(unsafe.Sizeof(K(0)))
	round := 64 / size
	if !pairsNEON || len(a) < round {
		return false
	}
	for from, n := 0, len(a)&^(round-1); ; from, n = len(a)-round, round {
		x, y := unsafe.Pointer(&a[from]), unsafe.Pointer(&b[from])
		switch {
		case lower && upper:
			sortPairsNEON(size, x, y, n)
		case lower:
			lowerPairsNEON(size, x, y, n)
		default:
			raisePairsNEON(size, x, y, n)
		}
		if from+n == len(a) {
			return true
		}
	}
}

// sortPairsNEON chooses by the size of a key.
func sortPairsNEON(size int, a, b unsafe.Pointer, n int) {
	switch size {
	case 1:
		sortPairs8NEON((*int8)(a), (*int8)(b), n)
	case 2:
		sortPairs16NEON((*int16)(a), (*int16)(b), n)
	case 4:
		sortPairs32NEON((*int32)(a), (*int32)(b), n)
	default:
		sortPairs64NEON((*int64)(a), (*int64)(b), n)
	}
}

// lowerPairsNEON chooses by the size of a key.
func lowerPairsNEON(size int, a, b unsafe.Pointer, n int) {
	switch size {
	case 1:
		lowerPairs8NEON((*int8)(a), (*int8)(b), n)
	case 2:
		lowerPairs16NEON((*int16)(a), (*int16)(b), n)
	case 4:
		lowerPairs32NEON((*int32)(a), (*int32)(b), n)
	default:
		lowerPairs64NEON((*int64)(a), (*int64)(b), n)
	}
}

// raisePairsNEON chooses by the size of a key.
func raisePairsNEON(size int, a, b unsafe.Pointer, n int) {
	switch size {
	case 1:
		raisePairs8NEON((*int8)(a), (*int8)(b), n)
	case 2:
		raisePairs16NEON((*int16)(a), (*int16)(b), n)
	case 4:
		raisePairs32NEON((*int32)(a), (*int32)(b), n)
	default:
		raisePairs64NEON((*int64)(a), (*int64)(b), n)
	}
}

// The functions …Pairs… are SortPairs, LowerPairs and RaisePairs for n keys, a
// positive multiple of those in four vectors.

//go:noescape
func sortPairs8NEON(a, b *int8, n int)

//go:noescape
func sortPairs16NEON(a, b *int16, n int)

//go:noescape
func sortPairs32NEON(a, b *int32, n int)

//go:noescape
func sortPairs64NEON(a, b *int64, n int)

//go:noescape
func lowerPairs8NEON(a, b *int8, n int)

//go:noescape
func lowerPairs16NEON(a, b *int16, n int)

//go:noescape
func lowerPairs32NEON(a, b *int32, n int)

//go:noescape
func lowerPairs64NEON(a, b *int64, n int)

//go:noescape
func raisePairs8NEON(a, b *int8, n int)

//go:noescape
func raisePairs16NEON(a, b *int16, n int)

//go:noescape
func raisePairs32NEON(a, b *int32, n int)

//go:noescape
func raisePairs64NEON(a, b *int64, n int)
