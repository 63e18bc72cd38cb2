//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var bracketsShort = hasShort

func init() { cpu.Register("Brackets", shortLevel, &bracketsShort) }

func bracketsOnVectors() bool { return bracketsLong() || bracketsShort }

// bracketsEncoded is how many bytes are encoded at a time, to be compared while they
// are in the first-level cache.
const bracketsEncoded = 8 << 10

// collectVector collects the first done elements.
func (s *Brackets[K]) collectVector(dst, src []K) (inside, done int) {
	size := int(unsafe.Sizeof(K(0)))
	n := len(src) &^ (128/size - 1)
	if n == 0 || size < 4 || !bracketsOnVectors() {
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
	if bracketsLong() {
		inside = s.collectLong(dst, src)
	} else {
		inside = s.collectShort(dst, src)
	}
	if s.comparesFloats() {
		s.looked += len(src)
		Encode(dst[:inside], dst[:inside], s.enc)
	}
	return inside
}

// comparesFloats reports whether floats are compared as what they are.
func (s *Brackets[K]) comparesFloats() bool { return s.enc.Code == Float && !s.encode }

// collectShort is collectPart but for the encoding.
func (s *Brackets[K]) collectShort(dst, src []K) (inside int) {
	d, from, n := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	first, end := &s.records[0].low, &s.records[s.count].low
	order := shortOrder[K]()
	switch float := s.comparesFloats(); {
	case unsafe.Sizeof(K(0)) == 4 && float:
		return bracketsFloat32Short((*int32)(d), (*int32)(from), n, first, end, order)
	case unsafe.Sizeof(K(0)) == 4:
		return brackets32Short((*int32)(d), (*int32)(from), n, first, end, order)
	case float:
		return bracketsFloat64Short((*int64)(d), (*int64)(from), n, first, end, order)
	default:
		return brackets64Short((*int64)(d), (*int64)(from), n, first, end, order)
	}
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
// with any of the lanes counted in. n is a positive multiple of the elements in
// 128 bytes; order is how lanes move to the front. dst
// may be src.

//go:noescape
func brackets32Short(dst, src *int32, n int, brackets, end *int64, order *uint32) (inside int)

//go:noescape
func bracketsFloat32Short(dst, src *int32, n int, brackets, end *int64, order *uint32) (inside int)

//go:noescape
func brackets64Short(dst, src *int64, n int, brackets, end *int64, order *uint32) (inside int)

//go:noescape
func bracketsFloat64Short(dst, src *int64, n int, brackets, end *int64, order *uint32) (inside int)
