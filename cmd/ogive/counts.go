package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/cmd/ogive/plot"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// countBlock is how many elements are counted at a time, as float64s.
const countBlock = 1 << 17

// eachBlock calls f with the elements of x in C order, some at a time, and the number of
// the first one.
func eachBlock(ctx context.Context, x *ogive.Tensor, f func(from int, values []float64)) error {
	x, err := x.Contiguous()
	if err == nil {
		x, err = x.Reshape(x.Len())
	}
	if err != nil {
		return err
	}
	for from := 0; from < x.Len(); from += countBlock {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		part, err := x.Slice(0, from, min(from+countBlock, x.Len()), 1)
		if err == nil {
			part, err = part.Cast(dtype.Float64)
		}
		if err != nil {
			return err
		}
		values, err := ogive.Values[float64](part)
		if err != nil {
			return err
		}
		f(from, values)
	}
	return nil
}

// countMemory counts the values of operands in memory, by groups where there are some.
func (s *samples) countMemory(ctx context.Context, b *plot.Bins) error {
	for i := range s.in.list {
		o := &s.in.list[i]
		gone := o.gone()
		var place []int // of each group among the samples
		if s.group != nil {
			place = make([]int, len(s.group.first))
			for k, group := range s.group.order {
				place[group] = i*len(s.group.order) + k
			}
		}
		err := eachBlock(ctx, o.x, func(from int, values []float64) {
			if gone == nil && place == nil && o.weights == nil {
				b.Add(i, values)
				return
			}
			for k := range values {
				if gone != nil && gone[from+k] {
					continue
				}
				series := i
				if place != nil {
					series = place[s.group.of[from+k]]
				}
				b.AddWeighted(series, values[k], o.weights.number(from+k))
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countTables counts the values of tables that are larger than memory, in one more pass.
func (f *opener) countTables(list []input, s *samples, b *plot.Bins) error {
	names := make([]string, len(s.keys))
	for i, k := range s.keys {
		names[i] = k.column
	}
	for _, file := range list {
		read := names
		if len(names) == 1 && names[0] == "" { // a lone column without a name
			read = file.Names()
		}
		_, err := await(f.ctx, func() (struct{}, error) {
			tidy := f.budget.tidy()
			for columns, err := range file.Batches(read...) {
				if err == nil {
					err = f.countColumns(columns, b)
				}
				tidy.step()
				if err != nil {
					return struct{}{}, inFile(err, title(file.path), "")
				}
			}
			return struct{}{}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *opener) countColumns(columns []tensorio.Column, b *plot.Bins) error {
	for i, c := range columns {
		o := operand{x: c.Values, Column: c}
		x, gone := o.x, o.gone()
		if gone != nil && slices.Contains(gone, true) {
			var err error
			if x, _, err = present(x, gone); err != nil {
				return err
			}
		}
		if err := eachBlock(f.ctx, x, func(_ int, values []float64) { b.Add(i, values) }); err != nil {
			return err
		}
	}
	return nil
}

// countArray counts the elements of an array that is larger than memory.
func (f *opener) countArray(path string, o tensorio.Options, b *plot.Bins) error {
	if path == stdinName {
		return fmt.Errorf("%s is larger than the memory, and a histogram reads it twice; write it to a file", stdinTitle)
	}
	a, err := f.array(path, o)
	if err != nil {
		return err
	}
	defer f.done(a, path)
	for x, err := range a.Pieces(f.budget.piece()) {
		if err == nil {
			err = eachBlock(f.ctx, x, func(_ int, values []float64) { b.Add(0, values) })
		}
		if err != nil {
			return inFile(err, path, "")
		}
	}
	return nil
}
