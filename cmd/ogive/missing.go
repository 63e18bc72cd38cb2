package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// gone returns which values of a column are missing; nil if none is.
func (o *operand) gone() []bool {
	if o.Missing == nil {
		return nil
	}
	return ogive.Must(ogive.Values[bool](o.Missing))
}

// missing returns how many values of a column are.
func (o *operand) missing() (n int) {
	for _, gone := range o.gone() {
		if gone {
			n++
		}
	}
	return n
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
	x, err := o.as(dt)
	if err != nil {
		return err
	}
	y, err := next.as(dt)
	if err != nil {
		return err
	}
	o.Unit = unit
	o.Rounded += o.roundedAs(dt) + next.roundedAs(dt)
	if o.Missing != nil || next.Missing != nil {
		joined := append(slices.Clone(flags(o)), flags(next)...)
		if o.Missing, err = ogive.FromSlice(joined); err != nil {
			return err
		}
	}
	if o.Labels != nil {
		y = o.label(next)
	}
	if x, err = concatenate(x, y); err != nil {
		return err
	}
	if o.Missing != nil && x.DType() == dtype.Float64 { // of integers it may not be NaN yet
		list := ogive.Must(ogive.Values[float64](x))
		for i, gone := range o.gone() {
			if gone {
				list[i] = nanValue
			}
		}
	}
	o.x, o.Values = x, x
	o.Invalid += next.Invalid
	o.Rounded += next.Rounded
	return nil
}

// label adds the labels of another column of text, and returns the values of that as
// numbers of labels here.
func (o *operand) label(next *operand) *ogive.Tensor {
	codes := slices.Clone(ogive.Must(ogive.Values[int64](next.x)))
	known := map[string]int64{}
	for i, text := range o.Labels {
		known[text] = int64(i)
	}
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
	case next.missing() == next.x.Len():
		return o.Unit, a, nil
	case o.missing() == o.x.Len():
		return next.Unit, b, nil
	case !joins:
		return 0, 0, errors.New(apartUnits(o.Unit, next.Unit))
	}
	of := [2][]dtype.DType{}
	for i, c := range []*operand{o, next} {
		x, err := c.present()
		if err != nil {
			return 0, 0, err
		}
		of[i] = candidates(x, c.Unit)
	}
	both := common(of[0], of[1])
	if len(both) == 0 {
		return 0, 0, fmt.Errorf("%v and %v do not join", a, b)
	}
	return o.Unit, both[0], nil
}

// as returns the values in the dtype of a column that they are joined with. Where all are
// missing they are NaN, or zeros.
func (o *operand) as(dt dtype.DType) (*ogive.Tensor, error) {
	switch n := o.x.Len(); {
	case o.x.DType() == dt || o.missing() < n:
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

// flags returns which values of a column are missing.
func flags(o *operand) []bool {
	if o.Missing == nil {
		return make([]bool, o.x.Len())
	}
	return o.gone()
}

// concatenate returns two vectors of a dtype behind each other.
func concatenate(x, y *ogive.Tensor) (*ogive.Tensor, error) {
	out, err := ogive.Zeros(x.DType(), x.Len()+y.Len())
	if err != nil {
		return nil, err
	}
	to, err := out.Bytes()
	for _, t := range []*ogive.Tensor{x, y} {
		if err != nil {
			return nil, err
		}
		var from []byte
		from, err = t.Bytes()
		to = to[copy(to, from):]
	}
	return out, err
}

// present returns the values of a column that are not missing.
func (o *operand) present() (*ogive.Tensor, error) {
	if o.Missing == nil {
		return o.x, nil
	}
	x, _, err := present(o.x, o.gone())
	return x, err
}

// present returns the values of a vector that are not missing, and their places.
func present(x *ogive.Tensor, gone []bool) (*ogive.Tensor, []int64, error) {
	x, err := x.Contiguous()
	if err != nil {
		return nil, nil, err
	}
	from, err := x.Bytes()
	if err != nil {
		return nil, nil, err
	}
	if len(gone) != x.Len() {
		return nil, nil, fmt.Errorf("%d values, and %d of the column beside them", x.Len(), len(gone))
	}
	size := x.DType().Size()
	data := make([]byte, 0, len(from))
	var places []int64
	for i, g := range gone {
		if !g {
			data = append(data, from[i*size:][:size]...)
			places = append(places, int64(i))
		}
	}
	out, err := ogive.Zeros(x.DType(), len(places))
	if err != nil {
		return nil, nil, err
	}
	to, err := out.Bytes()
	copy(to, data)
	return out, places, err
}

// values returns the values that are not missing, and a NaN for each that is where no
// other value changes by that; with nans that is an error where one does.
func (o *operand) values(nans bool) (*ogive.Tensor, error) {
	if o.Missing == nil {
		return o.x, nil
	}
	if t, err := o.Column.Tensor(); err == nil || nans {
		return t, err
	}
	return o.present()
}
