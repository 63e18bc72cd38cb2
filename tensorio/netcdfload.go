package tensorio

import (
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// ncNumber is a number of an attribute.
type ncNumber struct {
	real  float64
	bits  int64 // of an integer
	whole bool
}

// ncRead reads a number of an attribute.
func ncRead(dt dtype.DType, b []byte) ncNumber {
	var n int64
	switch dt {
	case dtype.Int8:
		n = int64(int8(b[0]))
	case dtype.Uint8:
		n = int64(b[0])
	case dtype.Int16:
		n = int64(int16(binary.BigEndian.Uint16(b)))
	case dtype.Uint16:
		n = int64(binary.BigEndian.Uint16(b))
	case dtype.Int32:
		n = int64(int32(binary.BigEndian.Uint32(b)))
	case dtype.Uint32:
		n = int64(binary.BigEndian.Uint32(b))
	case dtype.Int64:
		n = int64(binary.BigEndian.Uint64(b))
	case dtype.Uint64:
		u := binary.BigEndian.Uint64(b)
		return ncNumber{float64(u), int64(u), true}
	case dtype.Float32:
		return ncNumber{real: float64(math.Float32frombits(binary.BigEndian.Uint32(b)))}
	default:
		return ncNumber{real: math.Float64frombits(binary.BigEndian.Uint64(b))}
	}
	return ncNumber{float64(n), n, true}
}

// ncElement is the type of a variable.
type ncElement interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// load returns the values of a variable.
func (h *ncHeader) load(v *ncVariable, s *source) (*ogive.Tensor, error) {
	parts, step := 1, 0
	if v.record {
		parts, step = h.records, h.stride
	}
	b := alignedBytes(parts * v.size)
	for i := range parts {
		copy(b[i*v.size:], h.data[v.begin+i*step:][:v.size])
	}
	runtime.KeepAlive(s) // slices of mapped memory do not keep it mapped
	if littleEndian {
		swapBytes(b, v.dt.Size())
	}
	switch v.dt {
	case dtype.Int8:
		return ncValues[int8](v, b)
	case dtype.Int16:
		return ncValues[int16](v, b)
	case dtype.Int32:
		return ncValues[int32](v, b)
	case dtype.Int64:
		return ncValues[int64](v, b)
	case dtype.Uint8:
		return ncValues[uint8](v, b)
	case dtype.Uint16:
		return ncValues[uint16](v, b)
	case dtype.Uint32:
		return ncValues[uint32](v, b)
	case dtype.Uint64:
		return ncValues[uint64](v, b)
	case dtype.Float32:
		return ncValues[float32](v, b)
	}
	return ncValues[float64](v, b)
}

// ncValues returns the values of a variable, b in the machine's byte order.
func ncValues[T ncElement](v *ncVariable, b []byte) (*ogive.Tensor, error) {
	list := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/v.dt.Size())
	var fills []T
	for _, f := range v.fills {
		if x, ok := ncFill[T](v, f); ok {
			fills = append(fills, x)
		}
	}
	missing := len(fills) > 0 && slices.ContainsFunc(list, func(x T) bool { return slices.Contains(fills, x) })
	if v.dt.IsFloat() && !v.scaled {
		nan := T(0)
		nan /= nan
		for i, x := range list {
			if missing && slices.Contains(fills, x) {
				list[i] = nan
			}
		}
		return ncTensor(list, v.shape)
	}
	if !missing && !v.scaled {
		return ncTensor(list, v.shape)
	}
	out := make([]float64, len(list))
	for i, x := range list {
		out[i] = float64(x)
		switch {
		case missing && slices.Contains(fills, x):
			out[i] = math.NaN()
		case v.scaled:
			out[i] = float64(out[i]*v.scale) + v.offset
		case !v.dt.IsFloat() && !holds53(ncMagnitude(x)):
			return nil, malformed("value %d, %v, is an integer that float64, with NaN for missing values, does not hold", i, x)
		}
	}
	return ncTensor(out, v.shape)
}

// ncTensor returns values in a shape, which is empty for one value alone.
func ncTensor[T ncElement](list []T, shape []int) (*ogive.Tensor, error) {
	if len(shape) == 0 {
		return ogive.Scalar(list[0]), nil
	}
	return ogive.FromSlice(list, shape...)
}

// ncMagnitude returns |x| of an integer.
func ncMagnitude[T ncElement](x T) uint64 {
	if x < 0 {
		return magnitude(int64(x))
	}
	return uint64(x)
}

// ncFill returns a number as a value of v, false if v has no such value. An integer of
// a variable that counts from 0 is meant by its bits.
func ncFill[T ncElement](v *ncVariable, f ncNumber) (T, bool) {
	switch {
	case v.dt.IsFloat():
		return T(f.real), true
	case f.whole:
		x := T(f.bits)
		return x, v.unsigned || float64(x) == f.real
	case f.real != math.Trunc(f.real) || math.Abs(f.real) >= 1<<63:
		return 0, false
	}
	x := T(int64(f.real))
	return x, float64(x) == f.real
}
