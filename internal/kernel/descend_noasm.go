//go:build !amd64 || noasm

package kernel

// There is no vector code.

func descendsOnVectors() bool                               { return false }
func descendVector[K Key](_ []K, _ int, _, _ []K) bool      { return false }
func successorVector[K Key](_ []K, _ int, _, _, _ []K) bool { return false }
