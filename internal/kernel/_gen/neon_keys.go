package main

// neonEncodes writes the making of keys and of elements.
func neonEncodes(a *neon) {
	a.flipBits()
	for _, width := range []lane{16, 32, 64} {
		a.recode(width)
	}
}

// flipBits writes the change of some bits in every eight bytes.
func (a *neon) flipBits() {
	const bits = 16
	a.begin("flipBits", 0, "dst src bits n", "")
	a.broadcast(64, bits, 2)
	a.label("loop")
	a.op("VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]")
	for v := range 4 {
		a.bits("VEOR", v, v, bits)
	}
	a.op("VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)")
	a.op("SUBS $64, R3, R3")
	a.op("BNE loop")
	a.end()
}

// recode writes one function: floats to keys, or keys to floats, which differ
// in how those are told that become a special one: by the bits of mask, more
// than limit. They are counted in one accumulator for all four vectors.
func (a *neon) recode(w lane) {
	const mask, limit, special, most, count = 16, 17, 18, 19, 20
	a.begin("recode", w, "dst src n mask limit special", "count")
	a.broadcast(w, mask, 3)
	a.broadcast(w, limit, 4)
	a.broadcast(w, special, 5)
	a.op("VMOVI $255, V%d.B16", most)
	a.op("VUSHR $1, V%d.%s, V%d.%s", most, w.suffix(), most, w.suffix())
	a.zero(count)
	a.label("loop")
	a.op("VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]")
	for v := range 4 {
		beyond, lower := v+4, v+24
		a.bits("VAND", beyond, v, mask)
		a.signed("CMGT", w, beyond, beyond, limit)
		a.negative(w, lower, v)
		a.bits("VAND", lower, lower, most)
		a.bits("VEOR", v, v, lower)
		a.bits("VBIT", v, special, beyond)
		a.three("VSUB", w, count, count, beyond)
	}
	a.op("VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)")
	a.op("SUBS $%d, R2, R2", 4*w.count())
	a.op("BNE loop")
	a.total(w, 6, count)
	a.end(6)
}

// neonPairs writes the steps of a network: for each pair of rows the smaller
// keys to a, the larger to b, for four vectors of either row at a time.
func neonPairs(a *neon) {
	const smaller, larger = 16, 20
	for _, w := range []lane{8, 16, 32, 64} {
		a.begin("sortPairs", w, "a b n", "")
		a.label("loop")
		a.op("VLD1 (R0), [V0.B16, V1.B16, V2.B16, V3.B16]")
		a.op("VLD1 (R1), [V4.B16, V5.B16, V6.B16, V7.B16]")
		for v := range 4 {
			a.choose("SMIN", w, smaller+v, v, v+4)
			a.choose("SMAX", w, larger+v, v, v+4)
		}
		a.op("VST1.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0)")
		a.op("VST1.P [V20.B16, V21.B16, V22.B16, V23.B16], 64(R1)")
		a.op("SUBS $%d, R2, R2", 4*w.count())
		a.op("BNE loop")
		a.end()
	}
}

// choose writes SMIN or SMAX, which lanes of 64 bits lack: d is the smaller or
// the larger of n and m.
func (a *neon) choose(op string, w lane, d, n, m int) {
	if w < 64 {
		a.signed(op, w, d, n, m)
		return
	}
	a.signed("CMGT", w, d, n, m)
	if op == "SMIN" {
		n, m = m, n
	}
	a.bits("VBSL", d, n, m) // n where the bits of d are set
}
