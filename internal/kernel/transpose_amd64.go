//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var transposeAVX512 = cpu.AVX512

func init() { cpu.Register("Transpose", "avx512", &transposeAVX512) }

func transposesLong() bool { return transposeAVX512 }

// transposeLong is transposeBlocks.
func transposeLong[K Key](dst []K, stride int, t Tile, blocks, ahead int) (most K) {
	size := int(unsafe.Sizeof(K(0)))
	d, dstStep, srcStep := at(dst, 0), stride*size, t.LaneStride*size
	switch size {
	case 2:
		transpose16AVX512((*int16)(d), dstStep, (*int16)(t.Base), srcStep, t.N, blocks, ahead)
		return -1
	case 4:
		return K(transpose32AVX512((*int32)(d), dstStep, (*int32)(t.Base), srcStep, t.N, blocks, ahead))
	default:
		return K(transpose64AVX512((*int64)(d), dstStep, (*int64)(t.Base), srcStep, t.N, blocks, ahead))
	}
}

//go:noescape
func transpose16AVX512(dst *int16, dstStep int, src *int16, srcStep, n, blocks, ahead int)

//go:noescape
func transpose32AVX512(dst *int32, dstStep int, src *int32, srcStep, n, blocks, ahead int) (most int32)

//go:noescape
func transpose64AVX512(dst *int64, dstStep int, src *int64, srcStep, n, blocks, ahead int) (most int64)
