package main

import (
	"context"
	"errors"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// job is a plan and what it works on.
type job struct {
	plan       *ogive.Plan
	x          *ogive.Tensor
	weights    *ogive.Tensor
	out, index *ogive.Tensor
	finish     []func(*part) error // in turn, once the plan has run
}

// request is what a command asks of its operands.
type request struct {
	op      ogive.Op
	as      ogive.Op // the operation that takes the options, if it is not op
	options []ogive.Option
	indices bool
	counts  bool // the answer tells of missing cells
	work    workFlags
}

// compute carries out a request on each operand. All plans are made before the
// first one runs, so a mistake costs no work. Notes on the files are written
// when all has gone well: a failure is told alone.
func compute(ctx context.Context, s streams, r *request, in *operands) ([]part, error) {
	dev, err := openDevice(r.work.device)
	if err != nil {
		return nil, err
	}
	if dev != nil {
		defer dev.close()
	}
	var meter ogive.Meter
	r.options = append(slices.Clip(r.options), ogive.Workers(r.work.workers), ogive.Context(ctx), ogive.Progress(&meter))
	jobs := make([]job, len(in.list))
	parts := make([]part, len(jobs))
	answers := int64(0)
	for i := range in.list {
		o := &in.list[i]
		err := jobs[i].prepare(r, o)
		if err == nil {
			answers += sizeOf(jobs[i].plan)
			err = in.answer(answers)
		}
		if err == nil {
			parts[i], err = jobs[i].part(r, o)
		}
		if err != nil {
			return nil, inFile(r.named(err), in.title, o.name)
		}
		if !r.work.quiet {
			in.noteColumn(r, o)
		}
	}
	err = watch(ctx, s, r.work.quiet, r.op.String(), &meter, func() error {
		for i := range in.list {
			err := jobs[i].run(dev, &parts[i])
			if err == nil && !r.work.quiet {
				err = jobs[i].noteRounded(r, in, &parts[i])
			}
			if err != nil {
				return inFile(r.named(err), in.title, in.list[i].name)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	in.tell(s, r.work)
	return parts, nil
}

// named gives an error the operation that the user has called.
func (r *request) named(err error) error {
	if e, ok := errors.AsType[*ogive.Error](err); ok && r.as != r.op && e.Op == r.as.String() {
		return e.In(r.op.String())
	}
	return err
}

// plan makes a plan for a tensor.
func (r *request) plan(x, weights *ogive.Tensor) (*ogive.Plan, error) {
	opts := r.options
	if weights != nil {
		opts = append(slices.Clip(opts), ogive.Weights(weights))
	}
	return ogive.Prepare(r.as, x.DType(), x.Shape(), opts...)
}

// prepare plans the answer for an operand.
func (j *job) prepare(r *request, o *operand) (err error) {
	if o.test != nil {
		own := *r
		own.options = append(slices.Clip(r.options), ogive.Test(o.test))
		r = &own
	}
	j.x = o.x
	j.weights = o.weights.tensor()
	if j.plan, err = r.plan(j.x, j.weights); err != nil {
		return err
	}
	gone := o.gone()
	// The plan without the missing values is made after one with them, which finds
	// what is wrong with the request. Floats that are missing are NaN already.
	switch {
	case gone == nil || o.x.DType().IsFloat() && o.weights == nil && o.Invalid == 0:
	case !r.op.Facts().Order:
		return j.patch(r, gone)
	default:
		if err := j.leaveOut(r, o, gone); err != nil {
			return err
		}
	}
	if o.Unit != 0 && r.op.Facts().Order {
		return j.fromBase(r, o)
	}
	return nil
}

// patch gives missing values the answer of a NaN.
func (j *job) patch(r *request, gone []bool) error {
	nan, err := r.plan(ogive.Scalar(nanValue), nil)
	if err != nil {
		return err
	}
	answer := ogive.Must(ogive.Zeros(dtype.Bool))
	if err := nan.Run(ogive.Scalar(nanValue), answer); err != nil {
		return err
	}
	is := ogive.Must(ogive.Item[bool](answer))
	j.finish = append(j.finish, func(p *part) error {
		values, err := ogive.Values[bool](p.values)
		for i, g := range gone {
			if g {
				values[i] = is
			}
		}
		return err
	})
	return nil
}

// dropped reports whether an operation drops the missing values of a column: those that
// stand for invalid cells always, for that was asked.
func (o *operand) dropped(op ogive.Op) bool { return op.Facts().SkipNaN || o.missing() == o.Invalid }

// leaveOut answers for the values that are not missing; where none is left, or missing
// ones are not dropped, as for a NaN.
func (j *job) leaveOut(r *request, o *operand, gone []bool) (err error) {
	first := int64(slices.Index(gone, true))
	x, places, err := present(j.x, gone)
	if err != nil {
		return err
	}
	weights := o.weights.tensor()
	if weights != nil {
		if weights, _, err = present(weights, gone); err != nil {
			return err
		}
	}
	if !o.dropped(r.op) || len(places) == 0 || weights != nil && weightless(weights) {
		x, places, weights = ogive.Must(ogive.FromSlice([]float64{nanValue})), []int64{first}, nil
	}
	j.x, j.weights = x, weights
	if j.plan, err = r.plan(x, weights); err != nil {
		return err
	}
	argument := r.op.Facts().Index
	j.finish = append(j.finish, func(p *part) error {
		indices := p.indices
		if argument {
			indices = p.values
		}
		if indices == nil {
			return nil
		}
		list, err := ogive.Values[int64](indices)
		for i, at := range list {
			if at >= 0 {
				list[i] = places[at]
			}
		}
		return err
	})
	return nil
}

// weightless reports whether weights are all zero.
func weightless(weights *ogive.Tensor) bool {
	w := ogive.Must(ogive.Values[float64](ogive.Must(weights.Cast(dtype.Float64))))
	return !slices.ContainsFunc(w, func(v float64) bool { return v != 0 })
}

// part returns the answer before it is known.
func (j *job) part(r *request, o *operand) (p part, err error) {
	j.out, err = ogive.Zeros(j.plan.DType(), j.plan.Shape()...)
	if err == nil && r.indices {
		j.index, err = ogive.Zeros(dtype.Int64, j.plan.Shape()...)
	}
	return part{file: o.file, name: o.name, axes: keptAxes(j.plan, j.x.NDim()), values: j.out, indices: j.index, of: o.x.DType()}, err
}

func (j *job) run(dev *device, p *part) (err error) {
	switch {
	case dev != nil:
		err = dev.run(j.plan, j.x, j.out, j.index)
	case j.index != nil:
		err = j.plan.RunIndex(j.x, j.out, j.index)
	default:
		err = j.plan.Run(j.x, j.out)
	}
	for _, finish := range j.finish {
		if err == nil {
			err = finish(p)
		}
	}
	return err
}

// noteRounded takes note of an answer that is rounded where float64 does not hold every
// integer.
func (j *job) noteRounded(r *request, in *operands, p *part) error {
	if p.unit != 0 || beyondExact(j.x.DType(), p.values) == nil {
		return nil
	}
	is, err := roundedAnswers(j.x, p.values, func(x *ogive.Tensor) (*ogive.Tensor, error) {
		plan, err := r.plan(x, j.weights)
		if err != nil {
			return nil, err
		}
		out, err := ogive.Zeros(plan.DType(), plan.Shape()...)
		if err == nil {
			err = plan.Run(x, out)
		}
		return out, err
	})
	if is {
		in.noteRoundedAnswers(p.name)
	}
	return err
}

// keptAxes returns which axis of the input each dimension of the result is,
// the quantile dimension excepted.
func keptAxes(plan *ogive.Plan, dims int) (axes []int) {
	reduced := plan.Axes()
	for a := range dims {
		if plan.KeepDims() || !slices.Contains(reduced, a) {
			axes = append(axes, a)
		}
	}
	return axes
}
