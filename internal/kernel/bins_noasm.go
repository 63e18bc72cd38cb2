//go:build !(amd64 || arm64) || noasm

package kernel

// findBinsVector does nothing: there is no vector code.
func findBinsVector[K Key](_ []uint16, _ []K, _ *Bins[K]) (done int) { return 0 }

// plantTree returns no tree: there is no vector code.
func plantTree[K Key](tree, _ []K) []K { return tree[:0] }

// findBinsTree does nothing: there is no vector code.
func findBinsTree[K Key](_ []uint16, _, _ []K, _ int) (done int) { return 0 }
