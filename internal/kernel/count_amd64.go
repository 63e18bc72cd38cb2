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

// countVectorBytes is the most that one call of a count… function looks at: a lane of
// 16 bits counts a sixteenth of the keys.
const countVectorBytes = 1 << 19

// countPart counts n keys.
func countPart[K Key](src unsafe.Pointer, n int, k K) (below, equal int) {
	switch unsafe.Sizeof(k) {
	case 2:
		return count16AVX2((*int16)(src), n, int16(k))
	case 4:
		return count32AVX2((*int32)(src), n, int32(k))
	default:
		return count64AVX2((*int64)(src), n, int64(k))
	}
}

//go:noescape
func count16AVX2(src *int16, n int, k int16) (below, equal int)

//go:noescape
func count32AVX2(src *int32, n int, k int32) (below, equal int)

//go:noescape
func count64AVX2(src *int64, n int, k int64) (below, equal int)
