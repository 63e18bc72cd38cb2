// Package engine plans and runs operations on arrays. A Plan has everything
// resolved that can be known without data; running it splits the work into
// tasks, gives them scratch memory, and hands tiles of lanes to package
// selection. It knows no options and has no loops over elements.
//
// A kind of operation is a type: lanesRun, weightedRun, windowsRun and groupsRun compute
// order statistics, each of what its name says, and package elements tests elements. They
// know of a call what is asked (statistic) and of its run who works and where answers go
// (job), and nothing of each other but that windows and groups are lanes in the end. A Plan
// chooses among them, and so stands above them all.
package engine

import (
	"slices"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/elements"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/internal/weights"
)

// Plan is an operation with everything resolved: shapes, dtypes, axes, the NaN
// policy. It may be run by many goroutines at once.
type Plan struct {
	Config Config
	statistic
	kind     kind
	weighted bool
	weights  weights.Weights
	window   window
	test     elements.Test
}

// kind is the kind of a Plan.
type kind uint8

const (
	lanesKind kind = iota
	shortKind      // of a single lane of a few elements, of whose result is nothing asked but the values
	windowsKind
	groupsKind
	testKind // of elements
)

// InitOrder makes p a plan of the quantile or median family for inputs of the
// dtype, which has an order, and the shape. Its errors are those of the axes,
// of the keys, of empty slices and of the weights, in this order.
func (p *Plan) InitOrder(dt dtype.DType, shape []int, o *Order) error {
	if err := p.shapes.init(dt, shape); err != nil {
		return err
	}
	if p.Config.Tuned == nil {
		p.Config.Tuned = &tuning.Default
	}
	s := &p.statistic
	s.init(o, p.Config.Tuned)
	if err := s.reduce(o); err != nil {
		return err
	}
	s.layOut(o.KeepDims || o.Window > 0)
	p.kind = lanesKind
	switch {
	case o.Window > 0:
		p.kind = windowsKind
		if err := p.window.init(s, o); err != nil {
			return err
		}
	case o.Keys != nil:
		p.kind = groupsKind
	}
	if err := s.count(); err != nil {
		return err
	}
	if p.kind == groupsKind {
		if err := checkKeys(s, o.Keys); err != nil {
			return err
		}
	} else if err := s.checkEmpty(); err != nil {
		return err
	}
	if err := p.initWeights(o); err != nil {
		return err
	}
	p.number()
	return nil
}

// initWeights checks the weights, if there are any.
func (p *Plan) initWeights(o *Order) error {
	p.weighted = o.Weights != nil
	if !p.weighted {
		return nil
	}
	if o.Free && (p.reduced.Has(0) || slices.Equal(o.Weights.Shape(), p.InputShape())) {
		return errs.New(errs.ErrWeights, "weights have shape %v; where the first dimension is free they are those of the other, reduced axes", o.Weights.Shape())
	}
	return p.weights.Init(o.Weights, &weights.Call{
		Set: o.Set, Shape: p.InputShape(), Axes: p.Axes(), Reduced: p.reduced,
		Unread: p.total == 0, Grouped: p.kind == groupsKind,
	})
}

// number decides whether p is of a short lane, and else gives its quantiles a number.
func (p *Plan) number() {
	n, q := p.n, p.want.Len()
	if p.kind == shortKind {
		p.kind = lanesKind
	}
	if p.kind == lanesKind && selection.IsShort(n, q) && p.total == q && !p.arg && !p.weighted {
		p.kind = shortKind
		return
	}
	p.want.Number()
}

// InitPredicate makes p a plan that tests each element of inputs of the dtype
// and the shape. PosInf, NegInf and SignBit of a complex dtype are ErrDType.
func (p *Plan) InitPredicate(dt dtype.DType, shape []int, predicate elements.Predicate) error {
	if err := p.test.InitPredicate(dt, predicate); err != nil {
		return err
	}
	return p.initTest(dt, shape)
}

