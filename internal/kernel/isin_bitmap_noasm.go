//go:build !amd64 || noasm

package kernel

// inBitmapVector does nothing: there is no vector code.
func inBitmapVector[B Bits](_ []uint8, _ []B, _ []uint64, _, _ B) (done int) { return 0 }
