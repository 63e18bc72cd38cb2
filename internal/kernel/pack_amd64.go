//go:build !noasm

package kernel

import (
	"math"
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
	if !rows && !columns || !packAVX512 && !packAVX2 {
		return 0, false
	}
	if size < 4 {
		return packNarrow(block, t, e, ahead, nans)
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
	step := (t.Stride + t.LaneStride - 1) * size
	for first := 0; first < BlockBytes/size; first += part / size {
		src := unsafe.Add(t.Base, first*t.LaneStride*size)
		if packPart(at(block, first*size), src, rows, step, n, flip, low, inf, ahead, at(nans, first*size)) {
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

// packNarrow is packVector for elements of 8 and 16 bits: they are moved as
// parts of 32 bits, and encoded in their places.
func packNarrow[K Key](block []K, t Tile, e Encoding[K], ahead int, nans []K) (done int, nan bool) {
	size := int(unsafe.Sizeof(K(0)))
	switch {
	case t.LaneStride == 1:
		done = t.N
		packRaw(at(block, 0), t.Base, false, t.Stride*size, done, ahead)
	case size == 2:
		done = packPairs(at(block, 0), t, ahead)
	}
	keys := block[:done*BlockLanes[K]()]
	if Encode(keys, keys, e) == 0 {
		return done, false
	}
	clear(nans)
	countNaN(keys, nans)
	return done, true
}

// packRaw moves parts of 32 bits unchanged, for a whole row of a block.
func packRaw(dst, src unsafe.Pointer, rows bool, step, n, ahead int) {
	var none [BlockBytes / 4]int32 // there are no NaNs to count
	if packAVX512 {
		packPart(dst, src, rows, step, n, 0, 0, int32(-1), ahead, unsafe.Pointer(&none))
		return
	}
	packPart(dst, src, rows, step, n, 0, 0, int32(math.MaxInt32), ahead, unsafe.Pointer(&none))
	half := BlockBytes / 2
	if src = unsafe.Add(src, half); rows {
		src = unsafe.Add(src, half/4*step-half)
	}
	packPart(unsafe.Add(dst, half), src, rows, step, n, 0, 0, int32(math.MaxInt32), ahead, unsafe.Pointer(&none))
}

// packPairs moves 16-bit elements of rows: two of each lane at a time, even and
// odd lanes apart, which are then merged. It returns how many of each it moved.
func packPairs(dst unsafe.Pointer, t Tile, ahead int) (done int) {
	const vectors = 16
	var even, odd [vectors * BlockBytes / 4]int32
	pitch := 2 * t.LaneStride
	for {
		pairs := min(vectors, (t.N-done)/2)
		if !packAVX512 {
			pairs &^= 7
		}
		if pairs == 0 {
			return done
		}
		src, to := unsafe.Add(t.Base, 2*done), (*int32)(unsafe.Add(dst, done*BlockBytes))
		packRaw(unsafe.Pointer(&even), src, true, 2*pitch, pairs, ahead)
		packRaw(unsafe.Pointer(&odd), unsafe.Add(src, pitch), true, 2*pitch, pairs, ahead)
		if packAVX512 {
			unpairAVX512(to, &even[0], &odd[0], pairs)
		} else {
			half := BlockBytes / 2 / 4
			unpairAVX2(to, &even[0], &odd[0], pairs)
			unpairAVX2((*int32)(unsafe.Add(unsafe.Pointer(to), BlockBytes/2)), &even[half], &odd[half], pairs)
		}
		done += 2 * pairs
	}
}

// packPart packs as many lanes as a vector holds.
func packPart[K Key](dst, src unsafe.Pointer, rows bool, step, n int, flip, low, inf K, ahead int, nans unsafe.Pointer) bool {
	if unsafe.Sizeof(K(0)) == 4 {
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

// unpairAVX512 is
//
//	for i := range n {
//		dst row 2i, elements 2j and 2j+1 = lower halves of even[i][j] and odd[i][j]
//		dst row 2i+1, elements 2j and 2j+1 = their upper halves
//	}
//
// for rows of 64 bytes, as unpairAVX2 for the first halves of them.
//
//go:noescape
func unpairAVX512(dst, even, odd *int32, n int)

//go:noescape
func unpairAVX2(dst, even, odd *int32, n int)
