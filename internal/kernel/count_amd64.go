//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var countAVX2 = cpu.AVX2

func init() { cpu.Register("CountBelow", "avx2", &countAVX2) }

// CountsOnVectors reports whether CountBelow runs on vectors.
func CountsOnVectors[K Key]() bool { return countAVX2 && unsafe.Sizeof(K(0)) > 1 }

// countVectorMax is the most keys that one call of a count… function looks at: a
// lane of 16 bits counts a sixteenth of them.
const countVectorMax = 1 << 18

// countVector counts the first done keys.
func countVector[K Key](src []K, k K) (below, equal, done int) {
	size := int(unsafe.Sizeof(k))
	round := 64 / size
	if !CountsOnVectors[K]() {
		return 0, 0, 0
	}
	for len(src)-done >= round {
		n := min(len(src)-done, countVectorMax) &^ (round - 1)
		from := unsafe.Pointer(&src[done])
		b, e := 0, 0
		switch size {
		case 2:
			b, e = count16AVX2((*int16)(from), n, int16(k))
		case 4:
			b, e = count32AVX2((*int32)(from), n, int32(k))
		default:
			b, e = count64AVX2((*int64)(from), n, int64(k))
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
// for a positive multiple of the keys in 64 bytes, at most countVectorMax.

//go:noescape
func count16AVX2(src *int16, n int, k int16) (below, equal int)

//go:noescape
func count32AVX2(src *int32, n int, k int32) (below, equal int)

//go:noescape
func count64AVX2(src *int64, n int, k int64) (below, equal int)
