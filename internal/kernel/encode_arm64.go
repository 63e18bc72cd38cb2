//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var encodeNEON = cpu.NEON

func init() { cpu.Register("Encode", "neon", &encodeNEON) }

// encodeVectorMax is the most elements that one call of an encodeFloat…
// function takes, so that no 16-bit lane of its counter overflows.
const encodeVectorMax = 1 << 16

// encodeVector encodes the first done elements, of which nan are NaN.
func encodeVector[K Key](dst, src []K, e Encoding[K]) (done, nan int) {
	size := int(unsafe.Sizeof(K(0)))
	n := len(src) &^ (64/size - 1)
	if n == 0 || !encodeNEON {
		return 0, 0
	}
	if e.Code == Unsigned {
		// The top bit of each element in eight bytes.
		top := uint64(1) << (8*size - 1)
		for width := 8 * size; width < 64; width *= 2 {
			top |= top << width
		}
		flipBitsNEON((*byte)(unsafe.Pointer(&dst[0])), (*byte)(unsafe.Pointer(&src[0])), top, n*size)
		return n, 0
	}
	for done < n {
		d, s, part := unsafe.Pointer(&dst[done]), unsafe.Pointer(&src[done]), min(n-done, encodeVectorMax)
		switch size {
		case 2:
			nan += encodeFloat16NEON((*int16)(d), (*int16)(s), part, int64(e.Inf))
		case 4:
			nan += encodeFloat32NEON((*int32)(d), (*int32)(s), part, int64(e.Inf))
		case 8:
			nan += encodeFloat64NEON((*int64)(d), (*int64)(s), part, int64(e.Inf))
		default:
			return 0, 0
		}
		done += part
	}
	return n, nan
}

// flipBitsNEON is
//
//	for i := 0; i < n; i += 8 { dst[i:i+8] = src[i:i+8] ^ bits }
//
// for n bytes, a positive multiple of four vectors.
//
//go:noescape
func flipBitsNEON(dst, src *byte, bits uint64, n int)

// The functions encodeFloat… are Encode for the n elements at src, a positive
// multiple of those in four vectors and at most encodeVectorMax, given the key
// of +Inf; they return how many are NaN.

//go:noescape
func encodeFloat16NEON(dst, src *int16, n int, inf int64) (nan int)

//go:noescape
func encodeFloat32NEON(dst, src *int32, n int, inf int64) (nan int)

//go:noescape
func encodeFloat64NEON(dst, src *int64, n int, inf int64) (nan int)
