//go:build (!amd64 && !arm64) || noasm

package kernel

// CountsOnVectors reports whether CountBelow runs on vectors.
func CountsOnVectors[K Key]() bool { return false }

// countVector does nothing: there is no vector code.
func countVector[K Key](_ []K, _ K) (below, equal, done int) { return 0, 0, 0 }
