package kernel

// CacheKeys is how many keys are best looked at at a time where a block of them is read
// more than once: they, and what is collected of them, stay in the first-level cache.
const CacheKeys = 2048

// LineBytes is the size of a cache line, which neighbouring lanes side by side share.
const LineBytes = 64

// NthStep is what the number of keys for Nth is a multiple of.
const NthStep = 16

// NthOnVectors reports whether Nth runs on vectors for keys of type K, where it
// beats sorting a few.
func NthOnVectors[K Key]() bool { return nthOnVectors[K]() }

// Nth returns order statistics i and j of keys: those are the largest keys with
// at most so many below them. It counts these for each, so the time grows with
// the square of their number, a multiple of NthStep, and is the same for all
// data.
func Nth[K Key](keys []K, i, j int) (a, b K) {
	_, _ = keys[i], keys[j]
	if !nthOnVectors[K]() || len(keys)%NthStep != 0 {
		return nthGeneric(keys, i, j)
	}
	return nthVector(keys, i, j)
}
