//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var marksAVX512, marksAVX2 = cpu.AVX512, cpu.AVX2

func init() {
	cpu.Register("MarkText", "avx512", &marksAVX512)
	cpu.Register("MarkText", "avx2", &marksAVX2)
}

// markTextVector writes the first done marks: none or all, for each of which the text has
// 64 bytes.
func markTextVector(dst []Marks, text []byte, delim, eol, quote byte) (done int) {
	n := len(dst)
	if n == 0 || !marksAVX512 && !marksAVX2 {
		return 0
	}
	d, t := (*uint64)(unsafe.Pointer(&dst[0])), unsafe.SliceData(text)
	if marksAVX512 {
		markTextAVX512(d, t, n, delim, eol, quote)
	} else {
		markTextAVX2(d, t, n, delim, eol, quote)
	}
	return n
}

// The functions markText… are MarkText for n marks, at least one, of two numbers each.

//go:noescape
func markTextAVX512(dst *uint64, text *uint8, n int, delim, eol, quote uint8)

//go:noescape
func markTextAVX2(dst *uint64, text *uint8, n int, delim, eol, quote uint8)
