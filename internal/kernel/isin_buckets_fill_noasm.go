//go:build !amd64 || noasm

package kernel

import "unsafe"

// There is no vector code.

func (t *Buckets[P]) hashesVector(_ []uint64, _ []P, _ int) (done int) { return 0 }
func (t *Buckets[P]) insertVector(_ []P, _ []uint64) (done, added int) { return 0, 0 }
func screenVector(_ []uint32, _, _ []uint64, _ uint, _ unsafe.Pointer, _ int) (done, n int) {
	return 0, 0
}
