//go:build (!amd64 && !arm64) || noasm

package kernel

// collectVector does nothing: there is no vector code.
func collectVector[K Key](_, _ []K, _ Encoding[K], _, _ K) (Collected, int) { return Collected{}, 0 }
