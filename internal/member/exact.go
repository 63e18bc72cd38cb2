package member

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/kernel"
)

// widened is the number of elements that are widened at a time.
const widened = 256

// maxPatterns is the most patterns of one dtype that stand for one value: a
// complex zero has four.
const maxPatterns = 4

// bitsOf is patternsOf for real elements. The patterns may be the values' own
// memory.
func bitsOf[B kernel.Bits](dt dtype.DType, values Values) (patterns []B, nan bool) {
	if dt != values.DType {
		return patternsOf[B](dt, values)
	}
	own := unsafe.Slice((*B)(values.At), values.Len)
	if dt.IsFloat() && !asIs(own, dt) {
		return floatsOf(own, dt)
	}
	return own, false
}

// asIs reports whether each of the floats of dtype dt has one pattern, its own:
// none is zero or NaN.
func asIs[B kernel.Bits](src []B, dt dtype.DType) bool {
	var in [widened]uint8
	w := kernel.WindowsOf[B](dt)
	others := kernel.Window[B]{Mask: w.Zero.Mask, Low: 1, Span: w.Inf.Low - 1}
	for first := 0; first < len(src); first += widened {
		n := min(widened, len(src)-first)
		kernel.InWindow(in[:n], src[first:], others)
		if bytes.IndexByte(in[:n], 0) >= 0 {
			return false
		}
	}
	return true
}

// floatsOf is patternsOf for floats of dtype dt.
func floatsOf[B kernel.Bits](values []B, dt dtype.DType) (patterns []B, nan bool) {
	w := kernel.WindowsOf[B](dt)
	patterns = make([]B, 0, len(values)+min(len(values), widened))
	for _, v := range values {
		switch {
		case w.NaN.Has(v):
			nan = true
		case w.Zero.Has(v):
			patterns = append(patterns, 0, ^w.Zero.Mask)
		default:
			patterns = append(patterns, v)
		}
	}
	return patterns, nan
}

// patternsOf returns the patterns of dtype dt that stand for the values, which
// may repeat: none for a value that dt does not have, several for a zero. It
// reports whether there is a NaN, which has none.
func patternsOf[P kernel.Pattern](dt dtype.DType, values Values) (patterns []P, nan bool) {
	var wide [widened]complex128
	src, to := values.DType, unsafe.Pointer(&wide)
	for first := 0; first < values.Len; first += widened {
		n := min(widened, values.Len-first)
		memory := unsafe.Slice((*byte)(unsafe.Add(values.At, first*src.Size())), n*src.Size())
		patterns = slices.Grow(patterns, maxPatterns*n+values.Len-first-n)
		if src.IsFloat() || src.IsComplex() {
			dtype.Convert(dtype.Complex128, unsafe.Slice((*byte)(to), 16*n), src, memory)
			for _, v := range wide[:n] {
				if re, im := real(v), imag(v); re != re || im != im {
					nan = true
				} else {
					patterns = appendComplex(patterns, dt, re, im)
				}
			}
			continue
		}
		dtype.Convert(dtype.Uint64, unsafe.Slice((*byte)(to), 8*n), src, memory)
		for _, v := range unsafe.Slice((*uint64)(to), n) {
			negative := src.IsSigned() && int64(v) < 0
			if negative {
				v = -v
			}
			patterns = appendInteger(patterns, dt, v, negative)
		}
	}
	return patterns, nan
}

// appendInteger appends the patterns of an integer.
func appendInteger[P kernel.Pattern](dst []P, dt dtype.DType, mag uint64, negative bool) []P {
	switch {
	case dt.IsFloat() || dt.IsComplex():
		if bits.Len64(mag)-bits.TrailingZeros64(mag) > 53 {
			return dst
		}
		v := float64(mag)
		if negative {
			v = -v
		}
		return appendComplex(dst, dt, v, 0)
	case mag <= integerLimit(dt, negative):
		if negative {
			mag = -mag
		}
		return appendPattern(dst, mag, 0)
	}
	return dst
}

// integerLimit returns the largest magnitude of the integers, or of the
// negative ones, of an integer dtype or Bool.
func integerLimit(dt dtype.DType, negative bool) uint64 {
	width := 8 * dt.Size()
	switch {
	case dt.IsSigned() && negative:
		return 1 << (width - 1)
	case dt.IsSigned():
		return 1<<(width-1) - 1
	case negative:
		return 0
	case dt.IsBool():
		return 1
	}
	return ^uint64(0) >> (64 - width)
}

// appendComplex appends the patterns of a number; neither part is NaN.
func appendComplex[P kernel.Pattern](dst []P, dt dtype.DType, re, im float64) []P {
	if !dt.IsComplex() && im != 0 {
		return dst
	}
	var r, i uint64
	ok, okIm := false, true
	switch dt {
	case dtype.Float16:
		h := dtype.ToF16(re)
		r, ok = uint64(h.Bits()), h.Float64() == re
	case dtype.BFloat16:
		h := dtype.ToBF16(re)
		r, ok = uint64(h.Bits()), h.Float64() == re
	case dtype.Float32:
		r, ok = single(re)
	case dtype.Float64:
		r, ok = math.Float64bits(re), true
	case dtype.Complex64:
		r, ok = single(re)
		i, okIm = single(im)
	case dtype.Complex128:
		r, i, ok = math.Float64bits(re), math.Float64bits(im), true
	default:
		if re != math.Trunc(re) || math.Abs(re) >= 1<<64 {
			return dst
		}
		return appendInteger(dst, dt, uint64(math.Abs(re)), re < 0)
	}
	if !ok || !okIm {
		return dst
	}
	dst = appendPattern(dst, r, i)
	width := 8 * dt.Size()
	if dt.IsComplex() {
		width /= 2
	}
	sign := uint64(1) << (width - 1)
	if re == 0 {
		dst = appendPattern(dst, r^sign, i)
	}
	if dt.IsComplex() && im == 0 {
		dst = appendPattern(dst, r, i^sign)
		if re == 0 {
			dst = appendPattern(dst, r^sign, i^sign)
		}
	}
	return dst
}

// single returns the pattern of a float32 and whether it equals v.
func single(v float64) (pattern uint64, ok bool) {
	f := float32(v)
	return uint64(math.Float32bits(f)), float64(f) == v
}

// appendPattern appends the pattern with the given parts, cut to their width.
func appendPattern[P kernel.Pattern](dst []P, re, im uint64) []P {
	dst = dst[:len(dst)+1]
	at := &dst[len(dst)-1]
	switch p := unsafe.Pointer(at); {
	case unsafe.Sizeof(*at) == 1:
		*(*uint8)(p) = uint8(re)
	case unsafe.Sizeof(*at) == 2:
		*(*uint16)(p) = uint16(re)
	case unsafe.Sizeof(*at) == 4:
		*(*uint32)(p) = uint32(re)
	case unsafe.Sizeof(*at) == 16:
		*(*kernel.Pair64)(p) = kernel.Pair64{re, im}
	default:
		switch q := any(at).(type) {
		case *kernel.Pair32:
			*q = kernel.Pair32{uint32(re), uint32(im)}
		case *uint64:
			*q = re
		}
	}
	return dst
}
