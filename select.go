package ogive

import (
	"slices"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// CountTrue returns how many elements of a tensor of bools, such as the answer of an
// element test, are true. Another dtype is ErrDType, nil is ErrShape, a tensor on a device
// ErrDevice. NumPy: count_nonzero.
func CountTrue(mask *Tensor) (int, error) {
	return nd.Guarded("CountTrue", func() (int, error) {
		if err := boolean(mask); err != nil {
			return 0, err
		}
		return nd.CountTrue(&mask.arr), nil
	})
}

// CountTrue is the function [CountTrue] of t.
func (t *Tensor) CountTrue() (int, error) { return CountTrue(t) }

// Select returns the elements of x at which mask is true, in C order: a new vector of x's
// dtype, of length 0 where nothing is. mask is a tensor of bools, else ErrDType, of x's
// shape, else ErrShape, as are nil tensors; both on the host, else ErrDevice.
//
//	rest, err := x.Select(ogive.Must(x.IsFinite()))
//
// It reads x and mask once, and mask once more to count. NumPy: x[mask].
func Select(x, mask *Tensor) (*Tensor, error) {
	return nd.Guarded("Select", func() (*Tensor, error) {
		if x == nil {
			return nil, errs.New(errs.ErrShape, "x is nil")
		}
		if err := onHost(x); err != nil {
			return nil, err
		}
		if err := boolean(mask); err != nil {
			return nil, err
		}
		if !slices.Equal(x.arr.Shape(), mask.arr.Shape()) {
			return nil, errs.New(errs.ErrShape, "the mask has shape %v, want x's %v", mask.arr.Shape(), x.arr.Shape())
		}
		a, err := nd.New(x.DType(), nd.CountTrue(&mask.arr))
		if err != nil {
			return nil, err
		}
		nd.Select(&a, &x.arr, &mask.arr)
		return &Tensor{a}, nil
	})
}

// Select is the function [Select] of t.
func (t *Tensor) Select(mask *Tensor) (*Tensor, error) { return Select(t, mask) }

// boolean checks that the elements of a mask can be read.
func boolean(mask *Tensor) error {
	if mask == nil {
		return errs.New(errs.ErrShape, "the mask is nil")
	}
	if err := onHost(mask); err != nil {
		return err
	}
	if dt := mask.DType(); dt != dtype.Bool {
		return errs.New(errs.ErrDType, "the mask is %v, want bool", dt)
	}
	return nil
}
