//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var bucketsAVX512 = cpu.AVX512

func init() { cpu.Register("Buckets", "avx512", &bucketsAVX512) }

func bucketsLong() bool { return bucketsAVX512 }

// hashesVector writes the first done hashes.
func (t *Buckets[P]) hashesVector(dst []uint64, src []P, ahead int) (done int) {
	n := len(dst) &^ 7
	if n == 0 || !bucketsAVX512 {
		return 0
	}
	d, s, distance := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src)), uint64(ahead*int(unsafe.Sizeof(t.Free)))
	switch unsafe.Sizeof(t.Free) {
	case 4:
		hashes32AVX512(d, (*uint32)(s), n, t.Seeds[0], t.Seeds[1], distance)
	case 8:
		hashes64AVX512(d, (*uint64)(s), n, t.Seeds[0], t.Seeds[1], distance)
	default:
		return 0
	}
	return n
}

// screenVector screens the first done hashes, those of the patterns of a size at
// src, of which n pass.
func screenVector(pass []uint32, hashes, filter []uint64, shift uint, src unsafe.Pointer, size int) (done, n int) {
	done = len(hashes) &^ 15
	if done == 0 || !bucketsAVX512 {
		return 0, 0
	}
	return done, screenAVX512(unsafe.SliceData(pass), unsafe.SliceData(hashes), done, unsafe.SliceData(filter), uint64(shift), (*uint8)(src), 16*size)
}

// insertVector inserts the first done patterns, for which there is room; added
// of them were not in yet.
func (t *Buckets[P]) insertVector(src []P, hashes []uint64) (done, added int) {
	if !searches[P]() {
		return 0, 0
	}
	slots, free, _, dist := t.probeParams()
	s, h := unsafe.Pointer(unsafe.SliceData(src)), unsafe.SliceData(hashes)
	if unsafe.Sizeof(t.Free) == 4 {
		return insert32AVX2((*uint32)(s), h, len(src), (*uint32)(slots), uint32(free), dist)
	}
	return insert64AVX2((*uint64)(s), h, len(src), (*uint64)(slots), free, dist)
}

// The functions hashes… write the hashes of n patterns, a positive multiple of
// 8, with the seeds s0 and s1, and fetch what is ahead bytes ahead.

//go:noescape
func hashes32AVX512(hashes *uint64, src *uint32, n int, s0, s1, ahead uint64)

//go:noescape
func hashes64AVX512(hashes *uint64, src *uint64, n int, s0, s1, ahead uint64)

// screenAVX512 is screen for n hashes, a positive multiple of 16, that are
// shifted by a distance to give a word of the filter. It fetches patterns that
// follow those at src, 16 of which take step bytes.
//
//go:noescape
func screenAVX512(pass *uint32, hashes *uint64, n int, filter *uint64, shift uint64, src *uint8, step int) (passed int)

// The functions insert… insert the first done of n patterns, n above 0: those
// before the first whose home is full. added of them were not in yet.

//go:noescape
func insert32AVX2(src *uint32, hashes *uint64, n int, slots *uint32, free uint32, shift uint64) (done, added int)

//go:noescape
func insert64AVX2(src *uint64, hashes *uint64, n int, slots *uint64, free, shift uint64) (done, added int)
