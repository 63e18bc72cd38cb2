//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var countNEON = cpu.NEON

func init() { cpu.Register("CountBelow", "neon", &countNEON) }

// CountsOnVectors reports whether CountBelow runs on vectors.
func CountsOnVectors[K Key]() bool { return countNEON }

// countVectorBytes is the most that one call of a count… function looks at: 63
// rounds of four vectors, so that no byte of its counters overflows.
const countVectorBytes = 63 * 64

// countVector counts the first done keys.
func countVector[K Key](src []K, k K) (below, equal, done int) {
	size := int(unsafe.Sizeof(k))
	round := 64 / size
	if !CountsOnVectors[K]() {
		return 0, 0, 0
	}
	for len(src)-done >= round {
		n := min(len(src)-done, countVectorBytes/size) &^ (round - 1)
		from := unsafe.Pointer(&src[done])
		b, e := 0, 0
		switch size {
		case 1:
			b, e = count8NEON((*int8)(from), n, int64(k))
		case 2:
			b, e = count16NEON((*int16)(from), n, int64(k))
		case 4:
			b, e = count32NEON((*int32)(from), n, int64(k))
		default:
			b, e = count64NEON((*int64)(from), n, int64(k))
		}
		below, equal, done = below+b, equal+e, done+n
	}
	return below, equal, done
}

// The functions count… are
//
//	for _, v := range src[:n] {
//		if v < k { below++ }
//		if v == k { equal++ }
//	}
//
// for a positive multiple of the keys in 64 bytes, at most countVectorBytes.

//go:noescape
func count8NEON(src *int8, n int, k int64) (below, equal int)

//go:noescape
func count16NEON(src *int16, n int, k int64) (below, equal int)

//go:noescape
func count32NEON(src *int32, n int, k int64) (below, equal int)

//go:noescape
func count64NEON(src *int64, n int, k int64) (below, equal int)
