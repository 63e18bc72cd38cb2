package kernel

// Encode writes the keys of src to dst, which may be src, and returns how many
// are NaN.
func Encode[K Key](dst, src []K, e Encoding[K]) (nan int) {
	src = src[:len(dst)]
	if e.Code == Signed {
		copy(dst, src)
		return 0
	}
	done, nan := encodeVector(dst, src, e)
	return nan + encodeGeneric(dst[done:], src[done:], e)
}

// Decode writes the elements with the given keys to dst, which may be keys
// itself. The key of NaN becomes the canonical NaN, given as an element.
func Decode[K Key](dst, keys []K, e Encoding[K], nan K) {
	keys = keys[:len(dst)]
	if e.Code == Signed {
		copy(dst, keys)
		return
	}
	done := decodeVector(dst, keys, e, nan)
	decodeGeneric(dst[done:], keys[done:], e, nan)
}
