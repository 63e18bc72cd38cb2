package dtype

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// Convert converts the elements of s from src to dst and writes them to d.
// Both are contiguous memory in native byte order, aligned for their dtypes; d
// holds at least as many elements as s. They do not overlap, unless they are
// the same memory and the dtypes are the same. Convert panics if a dtype is
// invalid, s holds a part of an element, or d is too short.
//
// The result depends on the values alone, not on the platform. Special cases
// are:
//   - integer to integer wraps (two's complement)
//   - float to integer truncates toward zero and saturates; NaN gives 0
//   - anything to Bool is x != 0, so NaN is true; true converts to 1
//   - integer to float, and float to a narrower float, round once to nearest,
//     ties to even; overflow gives ±Inf
//   - real to complex has the imaginary part +0; complex to real takes the
//     real part; complex to Bool is true if either part is not zero
//   - a NaN converted to another float dtype stays a NaN: quiet, with its sign
//     and as many upper bits of its payload as fit
//   - elements are copied bit for bit where the dtypes are the same
//
// It does not allocate.
func Convert(dst DType, d []byte, src DType, s []byte) {
	if !dst.Valid() || !src.Valid() {
		panic(fmt.Sprintf("dtype: no conversion from %v to %v", src, dst))
	}
	n := len(s) / src.Size()
	if n*src.Size() != len(s) || len(d)/dst.Size() < n {
		panic(fmt.Sprintf("dtype: %d bytes of %v do not convert to %d bytes of %v", len(s), src, len(d), dst))
	}
	d = d[:n*dst.Size()]
	switch {
	case dst == src, dst.IsInteger() && src.IsInteger() && dst.Size() == src.Size():
		copy(d, s)
	case src.IsComplex():
		convertComplex(dst, d, src, s)
	case src.IsFloat():
		convertFloat(dst, d, src, s)
	case dst.IsFloat() || dst.IsComplex():
		convertIntegerToFloat(dst, d, src, s)
	default:
		convertInteger(dst, d, src, s)
	}
}

// chunk is how many elements pass through the widest type of their class at a
// time: two buffers of it are 4 KiB of stack, and the cost of choosing the
// loops vanishes among that many elements.
const chunk = 256

// convertInteger converts integers and Bool to integers and Bool.
func convertInteger(dst DType, d []byte, src DType, s []byte) {
	var buf [chunk]uint64
	for len(s) > 0 {
		w := buf[:min(chunk, len(s)/src.Size())]
		loadInteger(w, src, s)
		storeInteger(dst, d, w)
		s, d = s[len(w)*src.Size():], d[len(w)*dst.Size():]
	}
}

// convertIntegerToFloat converts integers and Bool to floats and complex.
func convertIntegerToFloat(dst DType, d []byte, src DType, s []byte) {
	var wide [chunk]uint64
	var buf [chunk]float64
	exact := dst == Float64 || dst == Complex128
	for len(s) > 0 {
		w := wide[:min(chunk, len(s)/src.Size())]
		x := buf[:len(w)]
		loadInteger(w, src, s)
		switch {
		case exact && src.IsSigned():
			for i, v := range w {
				x[i] = float64(int64(v))
			}
		case exact:
			for i, v := range w {
				x[i] = float64(v)
			}
		case src.IsSigned():
			for i, v := range w {
				if int64(v) < 0 {
					x[i] = -roundToOdd(-v)
				} else {
					x[i] = roundToOdd(v)
				}
			}
		default:
			for i, v := range w {
				x[i] = roundToOdd(v)
			}
		}
		storeFloat(dst, d, x, nil)
		s, d = s[len(w)*src.Size():], d[len(w)*dst.Size():]
	}
}

// convertFloat converts floats to anything.
func convertFloat(dst DType, d []byte, src DType, s []byte) {
	var buf [chunk]float64
	for len(s) > 0 {
		x := buf[:min(chunk, len(s)/src.Size())]
		loadFloat(x, src, s)
		storeFloat(dst, d, x, nil)
		s, d = s[len(x)*src.Size():], d[len(x)*dst.Size():]
	}
}

// convertComplex converts complex numbers to anything.
func convertComplex(dst DType, d []byte, src DType, s []byte) {
	var bufRe, bufIm [chunk]float64
	for len(s) > 0 {
		re := bufRe[:min(chunk, len(s)/src.Size())]
		im := bufIm[:len(re)]
		if src == Complex64 {
			v := view[uint32](s)[:2*len(re)]
			for i := range re {
				re[i], im[i] = widen32(v[2*i]), widen32(v[2*i+1])
			}
		} else {
			v := view[float64](s)[:2*len(re)]
			for i := range re {
				re[i], im[i] = v[2*i], v[2*i+1]
			}
		}
		storeFloat(dst, d, re, im)
		s, d = s[len(re)*src.Size():], d[len(re)*dst.Size():]
	}
}

// roundToOdd converts v to a float64 that keeps v's 53 leading bits and sets
// the last of them if any bit was dropped. Rounding that float64 to nearest in
// a format with at most 51 bits gives the same as rounding v itself, since it
// lies on the same side of every tie.
func roundToOdd(v uint64) float64 {
	if drop := bits.Len64(v) - 53; drop > 0 {
		mask := uint64(1)<<drop - 1
		if v&mask != 0 {
			v |= 1 << drop
		}
		v &^= mask
	}
	return float64(v)
}

// integer lists the types that hold the integer dtypes.
type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// view returns the whole elements of T in b.
func view[T any](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}

