//go:build !amd64 || noasm

package kernel

// There is no vector code: these do nothing.

func countAndLocateVector[K Key](_, _, _ []K, _ int, _ Class[K], _ []K) (lanes int) { return 0 }

func gradEqualVector[K Key](_, _ []K, _ [2]Class[K], _ [2][]K) (done int) { return 0 }

func gradEqualLaneVector[K Key](_, _ []K, _, _, _ [2]K) (done int) { return 0 }

func streamVector[K Key](_, _ []K) (head, done int) { return 0, 0 }

func locateVectors[K Key](int) int { return 0 }

func gradUniqueVector(_, _ []float32, _ int, _, _ [2][]float32, _ bool) (lanes int, ok bool) {
	return 0, true
}
