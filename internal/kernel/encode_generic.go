package kernel

// encodeGeneric is Encode.
func encodeGeneric[K Key](dst, src []K, e Encoding[K]) (nan int) {
	dst = dst[:len(src)]
	switch e.Code {
	case Unsigned:
		top := MinKey[K]()
		for i, v := range src {
			dst[i] = v ^ top
		}
	case Float:
		low := MaxKey[K]()
		for i, v := range src {
			k := v
			if v < 0 {
				k = v ^ low
			}
			if v&low > e.Inf {
				k = low
			}
			dst[i] = k
			if k == low {
				nan++
			}
		}
	default:
		copy(dst, src)
	}
	return nan
}
