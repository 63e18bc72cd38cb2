//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var collectAVX512, collectAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("Collect", "avx512", &collectAVX512)
	cpu.Register("Collect", "avx2", &collectAVX2)
	if collectAVX2 {
		for set := range collectOrder16 {
			toFront(collectOrder16[set][:], set, 8)
			toFront(collectOrder32[set][:], set, 8)
		}
		for set := range collectOrder64 {
			toFront(collectOrder64[set][:], set, 4)
		}
	}
}

// collectOrder16 … are, for each set of lanes of an AVX2 vector, or of half of one of 16-bit
// lanes, the permutation of its bytes or 32-bit parts that moves them to the front.
var (
	collectOrder16 [256][16]uint8
	collectOrder32 [256][8]uint32
	collectOrder64 [16][8]uint32
)

// collectVector collects the first done elements.
func collectVector[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Collected, done int) {
	size := int(unsafe.Sizeof(lo))
	n := len(src)
	if !collectAVX512 || size == 2 && !cpu.AVX512VBMI2 {
		n &^= 32/size - 1
	}
	if n == 0 || size == 1 || !collectAVX512 && !collectAVX2 {
		return c, 0
	}
	switch e.Code {
	case Signed:
		return collectIntegers(dst, src[:n], lo, hi, 0), n
	case Unsigned:
		return collectIntegers(dst, src[:n], lo, hi, MinKey[K]()), n
	}
	if size == 2 && hi >= ^e.Inf {
		return collectOrdered16(dst, src[:n], e, lo, hi), n
	}
	// Floats are compared as such, to which zeros are equal; between zeros, or
	// beyond the infinities, the keys are.
	if size == 2 || lo == 0 || hi == -1 || lo > e.Inf || hi < ^e.Inf {
		nan := Encode(dst[:n], src[:n], e)
		c, _ = collectVector(dst, dst[:n], Encoding[K]{}, lo, hi)
		c.NaN = nan
		return c, n
	}
	if !collectAVX512 || lo == hi {
		return collectOrdered(dst, src[:n], e, lo, hi), n
	}
	first := n
	if n >= collectParts {
		first = collectFirst
	}
	c = collectAny(dst, src[:first], e, lo, hi)
	if first == n {
		return c, n
	}
	var d Collected
	if dst, src := dst[c.Inside:], src[first:n]; c.NaN > first/16 {
		d = collectOrdered(dst, src, e, lo, hi)
	} else {
		d = collectAny(dst, src, e, lo, hi)
	}
	return Collected{c.Below + d.Below, c.Inside + d.Inside, c.NaN + d.NaN}, n
}

// collectFirst is how many elements tell whether NaN is rare: then it costs less
// to collect it than to tell it from others at once.
const collectFirst = 512

// collectParts is the number of elements from which that is worth another call:
// squeezed rows of 1000 float32 take 0.9 of the time with one.
const collectParts = 2048

// collectIntegers collects integers, of which some bits are flipped to get keys.
func collectIntegers[K Key](dst, src []K, lo, hi, flip K) (c Collected) {
	d, s, n := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	atLeast := 0
	switch unsafe.Sizeof(lo) {
	case 2:
		d, s, lo, hi, flip := (*int16)(d), (*int16)(s), int16(lo), int16(hi), int16(flip)
		if collectAVX512 && cpu.AVX512VBMI2 {
			atLeast, c.Inside = collect16AVX512(d, s, n, lo, hi, flip)
		} else {
			atLeast, c.Inside = collect16AVX2(d, s, n, lo, hi, flip, shortOrder[K]())
		}
	case 4:
		d, s, lo, hi, flip := (*int32)(d), (*int32)(s), int32(lo), int32(hi), int32(flip)
		if collectAVX512 {
			atLeast, c.Inside = collect32AVX512(d, s, n, lo, hi, flip)
		} else {
			atLeast, c.Inside = collect32AVX2(d, s, n, lo, hi, flip, shortOrder[K]())
		}
	case 8:
		d, s, lo, hi, flip := (*int64)(d), (*int64)(s), int64(lo), int64(hi), int64(flip)
		if collectAVX512 {
			atLeast, c.Inside = collect64AVX512(d, s, n, lo, hi, flip)
		} else {
			atLeast, c.Inside = collect64AVX2(d, s, n, lo, hi, flip, shortOrder[K]())
		}
	}
	c.Below = n - atLeast
	return c
}

// collectOrdered16 collects floats of 16 bits.
func collectOrdered16[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Collected) {
	flip := MinKey[K]() - ^e.Inf // to add to keys: that of -Inf becomes the smallest, and negative NaN comes last
	d, s, n := (*int16)(unsafe.Pointer(unsafe.SliceData(dst))), (*int16)(unsafe.Pointer(unsafe.SliceData(src))), len(src)
	from, to, limit := int16(lo+flip), int16(hi+flip), int16(e.Inf+flip)
	var atLeast, valid int
	if collectAVX512 && cpu.AVX512VBMI2 {
		atLeast, c.Inside, valid = collectOrdered16AVX512(d, s, n, from, to, int16(flip), limit)
	} else {
		atLeast, c.Inside, valid = collectOrdered16AVX2(d, s, n, from, to, int16(flip), limit, shortOrder[K]())
	}
	c.Below, c.NaN = valid-atLeast, n-valid
	return c
}

