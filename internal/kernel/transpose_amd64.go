//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var transposeAVX512, transposeAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("Transpose", "avx512", &transposeAVX512)
	cpu.Register("Transpose", "avx2", &transposeAVX2)
}

// transposeVector is transpose; it reports whether there is vector code for it,
// and the largest element as an unsigned number, or -1 if that is not known.
func transposeVector[K Key](dst []K, stride int, t Tile, ahead int) (done bool, most K) {
	size := int(unsafe.Sizeof(K(0)))
	vector := 32 / size
	if transposeAVX512 {
		vector = 64 / size
	}
	if size == 1 || t.N*size < 16 || t.Lanes < vector || !transposeAVX512 && !transposeAVX2 {
		return false, -1
	}
	most = transposeBlocks(dst, stride, t, t.Lanes/vector, ahead)
	if rest := t.Lanes % vector; rest > 0 {
		// The last block overlaps the one before it.
		first := t.Lanes - vector
		last := transposeBlocks(dst[first:], stride, t.part(0, first, t.N, vector, uintptr(size)), 1, ahead)
		if uint64(last) > uint64(most) {
			most = last
		}
	}
	return true, most
}

// transposeBlocks transposes so many vectors of lanes, and returns the largest
// element as transposeVector does.
func transposeBlocks[K Key](dst []K, stride int, t Tile, blocks, ahead int) (most K) {
	most = -1
	size := int(unsafe.Sizeof(K(0)))
	d, dstStep, srcStep := at(dst, 0), stride*size, t.LaneStride*size
	switch {
	case size == 2 && transposeAVX512:
		transpose16AVX512((*int16)(d), dstStep, (*int16)(t.Base), srcStep, t.N, blocks, ahead)
	case size == 2:
		transpose16AVX2((*int16)(d), dstStep, (*int16)(t.Base), srcStep, t.N, blocks, ahead)
	case size == 4 && transposeAVX512:
		most = K(transpose32AVX512((*int32)(d), dstStep, (*int32)(t.Base), srcStep, t.N, blocks, ahead))
	case size == 4:
		transpose32AVX2((*int32)(d), dstStep, (*int32)(t.Base), srcStep, t.N, blocks, ahead)
	case transposeAVX512:
		most = K(transpose64AVX512((*int64)(d), dstStep, (*int64)(t.Base), srcStep, t.N, blocks, ahead))
	default:
		transpose64AVX2((*int64)(d), dstStep, (*int64)(t.Base), srcStep, t.N, blocks, ahead)
	}
	return most
}

// The functions transpose… are
//
//	for j := range blocks*lanes of a vector {
//		for i := range n {
//			dst row i [j] = src row j [i]
//		}
//	}
//
// with rows that lie the given number of bytes apart, for n elements of at
// least 16 bytes. Some return the largest element as an unsigned number.

//go:noescape
func transpose16AVX512(dst *int16, dstStep int, src *int16, srcStep, n, blocks, ahead int)

//go:noescape
func transpose16AVX2(dst *int16, dstStep int, src *int16, srcStep, n, blocks, ahead int)

//go:noescape
func transpose32AVX512(dst *int32, dstStep int, src *int32, srcStep, n, blocks, ahead int) (most int32)

//go:noescape
func transpose32AVX2(dst *int32, dstStep int, src *int32, srcStep, n, blocks, ahead int)

//go:noescape
func transpose64AVX512(dst *int64, dstStep int, src *int64, srcStep, n, blocks, ahead int) (most int64)

//go:noescape
func transpose64AVX2(dst *int64, dstStep int, src *int64, srcStep, n, blocks, ahead int)
