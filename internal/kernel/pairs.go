package kernel

// sortPairs exchanges a[i] and b[i] where a[i] is the larger.
func sortPairs[K Key](a, b []K) {
	b = b[:len(a)]
	if !sortPairsVector(a, b) {
		sortPairsGeneric(a, b)
	}
}

// lowerPairs sets each a[i] to the smaller of a[i] and b[i].
func lowerPairs[K Key](a, b []K) {
	b = b[:len(a)]
	if !lowerPairsVector(a, b) {
		lowerPairsGeneric(a, b)
	}
}

// raisePairs sets each b[i] to the larger of a[i] and b[i].
func raisePairs[K Key](a, b []K) {
	b = b[:len(a)]
	if !raisePairsVector(a, b) {
		raisePairsGeneric(a, b)
	}
}
