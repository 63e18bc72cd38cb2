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
