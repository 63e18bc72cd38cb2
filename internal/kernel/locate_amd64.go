//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var locateAVX512, locateAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("CountAndLocate", "avx512", &locateAVX512)
	cpu.Register("CountAndLocate", "avx2", &locateAVX2)
}

// locateVectors returns how many of n keys make whole vectors, where there are
// vectors for their width.
func locateVectors[K Key](n int) int {
	size := int(unsafe.Sizeof(K(0)))
	switch {
	case size == 1:
		return 0
	case locateAVX512:
		return n &^ (64/size - 1)
	case locateAVX2:
		return n &^ (32/size - 1)
	}
	return 0
}

// pointer returns the address of a slice's first key, as one of another type of
// the same size.
func pointer[T, K Key](s []K) *T { return (*T)(unsafe.Pointer(unsafe.SliceData(s))) }

// countAndLocateVector tallies the first lanes.
func countAndLocateVector[K Key](n, at, keys []K, rows int, c Class[K], limit []K) (lanes int) {
	lanes = locateVectors[K](len(n))
	if lanes == 0 || rows == 0 {
		return 0
	}
	size := int(unsafe.Sizeof(K(0)))
	pitch := len(n) * size
	switch {
	case size == 2 && locateAVX512:
		countAndLocate16AVX512(pointer[int16](n), pointer[int16](at), pointer[int16](keys), rows, pitch, lanes, pointer[int16](c.Lo), pointer[int16](c.Hi), pointer[int16](limit))
	case size == 2:
		countAndLocate16AVX2(pointer[int16](n), pointer[int16](at), pointer[int16](keys), rows, pitch, lanes, pointer[int16](c.Lo), pointer[int16](c.Hi), pointer[int16](limit))
	case size == 4 && locateAVX512:
		countAndLocate32AVX512(pointer[int32](n), pointer[int32](at), pointer[int32](keys), rows, pitch, lanes, pointer[int32](c.Lo), pointer[int32](c.Hi), pointer[int32](limit))
	case size == 4:
		countAndLocate32AVX2(pointer[int32](n), pointer[int32](at), pointer[int32](keys), rows, pitch, lanes, pointer[int32](c.Lo), pointer[int32](c.Hi), pointer[int32](limit))
	case locateAVX512:
		countAndLocate64AVX512(pointer[int64](n), pointer[int64](at), pointer[int64](keys), rows, pitch, lanes, pointer[int64](c.Lo), pointer[int64](c.Hi), pointer[int64](limit))
	default:
		countAndLocate64AVX2(pointer[int64](n), pointer[int64](at), pointer[int64](keys), rows, pitch, lanes, pointer[int64](c.Lo), pointer[int64](c.Hi), pointer[int64](limit))
	}
	return lanes
}

// gradEqualVector shares among the first done keys.
func gradEqualVector[K Key](dst, keys []K, classes [2]Class[K], bits [2][]K) (done int) {
	step := 32
	if locateAVX512 {
		step = 64
	}
	return gradEqualStep(dst, keys, classes, bits, step)
}

// gradEqualLaneVector shares among the first done keys.
func gradEqualLaneVector[K Key](dst, keys []K, lo, hi, bits [2]K) (done int) {
	if locateVectors[K](len(dst)) == 0 {
		return 0
	}
	var all [6][32]K // a vector of each; the shortest keys have 2 bytes
	of := func(i int, k K) []K {
		s := all[i][:64/unsafe.Sizeof(k)]
		for j := range s {
			s[j] = k
		}
		return s
	}
	var classes [2]Class[K]
	var shared [2][]K
	for i := range classes {
		classes[i] = Class[K]{of(3*i, lo[i]), of(3*i+1, hi[i])}
		shared[i] = of(3*i+2, bits[i])
	}
	return gradEqualStep(dst, keys, classes, shared, 0)
}

// gradEqualStep shares among the first done keys, with classes and bits that advance
// by step bytes from one vector to the next.
func gradEqualStep[K Key](dst, keys []K, c [2]Class[K], b [2][]K, step int) (done int) {
	n := locateVectors[K](len(dst))
	if n == 0 {
		return 0
	}
	switch size := unsafe.Sizeof(K(0)); {
	case size == 2 && locateAVX512:
		gradEqual16AVX512(pointer[int16](dst), pointer[int16](keys), n, pointer[int16](c[0].Lo), pointer[int16](c[0].Hi), pointer[int16](b[0]), pointer[int16](c[1].Lo), pointer[int16](c[1].Hi), pointer[int16](b[1]), step)
	case size == 2:
		gradEqual16AVX2(pointer[int16](dst), pointer[int16](keys), n, pointer[int16](c[0].Lo), pointer[int16](c[0].Hi), pointer[int16](b[0]), pointer[int16](c[1].Lo), pointer[int16](c[1].Hi), pointer[int16](b[1]), step)
	case size == 4 && locateAVX512:
		gradEqual32AVX512(pointer[int32](dst), pointer[int32](keys), n, pointer[int32](c[0].Lo), pointer[int32](c[0].Hi), pointer[int32](b[0]), pointer[int32](c[1].Lo), pointer[int32](c[1].Hi), pointer[int32](b[1]), step)
	case size == 4:
		gradEqual32AVX2(pointer[int32](dst), pointer[int32](keys), n, pointer[int32](c[0].Lo), pointer[int32](c[0].Hi), pointer[int32](b[0]), pointer[int32](c[1].Lo), pointer[int32](c[1].Hi), pointer[int32](b[1]), step)
	case locateAVX512:
		gradEqual64AVX512(pointer[int64](dst), pointer[int64](keys), n, pointer[int64](c[0].Lo), pointer[int64](c[0].Hi), pointer[int64](b[0]), pointer[int64](c[1].Lo), pointer[int64](c[1].Hi), pointer[int64](b[1]), step)
	default:
		gradEqual64AVX2(pointer[int64](dst), pointer[int64](keys), n, pointer[int64](c[0].Lo), pointer[int64](c[0].Hi), pointer[int64](b[0]), pointer[int64](c[1].Lo), pointer[int64](c[1].Hi), pointer[int64](b[1]), step)
	}
	return n
}

