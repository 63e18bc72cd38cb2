//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var fewShort, byteSetShort = hasShort, hasShort

func init() {
	cpu.Register("Few", shortLevel, &fewShort)
	cpu.Register("ByteSet", shortLevel, &byteSetShort)
}

// containsVector looks the first done patterns up.
func (f *Few[P]) containsVector(dst []uint8, src []P) (done int) {
	size := int(unsafe.Sizeof(f.Slots[0]))
	n := len(dst) &^ (256/size - 1)
	switch {
	case n == 0:
		return 0
	case fewLong():
		f.containsLong(dst[:n], src)
		return n
	case !fewShort || len(f.Members) == 0:
		return 0
	}
	d, s := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src))
	members := unsafe.Pointer(unsafe.SliceData(f.Members))
	if size == 4 {
		few32Short(d, (*uint32)(s), n, (*uint32)(members), len(f.Members))
	} else {
		few64Short(d, (*uint64)(s), n, (*uint64)(members), len(f.Members))
	}
	return n
}

// containsVector looks the first done bytes up. Vectors of 32 bytes are as
// fast as memory.
func (s *ByteSet) containsVector(dst, src []uint8) (done int) {
	n := len(dst) &^ 31
	if n == 0 || !byteSetShort {
		return 0
	}
	inBytesShort(unsafe.SliceData(dst), unsafe.SliceData(src), n, &s[0])
	return n
}

// The functions few… look n patterns up, a positive multiple of four vectors.

//go:noescape
func few32Short(dst *uint8, src *uint32, n int, members *uint32, count int)

//go:noescape
func few64Short(dst *uint8, src *uint64, n int, members *uint64, count int)

// inBytesShort is Contains for n bytes, a positive multiple of 32.
//
//go:noescape
func inBytesShort(dst, src *uint8, n int, rows *uint8)
