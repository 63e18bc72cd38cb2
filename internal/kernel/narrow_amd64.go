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

// narrowVector narrows the first done elements; it counts keys equal to hi in
// AtHi if hi is lo, too.
func narrowVector[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Narrowed, done int) {
	size := int(unsafe.Sizeof(lo))
	n := len(src)
	if !narrowAVX512 {
		n &^= 32/max(size, 4) - 1
	}
	if n == 0 || !narrowAVX512 && !narrowAVX2 {
		return c, 0
	}
	var flip K
	if e.Code == Unsigned {
		flip = MinKey[K]()
	}
	valid := n
	if e.Code == Float && size < 4 {
		valid -= Encode(dst[:n], src[:n], e)
		c, _ = narrowVector(dst, dst[:n], Encoding[K]{}, lo, hi)
		c.NaN = n - valid
		return c, n
	}
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch size {
	case 1:
		d, s := (*int8)(d), (*int8)(s)
		lo, hi, flip, order := int32(lo), int32(hi), int32(flip), &narrowOrder32[0][0]
		if narrowAVX512 {
			c.Below, c.AtLo, c.Between, c.AtHi, _ = narrow8AVX512(d, s, n, lo, hi, flip, order)
		} else {
			c.Below, c.AtLo, c.Between, c.AtHi, _ = narrow8AVX2(d, s, n, lo, hi, flip, order)
		}
	case 2:
		d, s := (*int16)(d), (*int16)(s)
		lo, hi, flip, order := int32(lo), int32(hi), int32(flip), &narrowOrder32[0][0]
		if narrowAVX512 {
			c.Below, c.AtLo, c.Between, c.AtHi, _ = narrow16AVX512(d, s, n, lo, hi, flip, order)
		} else {
			c.Below, c.AtLo, c.Between, c.AtHi, _ = narrow16AVX2(d, s, n, lo, hi, flip, order)
		}
	case 4:
		d, s := (*int32)(d), (*int32)(s)
		lo, hi, flip, inf, order := int32(lo), int32(hi), int32(flip), int32(e.Inf), &narrowOrder32[0][0]
		switch {
		case narrowAVX512 && e.Code == Float:
			c.Below, c.AtLo, c.Between, c.AtHi, valid = narrowFloat32AVX512(d, s, n, lo, hi, inf, order)
		case narrowAVX512:
			c.Below, c.AtLo, c.Between, c.AtHi, valid = narrow32AVX512(d, s, n, lo, hi, flip, order)
		case e.Code == Float:
			c.Below, c.AtLo, c.Between, c.AtHi, valid = narrowFloat32AVX2(d, s, n, lo, hi, inf, order)
		default:
			c.Below, c.AtLo, c.Between, c.AtHi, valid = narrow32AVX2(d, s, n, lo, hi, flip, order)
		}
	case 8:
		d, s := (*int64)(d), (*int64)(s)
		lo, hi, flip, inf, order := int64(lo), int64(hi), int64(flip), int64(e.Inf), &narrowOrder64[0][0]
		switch {
		case narrowAVX512 && e.Code == Float:
			c.Below, c.AtLo, c.Between, c.AtHi, valid = narrowFloat64AVX512(d, s, n, lo, hi, inf, order)
		case narrowAVX512:
			c.Below, c.AtLo, c.Between, c.AtHi, valid = narrow64AVX512(d, s, n, lo, hi, flip, order)
		case e.Code == Float:
			c.Below, c.AtLo, c.Between, c.AtHi, valid = narrowFloat64AVX2(d, s, n, lo, hi, inf, order)
		default:
			c.Below, c.AtLo, c.Between, c.AtHi, valid = narrow64AVX2(d, s, n, lo, hi, flip, order)
		}
	}
	c.NaN = n - valid
	return c, n
}

// The functions narrow… are
//
//	for _, v := range src[:n] {
//		k := key(v) // of a float; else v ^ flip
//		if v is not NaN {
//			valid++
//			if k < lo { below++ }
//			if k == lo { atLo++ }
//			if lo < k && k < hi { dst[between] = k; between++ }
//			if k == hi { atHi++ }
//		}
//	}
//
// n is positive, and a multiple of a vector of keys for AVX2, which looks order
// up. Keys of 8 and 16 bits are widened to 32.

//go:noescape
func narrow8AVX512(dst, src *int8, n int, lo, hi, flip int32, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrow8AVX2(dst, src *int8, n int, lo, hi, flip int32, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrow16AVX512(dst, src *int16, n int, lo, hi, flip int32, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrow16AVX2(dst, src *int16, n int, lo, hi, flip int32, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrow32AVX512(dst, src *int32, n int, lo, hi, flip int32, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrowFloat32AVX512(dst, src *int32, n int, lo, hi, inf int32, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrow64AVX512(dst, src *int64, n int, lo, hi, flip int64, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrowFloat64AVX512(dst, src *int64, n int, lo, hi, inf int64, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrow32AVX2(dst, src *int32, n int, lo, hi, flip int32, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrowFloat32AVX2(dst, src *int32, n int, lo, hi, inf int32, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrow64AVX2(dst, src *int64, n int, lo, hi, flip int64, order *uint32) (below, atLo, between, atHi, valid int)

//go:noescape
func narrowFloat64AVX2(dst, src *int64, n int, lo, hi, inf int64, order *uint32) (below, atLo, between, atHi, valid int)
