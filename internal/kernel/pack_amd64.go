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

// packVector packs a tile of BlockLanes lanes, and adds to nans. It reports
// whether there is vector code for it.
func packVector[K Key](block []K, t Tile, e Encoding[K], ahead int, nans []K) (done, nan bool) {
	size, lanes := int(unsafe.Sizeof(K(0))), BlockLanes[K]()
	if !packAVX512 && !packAVX2 {
		return false, false
	}
	switch {
	case t.LaneStride == 1 && size < 4:
		// As parts of 32 bits, which are encoded in their places.
		var none [BlockBytes / 4]int32
		packParts(at(block, 0), t.Base, t.Stride*size, t.N, Encoding[int32]{}, ahead, unsafe.Pointer(&none))
		return true, packPlaced(block, e, nans)
	case t.LaneStride == 1:
		return true, packParts(at(block, 0), t.Base, t.Stride*size, t.N, e, ahead, at(nans, 0))
	case t.Stride == 1 && size > 1:
		for first := 0; first < t.N; first += packRows {
			n := min(packRows, t.N-first)
			rows := block[first*lanes:][:n*lanes]
			// Row by row of the block is line by line of the lanes.
			most := transpose(rows, lanes, t.part(first, 0, n, lanes, uintptr(size)), ahead+first*(BlockBytes-size))
			if e.Code == Float && most >= 0 && most <= e.Inf {
				continue // keys of floats from 0 on are their bits
			}
			nan = packPlaced(rows, e, nans) || nan
		}
		return true, nan
	}
	return false, false
}

// packRows is how many rows are transposed before they are encoded: as many as
// stay in a first-level cache beside what they are made of.
const packRows = 128

// packPlaced turns the elements of whole rows of a block into keys.
func packPlaced[K Key](rows []K, e Encoding[K], nans []K) (nan bool) {
	switch {
	case e.Code == Signed:
		return false
	case unsafe.Sizeof(K(0)) >= 4:
		return packParts(at(rows, 0), at(rows, 0), BlockBytes, len(rows)/len(nans), e, 0, at(nans, 0))
	}
	nan = Encode(rows, rows, e) > 0
	if nan {
		countNaN(rows, nans)
	}
	return nan
}

// packParts encodes whole rows, as many lanes at a time as a vector holds.
func packParts[K Key](dst, src unsafe.Pointer, step, n int, e Encoding[K], ahead int, nans unsafe.Pointer) (nan bool) {
	flip, low, inf := K(0), K(0), K(-1)
	switch e.Code {
	case Unsigned:
		flip = MinKey[K]()
	case Float:
		low, inf = MaxKey[K](), e.Inf
	}
	if packAVX512 {
		return packPart(dst, src, step, n, flip, low, inf, ahead, nans)
	}
	if e.Code != Float {
		inf = MaxKey[K]() // no magnitude exceeds it
	}
	const half = BlockBytes / 2
	first := packPart(dst, src, step, n, flip, low, inf, ahead, nans)
	return packPart(unsafe.Add(dst, half), unsafe.Add(src, half), step, n, flip, low, inf, ahead, unsafe.Add(nans, half)) || first
}

// packPart encodes as many lanes as a vector holds.
func packPart[K Key](dst, src unsafe.Pointer, step, n int, flip, low, inf K, ahead int, nans unsafe.Pointer) bool {
	if unsafe.Sizeof(K(0)) == 4 {
		dst, src, nans := (*int32)(dst), (*int32)(src), (*int32)(nans)
		if packAVX512 {
			return pack32AVX512(dst, src, step, n, int32(flip), int32(low), int32(inf), ahead, nans)
		}
		return pack32AVX2(dst, src, step, n, int32(flip), int32(low), int32(inf), ahead, nans)
	}
	d, s, c := (*int64)(dst), (*int64)(src), (*int64)(nans)
	if packAVX512 {
		return pack64AVX512(d, s, step, n, int64(flip), int64(low), int64(inf), ahead, c)
	}
	return pack64AVX2(d, s, step, n, int64(flip), int64(low), int64(inf), ahead, c)
}

// The functions pack… write the keys of n rows of a vector, step bytes apart, to
// rows of a block, n is positive,
//
//	k := x ^ flip ^ (x>>(width-1))&low // the largest key if x&low > inf
//
// and add to nans, where any is NaN's, the count of the largest keys of each
// lane. They prefetch ahead bytes further on.

//go:noescape
func pack32AVX512(dst, src *int32, step, n int, flip, low, inf int32, ahead int, nans *int32) (nan bool)

//go:noescape
func pack32AVX2(dst, src *int32, step, n int, flip, low, inf int32, ahead int, nans *int32) (nan bool)

//go:noescape
func pack64AVX512(dst, src *int64, step, n int, flip, low, inf int64, ahead int, nans *int64) (nan bool)

//go:noescape
func pack64AVX2(dst, src *int64, step, n int, flip, low, inf int64, ahead int, nans *int64) (nan bool)
