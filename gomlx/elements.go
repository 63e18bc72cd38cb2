package gomlx

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
)

// IsPosInf tells for each element of x whether it is +Inf: Bool, of x's shape.
// Integers and Bool give false everywhere; complex dtypes are ogive.ErrDType.
// It has no gradient.
func IsPosInf(x *Node) *Node {
	prepare(ogive.OpIsPosInf, x, nil)
	f := formatOf(x.DType())
	return f.are(x, f.infinity())
}

// IsNegInf tells for each element of x whether it is -Inf. Otherwise it is as
// [IsPosInf].
func IsNegInf(x *Node) *Node {
	prepare(ogive.OpIsNegInf, x, nil)
	f := formatOf(x.DType())
	return f.are(x, f.infinity()|f.signBit())
}

// IsReal tells for each element of x whether its imaginary part is ±0: Bool, of
// x's shape, true everywhere for dtypes that are not complex. (GoMLX's pure Go
// backend has no complex dtypes.) It has no gradient.
func IsReal(x *Node) *Node {
	prepare(ogive.OpIsReal, x, nil)
	if x.DType().IsComplex() {
		part := Imag(StopGradient(x))
		return Equal(part, ZerosLike(part))
	}
	return every(x, true)
}

// are tells which elements of x have the given bits, if they are floats.
func (f format) are(x *Node, bits uint64) *Node {
	if !f.float() {
		return every(x, false)
	}
	u := f.bits(StopGradient(x))
	return Equal(u, like(u, bits))
}

// every returns yes for each element of x.
func every(x *Node, yes bool) *Node {
	return BroadcastToDims(Const(x.Graph(), yes), x.Shape().Dimensions...)
}
