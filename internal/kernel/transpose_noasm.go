//go:build !(amd64 || arm64) || noasm

package kernel

// transposeVector does nothing: there is no vector code.
func transposeVector[K Key](_ []K, _ int, _ Tile, _ int) (bool, K) { return false, -1 }
