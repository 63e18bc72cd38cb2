package kernel

// nthGeneric is Nth.
func nthGeneric[K Key](keys []K, k int) (at, next K) {
	at, next = MinKey[K](), MinKey[K]()
	for _, x := range keys {
		below := 0
		for _, y := range keys {
			if y < x {
				below++
			}
		}
		if below <= k {
			at = max(at, x)
		}
		if below <= k+1 {
			next = max(next, x)
		}
	}
	return at, next
}
