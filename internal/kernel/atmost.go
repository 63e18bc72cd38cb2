package kernel

// Bounds is the number of bounds that CountAtMost counts by.
const Bounds = 8

// atMostBlock is the most keys that the vector code counts at a time, so that
// none of its counters, of a byte each, overflows.
const atMostBlock = 127 * 64

// CountAtMost adds to counts how many of the 8-bit elements of src have keys up
// to each of the bounds.
func CountAtMost(counts *[Bounds]int64, src []int8, e Encoding[int8], bounds *[Bounds]int8) {
	for len(src) > 0 {
		block := src[:min(len(src), atMostBlock)]
		done := atMostVector(counts, block, e, bounds)
		atMostGeneric(counts, block[done:], e, bounds)
		src = src[len(block):]
	}
}
