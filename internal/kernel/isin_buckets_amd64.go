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

// hashParams returns what the vector code knows of a hash, with the shift for
// so many buckets.
func (t *Buckets[P]) hashParams() (s0, s1, dist uint64) {
	return t.Seeds[0], t.Seeds[1], uint64(shift(t.Buckets()))
}

// homesVector writes the first done homes.
func (t *Buckets[P]) homesVector(homes []uint32, src []P) (done int) {
	n := len(homes) &^ 7
	if n == 0 || !bucketsAVX512 {
		return 0
	}
	s0, s1, dist := t.hashParams()
	d, s := unsafe.SliceData(homes), unsafe.Pointer(unsafe.SliceData(src))
	switch unsafe.Sizeof(src[0]) {
	case 4:
		homes32AVX512(d, (*uint32)(s), n, s0, s1, dist)
	case 8:
		homes64AVX512(d, (*uint64)(s), n, s0, s1, dist)
	default:
		return 0
	}
	return n
}

// screenVector screens the first done patterns, of which n pass.
func (t *Buckets[P]) screenVector(pass, homes []uint32, src []P) (done, n int) {
	done = len(src) &^ 7
	if done == 0 || !bucketsAVX512 {
		return 0, 0
	}
	s0, s1, dist := t.hashParams()
	d, h, s := unsafe.SliceData(pass), unsafe.SliceData(homes), unsafe.Pointer(unsafe.SliceData(src))
	filter := unsafe.SliceData(t.Filter)
	switch unsafe.Sizeof(src[0]) {
	case 4:
		n = screen32AVX512(d, h, (*uint32)(s), done, filter, s0, s1, dist)
	case 8:
		n = screen64AVX512(d, h, (*uint64)(s), done, filter, s0, s1, dist)
	default:
		return 0, 0
	}
	return done, n
}

// probeParams returns what the vector code knows of the slots: the pattern of
// the free ones and the size in bytes less one.
func (t *Buckets[P]) probeParams() (slots unsafe.Pointer, free, mask uint64) {
	at := unsafe.Pointer(&t.free)
	if unsafe.Sizeof(t.free) == 4 {
		free = uint64(*(*uint32)(at))
	} else {
		q := (*Pair32)(at)
		free = uint64(q[0]) | uint64(q[1])<<32
	}
	return unsafe.Pointer(unsafe.SliceData(t.Slots)), free, uint64(len(t.Slots))*uint64(unsafe.Sizeof(t.free)) - 1
}

// probeVector looks the first done patterns up.
func (t *Buckets[P]) probeVector(dst []uint8, src []P, homes []uint32) (done int) {
	n := len(dst) &^ 1
	if size := unsafe.Sizeof(t.free); n == 0 || size != 4 && size != 8 || !bucketsAVX512 && !bucketsAVX2 {
		return 0
	}
	slots, free, mask := t.probeParams()
	d, s, h := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src)), unsafe.SliceData(homes)
	if unsafe.Sizeof(t.free) == 4 {
		probe32AVX2(d, (*uint32)(s), h, n, (*uint32)(slots), free, mask)
	} else {
		probe64AVX2(d, (*uint64)(s), h, n, (*uint64)(slots), free, mask)
	}
	return n
}

// probeAtVector looks the patterns of the first done indices up.
func (t *Buckets[P]) probeAtVector(dst []uint8, src []P, indices, homes []uint32) (done int) {
	n := len(indices) &^ 1
	if size := unsafe.Sizeof(t.free); n == 0 || size != 4 && size != 8 || !bucketsAVX512 && !bucketsAVX2 {
		return 0
	}
	slots, free, mask := t.probeParams()
	d, s := unsafe.SliceData(dst), unsafe.Pointer(unsafe.SliceData(src))
	i, h := unsafe.SliceData(indices), unsafe.SliceData(homes)
	if unsafe.Sizeof(t.free) == 4 {
		probeAt32AVX2(d, (*uint32)(s), i, h, n, (*uint32)(slots), free, mask)
	} else {
		probeAt64AVX2(d, (*uint64)(s), i, h, n, (*uint64)(slots), free, mask)
	}
	return n
}

// fetchVector fetches the homes of the hashes.
func (t *Buckets[P]) fetchVector(hashes []uint64) {
	if bucketsAVX512 || bucketsAVX2 {
		size := bits.TrailingZeros(uint(BucketSlots * unsafe.Sizeof(t.free)))
		fetchBucketsAVX2(unsafe.SliceData(hashes), len(hashes), (*uint8)(unsafe.Pointer(unsafe.SliceData(t.Slots))), uint64(shift(t.Buckets())), uint64(size))
	}
}

// insertVector inserts the first done patterns, for which there is room.
func (t *Buckets[P]) insertVector(src []P, hashes []uint64) (done int) {
	if size := unsafe.Sizeof(t.free); size != 4 && size != 8 || !bucketsAVX512 && !bucketsAVX2 {
		return 0
	}
	slots, free, _ := t.probeParams()
	s, h, dist := unsafe.Pointer(unsafe.SliceData(src)), unsafe.SliceData(hashes), uint64(shift(t.Buckets()))
	var added int
	if unsafe.Sizeof(t.free) == 4 {
		done, added = insert32AVX2((*uint32)(s), h, len(src), (*uint32)(slots), uint32(free), dist)
	} else {
		done, added = insert64AVX2((*uint64)(s), h, len(src), (*uint64)(slots), free, dist)
	}
	t.Used += added
	return done
}

// The functions homes… write the homes of n patterns, a positive multiple of
// 8, under a hash with the seeds s0 and s1 that is shifted by a distance.

//go:noescape
func homes32AVX512(homes *uint32, src *uint32, n int, s0, s1, shift uint64)

//go:noescape
func homes64AVX512(homes *uint32, src *uint64, n int, s0, s1, shift uint64)

// The functions screen… are Screen for n patterns, a positive multiple of 8.

//go:noescape
func screen32AVX512(pass, homes *uint32, src *uint32, n int, filter *uint64, s0, s1, shift uint64) (passed int)

//go:noescape
func screen64AVX512(pass, homes *uint32, src *uint64, n int, filter *uint64, s0, s1, shift uint64) (passed int)

// The functions probe… look n patterns, an even number above 0, up in a table
// of mask + 1 bytes whose free slots hold free; probeAt… those of n indices.

//go:noescape
func probe32AVX2(dst *uint8, src *uint32, homes *uint32, n int, slots *uint32, free, mask uint64)

//go:noescape
func probe64AVX2(dst *uint8, src *uint64, homes *uint32, n int, slots *uint64, free, mask uint64)

//go:noescape
func probeAt32AVX2(dst *uint8, src *uint32, indices, homes *uint32, n int, slots *uint32, free, mask uint64)

//go:noescape
func probeAt64AVX2(dst *uint8, src *uint64, indices, homes *uint32, n int, slots *uint64, free, mask uint64)

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
