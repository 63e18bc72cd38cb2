//go:build (!amd64 && !arm64) || noasm

package kernel

// encodeVector does nothing: there is no vector code.
func encodeVector[K Key](_, _ []K, _ Encoding[K]) (done, nan int) { return 0, 0 }

// decodeVector does nothing.
func decodeVector[K Key](_, _ []K, _ Encoding[K], _ K) (done int) { return 0 }
