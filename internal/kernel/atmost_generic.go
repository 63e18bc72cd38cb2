package kernel

// atMostGeneric is CountAtMost.
func atMostGeneric(counts *[Bounds]int64, src []int8, e Encoding[int8], bounds *[Bounds]int8) {
	if len(src) == 0 {
		return
	}
	var of [256]uint32
	Histogram(of[:], src)
	flip := 0 // of the histogram's index
	if e.Code == Unsigned {
		flip = 0x80
	}
	var upTo [256]int64
	sum := int64(0)
	for i := range upTo {
		sum += int64(of[i^flip])
		upTo[i] = sum
	}
	for i, b := range bounds {
		counts[i] += upTo[int(b)+128]
	}
}
