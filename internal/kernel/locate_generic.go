package kernel

// countAndLocateGeneric is CountAndLocate of the lanes from the first on.
func countAndLocateGeneric[K Key](n, at, keys []K, rows, first int, c Class[K], limit []K) {
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

// gradEqualGeneric is GradEqual, where dst[0] has the classes and bits of the first on.
func gradEqualGeneric[K Key](dst, keys []K, first int, classes [2]Class[K], bits [2][]K) {
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

// gradEqualLaneGeneric is GradEqualLane.
func gradEqualLaneGeneric[K Key](dst, keys []K, lo, hi, bits [2]K) {
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

// gradUniqueGeneric is GradUnique of the lanes from the first on.
func gradUniqueGeneric(dst, x []float32, pitch, first int, values, bits [2][]float32) bool {
	for j := first; j < len(values[0]); j++ {
		var found [2]int
		for at := j; at < len(x); at += pitch {
			dst[at] = 0
			for i := range 2 {
				if x[at] == values[i][j] {
					dst[at] = bits[i][j]
					found[i]++
				}
			}
		}
		if found != [2]int{1, 1} {
			return false
		}
	}
	return true
}
