//go:build !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var bracketsAVX512 = cpu.AVX512

func init() { cpu.Register("Brackets", "avx512", &bracketsAVX512) }

func bracketsOnVectors() bool { return bracketsAVX512 }

// bracketsEncoded is how many bytes are encoded at a time, to be compared while they
// are in the first-level cache.
const bracketsEncoded = 8 << 10

// collectVector collects the first done elements.
func (s *Brackets[K]) collectVector(dst, src []K) (inside, done int) {
	size := int(unsafe.Sizeof(K(0)))
	n := len(src) &^ (128/size - 1)
	if n == 0 || size < 4 || !bracketsAVX512 {
		return 0, 0
	}
	if !s.encode {
		return s.collectPart(dst, src[:n]), n
	}
	for done < n {
		part := src[done:min(done+bracketsEncoded/size, n)]
		keys := dst[inside:][:len(part)]
		s.nan += Encode(keys, part, s.enc)
		inside += s.collectPart(keys, keys)
		done += len(part)
	}
	return inside, n
}

// collectPart collects elements, or keys if those are compared, which may lie at
// dst.
func (s *Brackets[K]) collectPart(dst, src []K) (inside int) {
	d, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	first, end := &s.records[0].low, &s.records[s.count].low
	n, size := len(src), unsafe.Sizeof(K(0))
	float := s.enc.Code == Float && !s.encode
	switch {
	case size == 4 && float:
		inside = bracketsFloat32AVX512((*int32)(d), (*int32)(from), n, first, end)
	case size == 4:
		inside = brackets32AVX512((*int32)(d), (*int32)(from), n, first, end)
	case float:
		inside = bracketsFloat64AVX512((*int64)(d), (*int64)(from), n, first, end)
	default:
		inside = brackets64AVX512((*int64)(d), (*int64)(from), n, first, end)
	}
	if float {
		s.looked += n
		Encode(dst[:inside], dst[:inside], s.enc)
	}
	return inside
}

// The functions brackets… are
//
//	for _, v := range src[:n] {
//		k := v // a float; else v ^ end.low
//		if v is NaN { continue }
//		end.lanes++ // if floats
//		in := false
//		for r from brackets to before end {
//			if k >= r.low { r.lanes++; in = k <= r.high }
//		}
//		if in { dst[inside] = k; inside++ }
//	}
//
// with any of the lanes counted in. n is a positive multiple of two vectors. dst
// may be src.

//go:noescape
func brackets32AVX512(dst, src *int32, n int, brackets, end *int64) (inside int)

//go:noescape
func bracketsFloat32AVX512(dst, src *int32, n int, brackets, end *int64) (inside int)

//go:noescape
func brackets64AVX512(dst, src *int64, n int, brackets, end *int64) (inside int)

//go:noescape
func bracketsFloat64AVX512(dst, src *int64, n int, brackets, end *int64) (inside int)
