package kernel

// narrowGeneric is Narrow; it counts keys equal to hi in AtHi if hi is lo, too.
func narrowGeneric[K Key](dst, src []K, e Encoding[K], lo, hi K) Narrowed {
	keys := src
	nan := 0
	if e.Code != Signed {
		// Keys are written behind the elements that are read, so dst serves
		// for both.
		nan = encodeGeneric(dst, src, e)
		keys = dst
	}
	below, atLo, between, atHi := 0, 0, 0, 0
	for _, k := range keys {
		dst[between] = k
		if k < lo {
			below++
		}
		if k == lo {
			atLo++
		}
		if k == hi {
			atHi++
		}
		in := 0
		if k > lo {
			in = 1
		}
		if k >= hi {
			in = 0
		}
		between += in
	}
	return Narrowed{below, atLo, between, atHi, nan}
}
