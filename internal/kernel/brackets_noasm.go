//go:build !(amd64 || arm64) || noasm

package kernel

func bracketsOnVectors() bool { return false }

// collectVector does nothing: there is no vector code.
func (s *Brackets[K]) collectVector(_, _ []K) (inside, done int) { return 0, 0 }
