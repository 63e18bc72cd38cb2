//go:build !noasm

package kernel

import (
	"math/bits"
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var narrowAVX512, narrowAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("Narrow", "avx512", &narrowAVX512)
	cpu.Register("Narrow", "avx2", &narrowAVX2)
	if narrowAVX2 {
		for mask := range narrowOrder32 {
			narrowOrder32[mask] = toFront(mask, 8)
		}
		for mask := range narrowOrder64 {
			narrowOrder64[mask] = toFront(mask, 4)
		}
	}
}

// narrowOrder32 and narrowOrder64 are, for each set of lanes of an AVX2
// vector, the permutation of its 32-bit parts that moves them to the front.
var (
	narrowOrder32 [256][8]uint32
	narrowOrder64 [16][8]uint32
)

// toFront returns the permutation for a set of some lanes.
func toFront(mask, lanes int) (order [8]uint32) {
	parts := 8 / lanes
	at := 0
	for m := uint(mask); m != 0; m &= m - 1 {
		first := bits.TrailingZeros(m) * parts
		for i := range parts {
			order[at] = uint32(first + i)
			at++
		}
	}
	return order
}

// narrowVector narrows the first done elements.
func narrowVector[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Narrowed, done int) {
	size := int(unsafe.Sizeof(lo))
	n := len(src)
	if !narrowAVX512 || size == 2 && !cpu.AVX512VBMI2 {
		n &^= 32/max(size, 4) - 1
	}
	if n == 0 || size == 1 || !narrowAVX512 && !narrowAVX2 {
		return c, 0
	}
	switch e.Code {
	case Signed:
		return narrowIntegers(dst, src[:n], lo, hi, 0), n
	case Unsigned:
		return narrowIntegers(dst, src[:n], lo, hi, MinKey[K]()), n
	}
	if size == 2 && narrowAVX512 && cpu.AVX512VBMI2 && hi >= ^e.Inf {
		return narrowHalves(dst, src[:n], e, lo, hi), n
	}
	// Floats are compared as such, to which zeros are equal; between zeros,
	// beyond the infinities, or where there is no such instruction, the keys are.
	if size == 2 || lo == 0 || hi == -1 || lo > e.Inf || hi < ^e.Inf {
		nan := Encode(dst[:n], src[:n], e)
		c, _ = narrowVector(dst, dst[:n], Encoding[K]{}, lo, hi)
		c.NaN = nan
		return c, n
	}
	if !narrowAVX512 || lo == hi {
		return narrowOrdered(dst, src[:n], e, lo, hi), n
	}
	first := n
	if n >= narrowParts {
		first = narrowFirst
	}
	c = narrowAny(dst, src[:first], e, lo, hi)
	if first == n {
		return c, n
	}
	var d Narrowed
	if dst, src := dst[c.Inside:], src[first:n]; c.NaN > first/16 {
		d = narrowOrdered(dst, src, e, lo, hi)
	} else {
		d = narrowAny(dst, src, e, lo, hi)
	}
	return Narrowed{c.Below + d.Below, c.Inside + d.Inside, c.NaN + d.NaN}, n
}

// narrowFirst is how many elements tell whether NaN is rare: then it costs less
// to collect it than to tell it from others at once.
const narrowFirst = 512

// narrowParts is the number of elements from which that is worth another call:
// squeezed rows of 1000 float32 take 0.9 of the time with one.
const narrowParts = 2048

// narrowIntegers narrows integers, of which some bits are flipped to get keys.
func narrowIntegers[K Key](dst, src []K, lo, hi, flip K) (c Narrowed) {
	d, s, n := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	atLeast := 0
	switch unsafe.Sizeof(lo) {
	case 2:
		d, s, lo, hi, flip := (*int16)(d), (*int16)(s), int16(lo), int16(hi), int16(flip)
		if narrowAVX512 && cpu.AVX512VBMI2 {
			atLeast, c.Inside = narrow16AVX512(d, s, n, lo, hi, flip)
		} else {
			atLeast, c.Inside = narrow16AVX2(d, s, n, lo, hi, flip, &narrowOrder32[0][0])
		}
	case 4:
		d, s, lo, hi, flip := (*int32)(d), (*int32)(s), int32(lo), int32(hi), int32(flip)
		if narrowAVX512 {
			atLeast, c.Inside = narrow32AVX512(d, s, n, lo, hi, flip)
		} else {
			atLeast, c.Inside = narrow32AVX2(d, s, n, lo, hi, flip, &narrowOrder32[0][0])
		}
	case 8:
		d, s, lo, hi, flip := (*int64)(d), (*int64)(s), int64(lo), int64(hi), int64(flip)
		if narrowAVX512 {
			atLeast, c.Inside = narrow64AVX512(d, s, n, lo, hi, flip)
		} else {
			atLeast, c.Inside = narrow64AVX2(d, s, n, lo, hi, flip, &narrowOrder64[0][0])
		}
	}
	c.Below = n - atLeast
	return c
}

