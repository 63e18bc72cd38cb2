package main

// neonCounts writes the counting of keys below and equal to one.
func neonCounts(a *neon) {
	for _, width := range []lane{8, 16, 32, 64} {
		a.count(width)
	}
}

// count writes one function. Lanes of all four vectors are counted in one
// accumulator: four at most in each round.
func (a *neon) count(w lane) {
	const key, below, equal = 16, 17, 18
	a.begin("count", w, "src n k", "below equal")
	a.broadcast(w, key, 2)
	a.zero(below, equal)
	a.label("loop")
	a.op("VLD1.P 64(R0), [V0.B16, V1.B16, V2.B16, V3.B16]")
	for v := range 4 {
		a.signed("CMGT", w, 4+v, key, v)
		a.three("VCMEQ", w, v, v, key)
	}
	for _, from := range []int{0, 4} {
		a.three("VADD", w, from, from, from+1)
		a.three("VADD", w, from+2, from+2, from+3)
		a.three("VADD", w, from, from, from+2)
	}
	a.three("VSUB", w, equal, equal, 0)
	a.three("VSUB", w, below, below, 4)
	a.op("SUBS $%d, R1, R1", 4*w.count())
	a.op("BNE loop")
	a.total(w, 3, below)
	a.total(w, 4, equal)
	a.end(3, 4)
}

// neonCollects writes the counting of keys by an interval and the collecting of
// those inside.
func neonCollects(a *neon) {
	for _, width := range []lane{16, 32, 64} {
		a.collect(width)
	}
}

// collect writes one function, for two vectors of keys at a time. Keys inside
// the interval are moved to the front of their vector as a table says, whose
// first row is the weights of the lanes: their sum over the keys to move is 256
// times their number, and the row for them.
func (a *neon) collect(w lane) {
	const (
		dst, src, n, order, start = 0, 1, 2, 5, 6

		lo, hi, weights, atLeast = 16, 17, 18, 19
	)
	size := shiftOf(int(w) / 8)
	a.begin("collect", w, "dst src n lo hi order", "atLeast inside")
	a.broadcast(w, lo, 3)
	a.broadcast(w, hi, 4)
	a.op("VLD1.P 16(R%d), [V%d.B16]", order, weights)
	for from := lane(16); from < w; from *= 2 {
		a.op("VUXTL V%d.%s, V%d.%s", weights, from.half(), weights, (2 * from).suffix())
	}
	a.zero(atLeast)
	a.op("MOVD R%d, R%d", dst, start)
	a.label("loop")
	a.op("VLD1.P 32(R%d), [V0.B16, V1.B16]", src)
	// Vector k of keys lies in k, what is made of it in k+2 and k+4.
	for k := range 2 {
		a.signed("CMGE", w, k+2, k, lo)
		a.signed("CMGE", w, k+4, hi, k)
		a.three("VSUB", w, atLeast, atLeast, k+2)
		a.bits("VAND", k+2, k+2, k+4)
		a.bits("VAND", k+2, k+2, weights)
		if w == 64 {
			a.three("VADDP", w, k+2, k+2, k+2)
		} else {
			a.op("VADDV V%d.%s, V%d", k+2, w.suffix(), k+2)
		}
	}
	for k := range 2 {
		sum, row := 7+k, 9+k
		a.op("VMOV V%d.%s[0], R%d", k+2, w.suffix()[:1], sum)
		a.op("AND $255, R%d, R%d", sum, row)
		a.op("ADD R%d<<4, R%d, R%d", row, order, row)
		a.op("VLD1 (R%d), [V%d.B16]", row, k+4)
		a.op("VTBL V%d.B16, [V%d.B16], V%d.B16", k+4, k, k)
		a.op("VST1 [V%d.B16], (R%d)", k, dst)
		a.op("LSR $8, R%d, R%d", sum, sum)
		a.op("ADD R%d<<%d, R%d, R%d", sum, size, dst, dst)
	}
	a.op("SUBS $%d, R%d, R%d", 2*w.count(), n, n)
	a.op("BNE loop")
	a.total(w, 7, atLeast)
	a.op("SUB R%d, R%d, R8", start, dst)
	a.op("LSR $%d, R8, R8", size)
	a.end(7, 8)
}
