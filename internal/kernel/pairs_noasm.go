//go:build (!amd64 && !arm64) || noasm

package kernel

// There is no vector code.

func sortPairsVector[K Key](_, _ []K) bool  { return false }
func lowerPairsVector[K Key](_, _ []K) bool { return false }
func raisePairsVector[K Key](_, _ []K) bool { return false }
