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
	if e.Code == Unsigned {
		flipTop[K](d, s, n)
		return n, 0
	}
	valid := n
	switch size {
	case 2:
		if encodeAVX512 {
			valid = encodeFloat16AVX512((*int16)(d), (*int16)(s), n, int16(e.Inf))
		} else {
			valid = encodeFloat16AVX2((*int16)(d), (*int16)(s), n, int16(e.Inf))
		}
	case 4:
		if encodeAVX512 {
			valid = encodeFloat32AVX512((*int32)(d), (*int32)(s), n, int32(e.Inf))
		} else {
			valid = encodeFloat32AVX2((*int32)(d), (*int32)(s), n, int32(e.Inf))
		}
	case 8:
		if encodeAVX512 {
			valid = encodeFloat64AVX512((*int64)(d), (*int64)(s), n, int64(e.Inf))
		} else {
			valid = encodeFloat64AVX2((*int64)(d), (*int64)(s), n, int64(e.Inf))
		}
	default:
		return 0, 0
	}
	return n, n - valid
}

// flipTop writes n elements with their top bits flipped, a positive multiple of
// a vector.
func flipTop[K Key](dst, src unsafe.Pointer, n int) {
	size := int(unsafe.Sizeof(K(0)))
	// The top bit of each element in eight bytes.
	top := uint64(1) << (8*size - 1)
	for width := 8 * size; width < 64; width *= 2 {
		top |= top << width
	}
	if encodeAVX512 {
		flipBitsAVX512((*byte)(dst), (*byte)(src), top, n*size)
	} else {
		flipBitsAVX2((*byte)(dst), (*byte)(src), top, n*size)
	}
}

// decodeVector decodes the first done keys.
func decodeVector[K Key](dst, keys []K, e Encoding[K], nan K) (done int) {
	size := int(unsafe.Sizeof(K(0)))
	vector := 32
	if encodeAVX512 {
		vector = 64
	}
	n := len(keys) &^ (vector/size - 1)
	if n == 0 || !encodeAVX512 && !encodeAVX2 {
		return 0
	}
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(keys))
	switch {
	case e.Code == Unsigned:
		flipTop[K](d, s, n)
	case size == 2 && encodeAVX512:
		decodeFloat16AVX512((*int16)(d), (*int16)(s), n, int16(nan))
	case size == 2:
		decodeFloat16AVX2((*int16)(d), (*int16)(s), n, int16(nan))
	case size == 4 && encodeAVX512:
		decodeFloat32AVX512((*int32)(d), (*int32)(s), n, int32(nan))
	case size == 4:
		decodeFloat32AVX2((*int32)(d), (*int32)(s), n, int32(nan))
	case size == 8 && encodeAVX512:
		decodeFloat64AVX512((*int64)(d), (*int64)(s), n, int64(nan))
	case size == 8:
		decodeFloat64AVX2((*int64)(d), (*int64)(s), n, int64(nan))
	default:
		return 0
	}
	return n
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

// The functions encodeFloat… are Encode for the n elements at src, a positive
// multiple of a vector, given the key of +Inf; they return how many are not
// NaN.

//go:noescape
func encodeFloat16AVX512(dst, src *int16, n int, inf int16) (valid int)

//go:noescape
func encodeFloat32AVX512(dst, src *int32, n int, inf int32) (valid int)

//go:noescape
func encodeFloat64AVX512(dst, src *int64, n int, inf int64) (valid int)

//go:noescape
func encodeFloat16AVX2(dst, src *int16, n int, inf int16) (valid int)

//go:noescape
func encodeFloat32AVX2(dst, src *int32, n int, inf int32) (valid int)

//go:noescape
func encodeFloat64AVX2(dst, src *int64, n int, inf int64) (valid int)

// The functions decodeFloat… are Decode for n keys, a positive multiple of a
// vector.

//go:noescape
func decodeFloat16AVX512(dst, src *int16, n int, nan int16)

//go:noescape
func decodeFloat32AVX512(dst, src *int32, n int, nan int32)

//go:noescape
func decodeFloat64AVX512(dst, src *int64, n int, nan int64)

//go:noescape
func decodeFloat16AVX2(dst, src *int16, n int, nan int16)

//go:noescape
func decodeFloat32AVX2(dst, src *int32, n int, nan int32)

//go:noescape
func decodeFloat64AVX2(dst, src *int64, n int, nan int64)
