package kernel

// atMostGeneric is CountAtMost.
func atMostGeneric(counts *[Bounds]int64, src []int8, e Encoding[int8], bounds *[Bounds]int8) {
	var of [256]uint32
	Histogram(of[:], src)
	for i, b := range bounds {
		for at := range int(b) + 129 {
			k := int8(at - 128)
			if e.Code == Unsigned {
				k ^= MinKey[int8]()
			}
			counts[i] += int64(of[uint8(k)^0x80])
		}
	}
}
