//go:build !amd64 || noasm

package kernel

// collectBinsVector does nothing: there is no vector code.
func collectBinsVector[K Key](_ []K, _ []uint16, _ []K, _ []uint16, _ *BinSet, _, _ []K) (kept, done int) {
	return 0, 0
}

// countBinsVector does nothing: there is no vector code.
func countBinsVector[K Key](_ *[2 * BinCount]uint32, _ []uint16, _ []K) (done int) { return 0 }
