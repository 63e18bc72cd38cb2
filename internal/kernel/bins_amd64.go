//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var (
	findBinsAVX512, findBinsAVX2 = cpu.AVX512, cpu.AVX2
	collectBinsAVX512            = cpu.AVX512
	binCountsAVX2                = cpu.AVX2
)

func init() {
	cpu.Register("FindBins", "avx512", &findBinsAVX512)
	cpu.Register("FindBins", "avx2", &findBinsAVX2)
	cpu.Register("CollectBins", "avx512", &collectBinsAVX512)
	cpu.Register("CountBins", "avx2", &binCountsAVX2)
}

// findBinsVector sets the bins of the first done elements.
func findBinsVector[K Key](bins []uint16, src []K, s *Bins[K]) (done int) {
	size := int(unsafe.Sizeof(K(0)))
	vector := 32
	if findBinsAVX512 {
		vector = 64
	}
	n := len(src)
	if size >= 4 {
		n &^= vector/size - 1
	}
	if n == 0 || size < 4 || !findBinsAVX512 && !findBinsAVX2 {
		return 0
	}
	dst, p := unsafe.SliceData(bins), unsafe.Pointer(unsafe.SliceData(src))
	switch {
	case size == 4 && s.ByValue:
		if findBinsAVX512 {
			findBinsFloat32AVX512(dst, (*int32)(p), n, float32(s.From), float32(s.Factor), BinCount-1)
		} else {
			findBinsFloat32AVX2(dst, (*int32)(p), n, float32(s.From), float32(s.Factor), BinCount-1)
		}
	case size == 4:
		if findBinsAVX512 {
			findBins32AVX512(dst, (*int32)(p), n, int32(s.Lo), int32(s.Hi), s.Shift)
		} else {
			findBins32AVX2(dst, (*int32)(p), n, int32(s.Lo), int32(s.Hi), s.Shift)
		}
	case s.ByValue:
		if findBinsAVX512 {
			findBinsFloat64AVX512(dst, (*int64)(p), n, s.From, s.Factor, BinCount-1)
		} else {
			findBinsFloat64AVX2(dst, (*int64)(p), n, s.From, s.Factor, BinCount-1)
		}
	default:
		if findBinsAVX512 {
			findBins64AVX512(dst, (*int64)(p), n, int64(s.Lo), int64(s.Hi), s.Shift)
		} else {
			findBins64AVX2(dst, (*int64)(p), n, int64(s.Lo), int64(s.Hi), s.Shift)
		}
	}
	return n
}

// The trees that findBinsTree… search: a node has a cache line of splitters.
const treeNode = 64

// treeLevels returns how many levels the trees have, 0 without vectors.
func treeLevels[K Key]() int {
	if !findBinsAVX512 && !findBinsAVX2 {
		return 0
	}
	return [9]int{4: 3, 8: 4}[unsafe.Sizeof(K(0))]
}

// plantTree sets the tree to that of sorted keys, if there is vector code for it.
func plantTree[K Key](tree, keys []K) []K {
	tree = tree[:0]
	size := treeNode / int(unsafe.Sizeof(K(0)))
	below := 1 // keys of a node of the level, and of the levels below it up to the next one
	for range treeLevels[K]() {
		below *= size + 1
	}
	for nodes := 1; below > 1; nodes *= size + 1 {
		below /= size + 1
		for i := range nodes * size {
			key := MaxKey[K]()
			if at := (i+i/size+1)*below - 1; at < len(keys) {
				key = keys[at]
			}
			tree = append(tree, key)
		}
	}
	return tree
}

// findBinsTree sets the bins of the first done keys.
func findBinsTree[K Key](bins []uint16, keys, tree []K, last int) (done int) {
	if len(keys) == 0 || len(tree) == 0 {
		return 0
	}
	dst, src, n, t := &bins[0], unsafe.Pointer(&keys[0]), len(keys), unsafe.Pointer(&tree[0])
	switch wide := unsafe.Sizeof(K(0)) == 8; {
	case wide && findBinsAVX512:
		findBinsTree64AVX512(dst, (*int64)(src), n, (*int64)(t), last)
	case wide && findBinsAVX2:
		findBinsTree64AVX2(dst, (*int64)(src), n, (*int64)(t), last)
	case findBinsAVX512:
		findBinsTree32AVX512(dst, (*int32)(src), n, (*int32)(t), last)
	case findBinsAVX2:
		findBinsTree32AVX2(dst, (*int32)(src), n, (*int32)(t), last)
	default:
		return 0
	}
	return n
}

