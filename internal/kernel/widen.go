package kernel

// Widen sets dst to the integers with the given keys, exactly but for keys of
// 64 bits, which are rounded to the nearest float64.
func Widen[K Key](dst []float64, keys []K, e Encoding[K]) {
	keys = keys[:len(dst)]
	done := widenVector(dst, keys, e)
	widenGeneric(dst[done:], keys[done:], e)
}

// WidenHalf sets dst to the bits of the float32 with the values of 16-bit floats, given by
// keys: float16 or bfloat16, as the encoding says. NaNs become NaNs.
func WidenHalf(dst []int32, keys []int16, e Encoding[int16]) {
	keys = keys[:len(dst)]
	done := widenHalfVector(dst, keys, e)
	widenHalfGeneric(dst[done:], keys[done:], e)
}

// NarrowHalf rounds float32, given by their bits, to float16 or bfloat16, as the encoding says:
// to nearest, ties to even. The canonical NaN becomes the canonical NaN, and no
// other is given.
func NarrowHalf(dst []int16, src []int32, e Encoding[int16]) {
	src = src[:len(dst)]
	done := narrowHalfVector(dst, src, e)
	narrowHalfGeneric(dst[done:], src[done:], e)
}

// infF16 is the key of +Inf as float16.
const infF16 = 0x7C00
