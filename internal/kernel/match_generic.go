package kernel

// tallyGeneric is Tally of the lanes from the first on.
func tallyGeneric[K Key](n, at, keys []K, rows, first int, c Class[K], limit []K) {
	lanes := len(n)
	clear(n[first:])
	clear(at[first:])
	for i := range rows {
		row := keys[i*lanes:][:lanes]
		for j := first; j < lanes; j++ {
			if k := row[j]; k >= c.Lo[j] && k <= c.Hi[j] {
				if n[j] <= limit[j] {
					at[j] = K(i)
				}
				n[j]++
			}
		}
	}
}

// shareGeneric is Share, where dst[0] has the classes and bits of the first on.
func shareGeneric[K Key](dst, keys []K, first int, classes [2]Class[K], bits [2][]K) {
	for j, k := range keys {
		var b K
		for i := range classes {
			if c := &classes[i]; k >= c.Lo[first+j] && k <= c.Hi[first+j] {
				b = bits[i][first+j]
			}
		}
		dst[j] = b
	}
}

// shareLaneGeneric is ShareLane.
func shareLaneGeneric[K Key](dst, keys []K, lo, hi, bits [2]K) {
	for j, k := range keys {
		var b K
		if k >= lo[0] && k <= hi[0] {
			b = bits[0]
		}
		if k >= lo[1] && k <= hi[1] {
			b = bits[1]
		}
		dst[j] = b
	}
}
