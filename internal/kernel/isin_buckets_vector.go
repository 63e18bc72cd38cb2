//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"math/bits"
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var bucketsShort = hasShort

func init() { cpu.Register("Buckets", shortLevel, &bucketsShort) }

// SlowScreen reports whether vector code reads the table but not the filter.
func SlowScreen[P Pattern]() bool {
	return !bucketsLong() && searches[P]()
}

// searches reports whether there is vector code that searches and fills
// buckets.
func searches[P Pattern]() bool {
	size := unsafe.Sizeof(*new(P))
	return (bucketsLong() || bucketsShort) && (size == 4 || size == 8)
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
		probe32Short(d, (*uint32)(s), h, n, (*uint32)(slots), free, mask, dist)
	} else {
		probe64Short(d, (*uint64)(s), h, n, (*uint64)(slots), free, mask, dist)
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
		probeAt32Short(d, (*uint32)(s), i, h, n, (*uint32)(slots), free, mask, dist)
	} else {
		probeAt64Short(d, (*uint64)(s), i, h, n, (*uint64)(slots), free, mask, dist)
	}
	return n
}

// fetchVector fetches the homes of the hashes.
func (t *Buckets[P]) fetchVector(hashes []uint64) {
	if bucketsLong() || bucketsShort {
		size := bits.TrailingZeros(uint(BucketSlots * unsafe.Sizeof(t.Free)))
		fetchBucketsShort(unsafe.SliceData(hashes), len(hashes), (*uint8)(unsafe.Pointer(unsafe.SliceData(t.Slots))), uint64(shift(t.Count())), uint64(size))
	}
}

// The functions probe… look n patterns, an even number above 0, up in a table
// of mask + 1 bytes whose free slots hold free; probeAt… those of n indices.
// The jth hash is that of the jth pattern, or of that of the jth index.

//go:noescape
func probe32Short(dst *uint8, src *uint32, hashes *uint64, n int, slots *uint32, free, mask, shift uint64)

//go:noescape
func probe64Short(dst *uint8, src *uint64, hashes *uint64, n int, slots *uint64, free, mask, shift uint64)

//go:noescape
func probeAt32Short(dst *uint8, src *uint32, indices *uint32, hashes *uint64, n int, slots *uint32, free, mask, shift uint64)

//go:noescape
func probeAt64Short(dst *uint8, src *uint64, indices *uint32, hashes *uint64, n int, slots *uint64, free, mask, shift uint64)

// fetchBucketsShort fetches the homes of n hashes, n above 0, in a table with
// buckets of 2^size bytes.
//
//go:noescape
func fetchBucketsShort(hashes *uint64, n int, slots *uint8, shift, size uint64)
