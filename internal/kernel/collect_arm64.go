//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var collectNEON = cpu.NEON

func init() {
	cpu.Register("Collect", "neon", &collectNEON)
	fillOrder(collectOrder16[:], 8)
	fillOrder(collectOrder32[:], 4)
	fillOrder(collectOrder64[:], 2)
}

// collectOrder16 … have, after a row of weights of the lanes of a vector, a row
// for each set of lanes: the bytes that move the lanes to the front. A lane's
// weight is its bit in the set's number, and 256.
var (
	collectOrder16 [1 + 256][16]uint8
	collectOrder32 [1 + 16][16]uint8
	collectOrder64 [1 + 4][16]uint8
)

// fillOrder fills the table for vectors of some lanes. Weights have 16 bits each, at
// whatever size.
func fillOrder(order [][16]uint8, lanes int) {
	for lane := range 8 {
		order[0][2*lane], order[0][2*lane+1] = 1<<lane, 1
	}
	for set := range order[1:] {
		toFront(order[1+set][:], set, lanes)
	}
}

// shortOrder returns the table for keys of 32 or 64 bits.
func shortOrder[K Key]() *uint32 {
	if unsafe.Sizeof(K(0)) == 4 {
		return (*uint32)(unsafe.Pointer(&collectOrder32[0]))
	}
	return (*uint32)(unsafe.Pointer(&collectOrder64[0]))
}

// collectVectorMax is the most keys that one call of a collect… function takes,
// so that no 16-bit lane of its counters overflows.
const collectVectorMax = 1 << 16

// collectVector collects the first done elements. There is no vector code for
// bytes.
func collectVector[K Key](dst, src []K, e Encoding[K], lo, hi K) (c Collected, done int) {
	size := int(unsafe.Sizeof(lo))
	round := 32 / size
	all := len(src) &^ (round - 1)
	if all == 0 || size == 1 || !collectNEON {
		return c, 0
	}
	if e.Code != Signed {
		// Those inside are written behind the keys that are read.
		c.NaN = Encode(dst[:all], src[:all], e)
		src = dst
	}
	atLeast := 0
	for done < all {
		n := min(all-done, collectVectorMax)
		d, s, lo, hi := unsafe.Pointer(&dst[c.Inside]), unsafe.Pointer(&src[done]), int64(lo), int64(hi)
		var from, inside int
		switch size {
		case 2:
			from, inside = collect16NEON((*int16)(d), (*int16)(s), n, lo, hi, &collectOrder16[0][0])
		case 4:
			from, inside = collect32NEON((*int32)(d), (*int32)(s), n, lo, hi, &collectOrder32[0][0])
		default:
			from, inside = collect64NEON((*int64)(d), (*int64)(s), n, lo, hi, &collectOrder64[0][0])
		}
		atLeast += from
		c.Inside += inside
		done += n
	}
	c.Below = all - atLeast
	return c, all
}

// The functions collect… are
//
//	for _, k := range src[:n] {
//		if k >= lo { atLeast++ }
//		if lo <= k && k <= hi { dst[inside] = k; inside++ }
//	}
//
// n is a positive multiple of the keys in two vectors, and at most
// collectVectorMax. dst may be src. They look order up.

//go:noescape
func collect16NEON(dst, src *int16, n int, lo, hi int64, order *uint8) (atLeast, inside int)

//go:noescape
func collect32NEON(dst, src *int32, n int, lo, hi int64, order *uint8) (atLeast, inside int)

//go:noescape
func collect64NEON(dst, src *int64, n int, lo, hi int64, order *uint8) (atLeast, inside int)
