package kernel

// inWindowGeneric is InWindow.
func inWindowGeneric[B Bits](dst []uint8, src []B, w Window[B]) {
	src = src[:len(dst)]
	for len(dst) >= 8 {
		d, s := (*[8]uint8)(dst), (*[8]B)(src)
		d[0] = bit(s[0]&w.Mask-w.Low <= w.Span)
		d[1] = bit(s[1]&w.Mask-w.Low <= w.Span)
		d[2] = bit(s[2]&w.Mask-w.Low <= w.Span)
		d[3] = bit(s[3]&w.Mask-w.Low <= w.Span)
		d[4] = bit(s[4]&w.Mask-w.Low <= w.Span)
		d[5] = bit(s[5]&w.Mask-w.Low <= w.Span)
		d[6] = bit(s[6]&w.Mask-w.Low <= w.Span)
		d[7] = bit(s[7]&w.Mask-w.Low <= w.Span)
		dst, src = dst[8:], src[8:]
	}
	for i := range dst {
		dst[i] = bit(src[i]&w.Mask-w.Low <= w.Span)
	}
}
