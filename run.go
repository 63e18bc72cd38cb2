package ogive

import (
	"sync"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// Run computes the result for x, of the plan's input dtype and shape, into
// out. The demands on out are those of [Out]. A context that ends first makes
// it fail with the context's error, and out is unspecified then.
func (p *Plan) Run(x, out *Tensor) error {
	return p.check(x, out, nil, true, false)
}

// RunIndex is Run that computes the indices as well, into indices, an int64
// tensor of the result's shape. out may be nil if only the indices are wanted.
// The plan's values must be elements of x (a discrete method, a median of mode
// lower or upper), else ErrOption.
func (p *Plan) RunIndex(x, out, indices *Tensor) error {
	return p.check(x, out, indices, out != nil, true)
}

// check checks the tensors of a run and runs.
func (p *Plan) check(x, out, indices *Tensor, needOut, needIndices bool) error {
	return nd.Guard(p.op.String(), func() error {
		if x == nil {
			return errs.New(errs.ErrShape, "x is nil")
		}
		if p.sized == nil {
			return p.checkFor(&p.eng, x, out, indices, needOut, needIndices)
		}
		eng := p.sized.Get().(*engine.Plan)
		defer p.sized.Put(eng)
		return p.checkFor(eng, x, out, indices, needOut, needIndices)
	})
}

// checkFor is check by the engine's plan for the length of x.
func (p *Plan) checkFor(eng *engine.Plan, x, out, indices *Tensor, needOut, needIndices bool) error {
	if err := eng.CheckInput(&x.arr); err != nil {
		return err
	}
	if needIndices && (!p.eng.Positional() || ops[p.op].Index) {
		return errs.New(errs.ErrOption, "indices need values that are elements of x: a median of mode lower or upper, or a discrete method")
	}
	if err := checkOutputs(eng, out, indices, needOut, needIndices); err != nil {
		return err
	}
	return execute(eng, x, out, indices)
}

// checkOutputs checks the tensors that take the results.
func checkOutputs(eng *engine.Plan, out, indices *Tensor, needOut, needIndices bool) error {
	if needOut {
		if out == nil {
			return errs.New(errs.ErrOut, "out is nil")
		}
		if err := eng.CheckOut(&out.arr, eng.DType()); err != nil {
			return err
		}
	}
	if needIndices {
		if indices == nil {
			return errs.New(errs.ErrOut, "indices is nil")
		}
		if err := eng.CheckOut(&indices.arr, dtype.Int64); err != nil {
			return err
		}
	}
	if out != nil && indices != nil && out.arr.IsContiguous() && indices.arr.IsContiguous() && nd.Overlaps(&out.arr, &indices.arr) {
		return errs.New(errs.ErrOut, "out and indices overlap")
	}
	return nil
}

// execute runs the plan where x lies. All that can be wrong with its tensors
// but their device has been checked.
func execute(eng *engine.Plan, x, out, indices *Tensor) error {
	var o, i *nd.Array
	if out != nil {
		o = &out.arr
	}
	if indices != nil {
		i = &indices.arr
	}
	if x.arr.Buf.Device != nil || o != nil && o.Buf.Device != nil || i != nil && i.Buf.Device != nil {
		return executeOn(eng, x, out, indices)
	}
	return eng.Run(&x.arr, o, i)
}

// plans are used again by the eager functions, so that these allocate nothing
// but their results.
var plans = sync.Pool{New: func() any { return new(Plan) }}

// lend runs what the function of an operation does on x, with a plan that it lends. All
// functions of this package look at elements within [nd.Guard], this one for most of them.
func lend(name string, x *Tensor, do func(p *Plan) error) error {
	return nd.Guard(name, func() error {
		if x == nil {
			return errs.New(errs.ErrShape, "x is nil")
		}
		p := plans.Get().(*Plan)
		err := do(p)
		p.forget()
		plans.Put(p)
		return err
	})
}

// eager runs op on x. param gives the function's own quantiles, or is nil if it
// has none.
func eager(op Op, x *Tensor, param *Option, opts []Option) (*Tensor, error) {
	value, _, err := run(op, x, nil, param, opts, false)
	return value, err
}

// run is eager for IsIn too, with its test values, and computes the indices if
// asked to.
func run(op Op, x, test *Tensor, param *Option, opts []Option, withIndex bool) (value, index *Tensor, err error) {
	err = lend(op.String(), x, func(p *Plan) (err error) {
		p.request.test, p.request.withIndex, p.request.anywhere = test, withIndex, x.arr.Buf.Device != nil
		value, index, err = p.eager(op, x, param, opts, settingsOf(optTest))
		return err
	})
	return value, index, err
}

// forget drops what p holds of a caller's.
func (p *Plan) forget() {
	p.request = request{}
	p.eng.Forget()
}

// eager runs op on x. Options of the banned set are not taken.
func (p *Plan) eager(op Op, x *Tensor, param *Option, opts []Option, banned settingSet) (value, index *Tensor, err error) {
	if err := p.prepare(op, x.arr.DType, x.arr.Shape(), param, opts, banned); err != nil {
		return nil, nil, err
	}
	r := &p.request
	value, index = r.out, r.outIndices
	if err := checkOutputs(&p.eng, value, index, r.given.has(optOut), r.given.has(optOutIndices)); err != nil {
		return nil, nil, err
	}
	if r.rolling {
		if err := allOnHost("x or out", x, value); err != nil {
			return nil, nil, err
		}
	}
	if value == nil {
		if value, err = p.allocate(x, p.eng.DType()); err != nil {
			return nil, nil, err
		}
	}
	if r.withIndex && index == nil {
		if index, err = p.allocate(x, dtype.Int64); err != nil {
			return nil, nil, err
		}
	}
	if err := p.checkWeights(x.arr.Buf.Device); err != nil {
		return nil, nil, err
	}
	if err := execute(&p.eng, x, value, index); err != nil {
		return nil, nil, err
	}
	return value, index, nil
}

// checkWeights checks that the weights lie where x does.
func (p *Plan) checkWeights(device any) error {
	if w := p.request.weights; w != nil && w.arr.Buf.Device != device {
		return errs.New(errs.ErrDevice, "x and the weights lie on different devices")
	}
	return nil
}

// allocate returns a tensor for a result of the plan, where x lies.
func (p *Plan) allocate(x *Tensor, dt dtype.DType) (*Tensor, error) {
	if x.arr.Buf.Device != nil {
		a, err := x.backend().Alloc(dt, p.eng.Shape()...)
		if err != nil {
			return nil, deviceError("", x.Device(), err)
		}
		return &Tensor{a}, nil
	}
	a, err := nd.New(dt, p.eng.Shape()...)
	if err != nil {
		return nil, err
	}
	return &Tensor{a}, nil
}
