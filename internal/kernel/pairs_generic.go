package kernel

// Keys are compared as 64-bit numbers: for bytes the compiler would branch.
func sortPairsGeneric[K Key](a, b []K) {
	for i := range a {
		x, y := int64(a[i]), int64(b[i])
		a[i], b[i] = K(min(x, y)), K(max(x, y))
	}
}
