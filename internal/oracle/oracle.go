// Package oracle answers every operation of ogive slowly and obviously, so
// that the fast answers can be judged. It sorts whole lanes, computes ranks
// from the textbook formulas, and interpolates in integers of any size; it
// shares no code with what it judges.
//
// An [Array] is contiguous, in C order. Elements are raw bits: what an element
// means is decided by [Decode] alone.
package oracle

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/ogive-go/ogive/dtype"
)

// Bits is the stored content of one element. A real element sits in Re, in the
// low bits; a complex one uses both parts.
type Bits struct{ Re, Im uint64 }

// Array is a contiguous array in C order.
type Array struct {
	DType dtype.DType
	Shape []int
	Bits  []Bits
}

// Kind is the sentinel that an error of the judged code must wrap, by name.
type Kind string

// The kinds of error.
const (
	ErrAxis    Kind = "ErrAxis"
	ErrQ       Kind = "ErrQ"
	ErrMethod  Kind = "ErrMethod"
	ErrOption  Kind = "ErrOption"
	ErrDType   Kind = "ErrDType"
	ErrShape   Kind = "ErrShape"
	ErrEmpty   Kind = "ErrEmpty"
	ErrOut     Kind = "ErrOut"
	ErrWeights Kind = "ErrWeights"
)

// Error returns the name of the sentinel.
func (k Kind) Error() string { return string(k) }

// New returns a zero array.
func New(dt dtype.DType, shape ...int) *Array {
	return &Array{DType: dt, Shape: slices.Clone(shape), Bits: make([]Bits, volume(shape))}
}

// volume is the number of elements of a shape.
func volume(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// partSize returns the bytes of one part of an element and the number of parts.
func partSize(dt dtype.DType) (size, parts int) {
	switch dt {
	case dtype.Complex64:
		return 4, 2
	case dtype.Complex128:
		return 8, 2
	default:
		return dt.Size(), 1
	}
}

// FromBytes reads an array from memory in native byte order. No shape means a
// 0-d array for one element and one dimension for any other number. It panics
// when the length does not fit the shape.
func FromBytes(dt dtype.DType, b []byte, shape ...int) *Array {
	size, parts := partSize(dt)
	if len(shape) == 0 && len(b) != size*parts {
		shape = []int{len(b) / (size * parts)}
	}
	a := New(dt, shape...)
	if len(a.Bits)*size*parts != len(b) {
		panic(fmt.Sprintf("oracle: %d bytes for %s %v", len(b), dt, shape))
	}
	for i := range a.Bits {
		at := i * size * parts
		a.Bits[i].Re = load(b[at:], size)
		if parts == 2 {
			a.Bits[i].Im = load(b[at+size:], size)
		}
	}
	return a
}

// Bytes returns the elements in native byte order, in fresh memory.
func (a *Array) Bytes() []byte {
	size, parts := partSize(a.DType)
	b := make([]byte, len(a.Bits)*size*parts)
	for i, v := range a.Bits {
		at := i * size * parts
		store(b[at:], size, v.Re)
		if parts == 2 {
			store(b[at+size:], size, v.Im)
		}
	}
	return b
}

func load(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	default:
		return binary.NativeEndian.Uint64(b)
	}
}

func store(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(v))
	default:
		binary.NativeEndian.PutUint64(b, v)
	}
}

// Floats returns the array of the given float dtype that holds the values,
// each rounded once. The shape is one-dimensional unless given.
func Floats(dt dtype.DType, values []float64, shape ...int) *Array {
	if len(shape) == 0 {
		shape = []int{len(values)}
	}
	a := New(dt, shape...)
	for i, v := range values {
		a.Bits[i].Re = roundTo(dt, ofFloat(v))
	}
	return a
}

// Ints returns the array of the given integer dtype or Bool that holds the
// values, cut to its width. The shape is one-dimensional unless given.
func Ints(dt dtype.DType, values []int64, shape ...int) *Array {
	if len(shape) == 0 {
		shape = []int{len(values)}
	}
	a := New(dt, shape...)
	mask := ^uint64(0) >> (64 - 8*dt.Size())
	for i, v := range values {
		a.Bits[i].Re = uint64(v) & mask
	}
	return a
}
