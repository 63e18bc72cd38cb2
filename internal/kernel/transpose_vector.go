//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var transposeShort = hasShort

func init() { cpu.Register("Transpose", shortLevel, &transposeShort) }

// transposeVector is transpose; it reports whether there is vector code for it,
// and the largest element as an unsigned number, or -1 if that is not known.
func transposeVector[K Key](dst []K, stride int, t Tile, ahead int) (done bool, most K) {
	size := int(unsafe.Sizeof(K(0)))
	vector := shortBytes / size
	if transposesLong() {
		vector = 64 / size
	}
	if size == 1 || t.N*size < 16 || t.Lanes < vector || !transposeShort && !transposesLong() {
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
	if transposesLong() {
		return transposeLong(dst, stride, t, blocks, ahead)
	}
	size := int(unsafe.Sizeof(K(0)))
	d, dstStep, srcStep := at(dst, 0), stride*size, t.LaneStride*size
	switch size {
	case 2:
		transpose16Short((*int16)(d), dstStep, (*int16)(t.Base), srcStep, t.N, blocks, ahead)
	case 4:
		transpose32Short((*int32)(d), dstStep, (*int32)(t.Base), srcStep, t.N, blocks, ahead)
	default:
		transpose64Short((*int64)(d), dstStep, (*int64)(t.Base), srcStep, t.N, blocks, ahead)
	}
	return -1
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
func transpose16Short(dst *int16, dstStep int, src *int16, srcStep, n, blocks, ahead int)

//go:noescape
func transpose32Short(dst *int32, dstStep int, src *int32, srcStep, n, blocks, ahead int)

//go:noescape
func transpose64Short(dst *int64, dstStep int, src *int64, srcStep, n, blocks, ahead int)
