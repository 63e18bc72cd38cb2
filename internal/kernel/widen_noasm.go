//go:build !amd64 || noasm

package kernel

// There is no vector code.

func middleIntVector[K Key](_ []float64, _, _ []K, _ float64) int { return 0 }
func widen16Vector(_ []int32, _ []int16, _ Encoding[int16]) int   { return 0 }
func round16Vector(_ []int16, _ []int32, _ Encoding[int16]) int   { return 0 }
func middle16Vector(_, _, _ []int16, _ Encoding[int16]) int       { return 0 }
