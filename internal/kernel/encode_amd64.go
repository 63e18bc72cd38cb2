//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var encodeAVX512, encodeAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("Encode", "avx512", &encodeAVX512)
	cpu.Register("Encode", "avx2", &encodeAVX2)
}

// encodeVector encodes the first done elements, of which nan are NaN.
func encodeVector[K Key](dst, src []K, e Encoding[K]) (done, nan int) {
	return recodeVector(dst, src, e, MaxKey[K](), e.Inf, MaxKey[K]())
}

// decodeVector decodes the first done keys; the largest is that of NaN.
func decodeVector[K Key](dst, keys []K, e Encoding[K], nan K) (done int) {
	done, _ = recodeVector(dst, keys, e, -1, MaxKey[K]()-1, nan)
	return done
}

// recodeVector recodes the first done elements: they become special if, as far
// as mask goes, they are more than limit.
func recodeVector[K Key](dst, src []K, e Encoding[K], mask, limit, special K) (done, count int) {
	size := int(unsafe.Sizeof(K(0)))
	vector := 32
	if encodeAVX512 {
		vector = 64
	}
	n := len(src) &^ (vector/size - 1)
	if n == 0 || !encodeAVX512 && !encodeAVX2 {
		return 0, 0
	}
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch {
	case e.Code == Unsigned:
		// The top bit of each element in eight bytes.
		top := uint64(1) << (8*size - 1)
		for width := 8 * size; width < 64; width *= 2 {
			top |= top << width
		}
		if encodeAVX512 {
			flipBitsAVX512((*byte)(d), (*byte)(s), top, n*size)
		} else {
			flipBitsAVX2((*byte)(d), (*byte)(s), top, n*size)
		}
	case size == 2 && encodeAVX512:
		count = recode16AVX512((*int16)(d), (*int16)(s), n, int16(mask), int16(limit), int16(special))
	case size == 2:
		count = recode16AVX2((*int16)(d), (*int16)(s), n, int16(mask), int16(limit), int16(special))
	case size == 4 && encodeAVX512:
		count = recode32AVX512((*int32)(d), (*int32)(s), n, int32(mask), int32(limit), int32(special))
	case size == 4:
		count = recode32AVX2((*int32)(d), (*int32)(s), n, int32(mask), int32(limit), int32(special))
	case size == 8 && encodeAVX512:
		count = recode64AVX512((*int64)(d), (*int64)(s), n, int64(mask), int64(limit), int64(special))
	case size == 8:
		count = recode64AVX2((*int64)(d), (*int64)(s), n, int64(mask), int64(limit), int64(special))
	default:
		return 0, 0
	}
	return n, count
}

// flipBitsAVX512 is
//
//	for i := 0; i < n; i += 8 { dst[i:i+8] = src[i:i+8] ^ bits }
//
// for n bytes, a positive multiple of a vector, as flipBitsAVX2.
//
//go:noescape
func flipBitsAVX512(dst, src *byte, bits uint64, n int)

//go:noescape
func flipBitsAVX2(dst, src *byte, bits uint64, n int)

// The functions recode… are
//
//	for i, v := range src[:n] {
//		dst[i] = v ^ (v >> (width - 1) & MaxKey)
//		if v&mask > limit { dst[i] = special; count++ }
//	}
//
// for a positive multiple of the elements of a vector.

//go:noescape
func recode16AVX512(dst, src *int16, n int, mask, limit, special int16) (count int)

//go:noescape
func recode32AVX512(dst, src *int32, n int, mask, limit, special int32) (count int)

//go:noescape
func recode64AVX512(dst, src *int64, n int, mask, limit, special int64) (count int)

//go:noescape
func recode16AVX2(dst, src *int16, n int, mask, limit, special int16) (count int)

//go:noescape
func recode32AVX2(dst, src *int32, n int, mask, limit, special int32) (count int)

//go:noescape
func recode64AVX2(dst, src *int64, n int, mask, limit, special int64) (count int)
