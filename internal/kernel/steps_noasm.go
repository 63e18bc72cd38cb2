//go:build !amd64 || noasm

package kernel

func stepsOnVectors() bool { return false }

// narrowVector does nothing: there is no vector code.
func (s *Steps[K]) narrowVector(_, _ []K) (inside, done int) { return 0, 0 }
