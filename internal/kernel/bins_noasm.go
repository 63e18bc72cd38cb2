//go:build !amd64 || noasm

package kernel

// findBinsVector does nothing: there is no vector code.
func findBinsVector[K Key](_ []uint16, _ []K, _ *Bins[K]) (done int) { return 0 }

// plantTree returns no tree: there is no vector code.
func plantTree[K Key](tree, _ []K) []K { return tree[:0] }

// findBinsTree does nothing: there is no vector code.
func findBinsTree[K Key](_ []uint16, _, _ []K, _ int) (done int) { return 0 }

// collectBinsVector does nothing: there is no vector code.
func collectBinsVector[K Key](_ []K, _ []uint16, _ []K, _ []uint16, _ *BinSet, _, _ []K) (kept, done int) {
	return 0, 0
}

// countBinsVector does nothing: there is no vector code.
func countBinsVector[K Key](_ *[2 * BinCount]uint32, _ []uint16, _ []K) (done int) { return 0 }
