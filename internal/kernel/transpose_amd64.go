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

// transposeVector writes the first columns elements of the first lanes lanes.
func transposeVector[K Key](dst []K, stride int, t Tile) (lanes, columns int) {
	size := int(unsafe.Sizeof(K(0)))
	vector := 32 / size
	if transposeAVX512 {
		vector = 64 / size
	}
	lanes, columns = t.Lanes&^(vector-1), t.N
	if !transposeAVX512 {
		columns &^= vector - 1
	}
	if size < 4 || lanes == 0 || !transposeAVX512 && !transposeAVX2 {
		return 0, t.N
	}
	to, pitch := unsafe.Pointer(unsafe.SliceData(dst)), t.LaneStride*size
	for j := 0; j < lanes; j += vector {
		for i := 0; i < columns; i += vector {
			d, s := unsafe.Add(to, (i*stride+j)*size), unsafe.Add(t.Base, j*pitch+i*size)
			cols := min(vector, columns-i)
			switch {
			case size == 4 && transposeAVX512:
				transpose32AVX512((*int32)(d), stride*4, (*int32)(s), pitch, cols)
			case size == 4:
				transpose32AVX2((*int32)(d), stride*4, (*int32)(s), pitch, cols)
			case transposeAVX512:
				transpose64AVX512((*int64)(d), stride*8, (*int64)(s), pitch, cols)
			default:
				transpose64AVX2((*int64)(d), stride*8, (*int64)(s), pitch, cols)
			}
		}
	}
	return lanes, columns
}

// The functions transpose… are
//
//	for i := range cols {
//		for j := range lanes of a vector {
//			dst row i [j] = src row j [i]
//		}
//	}
//
// with rows that lie the given number of bytes apart; cols is at most the
// lanes of a vector, and exactly that for AVX2.

//go:noescape
func transpose32AVX512(dst *int32, dstStep int, src *int32, srcStep, cols int)

//go:noescape
func transpose32AVX2(dst *int32, dstStep int, src *int32, srcStep, cols int)

//go:noescape
func transpose64AVX512(dst *int64, dstStep int, src *int64, srcStep, cols int)

//go:noescape
func transpose64AVX2(dst *int64, dstStep int, src *int64, srcStep, cols int)