// collectAny collects floats, AVX-512 alone: it collects NaN too, and then looks
// at the keys that it has collected.
func collectAny[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Collected) {
	d, s, n := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	ends := [2]K{lo, hi}
	Decode(ends[:], ends[:], e, 0)
	atLeast := 0
	if unsafe.Sizeof(lo) == 4 {
		atLeast, c.Inside = collectFloat32AVX512((*int32)(d), (*int32)(s), n, int32(ends[0]), int32(ends[1]))
	} else {
		atLeast, c.Inside = collectFloat64AVX512((*int64)(d), (*int64)(s), n, int64(ends[0]), int64(ends[1]))
	}
	c.Below = n - atLeast
	kept := dst[:c.Inside]
	if c.NaN = Encode(kept, kept, e); c.NaN > 0 {
		c.Inside = Collect(kept, kept, Encoding[K]{}, lo, hi).Inside
	}
	return c
}

// shortOrder returns the table for keys of 16, 32 or 64 bits.
func shortOrder[K Key]() *uint32 {
	switch unsafe.Sizeof(K(0)) {
	case 2:
		return (*uint32)(unsafe.Pointer(&collectOrder16))
	case 4:
		return &collectOrder32[0][0]
	}
	return &collectOrder64[0][0]
}

// collectOrdered collects floats.
func collectOrdered[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Collected) {
	d, s, n := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	ends := [2]K{lo, hi}
	Decode(ends[:], ends[:], e, 0)
	var atLeast, valid int
	if unsafe.Sizeof(lo) == 4 {
		d, s, lo, hi := (*int32)(d), (*int32)(s), int32(ends[0]), int32(ends[1])
		if collectAVX512 {
			atLeast, c.Inside, valid = collectOrdered32AVX512(d, s, n, lo, hi)
		} else {
			atLeast, c.Inside, valid = collectOrdered32AVX2(d, s, n, lo, hi, shortOrder[K]())
		}
	} else {
		d, s, lo, hi := (*int64)(d), (*int64)(s), int64(ends[0]), int64(ends[1])
		if collectAVX512 {
			atLeast, c.Inside, valid = collectOrdered64AVX512(d, s, n, lo, hi)
		} else {
			atLeast, c.Inside, valid = collectOrdered64AVX2(d, s, n, lo, hi, shortOrder[K]())
		}
	}
	if lo != hi {
		Encode(dst[:c.Inside], dst[:c.Inside], e)
	}
	c.Below, c.NaN = valid-atLeast, n-valid
	return c
}

// The functions collect… are
//
//	for _, v := range src[:n] {
//		k := v // a float; else v ^ flip
//		if !(k < lo) { atLeast++ }
//		if !(k < lo) && !(k > hi) { dst[inside] = k; inside++ }
//	}
//
// and collectOrdered… are
//
//	for _, v := range src[:n] {
//		if v == v { valid++ }
//		if v >= lo { atLeast++ }
//		if v >= lo && v <= hi { dst[inside] = v; inside++ }
//	}
//
// but that collectOrdered16… write keys, and compare keys + flip, of which those
// beyond limit are NaN.
//
// n is positive, and a multiple of a vector for AVX2, which looks order up.

//go:noescape
func collect16AVX512(dst, src *int16, n int, lo, hi, flip int16) (atLeast, inside int)

//go:noescape
func collect16AVX2(dst, src *int16, n int, lo, hi, flip int16, order *uint32) (atLeast, inside int)

//go:noescape
func collect32AVX512(dst, src *int32, n int, lo, hi, flip int32) (atLeast, inside int)

//go:noescape
func collect32AVX2(dst, src *int32, n int, lo, hi, flip int32, order *uint32) (atLeast, inside int)

//go:noescape
func collectFloat32AVX512(dst, src *int32, n int, lo, hi int32) (atLeast, inside int)

//go:noescape
func collectOrdered16AVX512(dst, src *int16, n int, lo, hi, flip, limit int16) (atLeast, inside, valid int)

//go:noescape
func collectOrdered16AVX2(dst, src *int16, n int, lo, hi, flip, limit int16, order *uint32) (atLeast, inside, valid int)

//go:noescape
func collectOrdered32AVX512(dst, src *int32, n int, lo, hi int32) (atLeast, inside, valid int)

//go:noescape
func collectOrdered32AVX2(dst, src *int32, n int, lo, hi int32, order *uint32) (atLeast, inside, valid int)

//go:noescape
func collect64AVX512(dst, src *int64, n int, lo, hi, flip int64) (atLeast, inside int)

//go:noescape
func collect64AVX2(dst, src *int64, n int, lo, hi, flip int64, order *uint32) (atLeast, inside int)

//go:noescape
func collectFloat64AVX512(dst, src *int64, n int, lo, hi int64) (atLeast, inside int)

//go:noescape
func collectOrdered64AVX512(dst, src *int64, n int, lo, hi int64) (atLeast, inside, valid int)

//go:noescape
func collectOrdered64AVX2(dst, src *int64, n int, lo, hi int64, order *uint32) (atLeast, inside, valid int)