// collectBinsVector keeps of the first done keys.
func collectBinsVector[K Key](dst []K, dstBins []uint16, src []K, bins []uint16, set *BinSet, excluded, of []K) (kept, done int) {
	n := len(src) &^ 15
	if n == 0 || !collectBinsAVX512 {
		return 0, 0
	}
	d, p := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	ahead := int(uintptr(unsafe.Pointer(unsafe.SliceData(of))) + uintptr(len(of))*unsafe.Sizeof(K(0)) - uintptr(p))
	var u unsafe.Pointer
	if len(excluded) > 0 {
		u = unsafe.Pointer(&excluded[0])
	}
	switch unsafe.Sizeof(K(0)) {
	case 4:
		return collectBins32AVX512((*int32)(d), unsafe.SliceData(dstBins), (*int32)(p), unsafe.SliceData(bins), n, &set[0], (*int32)(u), ahead), n
	case 8:
		return collectBins64AVX512((*int64)(d), unsafe.SliceData(dstBins), (*int64)(p), unsafe.SliceData(bins), n, &set[0], (*int64)(u), ahead), n
	}
	return 0, 0
}

// countBinsVector counts the first done bins.
func countBinsVector[K Key](tables *[2 * BinCount]uint32, bins []uint16, src []K) (done int) {
	n := len(bins) &^ 15
	if n == 0 || !binCountsAVX2 {
		return 0
	}
	countBinsAVX2(&tables[0], &bins[0], n, (*byte)(unsafe.Pointer(unsafe.SliceData(src))), 16*int(unsafe.Sizeof(K(0))))
	return n
}

// countBinsAVX2 is
//
//	for i, c := range bins[:n] { tables[i%2*BinCount+int(c)]++ }
//
// n is a positive multiple of 16, and bins are in bounds. It reads nothing of
// src, but prefetches from n/16*step bytes on.
//
//go:noescape
func countBinsAVX2(tables *uint32, bins *uint16, n int, src *byte, step int)

// The functions locate… are
//
//	for i, v := range src[:n] { bins[i] = uint16((min(max(v, lo), hi) - lo) >> shift) }
//
// or, of the floats with the bits of src,
//
//	for i, x := range src[:n] { bins[i] = uint16(max(min((x-from)*factor, nan-1), 0)), or nan for NaN }
//
// n is a positive multiple of a vector.

//go:noescape
func findBins32AVX512(bins *uint16, src *int32, n int, lo, hi int32, shift int)

//go:noescape
func findBins32AVX2(bins *uint16, src *int32, n int, lo, hi int32, shift int)

//go:noescape
func findBins64AVX512(bins *uint16, src *int64, n int, lo, hi int64, shift int)

//go:noescape
func findBins64AVX2(bins *uint16, src *int64, n int, lo, hi int64, shift int)

//go:noescape
func findBinsFloat32AVX512(bins *uint16, src *int32, n int, from, factor, nan float32)

//go:noescape
func findBinsFloat32AVX2(bins *uint16, src *int32, n int, from, factor, nan float32)

//go:noescape
func findBinsFloat64AVX512(bins *uint16, src *int64, n int, from, factor, nan float64)

//go:noescape
func findBinsFloat64AVX2(bins *uint16, src *int64, n int, from, factor, nan float64)

// The functions findBinsTree… are
//
//	for i, key := range src[:n] { bins[i] = uint16(min(last, number of splitters <= key)) }
//
// n is positive. Splitter j of node i in the level l, counted from below, has the rank
// (i*(s+1) + j + 1) * (s+1)^l - 1 among all, s being the number in a node; in tree level
// follows level, from the root on.

//go:noescape
func findBinsTree32AVX512(bins *uint16, src *int32, n int, tree *int32, last int)

//go:noescape
func findBinsTree32AVX2(bins *uint16, src *int32, n int, tree *int32, last int)

//go:noescape
func findBinsTree64AVX512(bins *uint16, src *int64, n int, tree *int64, last int)

//go:noescape
func findBinsTree64AVX2(bins *uint16, src *int64, n int, tree *int64, last int)

// collectBins32AVX512 is
//
//	for i, c := range bins[:n] {
//		if set.Has(c) && (excluded == nil || src[i] != excluded[c]) { dst[kept], dstBins[kept] = src[i], c; kept++ }
//	}
//
// as collectBins64AVX512 is. n is a positive multiple of 16. What lies so many bytes ahead of src
// is prefetched.
//
//go:noescape
func collectBins32AVX512(dst *int32, dstBins *uint16, src *int32, bins *uint16, n int, set *uint32, excluded *int32, ahead int) (kept int)

//go:noescape
func collectBins64AVX512(dst *int64, dstBins *uint16, src *int64, bins *uint16, n int, set *uint32, excluded *int64, ahead int) (kept int)
