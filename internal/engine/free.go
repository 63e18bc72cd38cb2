package engine

import (
	"slices"

	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

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
