package dtype

import (
	"fmt"
	"strings"
)

// DType is the element type of a tensor. The zero value is [Invalid].
type DType uint8

// The element types.
const (
	Invalid DType = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16  // IEEE 754 binary16, see [F16]
	BFloat16 // the upper half of a float32, see [BF16]
	Float32
	Float64
	Complex64
	Complex128

	count // the number of constants above
)

// class says how the bits of an element are read.
type class uint8

const (
	classNone class = iota
	classBool
	classInt
	classUint
	classFloat
	classComplex
)

// info is what is known of a dtype, one row each.
type info struct {
	name  string
	size  int
	class class
}

var table = [count]info{
	Invalid:    {"invalid", 0, classNone},
	Bool:       {"bool", 1, classBool},
	Int8:       {"int8", 1, classInt},
	Int16:      {"int16", 2, classInt},
	Int32:      {"int32", 4, classInt},
	Int64:      {"int64", 8, classInt},
	Uint8:      {"uint8", 1, classUint},
	Uint16:     {"uint16", 2, classUint},
	Uint32:     {"uint32", 4, classUint},
	Uint64:     {"uint64", 8, classUint},
	Float16:    {"float16", 2, classFloat},
	BFloat16:   {"bfloat16", 2, classFloat},
	Float32:    {"float32", 4, classFloat},
	Float64:    {"float64", 8, classFloat},
	Complex64:  {"complex64", 8, classComplex},
	Complex128: {"complex128", 16, classComplex},
}

// info returns d's row; values outside the table are as Invalid.
func (d DType) info() info {
	if d >= count {
		d = Invalid
	}
	return table[d]
}

// String returns NumPy's name of the dtype, such as "float32".
func (d DType) String() string {
	if d >= count {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return table[d].name
}

// Valid reports whether d is one of the element types, Invalid excluded.
func (d DType) Valid() bool { return d > Invalid && d < count }

// Size returns the bytes of one element, 0 for an invalid dtype.
func (d DType) Size() int { return d.info().size }

// IsBool reports whether d is Bool.
func (d DType) IsBool() bool { return d == Bool }

// IsInteger reports whether d is a signed or unsigned integer; Bool is not.
func (d DType) IsInteger() bool { return d.IsSigned() || d.IsUnsigned() }

// IsSigned reports whether d is Int8 … Int64.
func (d DType) IsSigned() bool { return d.info().class == classInt }

// IsUnsigned reports whether d is Uint8 … Uint64.
func (d DType) IsUnsigned() bool { return d.info().class == classUint }

// IsFloat reports whether d is Float16, BFloat16, Float32 or Float64.
func (d DType) IsFloat() bool { return d.info().class == classFloat }

// IsComplex reports whether d is Complex64 or Complex128.
func (d DType) IsComplex() bool { return d.info().class == classComplex }

// IsOrdered reports whether d's values have an order: every valid dtype but
// the complex ones.
func (d DType) IsOrdered() bool { return d.Valid() && !d.IsComplex() }

// All returns the valid dtypes in the order of their constants.
func All() []DType {
	all := make([]DType, 0, count-1)
	for d := Bool; d < count; d++ {
		all = append(all, d)
	}
	return all
}

// Parse returns the dtype with the given name (as String prints it).
func Parse(name string) (DType, error) {
	for d := Bool; d < count; d++ {
		if table[d].name == name {
			return d, nil
		}
	}
	names := make([]string, 0, count-1)
	for _, d := range All() {
		names = append(names, d.String())
	}
	return Invalid, fmt.Errorf("unknown dtype %q; known: %s", name, strings.Join(names, ", "))
}

// Quantile returns the dtype of an order statistic of d. A discrete method
// answers with an element of the input and keeps d; an interpolating one keeps
// float dtypes and answers float64 for integers and Bool. Dtypes without an
// order give Invalid.
//
//	input                discrete    interpolating
//	float16 … float64    the same    the same
//	integers, bool       the same    float64
//	complex              -           -
func (d DType) Quantile(discrete bool) DType {
	switch {
	case !d.IsOrdered():
		return Invalid
	case discrete || d.IsFloat():
		return d
	default:
		return Float64
	}
}

// CanonicalNaN returns the bits of d's canonical NaN, the positive quiet NaN
// with an empty payload that every computed NaN is: 0x7E00 for Float16, 0x7FC0
// for BFloat16, 0x7FC00000 for Float32, 0x7FF8000000000000 for Float64, and 0
// for the dtypes that are not floats.
func CanonicalNaN(d DType) uint64 {
	switch d {
	case Float16:
		return 0x7E00
	case BFloat16:
		return 0x7FC0
	case Float32:
		return 0x7FC00000
	case Float64:
		return 0x7FF8000000000000
	default:
		return 0
	}
}
