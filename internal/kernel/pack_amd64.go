//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var packAVX512, packAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("Pack", "avx512", &packAVX512)
	cpu.Register("Pack", "avx2", &packAVX2)
}

// packVector packs the first done rows of a tile of BlockLanes lanes.
func packVector[K Key](block []K, t Tile, e Encoding[K], ahead int, nans []K) (done int, nan bool) {
	size := int(unsafe.Sizeof(K(0)))
	rows, columns := t.Stride == 1, t.LaneStride == 1
	if size < 4 || !rows && !columns || !packAVX512 && !packAVX2 {
		return 0, false
	}
	n, part := t.N, BlockBytes
	if !packAVX512 {
		part /= 2
		if rows {
			n &^= part/size - 1
		}
	}
	if n == 0 {
		return 0, false
	}
	flip, low, inf := K(0), K(0), K(-1)
	switch e.Code {
	case Unsigned:
		flip = MinKey[K]()
	case Float:
		low, inf = MaxKey[K](), e.Inf
	}
	if !packAVX512 && e.Code != Float {
		inf = MaxKey[K]() // no magnitude exceeds it
	}
	for first := 0; first < BlockBytes/size; first += part / size {
		src := unsafe.Add(t.Base, first*t.LaneStride*size)
		if packPart(at(block, first*size), src, t, n, flip, low, inf, ahead, at(nans, first*size)) {
			if !nan {
				clear(nans[:first])
			}
			nan = true
		} else if nan {
			clear(nans[first:])
		}
	}
	return n, nan
}

// packPart packs as many lanes as a vector holds.
func packPart[K Key](dst, src unsafe.Pointer, t Tile, n int, flip, low, inf K, ahead int, nans unsafe.Pointer) bool {
	size := int(unsafe.Sizeof(K(0)))
	rows := t.Stride == 1
	step := (t.Stride + t.LaneStride - 1) * size
	if size == 4 {
		dst, src, nans := (*int32)(dst), (*int32)(src), (*int32)(nans)
		flip, low, inf := int32(flip), int32(low), int32(inf)
		switch {
		case packAVX512 && rows:
			return packRows32AVX512(dst, src, step, n, flip, low, inf, ahead, nans)
		case packAVX512:
			return packColumns32AVX512(dst, src, step, n, flip, low, inf, ahead, nans)
		case rows:
			return packRows32AVX2(dst, src, step, n, flip, low, inf, ahead, nans)
		default:
			return packColumns32AVX2(dst, src, step, n, flip, low, inf, ahead, nans)
		}
	}
	d, s, c := (*int64)(dst), (*int64)(src), (*int64)(nans)
	f, l, i := int64(flip), int64(low), int64(inf)
	switch {
	case packAVX512 && rows:
		return packRows64AVX512(d, s, step, n, f, l, i, ahead, c)
	case packAVX512:
		return packColumns64AVX512(d, s, step, n, f, l, i, ahead, c)
	case rows:
		return packRows64AVX2(d, s, step, n, f, l, i, ahead, c)
	default:
		return packColumns64AVX2(d, s, step, n, f, l, i, ahead, c)
	}
}

// The functions pack… write the keys of n elements of each of the lanes of a
// vector to the rows of a block,
//
//	k := x ^ flip ^ (x>>(width-1))&low // the largest key if x&low > inf
//
// and count, where any is NaN's, the largest keys of each lane. packRows… take
// adjacent elements, lanes that lie step bytes apart; packColumns… adjacent
// lanes, elements that lie step bytes apart. n is positive, and a multiple of a
// vector for packRows… of AVX2. They prefetch ahead bytes further on.

//go:noescape
func packRows32AVX512(dst, src *int32, step, n int, flip, low, inf int32, ahead int, nans *int32) (nan bool)

//go:noescape
func packRows32AVX2(dst, src *int32, step, n int, flip, low, inf int32, ahead int, nans *int32) (nan bool)

//go:noescape
func packRows64AVX512(dst, src *int64, step, n int, flip, low, inf int64, ahead int, nans *int64) (nan bool)

//go:noescape
func packRows64AVX2(dst, src *int64, step, n int, flip, low, inf int64, ahead int, nans *int64) (nan bool)

//go:noescape
func packColumns32AVX512(dst, src *int32, step, n int, flip, low, inf int32, ahead int, nans *int32) (nan bool)

//go:noescape
func packColumns32AVX2(dst, src *int32, step, n int, flip, low, inf int32, ahead int, nans *int32) (nan bool)

//go:noescape
func packColumns64AVX512(dst, src *int64, step, n int, flip, low, inf int64, ahead int, nans *int64) (nan bool)

//go:noescape
func packColumns64AVX2(dst, src *int64, step, n int, flip, low, inf int64, ahead int, nans *int64) (nan bool)
