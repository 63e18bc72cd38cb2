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
	// Floats are compared as such, to which zeros are equal; between zeros, or
	// where there is no such instruction, the keys are.
	if e.Code == Float && (size == 2 || lo == 0 || hi == -1) {
		nan := Encode(dst[:n], src[:n], e)
		c, _ = narrowVector(dst, dst[:n], Encoding[K]{}, lo, hi)
		c.NaN = nan
		return c, n
	}
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	var flip K
	if e.Code == Unsigned {
		flip = MinKey[K]()
	}
	atLeast, valid := 0, n
	if e.Code == Float {
		ends := [2]K{lo, hi}
		Decode(ends[:], ends[:], e, 0)
		lo, hi = ends[0], ends[1]
	}
	switch size {
	case 2:
		d, s := (*int16)(d), (*int16)(s)
		lo, hi, flip := int16(lo), int16(hi), int16(flip)
		if narrowAVX512 && cpu.AVX512VBMI2 {
			atLeast, c.Inside, valid = narrow16AVX512(d, s, n, lo, hi, flip)
		} else {
			atLeast, c.Inside, valid = narrow16AVX2(d, s, n, lo, hi, flip, &narrowOrder32[0][0])
		}
	case 4:
		d, s := (*int32)(d), (*int32)(s)
		lo, hi, flip, order := int32(lo), int32(hi), int32(flip), &narrowOrder32[0][0]
		switch {
		case narrowAVX512 && e.Code == Float:
			atLeast, c.Inside, valid = narrowFloat32AVX512(d, s, n, lo, hi)
		case narrowAVX512:
			atLeast, c.Inside, valid = narrow32AVX512(d, s, n, lo, hi, flip)
		case e.Code == Float:
			atLeast, c.Inside, valid = narrowFloat32AVX2(d, s, n, lo, hi, order)
		default:
			atLeast, c.Inside, valid = narrow32AVX2(d, s, n, lo, hi, flip, order)
		}
	case 8:
		d, s := (*int64)(d), (*int64)(s)
		lo, hi, flip, order := int64(lo), int64(hi), int64(flip), &narrowOrder64[0][0]
		switch {
		case narrowAVX512 && e.Code == Float:
			atLeast, c.Inside, valid = narrowFloat64AVX512(d, s, n, lo, hi)
		case narrowAVX512:
			atLeast, c.Inside, valid = narrow64AVX512(d, s, n, lo, hi, flip)
		case e.Code == Float:
			atLeast, c.Inside, valid = narrowFloat64AVX2(d, s, n, lo, hi, order)
		default:
			atLeast, c.Inside, valid = narrow64AVX2(d, s, n, lo, hi, flip, order)
		}
	}
	if e.Code == Float && lo != hi {
		Encode(dst[:c.Inside], dst[:c.Inside], e)
	}
	c.Below, c.NaN = valid-atLeast, n-valid
	return c, n
}

// The functions narrow… are
//
//	for _, v := range src[:n] {
//		k := v // a float; else v ^ flip
//		if v is not NaN {
//			valid++
//			if k >= lo { atLeast++ }
//			if lo <= k && k <= hi { dst[inside] = k; inside++ }
//		}
//	}
//
// n is positive, and a multiple of a vector of lanes of at least 32 bits for
// AVX2, which looks order up.

//go:noescape
func narrow16AVX512(dst, src *int16, n int, lo, hi, flip int16) (atLeast, inside, valid int)

//go:noescape
func narrow16AVX2(dst, src *int16, n int, lo, hi, flip int16, order *uint32) (atLeast, inside, valid int)

//go:noescape
func narrow32AVX512(dst, src *int32, n int, lo, hi, flip int32) (atLeast, inside, valid int)

//go:noescape
func narrowFloat32AVX512(dst, src *int32, n int, lo, hi int32) (atLeast, inside, valid int)

//go:noescape
func narrow64AVX512(dst, src *int64, n int, lo, hi, flip int64) (atLeast, inside, valid int)

//go:noescape
func narrowFloat64AVX512(dst, src *int64, n int, lo, hi int64) (atLeast, inside, valid int)

//go:noescape
func narrow32AVX2(dst, src *int32, n int, lo, hi, flip int32, order *uint32) (atLeast, inside, valid int)

//go:noescape
func narrowFloat32AVX2(dst, src *int32, n int, lo, hi int32, order *uint32) (atLeast, inside, valid int)

//go:noescape
func narrow64AVX2(dst, src *int64, n int, lo, hi, flip int64, order *uint32) (atLeast, inside, valid int)

//go:noescape
func narrowFloat64AVX2(dst, src *int64, n int, lo, hi int64, order *uint32) (atLeast, inside, valid int)
