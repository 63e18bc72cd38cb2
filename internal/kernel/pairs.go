package kernel

// SortPairs exchanges a[i] and b[i] where a[i] is the larger.
func SortPairs[K Key](a, b []K) {
	b = b[:len(a)]
	if !sortPairsVector(a, b) {
		sortPairsGeneric(a, b)
	}
}
