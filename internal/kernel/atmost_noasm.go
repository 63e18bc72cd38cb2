//go:build !amd64 || noasm

package kernel

// atMostVector does nothing: there is no vector code.
func atMostVector(_ *[Bounds]int64, _ []int8, _ Encoding[int8], _ *[Bounds]int8) (done int) { return 0 }
