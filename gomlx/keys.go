package gomlx

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// format is how a dtype's elements are encoded.
type format struct {
	dtype    dtypes.DType
	key      dtypes.DType // unsigned integers of the same size
	width    uint         // bits of a key; 1 for Bool
	signed   bool         // a signed integer
	fraction uint         // bits of a float's fraction field; 0 for integers
}

var formats = map[dtypes.DType]format{
	dtypes.Bool:     {key: dtypes.Uint8, width: 1},
	dtypes.Int8:     {key: dtypes.Uint8, width: 8, signed: true},
	dtypes.Int16:    {key: dtypes.Uint16, width: 16, signed: true},
	dtypes.Int32:    {key: dtypes.Uint32, width: 32, signed: true},
	dtypes.Int64:    {key: dtypes.Uint64, width: 64, signed: true},
	dtypes.Uint8:    {key: dtypes.Uint8, width: 8},
	dtypes.Uint16:   {key: dtypes.Uint16, width: 16},
	dtypes.Uint32:   {key: dtypes.Uint32, width: 32},
	dtypes.Uint64:   {key: dtypes.Uint64, width: 64},
	dtypes.Float16:  {key: dtypes.Uint16, width: 16, fraction: 10},
	dtypes.BFloat16: {key: dtypes.Uint16, width: 16, fraction: 7},
	dtypes.Float32:  {key: dtypes.Uint32, width: 32, fraction: 23},
	dtypes.Float64:  {key: dtypes.Uint64, width: 64, fraction: 52},
}

// formatOf returns the format of a dtype, which is one of the table.
func formatOf(dt dtypes.DType) format {
	f := formats[dt]
	f.dtype = dt
	return f
}

func (f format) float() bool { return f.fraction > 0 }

// signBit, infinity and nan are bits of a float; top is the largest key.
func (f format) signBit() uint64  { return 1 << (f.width - 1) }
func (f format) infinity() uint64 { return (f.signBit() - 1) >> f.fraction << f.fraction }
func (f format) nan() uint64      { return f.infinity() | 1<<(f.fraction-1) }
func (f format) top() uint64      { return 1<<(f.width-1)<<1 - 1 }

// number returns the scalar v as a constant of an integer dtype.
func number(g *Graph, dt dtypes.DType, v uint64) *Node {
	switch dt {
	case dtypes.Uint8:
		return Const(g, uint8(v))
	case dtypes.Uint16:
		return Const(g, uint16(v))
	case dtypes.Uint32:
		return Const(g, uint32(v))
	case dtypes.Uint64:
		return Const(g, v)
	case dtypes.Int32:
		return Const(g, int32(v))
	default:
		return Const(g, int64(v))
	}
}

// like returns the scalar v as a constant of x's integer dtype.
func like(x *Node, v uint64) *Node { return number(x.Graph(), x.DType(), v) }

// bits returns the bits of the elements of x, unsigned.
func (f format) bits(x *Node) *Node {
	switch {
	case f.dtype == dtypes.Bool:
		return ConvertDType(x, f.key)
	case f.dtype == f.key:
		return x
	}
	return Bitcast(x, f.key)
}

// fromBits is the inverse of bits.
func (f format) fromBits(u *Node) *Node {
	switch {
	case f.dtype == dtypes.Bool:
		return NotEqual(u, like(u, 0))
	case f.dtype == f.key:
		return u
	}
	return Bitcast(u, f.dtype)
}

// keys returns unsigned integers in the order of the elements of x: -0 before
// +0, every NaN the largest, and nothing else as large in a float dtype.
func (f format) keys(x *Node) *Node {
	u := f.bits(x)
	switch {
	case f.signed:
		return BitwiseXor(u, like(u, f.signBit()))
	case !f.float():
		return u
	}
	sign := like(u, f.signBit())
	key := Where(GreaterOrEqual(u, sign), BitwiseNot(u), BitwiseOr(u, sign))
	return Where(f.isNaN(u), like(u, f.top()), key)
}

// keyBits returns the bits of the elements with the given keys, the canonical
// NaN for NaN.
func (f format) keyBits(key *Node) *Node {
	sign := like(key, f.signBit())
	switch {
	case f.signed:
		return BitwiseXor(key, sign)
	case !f.float():
		return key
	}
	u := Where(GreaterOrEqual(key, sign), BitwiseXor(key, sign), BitwiseNot(key))
	return Where(Equal(key, like(key, f.top())), like(key, f.nan()), u)
}

// isNaN tells which bits of a float are those of a NaN.
func (f format) isNaN(u *Node) *Node {
	return GreaterThan(BitwiseAnd(u, like(u, f.signBit()-1)), like(u, f.infinity()))
}

// oneZero returns the keys with those of -0 replaced by those of +0.
func (f format) oneZero(key *Node) *Node {
	if !f.float() {
		return key
	}
	plus := like(key, f.signBit())
	return Where(Equal(key, like(key, f.signBit()-1)), plus, key)
}
