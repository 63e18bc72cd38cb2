package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// key returns the column of the FILEs that makes groups: of several files joined by the
// text of its values where they differ in type.
func (f *opener) key(in *operands, name string) (all operand, err error) {
	for i, file := range in.files {
		c, err := await(f.ctx, func() (tensorio.Column, error) { return file.Group(name) })
		if err != nil {
			return all, err
		}
		next := operand{name: name, x: c.Values, Column: c}
		if i == 0 {
			all = next
			continue
		}
		if err = all.alike(&next); err == nil {
			err = all.append(&next)
		}
		if err != nil {
			return all, fmt.Errorf("column %s: %w", name, err)
		}
	}
	return all, nil
}

// alike gives two columns of keys one type that tells all of their values apart: their
// own, int64 of integers, or else text.
func (o *operand) alike(next *operand) error {
	isWhole := func(o *operand) bool {
		dt := o.x.DType()
		return o.Unit == 0 && o.Labels == nil && !dt.IsFloat() && !dt.IsComplex() && dt != dtype.Bool && dt != dtype.Uint64
	}
	turn := (*operand).toText
	switch {
	case o.Labels == nil && next.Labels == nil && o.Unit == next.Unit && o.x.DType() == next.x.DType():
		return nil
	case isWhole(o) && isWhole(next):
		turn = (*operand).toInts
	}
	for _, c := range []*operand{o, next} {
		if err := turn(c); err != nil {
			return err
		}
	}
	return nil
}

// toInts makes integers int64.
func (o *operand) toInts() (err error) {
	o.x, err = o.x.Cast(dtype.Int64)
	o.Values = o.x
	return err
}

// toText makes a column one of text, that of its keys.
func (o *operand) toText() error {
	if o.Labels != nil {
		return nil
	}
	_, gone, err := codesOf(o) // NaNs too
	if err != nil {
		return err
	}
	label, err := labelOf(o, gone)
	if err != nil {
		return err
	}
	codes := make([]int64, o.x.Len())
	labels := []string{}
	known := map[string]int64{}
	for row := range codes {
		if gone != nil && gone[row] {
			continue
		}
		text := label(row)
		code, ok := known[text]
		if !ok {
			code = int64(len(labels))
			known[text], labels = code, append(labels, text)
		}
		codes[row] = code
	}
	o.Column = tensorio.Column{Labels: labels}
	if gone != nil {
		if o.Missing, err = ogive.FromSlice(gone); err != nil {
			return err
		}
	}
	o.x, err = ogive.FromSlice(codes)
	o.Values = o.x
	return err
}

// codesOf returns a number for each row, the same for the same values (-0 is 0), and
// which rows are missing: NaNs too.
func codesOf(c *operand) (codes []int64, gone []bool, err error) {
	gone = c.gone()
	dt := c.x.DType()
	switch {
	case dt.IsComplex():
		return nil, nil, fmt.Errorf("column %s: %v has no groups", c.name, dt)
	case dt.IsFloat():
		wide, err := c.x.Cast(dtype.Float64)
		if err != nil {
			return nil, nil, err
		}
		for i, v := range ogive.Must(ogive.Values[float64](wide)) {
			if v != v && gone == nil {
				gone = make([]bool, c.x.Len())
			}
			if v != v {
				gone[i] = true
			}
			codes = append(codes, int64(math.Float64bits(v+0)))
		}
		return codes, gone, nil
	case dt == dtype.Uint64:
		for _, v := range ogive.Must(ogive.Values[uint64](c.x)) {
			codes = append(codes, int64(v))
		}
		return codes, gone, nil
	}
	wide, err := c.x.Cast(dtype.Int64)
	if err != nil {
		return nil, nil, err
	}
	codes, err = ogive.Values[int64](wide)
	return codes, gone, err
}

// labelOf returns how a row of a column of keys is written, -0 as 0, of which codesOf says
// which are missing.
func labelOf(c *operand, gone []bool) (func(row int) string, error) {
	of := c.Column
	if dt := c.x.DType(); dt.IsFloat() {
		wide, err := c.x.Cast(dtype.Float64)
		if err != nil {
			return nil, err
		}
		list := slices.Clone(ogive.Must(ogive.Values[float64](wide)))
		for i := range list {
			list[i] += 0
		}
		if of.Values, err = ogive.Must(ogive.FromSlice(list)).Cast(dt); err != nil {
			return nil, err
		}
	}
	cell, err := of.Cells()
	if err != nil {
		return nil, err
	}
	return func(row int) string {
		if gone != nil && gone[row] {
			return missingGroup
		}
		return cell(row)
	}, nil
}

// sort puts the groups into ascending order of their keys, by columns: missing ones last.
func (g *grouping) sort(columns []operand) {
	compare := make([]func(a, b int) int, len(columns))
	for i := range columns {
		compare[i] = columns[i].keyOrder()
	}
	slices.SortFunc(g.order, func(a, b int) int {
		for _, c := range compare {
			if c := c(g.first[a], g.first[b]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// keyOrder returns how two rows of a column of keys are ordered.
func (o *operand) keyOrder() func(a, b int) int {
	var byValue func(a, b int) int
	switch {
	case o.Labels != nil:
		order := tensorio.KeyOrder(o.Labels)
		codes := ogive.Must(ogive.Values[int64](o.x))
		byValue = func(a, b int) int { return order(o.Labels[codes[a]], o.Labels[codes[b]]) }
	case o.x.DType() == dtype.Int64:
		v := ogive.Must(ogive.Values[int64](o.x))
		byValue = func(a, b int) int { return cmp.Compare(v[a], v[b]) }
	case o.x.DType() == dtype.Uint64:
		v := ogive.Must(ogive.Values[uint64](o.x))
		byValue = func(a, b int) int { return cmp.Compare(v[a], v[b]) }
	default: // float64 holds the others
		v := ogive.Must(ogive.Values[float64](ogive.Must(o.x.Cast(dtype.Float64))))
		byValue = func(a, b int) int { return cmp.Compare(v[a], v[b]) }
	}
	_, gone, err := codesOf(o)
	if err != nil || gone == nil {
		return byValue
	}
	return func(a, b int) int {
		switch {
		case gone[a] && gone[b]:
			return 0
		case gone[a]:
			return 1
		case gone[b]:
			return -1
		}
		return byValue(a, b)
	}
}
