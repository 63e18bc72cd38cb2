//go:build !noasm

package kernel

import "github.com/ogive-go/ogive/internal/cpu"

var atMostAVX512, atMostAVX2 = cpu.AVX512Bits, cpu.AVX2

func init() {
	cpu.Register("CountAtMost", "avx512", &atMostAVX512)
	cpu.Register("CountAtMost", "avx2", &atMostAVX2)
}

// atMostVector counts the first done elements, of at most atMostBlock.
func atMostVector(counts *[Bounds]int64, src []int8, e Encoding[int8], bounds *[Bounds]int8) (done int) {
	vector := 32
	following := atMostAVX512 && follow(bounds)
	if following {
		vector = 64
	}
	n := len(src) &^ (vector - 1)
	if n == 0 || !atMostAVX512 && !atMostAVX2 {
		return 0
	}
	flip := int8(0)
	if e.Code == Unsigned {
		flip = MinKey[int8]()
	}
	if !following {
		atMostAVX2Bytes(&counts[0], &src[0], n, &bounds[0], flip)
		return n
	}
	even, odd := followingAVX512Bytes(&src[0], n, bounds[0]^MinKey[int8](), flip^MinKey[int8](), &followingBits[0])
	upTo := int64(n)
	for i := Bounds - 1; i >= 0; i-- {
		above := even
		if i&1 == 1 {
			above = odd
		}
		upTo -= int64(above >> (i / 2 * 16) & 0xFFFF)
		counts[i] += upTo
	}
	return n
}

// follow reports whether each bound is one more than the one before.
func follow(bounds *[Bounds]int8) bool {
	for i, b := range bounds {
		if int(b) != int(bounds[0])+i {
			return false
		}
	}
	return true
}

// followingBits are the bits of followingAVX512Bytes, for distances up to 8.
var followingBits = [16]uint8{1: 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7}

// followingAVX512Bytes is
//
//	for _, v := range src[:n] {
//		if d := min(uint8(v^flip) - uint8(first), 8); d > 0 { count[d-1]++ } // no difference is below 0
//	}
//
// with the counts in 16 bits each of even and odd, and bits as followingBits. n is
// a positive multiple of a vector, and at most atMostBlock.
//
//go:noescape
func followingAVX512Bytes(src *int8, n int, first, flip int8, bits *uint8) (even, odd uint64)

// atMostAVX2Bytes is
//
//	for i, b := range bounds { for _, v := range src[:n] { if v^flip <= b { counts[i]++ } } }
//
// for n, a positive multiple of a vector, and at most atMostBlock.
//
//go:noescape
func atMostAVX2Bytes(counts *int64, src *int8, n int, bounds *int8, flip int8)
