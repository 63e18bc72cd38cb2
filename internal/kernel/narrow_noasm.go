//go:build (!amd64 && !arm64) || noasm

package kernel

// narrowVector does nothing: there is no vector code.
func narrowVector[K Key](_, _ []K, _ Encoding[K], _, _ K) (Narrowed, int) { return Narrowed{}, 0 }
