//go:build !noasm

package kernel

import "github.com/ogive-go/ogive/internal/cpu"

var atMostAVX512, atMostAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("CountAtMost", "avx512", &atMostAVX512)
	cpu.Register("CountAtMost", "avx2", &atMostAVX2)
}

// atMostVector counts the first done elements, of at most atMostBlock.
func atMostVector(counts *[Bounds]int64, src []int8, e Encoding[int8], bounds *[Bounds]int8) (done int) {
	vector := 32
	if atMostAVX512 {
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
	if atMostAVX512 {
		atMostAVX512Bytes(&counts[0], &src[0], n, &bounds[0], flip)
	} else {
		atMostAVX2Bytes(&counts[0], &src[0], n, &bounds[0], flip)
	}
	return n
}

// atMostAVX512Bytes is
//
//	for i, b := range bounds { for _, v := range src[:n] { if v^flip <= b { counts[i]++ } } }
//
// as atMostAVX2Bytes is. n is a positive multiple of a vector, and at most
// atMostBlock.
//
//go:noescape
func atMostAVX512Bytes(counts *int64, src *int8, n int, bounds *int8, flip int8)

//go:noescape
func atMostAVX2Bytes(counts *int64, src *int8, n int, bounds *int8, flip int8)
