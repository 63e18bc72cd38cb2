//go:build !amd64 || noasm

package kernel

// There is no vector code.

func widenVector[K Key](_ []float64, _ []K, _ Encoding[K]) int     { return 0 }
func widenHalfVector(_ []int32, _ []int16, _ Encoding[int16]) int  { return 0 }
func narrowHalfVector(_ []int16, _ []int32, _ Encoding[int16]) int { return 0 }
