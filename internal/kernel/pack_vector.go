//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var packShort = hasShort

func init() { cpu.Register("Pack", shortLevel, &packShort) }

// packVector packs a tile of all lanes of a block, and adds to nans. It reports
// whether there is vector code for it.
func packVector[K Key](block []K, t Tile, e Encoding[K], ahead int, nans []K) (done, nan bool) {
	size, lanes := int(unsafe.Sizeof(K(0))), len(nans)
	row := lanes * size
	if !(packsLong() && row == 64) && !(packShort && row%shortBytes == 0) {
		return false, false
	}
	switch {
	case t.LaneStride == 1 && size < 4:
		// As parts of 32 bits, none of which is NaN, to be encoded in their places.
		words := unsafe.Slice((*int32)(at(nans, 0)), row/4)
		packParts(at(block, 0), t.Base, t.Stride*size, t.N, Encoding[int32]{}, ahead, words)
		return true, packPlaced(block, e, nans)
	case t.LaneStride == 1:
		return true, packParts(at(block, 0), t.Base, t.Stride*size, t.N, e, ahead, nans)
	case t.Stride == 1 && size > 1:
		for first := 0; first < t.N; first += packRows {
			n := min(packRows, t.N-first)
			rows := block[first*lanes:][:n*lanes]
			// Row by row of the block is line by line of the lanes.
			most := transpose(rows, lanes, t.part(first, 0, n, lanes, uintptr(size)), ahead+first*(row-size))
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
		all := at(rows, 0)
		return packParts(all, all, len(nans)*int(unsafe.Sizeof(K(0))), len(rows)/len(nans), e, 0, nans)
	}
	nan = Encode(rows, rows, e) > 0
	if nan {
		countNaN(rows, nans)
	}
	return nan
}

// packParts encodes whole rows, as many lanes at a time as a vector holds.
func packParts[K Key](dst, src unsafe.Pointer, step, n int, e Encoding[K], ahead int, nans []K) (nan bool) {
	row := len(nans) * int(unsafe.Sizeof(K(0)))
	flip, low, inf := K(0), K(0), K(-1)
	switch e.Code {
	case Unsigned:
		flip = MinKey[K]()
	case Float:
		low, inf = MaxKey[K](), e.Inf
	}
	if packsLong() && row == 64 {
		return packLong(dst, src, step, n, flip, low, inf, ahead, at(nans, 0))
	}
	if e.Code != Float {
		inf = MaxKey[K]() // no magnitude exceeds it
	}
	for part := 0; part < row; part += shortBytes {
		nan = packPart(unsafe.Add(dst, part), unsafe.Add(src, part), row, step, n, flip, low, inf, ahead, at(nans, part)) || nan
	}
	return nan
}

// packPart encodes as many lanes as a vector holds.
func packPart[K Key](dst, src unsafe.Pointer, row, step, n int, flip, low, inf K, ahead int, nans unsafe.Pointer) bool {
	if unsafe.Sizeof(K(0)) == 4 {
		return pack32Short((*int32)(dst), (*int32)(src), row, step, n, int32(flip), int32(low), int32(inf), ahead, (*int32)(nans))
	}
	return pack64Short((*int64)(dst), (*int64)(src), row, step, n, int64(flip), int64(low), int64(inf), ahead, (*int64)(nans))
}

// The functions pack… write the keys of n rows of a vector, step bytes apart, to
// rows of a block, row bytes apart, or 64 of AVX-512; n is positive,
//
//	k := x ^ flip ^ (x>>(width-1))&low // the largest key if x&low > inf
//
// and add to nans, where any is NaN's, the count of the largest keys of each
// lane. They prefetch ahead bytes further on.

//go:noescape
func pack32Short(dst, src *int32, row, step, n int, flip, low, inf int32, ahead int, nans *int32) (nan bool)

//go:noescape
func pack64Short(dst, src *int64, row, step, n int, flip, low, inf int64, ahead int, nans *int64) (nan bool)
