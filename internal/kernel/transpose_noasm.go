//go:build !amd64 || noasm

package kernel

// transposeVector does nothing: there is no vector code.
func transposeVector[K Key](_ []K, _ int, t Tile) (lanes, columns int) { return 0, t.N }
