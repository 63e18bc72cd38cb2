package main

// neonWindows writes the tests of elements by a window.
func neonWindows(a *neon) {
	for _, width := range []lane{8, 16, 32, 64} {
		a.window(width)
	}
}

// window writes one function, for four vectors at a time: their answers are
// narrowed to bytes and gathered in as few vectors as hold them.
func (a *neon) window(w lane) {
	const mask, low, span, one = 16, 17, 18, 19
	a.begin("window", w, "dst src n mask low span", "")
	a.broadcast(w, mask, 3)
	a.broadcast(w, low, 4)
	a.broadcast(w, span, 5)
	a.op("VMOVI $1, V%d.B16", one)
	a.label("loop")
	a.op("VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]")
	for v := range 4 {
		a.bits("VAND", v, v, mask)
		a.three("VSUB", w, v, v, low)
		a.unsigned(w, v, span, v)
	}
	// Each step takes the lower halves of the lanes of two vectors.
	vectors := 4
	for half := w / 2; half >= 8; half /= 2 {
		vectors = max(vectors/2, 1)
		for v := range vectors {
			a.three("VUZP1", half, v, 2*v, 2*v+1)
		}
	}
	for v := range vectors {
		a.bits("VAND", v, v, one)
	}
	switch w {
	case 8:
		a.op("VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)")
	case 16:
		a.op("VST1.P [V0.B16, V1.B16], 32(R0)")
	case 32:
		a.op("VST1.P [V0.B16], 16(R0)")
	default: // the last step had but one vector
		a.op("VST1.P [V0.B8], 8(R0)")
	}
	a.op("SUBS $%d, R2, R2", 4*w.count())
	a.op("BNE loop")
	a.end()
}
