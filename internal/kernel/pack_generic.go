package kernel

// packGeneric is Pack, which adds to nans.
func packGeneric[K Key](block []K, t Tile, e Encoding[K], nans []K) (nan bool) {
	lanes := BlockLanes[K]()
	if EncodeTile(block, lanes, 1, t, e) == 0 {
		return false
	}
	for i := range t.N {
		for j, k := range block[i*lanes:][:t.Lanes] {
			if k == MaxKey[K]() {
				nans[j]++
			}
		}
	}
	return true
}