// narrowHalves narrows floats of 16 bits.
func narrowHalves[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Narrowed) {
	flip := MinKey[K]() - ^e.Inf // to add to keys: that of -Inf becomes the smallest, and negative NaN comes last
	d, s, n := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	atLeast, inside, valid := narrowOrdered16AVX512((*int16)(d), (*int16)(s), n,
		int16(lo+flip), int16(hi+flip), int16(flip), int16(e.Inf+flip))
	return Narrowed{Below: valid - atLeast, Inside: inside, NaN: n - valid}
}

// narrowAny narrows floats, AVX-512 alone: it collects NaN too, and then looks
// at the keys that it has collected.
func narrowAny[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Narrowed) {
	d, s, n := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	ends := [2]K{lo, hi}
	Decode(ends[:], ends[:], e, 0)
	atLeast := 0
	if unsafe.Sizeof(lo) == 4 {
		atLeast, c.Inside = narrowFloat32AVX512((*int32)(d), (*int32)(s), n, int32(ends[0]), int32(ends[1]))
	} else {
		atLeast, c.Inside = narrowFloat64AVX512((*int64)(d), (*int64)(s), n, int64(ends[0]), int64(ends[1]))
	}
	c.Below = n - atLeast
	kept := dst[:c.Inside]
	if c.NaN = Encode(kept, kept, e); c.NaN > 0 {
		c.Inside = Narrow(kept, kept, Encoding[K]{}, lo, hi).Inside
	}
	return c
}

// narrowOrdered narrows floats.
func narrowOrdered[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Narrowed) {
	d, s, n := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	ends := [2]K{lo, hi}
	Decode(ends[:], ends[:], e, 0)
	atLeast, valid := 0, 0
	if unsafe.Sizeof(lo) == 4 {
		d, s, lo, hi := (*int32)(d), (*int32)(s), int32(ends[0]), int32(ends[1])
		if narrowAVX512 {
			atLeast, c.Inside, valid = narrowOrdered32AVX512(d, s, n, lo, hi)
		} else {
			atLeast, c.Inside, valid = narrowOrdered32AVX2(d, s, n, lo, hi, &narrowOrder32[0][0])
		}
	} else {
		d, s, lo, hi := (*int64)(d), (*int64)(s), int64(ends[0]), int64(ends[1])
		if narrowAVX512 {
			atLeast, c.Inside, valid = narrowOrdered64AVX512(d, s, n, lo, hi)
		} else {
			atLeast, c.Inside, valid = narrowOrdered64AVX2(d, s, n, lo, hi, &narrowOrder64[0][0])
		}
	}
	if lo != hi {
		Encode(dst[:c.Inside], dst[:c.Inside], e)
	}
	c.Below, c.NaN = valid-atLeast, n-valid
	return c
}

// The functions narrow… are
//
//	for _, v := range src[:n] {
//		k := v // a float; else v ^ flip
//		if !(k < lo) { atLeast++ }
//		if !(k < lo) && !(k > hi) { dst[inside] = k; inside++ }
//	}
//
// and narrowOrdered… are
//
//	for _, v := range src[:n] {
//		if v == v { valid++ }
//		if v >= lo { atLeast++ }
//		if v >= lo && v <= hi { dst[inside] = v; inside++ }
//	}
//
// but that narrowOrdered16AVX512 writes keys, and compares keys + flip, of which those
// beyond limit are NaN.
//
// n is positive, and a multiple of a vector of lanes of at least 32 bits for
// AVX2, which looks order up.

//go:noescape
func narrow16AVX512(dst, src *int16, n int, lo, hi, flip int16) (atLeast, inside int)

//go:noescape
func narrow16AVX2(dst, src *int16, n int, lo, hi, flip int16, order *uint32) (atLeast, inside int)

//go:noescape
func narrow32AVX512(dst, src *int32, n int, lo, hi, flip int32) (atLeast, inside int)

//go:noescape
func narrow32AVX2(dst, src *int32, n int, lo, hi, flip int32, order *uint32) (atLeast, inside int)

//go:noescape
func narrowFloat32AVX512(dst, src *int32, n int, lo, hi int32) (atLeast, inside int)

//go:noescape
func narrowOrdered16AVX512(dst, src *int16, n int, lo, hi, flip, limit int16) (atLeast, inside, valid int)

//go:noescape
func narrowOrdered32AVX512(dst, src *int32, n int, lo, hi int32) (atLeast, inside, valid int)

//go:noescape
func narrowOrdered32AVX2(dst, src *int32, n int, lo, hi int32, order *uint32) (atLeast, inside, valid int)

//go:noescape
func narrow64AVX512(dst, src *int64, n int, lo, hi, flip int64) (atLeast, inside int)

//go:noescape
func narrow64AVX2(dst, src *int64, n int, lo, hi, flip int64, order *uint32) (atLeast, inside int)

//go:noescape
func narrowFloat64AVX512(dst, src *int64, n int, lo, hi int64) (atLeast, inside int)

//go:noescape
func narrowOrdered64AVX512(dst, src *int64, n int, lo, hi int64) (atLeast, inside, valid int)

//go:noescape
func narrowOrdered64AVX2(dst, src *int64, n int, lo, hi int64, order *uint32) (atLeast, inside, valid int)
