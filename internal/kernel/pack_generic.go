package kernel

// packGeneric is Pack, which adds to nans.
func packGeneric[K Key](block []K, t Tile, e Encoding[K], nans []K) (nan bool) {
	lanes := len(nans)
	if EncodeTile(block, lanes, 1, t, e) == 0 {
		return false
	}
	countNaN(block[:t.N*lanes], nans)
	return true
}

// countNaN adds the keys of NaN in each lane of a block to nans.
func countNaN[K Key](block, nans []K) {
	for len(block) > 0 {
		for j, k := range block[:len(nans)] {
			if k == MaxKey[K]() {
				nans[j]++
			}
		}
		block = block[len(nans):]
	}
}
