//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var stepsAVX512 = cpu.AVX512

func init() { cpu.Register("Steps", "avx512", &stepsAVX512) }

func stepsOnVectors() bool { return stepsAVX512 }

// narrowVector narrows the first done elements.
func (s *Steps[K]) narrowVector(dst, src []K) (inside, done int) {
	size := int(unsafe.Sizeof(K(0)))
	n := len(src) &^ (128/size - 1)
	if n == 0 || size < 4 || !stepsAVX512 {
		return 0, 0
	}
	float := s.enc.Code == Float && !s.encode
	switch {
	case s.encode:
		s.nan += Encode(dst[:n], src[:n], s.enc)
		src = dst
	case float:
		s.looked += n
	}
	d, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	first, end := &s.records[0].low, &s.records[s.count].low
	switch {
	case size == 4 && float:
		inside = stepsFloat32AVX512((*int32)(d), (*int32)(from), n, first, end)
	case size == 4:
		inside = steps32AVX512((*int32)(d), (*int32)(from), n, first, end)
	case float:
		inside = stepsFloat64AVX512((*int64)(d), (*int64)(from), n, first, end)
	default:
		inside = steps64AVX512((*int64)(d), (*int64)(from), n, first, end)
	}
	if float {
		Encode(dst[:inside], dst[:inside], s.enc)
	}
	return inside, n
}

// The functions steps… are
//
//	for _, v := range src[:n] {
//		if v is NaN { continue }
//		end.lanes++
//		in := false
//		for r from steps to before end {
//			if v >= r.low { r.lanes++; in = v <= r.high }
//		}
//		if in { dst[inside] = v; inside++ }
//	}
//
// with lanes counted in any of them; end only by those of floats. n is a positive
// multiple of two vectors.

//go:noescape
func steps32AVX512(dst, src *int32, n int, steps, end *int64) (inside int)

//go:noescape
func stepsFloat32AVX512(dst, src *int32, n int, steps, end *int64) (inside int)

//go:noescape
func steps64AVX512(dst, src *int64, n int, steps, end *int64) (inside int)

//go:noescape
func stepsFloat64AVX512(dst, src *int64, n int, steps, end *int64) (inside int)
