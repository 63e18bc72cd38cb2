package kernel

// collectGeneric is Collect.
func collectGeneric[K Key](dst, src []K, e Encoding[K], lo, hi K) Collected {
	keys := src
	nan := 0
	if e.Code != Signed {
		// Keys are written behind the elements that are read, so dst serves
		// for both.
		nan = encodeGeneric(dst, src, e)
		keys = dst
	}
	below, inside := 0, 0
	for _, k := range keys {
		dst[inside] = k
		if k < lo {
			below++
		}
		in := 0
		if k >= lo {
			in = 1
		}
		if k > hi {
			in = 0
		}
		inside += in
	}
	return Collected{below, inside, nan}
}
