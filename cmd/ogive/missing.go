package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
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

// append appends the rows of another column. Integers and floats together are floats,
// and text has the labels of both.
func (o *operand) append(next *operand) error {
	unit, joins := o.Unit.Join(next.Unit)
	if !joins || (o.Labels == nil) != (next.Labels == nil) {
		return errors.New("numbers, dates and text do not join")
	}
	o.Unit = unit
	if o.Missing != nil || next.Missing != nil {
		joined := append(slices.Clone(flags(o)), flags(next)...)
		var err error
		if o.Missing, err = ogive.FromSlice(joined); err != nil {
			return err
		}
	}
	y := next.x
	if o.Labels != nil {
		codes := slices.Clone(ogive.Must(ogive.Values[int64](y)))
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
		y = ogive.Must(ogive.FromSlice(codes))
	}
	x, err := concatenate(o.x, y)
	if err != nil {
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

// flags returns which values of a column are missing.
func flags(o *operand) []bool {
	if o.Missing == nil {
		return make([]bool, o.x.Len())
	}
	return o.gone()
}

// concatenate returns two vectors behind each other, in a dtype that holds both.
func concatenate(x, y *ogive.Tensor) (*ogive.Tensor, error) {
	dt := x.DType()
	if y.DType() != dt {
		dt = dtype.Float64
	}
	var data []byte
	for _, t := range []*ogive.Tensor{x, y} {
		same, err := t.Cast(dt)
		if err == nil {
			err = lossless(t, same)
		}
		if err != nil {
			return nil, err
		}
		b, err := same.Bytes()
		if err != nil {
			return nil, err
		}
		data = append(data, b...)
	}
	out, err := ogive.Zeros(dt, x.Len()+y.Len())
	if err != nil {
		return nil, err
	}
	b, err := out.Bytes()
	copy(b, data)
	return out, err
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
	x, _, err := present(o.x, o.gone())
	return x, err
}
