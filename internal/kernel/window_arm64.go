//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var windowNEON = cpu.NEON

func init() { cpu.Register("InWindow", "neon", &windowNEON) }

// inWindowVector tests the first done elements. All answers are stored by way
// of the caches.
func inWindowVector[B Bits](dst []uint8, src []B, w Window[B], _ bool) (done int) {
	size := int(unsafe.Sizeof(w.Mask))
	n := len(dst) &^ (64/size - 1)
	if n == 0 || !windowNEON {
		return 0
	}
	d, s := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src))
	mask, low, span := uint64(w.Mask), uint64(w.Low), uint64(w.Span)
	switch size {
	case 1:
		window8NEON(d, (*uint8)(s), n, mask, low, span)
	case 2:
		window16NEON(d, (*uint16)(s), n, mask, low, span)
	case 4:
		window32NEON(d, (*uint32)(s), n, mask, low, span)
	default:
		window64NEON(d, (*uint64)(s), n, mask, low, span)
	}
	return n
}

// The functions window… are InWindow for the n elements at src, a positive
// multiple of those in four vectors.

//go:noescape
func window8NEON(dst *uint8, src *uint8, n int, mask, low, span uint64)

//go:noescape
func window16NEON(dst *uint8, src *uint16, n int, mask, low, span uint64)

//go:noescape
func window32NEON(dst *uint8, src *uint32, n int, mask, low, span uint64)

//go:noescape
func window64NEON(dst *uint8, src *uint64, n int, mask, low, span uint64)
