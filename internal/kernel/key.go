package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

// Key is a type of key: a signed integer as wide as the element.
type Key interface{ int8 | int16 | int32 | int64 }

// Code says how an element's bits become its key. Signed integers and bools
// are their own keys. Unsigned integers have the top bit flipped. Floats are
// sign and magnitude: the lower bits of negative ones are flipped, so that -0
// comes directly before +0, and every NaN becomes the largest key.
type Code uint8

// The codes.
const (
	Signed Code = iota
	Unsigned
	Float
)

// Encoding is a code with the key of +Inf, which bounds the values that are
// not NaN; Inf is used by Float alone.
type Encoding[K Key] struct {
	Code Code
	Inf  K
}

// EncodingOf returns the encoding of a dtype whose size is K's.
func EncodingOf[K Key](dt dtype.DType) Encoding[K] {
	switch {
	case dt.IsUnsigned():
		return Encoding[K]{Code: Unsigned}
	case dt.IsFloat():
		// The canonical NaN is +Inf with the top bit of the mantissa set.
		mant := [...]int{dtype.Float16: 10, dtype.BFloat16: 7, dtype.Float32: 23, dtype.Float64: 52}[dt]
		return Encoding[K]{Code: Float, Inf: K(dtype.CanonicalNaN(dt) &^ (1 << (mant - 1)))}
	default:
		return Encoding[K]{Code: Signed}
	}
}

// MaxKey returns the largest key, which is that of NaN where there is one.
func MaxKey[K Key]() K { return ^MinKey[K]() }

// MinKey returns the smallest key.
func MinKey[K Key]() K {
	one := K(1)
	return one << (8*unsafe.Sizeof(one) - 1)
}

// EqualKeys returns the bounds of the keys of floats that are equal to one with
// the key k: zeros of both signs are.
func EqualKeys[K Key](k K) (lo, hi K) {
	if k == -1 || k == 0 {
		return -1, 0
	}
	return k, k
}

// Tile is a block of memory seen as lanes: element i of lane j lies
// i*Stride + j*LaneStride elements after Base.
type Tile struct {
	Base              unsafe.Pointer
	N, Stride         int
	Lanes, LaneStride int
}

// EncodeStrided is Encode of n elements that lie step elements apart, written
// dstStep elements apart.
func EncodeStrided[K Key](dst unsafe.Pointer, dstStep int, src unsafe.Pointer, step, n int, e Encoding[K]) (nan int) {
	if dstStep == 1 && step == 1 {
		return Encode(unsafe.Slice((*K)(dst), n), unsafe.Slice((*K)(src), n), e)
	}
	size := int(unsafe.Sizeof(K(0)))
	dstStep, step = dstStep*size, step*size
	low := MaxKey[K]()
	flip := K(0)
	if e.Code == Unsigned {
		flip = ^low
	}
	if e.Code != Float {
		for i := range n {
			*(*K)(unsafe.Add(dst, i*dstStep)) = *(*K)(unsafe.Add(src, i*step)) ^ flip
		}
		return 0
	}
	for i := range n {
		v := *(*K)(unsafe.Add(src, i*step))
		k := v
		if v < 0 {
			k = v ^ low
		}
		if v&low > e.Inf {
			k = low
		}
		*(*K)(unsafe.Add(dst, i*dstStep)) = k
		if k == low {
			nan++
		}
	}
	return nan
}

// EncodeTile writes the keys of the tile to dst, element i of lane j to
// dst[i*stride + j*laneStride], and returns how many are NaN. It walks the
// tile in the order of its memory.
func EncodeTile[K Key](dst []K, stride, laneStride int, t Tile, e Encoding[K]) (nan int) {
	if stride == 1 && t.LaneStride == 1 { // it makes no difference which are the lanes
		t.N, t.Stride, t.Lanes, t.LaneStride = t.Lanes, 1, t.N, t.Stride
		stride, laneStride = laneStride, 1
	}
	if laneStride == 1 && t.Stride == 1 && t.Lanes > 1 && t.N > 0 {
		Transpose(dst, stride, t)
		if stride == t.Lanes {
			all := dst[:t.N*stride]
			return Encode(all, all, e)
		}
		for i := range t.N {
			row := dst[i*stride:][:t.Lanes]
			nan += Encode(row, row, e)
		}
		return nan
	}
	outer, inner := t.N, t.Lanes
	outStep, inStep := t.Stride, t.LaneStride
	dstOut, dstIn := stride, laneStride
	if t.Lanes == 1 || t.N > 1 && max(t.Stride, -t.Stride) < max(t.LaneStride, -t.LaneStride) {
		outer, inner = inner, outer
		outStep, inStep = inStep, outStep
		dstOut, dstIn = dstIn, dstOut
	}
	if outer == 0 || inner == 0 {
		return 0
	}
	_ = dst[(outer-1)*dstOut+(inner-1)*dstIn]
	size := int(unsafe.Sizeof(K(0)))
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), t.Base
	for i := range outer {
		nan += EncodeStrided(unsafe.Add(to, i*dstOut*size), dstIn, unsafe.Add(from, i*outStep*size), inStep, inner, e)
	}
	return nan
}