// InitMembers makes p a plan that looks the elements of inputs of the dtype and the shape up
// among the test values of m, which are read once, here. Its errors are those of m's Check.
func (p *Plan) InitMembers(dt dtype.DType, shape []int, m *elements.Member) error {
	if err := m.Check(dt); err != nil {
		return err
	}
	if err := p.initTest(dt, shape); err != nil {
		return err
	}
	p.test.InitMembers(dt, p.total, m, crew.Config{Workers: p.Config.Workers, Tuned: p.Config.Tuned})
	return nil
}

// initTest makes p a plan of an element test.
func (p *Plan) initTest(dt dtype.DType, shape []int) error {
	p.kind, p.weighted, p.naxes, p.keepDims, p.result = testKind, false, 0, false, dtype.Bool
	return p.shapes.init(dt, shape)
}

// Forget drops the plan's references to weights and test values, whose memory
// others may then use.
func (p *Plan) Forget() {
	if p.weighted {
		p.weights, p.weighted = weights.Weights{}, false
	}
	if p.kind == testKind {
		p.test.Forget()
	}
}

// Positional reports whether the operation can tell indices: each of its
// values is an element of the input.
func (p *Plan) Positional() bool { return p.kind != testKind && p.want.Method().Discrete() }

// Weights returns the weights, nil without any.
func (p *Plan) Weights() *weights.Weights {
	if !p.weighted {
		return nil
	}
	return &p.weights
}

// QDerivative returns a plan for RunEnds without values, whose ends and factors
// make the derivatives by the quantiles; see [rank.Method.QDerivative].
func (p *Plan) QDerivative() *Plan {
	d := *p
	d.want = p.want.QDerivative()
	return &d
}

// A plan whose first dimension is free is made for the length 1; copies of it are then
// resized to the lengths of runs by CheckInput, each by one goroutine at a time.

// Free says that the first dimension is free: it has any length.
func (p *Plan) Free() { p.free = true }

// Copy returns a copy of p, which shares its weights and test values.
func (p *Plan) Copy() *Plan {
	c := *p
	return &c
}

// FreeOutput returns which dimension of the result has the length of the first one of
// the input, if that is free and not reduced.
func (p *Plan) FreeOutput() (at int, ok bool) {
	switch {
	case !p.free:
		return 0, false
	case p.kind == testKind:
		return 0, true
	case p.reduced.Has(0):
		return 0, false
	case p.vector:
		return 1, true
	}
	return 0, true
}

// CheckInput checks that x is what p was made for. A plan with a free first dimension
// is given x's length there.
func (p *Plan) CheckInput(x *nd.Array) error {
	if x.DType != p.dt {
		return errs.New(errs.ErrDType, "x is %v, the plan takes %v", x.DType, p.dt)
	}
	if p.free && x.NDim() == p.ndim && slices.Equal(x.Shape()[1:], p.InputShape()[1:]) {
		return p.resize(x.Shape()[0])
	}
	if !slices.Equal(x.Shape(), p.InputShape()) {
		return errs.New(errs.ErrShape, "x has shape %v, the plan takes %v", x.Shape(), p.takes())
	}
	return nil
}

// resize makes p, whose first dimension is free, a plan for the given length. On error p
// is as it was.
func (p *Plan) resize(length int) error {
	before := p.shape[0]
	if length == before {
		return nil
	}
	if err := p.setLength(length); err != nil {
		_ = p.setLength(before) // which is valid
		return err
	}
	if p.weighted {
		p.weights.Array.Repeat(length)
	}
	if p.kind != testKind {
		p.number()
	}
	return nil
}

// setLength sets the length of the first dimension, and checks what depends on it.
func (p *Plan) setLength(length int) error {
	p.shape[0] = length
	if p.kind == testKind {
		p.out[0] = length
	} else {
		p.layOut(p.keepDims)
	}
	if _, err := nd.Count(p.InputShape(), p.dt.Size()); err != nil {
		return err
	}
	if err := p.count(); err != nil || p.kind == testKind {
		return err
	}
	return p.checkEmpty()
}
