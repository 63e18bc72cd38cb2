package kernel

// searchGeneric is Search but for next: bit by bit from the highest, an answer
// takes a bit if no more keys than its rank are smaller with it.
func searchGeneric[K Key](keys []K, n int, ranks, out []K) {
	lanes := len(ranks)
	for j := range lanes {
		answer := MinKey[K]()
		for bit := MinKey[K](); ; {
			trial := answer + bit
			count := K(0)
			for i := j; i < n*lanes; i += lanes {
				if keys[i] < trial {
					count++
				}
			}
			if count <= ranks[j] {
				answer = trial
			}
			if bit == 1 {
				break
			}
			bit = bit >> 1 & MaxKey[K]()
		}
		out[j] = answer
	}
}

// successorGeneric finds, in each lane of a block of n rows, the order statistic
// that follows the value of the given rank.
func successorGeneric[K Key](keys []K, n int, values, ranks, out []K) {
	lanes := len(ranks)
	for j := range lanes {
		value, next, count := values[j], MaxKey[K](), K(0)
		for i := j; i < n*lanes; i += lanes {
			if k := keys[i]; k > value {
				next = min(next, k)
			} else {
				count++
			}
		}
		if out[j] = next; count > ranks[j]+1 {
			out[j] = value
		}
	}
}
