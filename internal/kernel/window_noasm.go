//go:build (!amd64 && !arm64) || noasm

package kernel

// inWindowVector does nothing: there is no vector code.
func inWindowVector[B Bits](_ []uint8, _ []B, _ Window[B], _ bool) (done int) { return 0 }
