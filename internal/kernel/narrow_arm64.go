//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var narrowNEON = cpu.NEON

func init() {
	cpu.Register("Narrow", "neon", &narrowNEON)
	toFront(narrowOrder16[:], 2)
	toFront(narrowOrder32[:], 4)
	toFront(narrowOrder64[:], 8)
}

// narrowOrder16 … have, after a row of weights of the lanes of a vector, a row
// for each set of lanes: the bytes that move the lanes to the front. A lane's
// weight is its bit in the set's number, and 256.
var (
	narrowOrder16 [1 + 256][16]uint8
	narrowOrder32 [1 + 16][16]uint8
	narrowOrder64 [1 + 4][16]uint8
)

// toFront fills the table for lanes of the given size. Weights have 16 bits
// each, at whatever size.
func toFront(order [][16]uint8, size int) {
	for lane := range 8 {
		order[0][2*lane], order[0][2*lane+1] = 1<<lane, 1
	}
	for set := range order[1:] {
		at := 0
		for lane := range 16 / size {
			if set>>lane&1 == 0 {
				continue
			}
			for b := range size {
				order[1+set][at] = uint8(lane*size + b)
				at++
			}
		}
	}
}

// narrowVectorMax is the most keys that one call of a narrow… function takes,
// so that no 16-bit lane of its counters overflows.
const narrowVectorMax = 1 << 16

// narrowVector narrows the first done elements; it counts keys equal to hi in
// AtHi if hi is lo, too.
func narrowVector[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Narrowed, done int) {
	size := int(unsafe.Sizeof(lo))
	round := 32 / max(size, 2)
	if !narrowNEON || len(src) < round {
		return c, 0
	}
	if e.Code == Float && size < 4 {
		n := len(src) &^ (round - 1)
		c.NaN = Encode(dst[:n], src[:n], e)
		ints, _ := narrowVector(dst, dst[:n], Encoding[K]{}, lo, hi)
		ints.NaN = c.NaN
		return ints, n
	}
	code := int64(e.Inf)
	switch e.Code {
	case Unsigned:
		code = int64(MinKey[K]())
	case Signed:
		code = 0
	}
	for len(src)-done >= round {
		n := min(len(src)-done, narrowVectorMax) &^ (round - 1)
		d, s, lo, hi := unsafe.Pointer(&dst[c.Between]), unsafe.Pointer(&src[done]), int64(lo), int64(hi)
		var below, aboveLo, between, atHi, nan int
		switch {
		case size == 1:
			below, aboveLo, between, atHi = narrow8NEON((*int8)(d), (*int8)(s), n, lo, hi, code, &narrowOrder16[0][0])
		case size == 2:
			below, aboveLo, between, atHi = narrow16NEON((*int16)(d), (*int16)(s), n, lo, hi, code, &narrowOrder16[0][0])
		case size == 4 && e.Code == Float:
			below, aboveLo, between, atHi, nan = narrowFloat32NEON((*int32)(d), (*int32)(s), n, lo, hi, code, &narrowOrder32[0][0])
		case size == 4:
			below, aboveLo, between, atHi = narrow32NEON((*int32)(d), (*int32)(s), n, lo, hi, code, &narrowOrder32[0][0])
		case e.Code == Float:
			below, aboveLo, between, atHi, nan = narrowFloat64NEON((*int64)(d), (*int64)(s), n, lo, hi, code, &narrowOrder64[0][0])
		default:
			below, aboveLo, between, atHi = narrow64NEON((*int64)(d), (*int64)(s), n, lo, hi, code, &narrowOrder64[0][0])
		}
		c.Below += below
		c.AtLo += n - below - aboveLo
		c.Between += between
		c.AtHi += atHi
		c.NaN += nan
		done += n
	}
	return c, done
}

// The functions narrow… are
//
//	for _, v := range src[:n] {
//		k := key(v) // of a float, NaN's largest of all; else v ^ flip
//		if k < lo { below++ }
//		if k > lo { aboveLo++ }
//		if lo < k && k < hi { dst[between] = k; between++ }
//		if k == hi { atHi++ }
//		if v is NaN { nan++ }
//	}
//
// n is a positive multiple of the keys in two vectors, bytes widened to 16
// bits, and at most narrowVectorMax. They look order up.

//go:noescape
func narrow8NEON(dst, src *int8, n int, lo, hi, flip int64, order *uint8) (below, aboveLo, between, atHi int)

//go:noescape
func narrow16NEON(dst, src *int16, n int, lo, hi, flip int64, order *uint8) (below, aboveLo, between, atHi int)

//go:noescape
func narrow32NEON(dst, src *int32, n int, lo, hi, flip int64, order *uint8) (below, aboveLo, between, atHi int)

//go:noescape
func narrow64NEON(dst, src *int64, n int, lo, hi, flip int64, order *uint8) (below, aboveLo, between, atHi int)

//go:noescape
func narrowFloat32NEON(dst, src *int32, n int, lo, hi, inf int64, order *uint8) (below, aboveLo, between, atHi, nan int)

//go:noescape
func narrowFloat64NEON(dst, src *int64, n int, lo, hi, inf int64, order *uint8) (below, aboveLo, between, atHi, nan int)