// streamVector copies all but the first head elements, up to where dst is
// aligned, and those from done on.
func streamVector[K Key](dst, src []K) (head, done int) {
	if !locateAVX512 && !locateAVX2 || len(dst) == 0 {
		return 0, 0
	}
	size := int(unsafe.Sizeof(K(0)))
	head = int(-uintptr(unsafe.Pointer(unsafe.SliceData(dst)))%64) / size
	n := (len(dst) - head) * size &^ 63
	if n <= 0 {
		return 0, 0
	}
	streamAVX2((*byte)(unsafe.Pointer(&dst[head])), (*byte)(unsafe.Pointer(&src[head])), n)
	return head, head + n/size
}

// gradUniqueVector does the first lanes, and reports whether it can go on.
func gradUniqueVector(dst, x []float32, pitch int, values, bits [2][]float32, stream bool) (lanes int, ok bool) {
	lanes = locateVectors[int32](len(values[0]))
	if lanes == 0 || len(x) == 0 {
		return 0, true
	}
	rows, done := (len(x)-len(values[0]))/pitch+1, 0
	stream = stream && (uintptr(unsafe.Pointer(&dst[0]))|uintptr(4*pitch))%64 == 0
	if locateAVX512 {
		done = gradUnique32AVX512(&dst[0], &x[0], rows, 4*pitch, 4*lanes, &values[0][0], &values[1][0], &bits[0][0], &bits[1][0], stream)
	} else {
		done = gradUnique32AVX2(&dst[0], &x[0], rows, 4*pitch, 4*lanes, &values[0][0], &values[1][0], &bits[0][0], &bits[1][0], stream)
	}
	return lanes, done == 4*lanes
}

// The functions tally… are CountAndLocate for so many lanes, a positive multiple of a
// vector, and rows > 0 that lie pitch bytes apart.

//go:noescape
func countAndLocate16AVX512(n, at, keys *int16, rows, pitch, lanes int, lo, hi, limit *int16)

//go:noescape
func countAndLocate32AVX512(n, at, keys *int32, rows, pitch, lanes int, lo, hi, limit *int32)

//go:noescape
func countAndLocate64AVX512(n, at, keys *int64, rows, pitch, lanes int, lo, hi, limit *int64)

//go:noescape
func countAndLocate16AVX2(n, at, keys *int16, rows, pitch, lanes int, lo, hi, limit *int16)

//go:noescape
func countAndLocate32AVX2(n, at, keys *int32, rows, pitch, lanes int, lo, hi, limit *int32)

//go:noescape
func countAndLocate64AVX2(n, at, keys *int64, rows, pitch, lanes int, lo, hi, limit *int64)

// The functions share… are GradEqual for n keys, a positive multiple of a vector,
// with classes and bits that advance by step bytes from one vector to the next.

//go:noescape
func gradEqual16AVX512(dst, keys *int16, n int, lo0, hi0, bits0, lo1, hi1, bits1 *int16, step int)

//go:noescape
func gradEqual32AVX512(dst, keys *int32, n int, lo0, hi0, bits0, lo1, hi1, bits1 *int32, step int)

//go:noescape
func gradEqual64AVX512(dst, keys *int64, n int, lo0, hi0, bits0, lo1, hi1, bits1 *int64, step int)

//go:noescape
func gradEqual16AVX2(dst, keys *int16, n int, lo0, hi0, bits0, lo1, hi1, bits1 *int16, step int)

//go:noescape
func gradEqual32AVX2(dst, keys *int32, n int, lo0, hi0, bits0, lo1, hi1, bits1 *int32, step int)

//go:noescape
func gradEqual64AVX2(dst, keys *int64, n int, lo0, hi0, bits0, lo1, hi1, bits1 *int64, step int)

// streamAVX2 copies n bytes, a positive multiple of 64, to memory aligned to 32.
//
//go:noescape
func streamAVX2(dst, src *byte, n int)

// The functions singles… are GradUnique of so many bytes of rows > 0, a positive
// multiple of a vector, that lie pitch bytes apart. If past, and with AVX-512, dst
// and pitch are multiples of a vector, and dst is written past the caches. They
// return how many bytes come before the first vector that has other lanes.

//go:noescape
func gradUnique32AVX512(dst, x *float32, rows, pitch, size int, lo, hi, bits0, bits1 *float32, past bool) (done int)

//go:noescape
func gradUnique32AVX2(dst, x *float32, rows, pitch, size int, lo, hi, bits0, bits1 *float32, past bool) (done int)
