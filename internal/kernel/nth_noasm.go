//go:build !amd64 || noasm

package kernel

// There is no vector code.

func nthOnVectors[K Key]() bool                 { return false }
func nthVector[K Key](_ []K, _, _ int) (a, b K) { return a, b }
