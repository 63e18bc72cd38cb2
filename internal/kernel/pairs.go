package kernel

// SortPairs exchanges a[i] and b[i] where a[i] is the larger.
func SortPairs[K Key](a, b []K) {
	b = b[:len(a)]
	if !sortPairsVector(a, b) {
		sortPairsGeneric(a, b)
	}
}

// LowerPairs sets each a[i] to the smaller of a[i] and b[i].
func LowerPairs[K Key](a, b []K) {
	b = b[:len(a)]
	if !lowerPairsVector(a, b) {
		lowerPairsGeneric(a, b)
	}
}

// RaisePairs sets each b[i] to the larger of a[i] and b[i].
func RaisePairs[K Key](a, b []K) {
	b = b[:len(a)]
	if !raisePairsVector(a, b) {
		raisePairsGeneric(a, b)
	}
}
