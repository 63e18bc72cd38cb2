//go:build !amd64 || noasm

package kernel

// markTextVector does nothing: there is no vector code.
func markTextVector(_ []Marks, _ []byte, _, _, _ byte) (done int) { return 0 }
