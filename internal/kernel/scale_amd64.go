//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var (
	locateAVX512, locateAVX2 = cpu.AVX512, cpu.AVX2
	keepAVX512               = cpu.AVX512
	cellCountsAVX2           = cpu.AVX2
)

func init() {
	cpu.Register("Locate", "avx512", &locateAVX512)
	cpu.Register("Locate", "avx2", &locateAVX2)
	cpu.Register("Keep", "avx512", &keepAVX512)
	cpu.Register("CountCells", "avx2", &cellCountsAVX2)
}

// locateVector sets the cells of the first done elements.
func locateVector[K Key](cells []uint16, src []K, s *Scale[K]) (done int) {
	size := int(unsafe.Sizeof(K(0)))
	vector := 32
	if locateAVX512 {
		vector = 64
	}
	n := len(src)
	if size >= 4 {
		n &^= vector/size - 1
	}
	if n == 0 || size < 4 || !locateAVX512 && !locateAVX2 {
		return 0
	}
	dst, p := unsafe.SliceData(cells), unsafe.Pointer(unsafe.SliceData(src))
	switch {
	case size == 4 && s.ByValue:
		if locateAVX512 {
			locateFloat32AVX512(dst, (*int32)(p), n, float32(s.From), float32(s.Factor), ScaleCells-1)
		} else {
			locateFloat32AVX2(dst, (*int32)(p), n, float32(s.From), float32(s.Factor), ScaleCells-1)
		}
	case size == 4:
		if locateAVX512 {
			locate32AVX512(dst, (*int32)(p), n, int32(s.Lo), int32(s.Hi), s.Shift)
		} else {
			locate32AVX2(dst, (*int32)(p), n, int32(s.Lo), int32(s.Hi), s.Shift)
		}
	case s.ByValue:
		if locateAVX512 {
			locateFloat64AVX512(dst, (*int64)(p), n, s.From, s.Factor, ScaleCells-1)
		} else {
			locateFloat64AVX2(dst, (*int64)(p), n, s.From, s.Factor, ScaleCells-1)
		}
	default:
		if locateAVX512 {
			locate64AVX512(dst, (*int64)(p), n, int64(s.Lo), int64(s.Hi), s.Shift)
		} else {
			locate64AVX2(dst, (*int64)(p), n, int64(s.Lo), int64(s.Hi), s.Shift)
		}
	}
	return n
}

// keepVector keeps of the first done keys.
func keepVector[K Key](dst []K, dstCells []uint16, src []K, cells []uint16, set *CellSet, unlike, of []K) (kept, done int) {
	n := len(src) &^ 15
	if n == 0 || !keepAVX512 {
		return 0, 0
	}
	d, p := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	ahead := int(uintptr(unsafe.Pointer(unsafe.SliceData(of))) + uintptr(len(of))*unsafe.Sizeof(K(0)) - uintptr(p))
	var u unsafe.Pointer
	if len(unlike) > 0 {
		u = unsafe.Pointer(&unlike[0])
	}
	switch unsafe.Sizeof(K(0)) {
	case 4:
		return keep32AVX512((*int32)(d), unsafe.SliceData(dstCells), (*int32)(p), unsafe.SliceData(cells), n, &set[0], (*int32)(u), ahead), n
	case 8:
		return keep64AVX512((*int64)(d), unsafe.SliceData(dstCells), (*int64)(p), unsafe.SliceData(cells), n, &set[0], (*int64)(u), ahead), n
	}
	return 0, 0
}

// countCellsVector counts the first done cells.
func countCellsVector[K Key](tables *[2 * ScaleCells]uint32, cells []uint16, src []K) (done int) {
	n := len(cells) &^ 15
	if n == 0 || !cellCountsAVX2 {
		return 0
	}
	countCellsAVX2(&tables[0], &cells[0], n, (*byte)(unsafe.Pointer(unsafe.SliceData(src))), 16*int(unsafe.Sizeof(K(0))))
	return n
}

// countCellsAVX2 is
//
//	for i, c := range cells[:n] { tables[i%2*ScaleCells+int(c)]++ }
//
// n is a positive multiple of 16, and cells are in bounds. It reads nothing of
// src, but prefetches from n/16*step bytes on.
//
//go:noescape
func countCellsAVX2(tables *uint32, cells *uint16, n int, src *byte, step int)

// The functions locate… are
//
//	for i, v := range src[:n] { cells[i] = uint16((min(max(v, lo), hi) - lo) >> shift) }
//
// or, of the floats with the bits of src,
//
//	for i, x := range src[:n] { cells[i] = uint16(max(min((x-from)*factor, nan-1), 0)), or nan for NaN }
//
// n is a positive multiple of a vector.

//go:noescape
func locate32AVX512(cells *uint16, src *int32, n int, lo, hi int32, shift int)

//go:noescape
func locate32AVX2(cells *uint16, src *int32, n int, lo, hi int32, shift int)

//go:noescape
func locate64AVX512(cells *uint16, src *int64, n int, lo, hi int64, shift int)

//go:noescape
func locate64AVX2(cells *uint16, src *int64, n int, lo, hi int64, shift int)

//go:noescape
func locateFloat32AVX512(cells *uint16, src *int32, n int, from, factor, nan float32)

//go:noescape
func locateFloat32AVX2(cells *uint16, src *int32, n int, from, factor, nan float32)

//go:noescape
func locateFloat64AVX512(cells *uint16, src *int64, n int, from, factor, nan float64)

//go:noescape
func locateFloat64AVX2(cells *uint16, src *int64, n int, from, factor, nan float64)

// keep32AVX512 is
//
//	for i, c := range cells[:n] {
//		if set.Has(c) && (unlike == nil || src[i] != unlike[c]) { dst[kept], dstCells[kept] = src[i], c; kept++ }
//	}
//
// as keep64AVX512 is. n is a positive multiple of 16. What lies so many bytes ahead of src
// is prefetched.
//
//go:noescape
func keep32AVX512(dst *int32, dstCells *uint16, src *int32, cells *uint16, n int, set *uint32, unlike *int32, ahead int) (kept int)

//go:noescape
func keep64AVX512(dst *int64, dstCells *uint16, src *int64, cells *uint16, n int, set *uint32, unlike *int64, ahead int) (kept int)
