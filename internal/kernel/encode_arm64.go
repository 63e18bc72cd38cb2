//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var encodeNEON = cpu.NEON

func init() { cpu.Register("Encode", "neon", &encodeNEON) }

// recodeMax is the most elements that one call of a recode… function takes, so
// that no 16-bit lane of its counter overflows.
const recodeMax = 1 << 16

// encodeVector encodes the first done elements, of which nan are NaN.
func encodeVector[K Key](dst, src []K, e Encoding[K]) (done, nan int) {
	return recodeVector(dst, src, e, MaxKey[K](), e.Inf, MaxKey[K]())
}

// decodeVector decodes the first done keys, of which that of NaN is the only one
// above MaxKey-1.
func decodeVector[K Key](dst, keys []K, e Encoding[K], nan K) (done int) {
	done, _ = recodeVector(dst, keys, e, -1, MaxKey[K]()-1, nan)
	return done
}

// recodeVector recodes the first done elements: they become special if, as far
// as mask goes, they are more than limit.
func recodeVector[K Key](dst, src []K, e Encoding[K], mask, limit, special K) (done, count int) {
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
		d, s, part := unsafe.Pointer(&dst[done]), unsafe.Pointer(&src[done]), min(n-done, recodeMax)
		switch size {
		case 2:
			count += recode16NEON((*int16)(d), (*int16)(s), part, int64(mask), int64(limit), int64(special))
		case 4:
			count += recode32NEON((*int32)(d), (*int32)(s), part, int64(mask), int64(limit), int64(special))
		case 8:
			count += recode64NEON((*int64)(d), (*int64)(s), part, int64(mask), int64(limit), int64(special))
		default:
			return 0, 0
		}
		done += part
	}
	return n, count
}

// flipBitsNEON is
//
//	for i := 0; i < n; i += 8 { dst[i:i+8] = src[i:i+8] ^ bits }
//
// for n bytes, a positive multiple of four vectors.
//
//go:noescape
func flipBitsNEON(dst, src *byte, bits uint64, n int)

// The functions recode… are
//
//	for i, v := range src[:n] {
//		dst[i] = v ^ (v >> (width - 1) & MaxKey)
//		if v&mask > limit { dst[i] = special; count++ }
//	}
//
// for a positive multiple of the elements in four vectors, at most recodeMax.

//go:noescape
func recode16NEON(dst, src *int16, n int, mask, limit, special int64) (count int)

//go:noescape
func recode32NEON(dst, src *int32, n int, mask, limit, special int64) (count int)

//go:noescape
func recode64NEON(dst, src *int64, n int, mask, limit, special int64) (count int)
