//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var (
	findBinsAVX512                     = cpu.AVX512
	collectBinsAVX512, collectBinsAVX2 = cpu.AVX512, cpu.AVX2
	binCountsAVX2                      = cpu.AVX2
)

func init() {
	cpu.Register("FindBins", "avx512", &findBinsAVX512)
	cpu.Register("CollectBins", "avx512", &collectBinsAVX512)
	cpu.Register("CollectBins", "avx2", &collectBinsAVX2)
	cpu.Register("CountBins", "avx2", &binCountsAVX2)
}

func findsBinsLong() bool { return findBinsAVX512 }

// findBinsLong is findBinsOf.
func findBinsLong[K Key](bins []uint16, src []K, s *Bins[K]) {
	dst, p, n := unsafe.SliceData(bins), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	switch size := unsafe.Sizeof(K(0)); {
	case size == 4 && s.ByValue:
		findBinsFloat32AVX512(dst, (*int32)(p), n, float32(s.From), float32(s.Factor), BinCount-1)
	case size == 4:
		findBins32AVX512(dst, (*int32)(p), n, int32(s.Lo), int32(s.Hi), s.Shift)
	case s.ByValue:
		findBinsFloat64AVX512(dst, (*int64)(p), n, s.From, s.Factor, BinCount-1)
	default:
		findBins64AVX512(dst, (*int64)(p), n, int64(s.Lo), int64(s.Hi), s.Shift)
	}
}

// findBinsTreeLong is findBinsTree for keys, of which there are some.
func findBinsTreeLong[K Key](bins []uint16, keys, tree []K, last int) {
	dst, src, n, t := &bins[0], unsafe.Pointer(&keys[0]), len(keys), unsafe.Pointer(&tree[0])
	if unsafe.Sizeof(K(0)) == 8 {
		findBinsTree64AVX512(dst, (*int64)(src), n, (*int64)(t), last)
	} else {
		findBinsTree32AVX512(dst, (*int32)(src), n, (*int32)(t), last)
	}
}

// collectBinsVector keeps of the first done keys.
func collectBinsVector[K Key](dst []K, dstBins []uint16, src []K, bins []uint16, set *BinSet, excluded, of []K) (kept, done int) {
	n := len(src) &^ 15
	if n == 0 || !collectBinsAVX512 && !collectBinsAVX2 {
		return 0, 0
	}
	d, p := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	ahead := int(uintptr(unsafe.Pointer(unsafe.SliceData(of))) + uintptr(len(of))*unsafe.Sizeof(K(0)) - uintptr(p))
	var u unsafe.Pointer
	if len(excluded) > 0 {
		u = unsafe.Pointer(&excluded[0])
	}
	to, from, words := unsafe.SliceData(dstBins), unsafe.SliceData(bins), &set[0]
	switch size := unsafe.Sizeof(K(0)); {
	case size == 4 && collectBinsAVX512:
		kept = collectBins32AVX512((*int32)(d), to, (*int32)(p), from, n, words, (*int32)(u), ahead)
	case size == 4:
		kept = collectBins32AVX2((*int32)(d), to, (*int32)(p), from, n, words, (*int32)(u), ahead, shortOrder[int16](), shortOrder[K]())
	case size == 8 && collectBinsAVX512:
		kept = collectBins64AVX512((*int64)(d), to, (*int64)(p), from, n, words, (*int64)(u), ahead)
	case size == 8:
		kept = collectBins64AVX2((*int64)(d), to, (*int64)(p), from, n, words, (*int64)(u), ahead, shortOrder[int16](), shortOrder[K]())
	default:
		n = 0
	}
	return kept, n
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

//go:noescape
func findBins32AVX512(bins *uint16, src *int32, n int, lo, hi int32, shift int)

//go:noescape
func findBins64AVX512(bins *uint16, src *int64, n int, lo, hi int64, shift int)

//go:noescape
func findBinsFloat32AVX512(bins *uint16, src *int32, n int, from, factor, nan float32)

//go:noescape
func findBinsFloat64AVX512(bins *uint16, src *int64, n int, from, factor, nan float64)

//go:noescape
func findBinsTree32AVX512(bins *uint16, src *int32, n int, tree *int32, last int)

//go:noescape
func findBinsTree64AVX512(bins *uint16, src *int64, n int, tree *int64, last int)

// collectBins32AVX512 is
//
//	for i, c := range bins[:n] {
//		if set.Has(c) && (excluded == nil || src[i] != excluded[c]) { dst[kept], dstBins[kept] = src[i], c; kept++ }
//	}
//
// as the others are. n is a positive multiple of 16. What lies so many bytes ahead of src
// is prefetched. AVX2 looks up how lanes of bins and of keys move to the front.
//
//go:noescape
func collectBins32AVX512(dst *int32, dstBins *uint16, src *int32, bins *uint16, n int, set *uint32, excluded *int32, ahead int) (kept int)

//go:noescape
func collectBins64AVX512(dst *int64, dstBins *uint16, src *int64, bins *uint16, n int, set *uint32, excluded *int64, ahead int) (kept int)

//go:noescape
func collectBins32AVX2(dst *int32, dstBins *uint16, src *int32, bins *uint16, n int, set *uint32, excluded *int32, ahead int, orderBins, order *uint32) (kept int)

//go:noescape
func collectBins64AVX2(dst *int64, dstBins *uint16, src *int64, bins *uint16, n int, set *uint32, excluded *int64, ahead int, orderBins, order *uint32) (kept int)
