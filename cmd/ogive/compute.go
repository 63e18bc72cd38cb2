package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// job is a plan and what it works on.
type job struct {
	plan       *ogive.Plan
	x          *ogive.Tensor
	out, index *ogive.Tensor
}

// compute runs an operation on each operand. All plans are made before the
// first one runs, so a mistake costs no work. Notes on the files are written
// when all has gone well: a failure is told alone.
func compute(ctx context.Context, s streams, work workFlags, op ogive.Op, in *operands, opts []ogive.Option, indices bool) ([]part, error) {
	var meter ogive.Meter
	opts = append(slices.Clip(opts), ogive.Workers(work.workers), ogive.Context(ctx), ogive.Progress(&meter))
	jobs := make([]job, len(in.list))
	for i, operand := range in.list {
		j := &jobs[i]
		j.x = operand.x
		var err error
		if j.plan, err = ogive.Prepare(op, j.x.DType(), j.x.Shape(), opts...); err != nil {
			return nil, inFile(err, in.title, operand.name)
		}
	}
	parts := make([]part, len(jobs))
	for i, operand := range in.list {
		j := &jobs[i]
		var err error
		if j.out, err = ogive.Zeros(j.plan.DType(), j.plan.Shape()...); err == nil && indices {
			j.index, err = ogive.Zeros(dtype.Int64, j.plan.Shape()...)
		}
		if err != nil {
			return nil, inFile(err, in.title, operand.name)
		}
		parts[i] = part{name: operand.name, axes: keptAxes(j), values: j.out, indices: j.index}
	}
	err := watch(ctx, s, work.quiet, op.String(), &meter, func() error {
		for i, operand := range in.list {
			if err := jobs[i].run(); err != nil {
				return inFile(err, in.title, operand.name)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !work.quiet {
		for _, note := range in.notes {
			fmt.Fprintf(s.err, "ogive: note: %s\n", note)
		}
	}
	return parts, nil
}

func (j *job) run() error {
	if j.index != nil {
		return j.plan.RunIndex(j.x, j.out, j.index)
	}
	return j.plan.Run(j.x, j.out)
}

// keptAxes returns which axis of the input each dimension of the result is,
// the quantile dimension excepted.
func keptAxes(j *job) (axes []int) {
	reduced := j.plan.Axes()
	for a := range j.x.NDim() {
		if j.plan.KeepDims() || !slices.Contains(reduced, a) {
			axes = append(axes, a)
		}
	}
	return axes
}