// loadInteger reads len(w) elements of s, an integer dtype or Bool, each
// extended to 64 bits by its sign or by zeros. Any Bool byte but 0 is true.
func loadInteger(w []uint64, src DType, s []byte) {
	switch src {
	case Bool:
		for i, v := range s[:len(w)] {
			w[i] = 0
			if v != 0 {
				w[i] = 1
			}
		}
	case Int8:
		extend[int8](w, s)
	case Int16:
		extend[int16](w, s)
	case Int32:
		extend[int32](w, s)
	case Int64, Uint64:
		copy(w, view[uint64](s))
	case Uint8:
		extend[uint8](w, s)
	case Uint16:
		extend[uint16](w, s)
	case Uint32:
		extend[uint32](w, s)
	}
}

func extend[T integer](w []uint64, s []byte) {
	for i, v := range view[T](s)[:len(w)] {
		w[i] = uint64(v)
	}
}

// storeInteger writes w to d, an integer dtype (the low bits) or Bool.
func storeInteger(dst DType, d []byte, w []uint64) {
	switch dst {
	case Bool:
		d = d[:len(w)]
		for i, v := range w {
			d[i] = bit(v != 0)
		}
	case Int8, Uint8:
		truncate[uint8](d, w)
	case Int16, Uint16:
		truncate[uint16](d, w)
	case Int32, Uint32:
		truncate[uint32](d, w)
	case Int64, Uint64:
		copy(view[uint64](d), w)
	}
}

func truncate[T integer](d []byte, w []uint64) {
	out := view[T](d)[:len(w)]
	for i, v := range w {
		out[i] = T(v)
	}
}

// bit returns 1 for true.
func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// loadFloat reads len(x) elements of s, a float dtype.
func loadFloat(x []float64, src DType, s []byte) {
	switch src {
	case Float16:
		for i, v := range view[uint16](s)[:len(x)] {
			x[i] = f16Format.widen(v)
		}
	case BFloat16:
		for i, v := range view[uint16](s)[:len(x)] {
			x[i] = widen32(uint32(v) << 16)
		}
	case Float32:
		for i, v := range view[uint32](s)[:len(x)] {
			x[i] = widen32(v)
		}
	case Float64:
		copy(x, view[float64](s))
	}
}

// storeFloat writes re to d. The imaginary parts im, nil for zeros, matter for
// Bool and the complex dtypes only.
func storeFloat(dst DType, d []byte, re, im []float64) {
	switch dst {
	case Bool:
		d = d[:len(re)]
		for i, v := range re {
			d[i] = bit(v != 0)
		}
		for i, v := range im {
			d[i] |= bit(v != 0)
		}
	case Int8:
		saturate[int8](d, re, math.MinInt8, math.MaxInt8)
	case Int16:
		saturate[int16](d, re, math.MinInt16, math.MaxInt16)
	case Int32:
		saturate[int32](d, re, math.MinInt32, math.MaxInt32)
	case Int64:
		saturate[int64](d, re, math.MinInt64, math.MaxInt64)
	case Uint8:
		saturate[uint8](d, re, 0, math.MaxUint8)
	case Uint16:
		saturate[uint16](d, re, 0, math.MaxUint16)
	case Uint32:
		saturate[uint32](d, re, 0, math.MaxUint32)
	case Uint64:
		saturate[uint64](d, re, 0, math.MaxUint64)
	case Float16:
		out := view[uint16](d)[:len(re)]
		for i, v := range re {
			out[i] = f16Format.narrow(v)
		}
	case BFloat16:
		out := view[uint16](d)[:len(re)]
		for i, v := range re {
			out[i] = bf16Format.narrow(v)
		}
	case Float32:
		out := view[uint32](d)[:len(re)]
		for i, v := range re {
			out[i] = narrow32(v)
		}
	case Float64:
		copy(view[float64](d), re)
	case Complex64:
		out := view[uint32](d)[:2*len(re)]
		clear(out)
		for i, v := range re {
			out[2*i] = narrow32(v)
		}
		for i, v := range im {
			out[2*i+1] = narrow32(v)
		}
	case Complex128:
		out := view[float64](d)[:2*len(re)]
		clear(out)
		for i, v := range re {
			out[2*i] = v
		}
		for i, v := range im {
			out[2*i+1] = v
		}
	}
}

// saturate writes x truncated toward zero to d, whose type reaches from lo to
// hi. Go leaves the conversion of a float beyond its target to the platform,
// so none is made. As a float64, hi is either exact or one more than hi.
func saturate[T integer](d []byte, x []float64, lo, hi T) {
	out := view[T](d)[:len(x)]
	least, most := float64(lo), float64(hi)
	for i, v := range x {
		switch {
		case v >= most:
			out[i] = hi
		case v > least:
			out[i] = T(v)
		case v <= least:
			out[i] = lo
		default: // NaN
			out[i] = 0
		}
	}
}

// widen32 returns the value of the float32 with bits b. Platforms differ in
// what their instruction makes of a NaN, so that NaNs are built from the bits.
func widen32(b uint32) float64 {
	if b&0x7FFFFFFF > 0x7F800000 {
		return math.Float64frombits(uint64(b&0x80000000)<<32 | 0x7FF8<<48 | uint64(b&0x7FFFFF)<<29)
	}
	return float64(math.Float32frombits(b))
}

// narrow32 returns the bits of x rounded to float32, NaNs as in [widen32].
func narrow32(x float64) uint32 {
	if x != x {
		b := math.Float64bits(x)
		return uint32(b>>32)&0x80000000 | 0x7FC00000 | uint32(b>>29)&0x3FFFFF
	}
	return math.Float32bits(float32(x))
}
