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

// decodeGeneric is Decode.
func decodeGeneric[K Key](dst, keys []K, e Encoding[K], nan K) {
	keys = keys[:len(dst)]
	low := MaxKey[K]()
	switch e.Code {
	case Unsigned:
		for i, k := range keys {
			dst[i] = k ^ ^low
		}
	case Float:
		for i, k := range keys {
			v := k
			if k < 0 {
				v = k ^ low
			}
			if k == low {
				v = nan
			}
			dst[i] = v
		}
	default:
		copy(dst, keys)
	}
}
