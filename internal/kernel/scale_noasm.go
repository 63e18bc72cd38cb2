//go:build !amd64 || noasm

package kernel

// locateVector does nothing: there is no vector code.
func locateVector[K Key](_ []uint16, _ []K, _ *Scale[K]) (done int) { return 0 }

// keepVector does nothing: there is no vector code.
func keepVector[K Key](_ []K, _ []uint16, _ []K, _ []uint16, _ *CellSet, _, _ []K) (kept, done int) {
	return 0, 0
}

// countCellsVector does nothing: there is no vector code.
func countCellsVector[K Key](_ *[2 * ScaleCells]uint32, _ []uint16, _ []K) (done int) { return 0 }
