package kernel

// CountBelow returns how many keys are less than k, and how many are equal.
func CountBelow[K Key](src []K, k K) (below, equal int) {
	below, equal, done := countVector(src, k)
	for _, v := range src[done:] {
		if v < k {
			below++
		}
		if v == k {
			equal++
		}
	}
	return below, equal
}

// indexBlock is how many keys are counted on vectors before one of them is looked for.
const indexBlock = 256

// IndexOf returns the position of the nth key equal to k, counted from 0, and nth; or,
// if there are no more than nth, -1 and how many there are.
func IndexOf[K Key](src []K, k K, nth int) (at, equal int) {
	for from := 0; from < len(src); from += indexBlock {
		block := src[from:min(from+indexBlock, len(src))]
		if CountsOnVectors[K]() {
			if _, more := CountBelow(block, k); equal+more <= nth {
				equal += more
				continue
			}
		}
		for i, v := range block {
			if v != k {
				continue
			}
			if equal == nth {
				return from + i, equal
			}
			equal++
		}
	}
	return -1, equal
}
