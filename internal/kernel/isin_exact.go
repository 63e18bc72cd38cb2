package kernel

import (
	"bytes"
	"math"
	"math/bits"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

// MaxPatterns is the most patterns of one dtype that stand for one value: a
// complex zero has four.
const MaxPatterns = 4

// exactBlock is the number of elements that Exact widens at a time.
const exactBlock = 256

// Exact finds the patterns of P, of dtype dt, that stand for the same values
// as the n contiguous elements of dtype src at from: none for a value that dt
// does not have, several for a zero. It appends them to dst, whose capacity is
// at least MaxPatterns a value, and reports whether there was a NaN, for which
// it appends nothing.
func Exact[P Pattern](dst []P, dt dtype.DType, from unsafe.Pointer, src dtype.DType, n int) (patterns []P, nan bool) {
	if dt == src && dt.IsFloat() {
		switch d := any(dst).(type) {
		case []uint16:
			d, nan = sameFloats(d, unsafe.Slice((*uint16)(from), n), dt)
			return any(d).([]P), nan
		case []uint32:
			d, nan = sameFloats(d, unsafe.Slice((*uint32)(from), n), dt)
			return any(d).([]P), nan
		case []uint64:
			d, nan = sameFloats(d, unsafe.Slice((*uint64)(from), n), dt)
			return any(d).([]P), nan
		}
	}
	var wide [exactBlock]complex128
	size := src.Size()
	for first := 0; first < n; first += exactBlock {
		count := min(n-first, exactBlock)
		memory := unsafe.Slice((*byte)(unsafe.Add(from, first*size)), count*size)
		to := unsafe.Pointer(&wide)
		bytes := func(size int) []byte { return unsafe.Slice((*byte)(to), count*size) }
		switch {
		case src.IsBool() || src.IsSigned():
			dtype.Convert(dtype.Int64, bytes(8), src, memory)
			for _, v := range unsafe.Slice((*int64)(to), count) {
				dst = appendInteger(dst, dt, magnitude(v), v < 0)
			}
		case src.IsUnsigned():
			dtype.Convert(dtype.Uint64, bytes(8), src, memory)
			for _, v := range unsafe.Slice((*uint64)(to), count) {
				dst = appendInteger(dst, dt, v, false)
			}
		case src.IsFloat():
			dtype.Convert(dtype.Float64, bytes(8), src, memory)
			for _, v := range unsafe.Slice((*float64)(to), count) {
				if v != v {
					nan = true
					continue
				}
				dst = appendComplex(dst, dt, v, 0)
			}
		default:
			dtype.Convert(dtype.Complex128, bytes(16), src, memory)
			for _, v := range wide[:count] {
				if re, im := real(v), imag(v); re != re || im != im {
					nan = true
				} else {
					dst = appendComplex(dst, dt, re, im)
				}
			}
		}
	}
	return dst, nan
}

// AsIs reports whether each of the floats of dtype dt has one pattern, its own:
// none is zero or NaN.
func AsIs[P Pattern](src []P, dt dtype.DType) bool {
	switch s := any(src).(type) {
	case []uint16:
		return noneSpecial(s, dt)
	case []uint32:
		return noneSpecial(s, dt)
	case []uint64:
		return noneSpecial(s, dt)
	}
	return false
}

// noneSpecial is AsIs.
func noneSpecial[B Bits](src []B, dt dtype.DType) bool {
	var in [exactBlock]uint8
	w := WindowsOf[B](dt)
	others := Window[B]{w.Zero.Mask, 1, w.Inf.Low - 1}
	for len(src) > 0 {
		n := min(len(src), exactBlock)
		InWindow(in[:n], src[:n], others)
		if bytes.IndexByte(in[:n], 0) >= 0 {
			return false
		}
		src = src[n:]
	}
	return true
}

// sameFloats is Exact where both sides have the same float dtype.
func sameFloats[B Bits](dst, src []B, dt dtype.DType) (patterns []B, nan bool) {
	w := WindowsOf[B](dt)
	for _, v := range src {
		switch {
		case w.NaN.Has(v):
			nan = true
		case w.Zero.Has(v):
			dst = append(dst, 0, ^w.Zero.Mask)
		default:
			dst = append(dst, v)
		}
	}
	return dst, nan
}

// magnitude returns |v|, also of the smallest int64.
func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// appendInteger appends the patterns of an integer.
func appendInteger[P Pattern](dst []P, dt dtype.DType, mag uint64, negative bool) []P {
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
func appendComplex[P Pattern](dst []P, dt dtype.DType, re, im float64) []P {
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
func appendPattern[P Pattern](dst []P, re, im uint64) []P {
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
		*(*Pair64)(p) = Pair64{re, im}
	default:
		switch q := any(at).(type) {
		case *Pair32:
			*q = Pair32{uint32(re), uint32(im)}
		case *uint64:
			*q = re
		}
	}
	return dst
}
