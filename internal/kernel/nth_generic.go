package kernel

// nthGeneric is Nth.
func nthGeneric[K Key](keys []K, i, j int) (a, b K) {
	a, b = MinKey[K](), MinKey[K]()
	for _, x := range keys {
		below := 0
		for _, y := range keys {
			if y < x {
				below++
			}
		}
		if below <= i {
			a = max(a, x)
		}
		if below <= j {
			b = max(b, x)
		}
	}
	return a, b
}
