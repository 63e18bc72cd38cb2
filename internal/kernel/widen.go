package kernel

import "unsafe"

// Widen sets dst to the integers with the given keys, exactly but for keys of
// 64 bits, which are rounded to the nearest float64.
func Widen[K Key](dst []float64, keys []K, e Encoding[K]) { MiddleInt(dst, keys, keys, e) }

// MiddleInt sets dst to the middles of the integers with the keys lo and hi,
// rounded once; see rank.InterpolateInt.
func MiddleInt[K Key](dst []float64, lo, hi []K, e Encoding[K]) {
	lo, hi = lo[:len(dst)], hi[:len(dst)]
	offset := 0.0
	if e.Code == Unsigned {
		offset = -float64(MinKey[K]())
	}
	if unsafe.Sizeof(K(0)) == 8 {
		offset = sum64 - offset*0x1p-31
	}
	done := middleIntVector(dst, lo, hi, offset)
	middleIntGeneric(dst[done:], lo[done:], hi[done:], offset)
}

// sum64 is the sum of the upper halves of two keys of 64 bits with the top bits
// flipped, where that of the keys is 0, and 2^52.
const sum64 = 0x1p52 + 0x1p32

// Widen16 sets dst to the bits of the float32 with the values of 16-bit
// floats, given by keys: float16 or bfloat16, as the encoding says. NaNs become
// NaNs.
func Widen16(dst []int32, keys []int16, e Encoding[int16]) {
	keys = keys[:len(dst)]
	done := widen16Vector(dst, keys, e)
	widen16Generic(dst[done:], keys[done:], e)
}

// Round16 rounds float32, given by their bits, to float16 or bfloat16, as the encoding says:
// to nearest, ties to even. The canonical NaN becomes the canonical NaN, and no
// other is given.
func Round16(dst []int16, src []int32, e Encoding[int16]) {
	src = src[:len(dst)]
	done := round16Vector(dst, src, e)
	round16Generic(dst[done:], src[done:], e)
}

// Middle16 sets the first done elements of dst to the middles of those with
// the keys lo and hi: float16 or bfloat16, as the encoding says, with the bits
// of rank.InterpolateF16 and InterpolateBF16. The caller does the rest.
//
// Half of a 16-bit float is a float32, so that a/2 + b/2 is rounded once to float32,
// which has enough bits to be rounded again (see [Blend32]); where it has not,
// among its subnormals, the sum is exact. Equal ends, of which one may be -0, give
// the first.
func Middle16(dst, lo, hi []int16, e Encoding[int16]) (done int) {
	return middle16Vector(dst, lo[:len(dst)], hi[:len(dst)], e)
}

// infF16 is the key of +Inf as float16.
const infF16 = 0x7C00
