//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var packAVX512 = cpu.AVX512

func init() { cpu.Register("Pack", "avx512", &packAVX512) }

func packsLong() bool { return packAVX512 }

// packLong is packPart for whole rows.
func packLong[K Key](dst, src unsafe.Pointer, step, n int, flip, low, inf K, ahead int, nans unsafe.Pointer) bool {
	if unsafe.Sizeof(K(0)) == 4 {
		return pack32AVX512((*int32)(dst), (*int32)(src), step, n, int32(flip), int32(low), int32(inf), ahead, (*int32)(nans))
	}
	return pack64AVX512((*int64)(dst), (*int64)(src), step, n, int64(flip), int64(low), int64(inf), ahead, (*int64)(nans))
}

//go:noescape
func pack32AVX512(dst, src *int32, step, n int, flip, low, inf int32, ahead int, nans *int32) (nan bool)

//go:noescape
func pack64AVX512(dst, src *int64, step, n int, flip, low, inf int64, ahead int, nans *int64) (nan bool)
