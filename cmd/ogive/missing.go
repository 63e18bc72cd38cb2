package main

import (
	"fmt"
	"slices"

	"github.com/ogive-go/ogive"
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

// allMissing reports whether a column has no values.
func (o *operand) allMissing() bool {
	if o.Missing == nil {
		return o.x.Len() == 0
	}
	return !slices.Contains(o.gone(), false)
}

// flags returns which values of a column are missing.
func flags(o *operand) []bool {
	if o.Missing == nil {
		return make([]bool, o.x.Len())
	}
	return o.gone()
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
