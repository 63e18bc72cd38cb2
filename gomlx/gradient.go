package gomlx

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
)

// withoutGradient returns x with a gradient that is ogive.ErrDType.
func withoutGradient(op ogive.Op, dt dtypes.DType, x *Node) *Node {
	return IdentityWithCustomGradient(x, func(x, _ *Node) *Node {
		fail(op, ogive.ErrDType, "gradient needs a float input, got %v", dtypeOf[dt])
		return nil
	})
}

// withGradient returns value, made from x without a gradient, with the gradient
// by x that pull makes of that by value.
//
// GoMLX has custom gradients for identities only. So the node is a slice of the
// identity of value and x put together: there the gradient by both may be set,
// and that by x goes on to x. An identity behind the slice notes the gradient by
// value on its way: what the slice makes of it could not be differentiated again.
func withGradient(value, x *Node, pull func(dy *Node) *Node) *Node {
	var dy *Node
	m, n := value.Shape().Size(), x.Shape().Size()
	both := Concatenate([]*Node{Reshape(StopGradient(value), m), Reshape(x, n)}, 0)
	both = IdentityWithCustomGradient(both, func(_, v *Node) *Node {
		return Concatenate([]*Node{Zeros(v.Graph(), shapes.Make(v.DType(), m)), Reshape(pull(dy), n)}, 0)
	})
	y := Reshape(Slice(both, AxisRange(0, m)), value.Shape().Dimensions...)
	return IdentityWithCustomGradient(y, func(_, v *Node) *Node {
		dy = v
		return v
	})
}

// pull returns the gradient by x for the gradient by the value: weight times
// upstream in float64, rounded once. What was not selected gets +0.
func (s *statistic) pull(dy *Node) *Node {
	dy = Reshape(ConvertDType(dy, dtypes.Float64), len(s.wants), s.rows, 1)
	if s.even {
		return s.join(s.pullEven(&s.wants[0], Reshape(dy, s.rows, 1)))
	}
	return s.join(s.pullOrder(dy))
}

// pullOrder is pull by the order rule, rows × n.
func (s *statistic) pullOrder(dy *Node) *Node {
	g := s.keys.Graph()
	at := Iota(g, shapes.Make(dtypes.Uint64, s.rows, s.n), 1)
	zero := Const(g, 0.0)
	var sum *Node
	for i, w := range s.wants {
		up := Reshape(Slice(dy, AxisElem(i)), s.rows, 1)
		weight := Bitcast(w.g, dtypes.Float64)
		add := func(share, position *Node) {
			share = Where(Equal(at, position), BroadcastToDims(share, s.rows, s.n), zero)
			if sum != nil {
				share = Add(sum, share)
			}
			sum = share
		}
		add(Mul(Sub(Const(g, 1.0), weight), up), place(s.packed, w.a, w.lo))
		if !w.whole {
			share := Where(isZero(w.g), zero, Mul(weight, up))
			add(share, place(s.packed, w.b, Add(w.lo, like(w.lo, 1))))
		}
	}
	return s.in.narrow(sum)
}

// pullEven is pull by the even rule, rows × n.
func (s *statistic) pullEven(w *want, dy *Node) *Node {
	keys, a, b := s.in.oneZero(s.keys), s.in.oneZero(w.a), s.in.oneZero(w.b)
	g := keys.Graph()
	share := func(of *Node, key *Node) (is, value *Node) {
		is = Equal(keys, key)
		n := ConvertDType(count(is), dtypes.Float64)
		value = s.in.narrow(Mul(Div(of, n), dy))
		return is, BroadcastToDims(value, s.rows, s.n)
	}
	one := LogicalOr(isZero(w.g), Equal(a, b))
	half := BroadcastToDims(Const(g, 0.5), s.rows, 1)
	lower, low := share(Where(one, Const(g, 1.0), half), a)
	zero := s.in.fromBits(number(g, s.in.key, 0))
	if w.whole {
		return Where(lower, low, zero)
	}
	upper, high := share(half, b)
	upper = LogicalAnd(upper, LogicalNot(BroadcastToDims(one, s.rows, s.n)))
	return Where(lower, low, Where(upper, high, zero))
}

// narrow returns float64 values, added to zero, rounded once to a float format,
// the canonical NaN for NaN. Its gradient is that of a conversion.
func (f format) narrow(x *Node) *Node {
	g := x.Graph()
	x = Add(x, Const(g, 0.0)) // turns -0 into +0
	r := x
	switch f.dtype {
	case dtypes.Float64:
	case dtypes.Float32:
		r = ConvertDType(x, f.dtype)
	default:
		// The pure Go backend converts to 16 bits through float32.
		bits := f.round(formatOf(dtypes.Float64).split(Bitcast(StopGradient(x), dtypes.Uint64)).widen())
		r = withGradient(f.fromBits(bits), ConvertDType(x, f.dtype), func(dy *Node) *Node { return dy })
	}
	return Where(IsNaN(StopGradient(x)), f.fromBits(number(g, f.key, f.nan())), r)
}
