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
	case p.kind != kindOrder:
		return 0, true
	case p.order.reduced.Has(0):
		return 0, false
	case p.order.vector:
		return 1, true
	}
	return 0, true
}

// resize makes p, whose first dimension is free, a plan for the given length. On error p
// is as it was.
func (p *Plan) resize(length int) error {
	before := p.shape[0]
	if length == before {
		return nil
	}
	p.setLength(length)
	if err := p.checkLength(); err != nil {
		p.setLength(before)
		return err
	}
	if s := &p.order; p.kind == kindOrder {
		if s.weights.on {
			s.weights.array.Repeat(length)
		}
		p.order.number(p)
	}
	return nil
}

func (p *Plan) setLength(length int) {
	p.shape[0] = length
	if at, ok := p.FreeOutput(); ok {
		p.out[at] = length
	}
}

// checkLength checks what depends on the length of the first dimension.
func (p *Plan) checkLength() error {
	if _, err := nd.Count(p.InputShape(), p.dt.Size()); err != nil {
		return err
	}
	if _, err := nd.Count(p.Shape(), p.result.Size()); err != nil {
		return err
	}
	if p.kind == kindOrder {
		return p.checkEmpty()
	}
	return nil
}

// checkEmpty checks that there is an answer where there are no elements.
func (p *Plan) checkEmpty() error {
	s := &p.order
	if p.laneLen() > 0 || p.outputs() == 0 || s.emptyNaN && s.value.IsFloat() || s.grouped {
		return nil
	}
	return errs.New(errs.ErrEmpty, "axes %v of shape %v reduce 0 elements", p.Axes(), p.InputShape())
}

// takes returns the shape of the inputs for messages: -1 is any length.
func (p *Plan) takes() []int {
	shape := slices.Clone(p.InputShape())
	if p.free {
		shape[0] = -1
	}
	return shape
}
