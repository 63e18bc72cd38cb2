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

// countPart counts n keys.
func countPart[K Key](src unsafe.Pointer, n int, k K) (below, equal int) {
	switch unsafe.Sizeof(k) {
	case 1:
		return count8NEON((*int8)(src), n, int64(k))
	case 2:
		return count16NEON((*int16)(src), n, int64(k))
	case 4:
		return count32NEON((*int32)(src), n, int64(k))
	default:
		return count64NEON((*int64)(src), n, int64(k))
	}
}

//go:noescape
func count8NEON(src *int8, n int, k int64) (below, equal int)

//go:noescape
func count16NEON(src *int16, n int, k int64) (below, equal int)

//go:noescape
func count32NEON(src *int32, n int, k int64) (below, equal int)

//go:noescape
func count64NEON(src *int64, n int, k int64) (below, equal int)
