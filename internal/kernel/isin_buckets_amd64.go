//go:build !noasm

package kernel

import (
	"math/bits"
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var bucketsAVX512, bucketsAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("Buckets", "avx512", &bucketsAVX512)
	cpu.Register("Buckets", "avx2", &bucketsAVX2)
}

// SlowScreen reports whether vector code reads the table but not the filter.
func SlowScreen[P Pattern]() bool {
	return !bucketsAVX512 && searches[P]()
}

// searches reports whether there is vector code that searches and fills
// buckets.
func searches[P Pattern]() bool {
	size := unsafe.Sizeof(*new(P))
	return (bucketsAVX512 || bucketsAVX2) && (size == 4 || size == 8)
}

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

// probeParams returns what the vector code knows of the slots: the pattern of
// the free ones, the size in bytes less one, and the shift of hashes.
func (t *Buckets[P]) probeParams() (slots unsafe.Pointer, free, mask, dist uint64) {
	return unsafe.Pointer(unsafe.SliceData(t.Slots)), word(&t.Free), uint64(len(t.Slots))*uint64(unsafe.Sizeof(t.Free)) - 1, uint64(shift(t.Count()))
}

// probeVector looks the first done patterns up.
func (t *Buckets[P]) probeVector(dst []uint8, src []P, hashes []uint64) (done int) {
	n := len(dst) &^ 1
	if n == 0 || !searches[P]() {
		return 0
	}
	slots, free, mask, dist := t.probeParams()
	d, s, h := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src)), unsafe.SliceData(hashes)
	if unsafe.Sizeof(t.Free) == 4 {
		probe32AVX2(d, (*uint32)(s), h, n, (*uint32)(slots), free, mask, dist)
	} else {
		probe64AVX2(d, (*uint64)(s), h, n, (*uint64)(slots), free, mask, dist)
	}
	return n
}

// probeAtVector looks the patterns of the first done indices up.
func (t *Buckets[P]) probeAtVector(dst []uint8, src []P, indices []uint32, hashes []uint64) (done int) {
	n := len(indices) &^ 1
	if n == 0 || !searches[P]() {
		return 0
	}
	slots, free, mask, dist := t.probeParams()
	d, s := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src))
	i, h := unsafe.SliceData(indices), unsafe.SliceData(hashes)
	if unsafe.Sizeof(t.Free) == 4 {
		probeAt32AVX2(d, (*uint32)(s), i, h, n, (*uint32)(slots), free, mask, dist)
	} else {
		probeAt64AVX2(d, (*uint64)(s), i, h, n, (*uint64)(slots), free, mask, dist)
	}
	return n
}

// fetchVector fetches the homes of the hashes.
func (t *Buckets[P]) fetchVector(hashes []uint64) {
	if bucketsAVX512 || bucketsAVX2 {
		size := bits.TrailingZeros(uint(BucketSlots * unsafe.Sizeof(t.Free)))
		fetchBucketsAVX2(unsafe.SliceData(hashes), len(hashes), (*uint8)(unsafe.Pointer(unsafe.SliceData(t.Slots))), uint64(shift(t.Count())), uint64(size))
	}
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

// The functions probe… look n patterns, an even number above 0, up in a table
// of mask + 1 bytes whose free slots hold free; probeAt… those of n indices.
// The jth hash is that of the jth pattern, or of that of the jth index.

//go:noescape
func probe32AVX2(dst *uint8, src *uint32, hashes *uint64, n int, slots *uint32, free, mask, shift uint64)

//go:noescape
func probe64AVX2(dst *uint8, src *uint64, hashes *uint64, n int, slots *uint64, free, mask, shift uint64)

//go:noescape
func probeAt32AVX2(dst *uint8, src *uint32, indices *uint32, hashes *uint64, n int, slots *uint32, free, mask, shift uint64)

//go:noescape
func probeAt64AVX2(dst *uint8, src *uint64, indices *uint32, hashes *uint64, n int, slots *uint64, free, mask, shift uint64)

// fetchBucketsAVX2 fetches the homes of n hashes, n above 0, in a table with
// buckets of 2^size bytes.
//
//go:noescape
func fetchBucketsAVX2(hashes *uint64, n int, slots *uint8, shift, size uint64)

// The functions insert… insert the first done of n patterns, n above 0: those
// before the first whose home is full. added of them were not in yet.

//go:noescape
func insert32AVX2(src *uint32, hashes *uint64, n int, slots *uint32, free uint32, shift uint64) (done, added int)

//go:noescape
func insert64AVX2(src *uint64, hashes *uint64, n int, slots *uint64, free, shift uint64) (done, added int)
