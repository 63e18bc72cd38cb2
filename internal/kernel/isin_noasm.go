//go:build !(amd64 || arm64) || noasm

package kernel

// There is no vector code.

func (s *ByteSet) containsVector(_, _ []uint8) (done int)    { return 0 }
func (f *Few[P]) containsVector(_ []uint8, _ []P) (done int) { return 0 }
