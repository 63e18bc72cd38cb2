//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var bracketsAVX512 = cpu.AVX512

func init() { cpu.Register("Brackets", "avx512", &bracketsAVX512) }

func bracketsLong() bool { return bracketsAVX512 }

// collectLong is collectShort.
func (s *Brackets[K]) collectLong(dst, src []K) (inside int) {
	d, from, n := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	first, end := &s.records[0].low, &s.records[s.count].low
	switch float := s.comparesFloats(); {
	case unsafe.Sizeof(K(0)) == 4 && float:
		return bracketsFloat32AVX512((*int32)(d), (*int32)(from), n, first, end)
	case unsafe.Sizeof(K(0)) == 4:
		return brackets32AVX512((*int32)(d), (*int32)(from), n, first, end)
	case float:
		return bracketsFloat64AVX512((*int64)(d), (*int64)(from), n, first, end)
	default:
		return brackets64AVX512((*int64)(d), (*int64)(from), n, first, end)
	}
}

//go:noescape
func brackets32AVX512(dst, src *int32, n int, brackets, end *int64) (inside int)

//go:noescape
func bracketsFloat32AVX512(dst, src *int32, n int, brackets, end *int64) (inside int)

//go:noescape
func brackets64AVX512(dst, src *int64, n int, brackets, end *int64) (inside int)

//go:noescape
func bracketsFloat64AVX512(dst, src *int64, n int, brackets, end *int64) (inside int)
