//go:build (!amd64 && !arm64) || noasm

package kernel

// sortPairsVector: there is no vector code.
func sortPairsVector[K Key](_, _ []K) bool { return false }
