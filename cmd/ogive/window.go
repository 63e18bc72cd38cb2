package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// windowFlags ask for the answers of windows that move along a column or an axis.
type windowFlags struct {
	width int
	least int
}

func (f *windowFlags) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.width, "window", 0, "an answer for every `N` elements in a row, of each column or along --axis (default 0)")
	cmd.Flags().IntVar(&f.least, "min-count", 0, "with --window: an answer for every element, of the window that ends there, if it has `N` values")
}

// check refuses what windows do not go with.
func (f *windowFlags) check(cmd *cobra.Command, o *orderOptions) error {
	flags := cmd.Flags()
	if !flags.Changed("window") {
		if flags.Changed("min-count") {
			return usageError("--window N", "--min-count is of windows, and there are none")
		}
		return nil
	}
	for _, other := range []string{"by", "weights", "keepdims", "indices", "device", "per-file"} {
		if flag := flags.Lookup(other); flag != nil && flag.Changed && flag.Value.String() != noWeights {
			return usageError("", "--window does not go with --%s", other)
		}
	}
	if f.width < 1 {
		return usageError("", "--window takes at least 1 element, got %d", f.width)
	}
	if f.least < 0 || flags.Changed("min-count") && f.least == 0 {
		return usageError("", "--min-count takes at least 1, got %d", f.least)
	}
	o.window = *f
	return nil
}

// computeWindows answers for the windows of each operand: a column of answers for each
// column and quantile of a table.
func computeWindows(ctx context.Context, s streams, o *orderOptions, r *request, in *operands) (*result, error) {
	opts := append(slices.Clip(r.options), ogive.Workers(r.work.workers), ogive.Context(ctx))
	if o.window.least > 0 {
		opts = append(opts, ogive.MinCount(o.window.least))
	}
	answer := &result{op: o.op.String(), method: o.method, mode: o.mode, qs: o.qs, elementwise: in.table, table: in.table}
	taken, lists := int64(0), int64(1)
	if o.qs != nil {
		lists = int64(len(o.qs.list))
	}
	for i := range in.list {
		op := &in.list[i]
		if op.Unit != tensorio.UnitNone {
			return nil, inFile(usageError("", "windows are of numbers, and %s holds %s", columnTitle(op), op.Unit.Kind()), in.title, "")
		}
		x, err := op.x, error(nil)
		if op.Missing != nil {
			x, err = op.Tensor()
		}
		var values *ogive.Tensor
		if err == nil {
			taken += int64(x.Len()) * lists * 8
			err = in.answer(taken)
		}
		if err == nil {
			values, err = rolling(r.op, x, o.window.width, opts)
		}
		if err != nil {
			return nil, inFile(err, in.title, op.name)
		}
		if !r.work.quiet {
			in.noteColumn(r, op)
			rounded, err := roundedAnswers(x, values, func(x *ogive.Tensor) (*ogive.Tensor, error) {
				return rolling(r.op, x, o.window.width, opts)
			})
			if err != nil {
				return nil, err
			}
			if rounded {
				in.noteRoundedAnswers(op.name)
			}
		}
		if !in.table || o.qs == nil || o.qs.scalar {
			answer.parts = append(answer.parts, part{name: op.name, axes: allAxes(values, answer.list()), values: values})
			continue
		}
		for q, label := range o.qs.labels {
			of, err := values.Slice(0, q, q+1, 1)
			if err == nil {
				of, err = of.Reshape(-1)
			}
			if err != nil {
				return nil, err
			}
			answer.parts = append(answer.parts, part{name: op.name + " " + label, values: of})
		}
	}
	if in.table {
		answer.qs = nil // they are in the names
	}
	in.tell(s, r.work)
	return answer, nil
}

// rolling runs the operation on windows that op is on all elements.
func rolling(op ogive.Op, x *ogive.Tensor, width int, opts []ogive.Option) (*ogive.Tensor, error) {
	switch f := op.Facts(); {
	case f.Median && f.SkipNaN:
		return x.NaNRollingMedian(width, opts...)
	case f.Median:
		return x.RollingMedian(width, opts...)
	case f.SkipNaN:
		return x.NaNRollingQuantiles(nil, width, opts...)
	default:
		return x.RollingQuantiles(nil, width, opts...)
	}
}

// allAxes returns the axes of windows' answers, the quantile dimension excepted.
func allAxes(values *ogive.Tensor, list bool) (axes []int) {
	n := values.NDim()
	if list {
		n--
	}
	for a := range n {
		axes = append(axes, a)
	}
	return axes
}
