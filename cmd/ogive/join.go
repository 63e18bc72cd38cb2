package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// grown is the memory of a column that is joined of several: it has room for more rows, so
// that each of them takes time by its own.
type grown struct {
	of     *ogive.Tensor    // the column's values: others have other memory
	values *ogive.Tensor    // those, and room behind them
	gone   []bool           // as Missing, empty without any
	known  map[string]int64 // the number of each of Labels
}

// append appends the rows of another column, in a dtype that holds both as one file of
// all rows would be read; text has the labels of both.
func (o *operand) append(next *operand) error {
	if (o.Labels == nil) != (next.Labels == nil) {
		return errors.New("numbers, dates and text do not join")
	}
	unit, dt, err := o.joint(next)
	if err != nil {
		return err
	}
	o.Unit = unit
	o.Invalid += next.Invalid
	o.Rounded += next.Rounded + o.roundedAs(dt) + next.roundedAs(dt)
	if o.grown == nil || o.grown.of != o.x {
		o.grown = &grown{gone: slices.Clone(o.gone())}
	}
	n, changed := o.x.Len(), o.x.DType() != dt // of integers what is missing is not NaN yet
	if o.Missing != nil || next.Missing != nil {
		o.grown.gone = append(append(o.grown.gone, make([]bool, n-len(o.grown.gone))...), flags(next)...)
	}
	if err := o.extend(next, dt); err != nil {
		return err
	}
	if gone := o.grown.gone; len(gone) > 0 {
		if o.Missing, err = ogive.FromSlice(gone); err != nil {
			return err
		}
		if changed {
			n = 0
		}
		if dt == dtype.Float64 {
			list := ogive.Must(ogive.Values[float64](o.x))
			for i := n; i < len(list); i++ {
				if gone[i] {
					list[i] = nanValue
				}
			}
		}
	}
	return nil
}

// extend writes the values of another column behind those of o, in the dtype that both have
// together.
func (o *operand) extend(next *operand, dt dtype.DType) error {
	y, err := next.as(dt)
	if err != nil {
		return err
	}
	if o.Labels != nil {
		y = o.label(next)
	}
	n := o.x.Len() + y.Len()
	if room := o.grown.values; room == nil || room.DType() != dt || room.Len() < n {
		x, err := o.as(dt)
		if err == nil {
			o.grown.values, err = ogive.Zeros(dt, max(n, 2*o.x.Len()))
		}
		if err == nil {
			err = copyTo(o.grown.values, 0, x)
		}
		if err != nil {
			return err
		}
	}
	if err = copyTo(o.grown.values, o.x.Len(), y); err == nil {
		o.x, err = o.grown.values.Slice(0, 0, n, 1)
		o.Values, o.grown.of = o.x, o.x
	}
	return err
}

// copyTo copies a vector into another one of its dtype, from an element on.
func copyTo(to *ogive.Tensor, at int, x *ogive.Tensor) error {
	dst, err := to.Bytes()
	if err != nil {
		return err
	}
	src, err := x.Bytes()
	copy(dst[at*to.DType().Size():], src)
	return err
}

// label adds the labels of another column of text, and returns the values of that as
// numbers of labels here.
func (o *operand) label(next *operand) *ogive.Tensor {
	codes := slices.Clone(ogive.Must(ogive.Values[int64](next.x)))
	if o.grown.known == nil {
		o.grown.known = map[string]int64{}
		for i, text := range o.Labels {
			o.grown.known[text] = int64(i)
		}
	}
	known := o.grown.known
	for _, text := range next.Labels {
		if _, ok := known[text]; !ok {
			known[text] = int64(len(known))
			o.Labels = append(o.Labels, text)
		}
	}
	for i, gone := range flags(next) {
		if !gone {
			codes[i] = known[next.Labels[codes[i]]]
		}
	}
	return ogive.Must(ogive.FromSlice(codes))
}

// joint returns the unit and the dtype of two columns together: those of the other where one
// has no values, and else the first dtype that the values of both may have.
func (o *operand) joint(next *operand) (unit tensorio.Unit, dt dtype.DType, err error) {
	a, b := o.x.DType(), next.x.DType()
	switch unit, joins := o.Unit.Join(next.Unit); {
	case a == b && joins:
		return unit, a, nil
	case next.allMissing():
		return o.Unit, a, nil
	case o.allMissing():
		return next.Unit, b, nil
	case !joins:
		return 0, 0, errors.New(apartUnits(o.Unit, next.Unit))
	}
	of, err := o.candidates()
	if err != nil {
		return 0, 0, err
	}
	other, err := next.candidates()
	if err != nil {
		return 0, 0, err
	}
	both := common(of, other)
	if len(both) == 0 {
		return 0, 0, fmt.Errorf("%v and %v do not join", a, b)
	}
	return o.Unit, both[0], nil
}

// candidates is the function candidates of the values that are there, at which it looks where
// a dtype does not say all.
func (o *operand) candidates() (_ []dtype.DType, err error) {
	x := o.x
	if x.DType() == dtype.Int64 {
		x, err = o.present()
	}
	if err != nil {
		return nil, err
	}
	return candidates(x, o.Unit), nil
}

// as returns the values in the dtype of a column that they are joined with. Where all are
// missing they are NaN, or zeros.
func (o *operand) as(dt dtype.DType) (*ogive.Tensor, error) {
	switch n := o.x.Len(); {
	case o.x.DType() == dt || !o.allMissing():
		return o.x.Cast(dt)
	case dt.IsFloat():
		return ogive.Must(ogive.FromSlice(slices.Repeat([]float64{nanValue}, n))).Cast(dt)
	default:
		return ogive.Zeros(dt, n)
	}
}

// roundedAs returns how many integers a dtype of a joined column does not hold.
func (o *operand) roundedAs(dt dtype.DType) int {
	if dt != dtype.Float64 {
		return 0
	}
	count, _ := o.Inexact()
	return count
}

// apartUnits says why values of two units do not join.
func apartUnits(a, b tensorio.Unit) string {
	if a.Kind() == b.Kind() {
		return a.Kind() + " of different units do not join"
	}
	return a.Kind() + " and " + b.Kind() + " do not join"
}
