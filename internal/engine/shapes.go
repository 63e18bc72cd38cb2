package engine

import (
	"slices"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// shapes are the dtypes and the shapes of a call: of its input, and of its result.
type shapes struct {
	dt     dtype.DType // of the input
	result dtype.DType
	ndim   int
	free   bool            // the first dimension has any length; that of the shape is of the run at hand
	shape  [nd.MaxDims]int // of the input
	outDim int
	out    [nd.MaxDims + 1]int // shape of the result; one more to tell that it is too long
	total  int                 // elements of the result
}

// init sets the input, and the result's shape to the same.
func (s *shapes) init(dt dtype.DType, shape []int) error {
	n, err := nd.Count(shape, dt.Size())
	if err != nil {
		return err
	}
	s.dt, s.free, s.total = dt, false, n
	s.ndim = copy(s.shape[:], shape)
	s.outDim = copy(s.out[:], shape)
	return nil
}

// count counts the elements of the result.
func (s *shapes) count() (err error) {
	s.total, err = nd.Count(s.Shape(), s.result.Size())
	return err
}

// DType returns the dtype of the result.
func (s *shapes) DType() dtype.DType { return s.result }

// Shape returns the shape of the result; it must not be changed.
func (s *shapes) Shape() []int { return s.out[:s.outDim:s.outDim] }

// InputShape returns the shape of the input; it must not be changed.
func (s *shapes) InputShape() []int { return s.shape[:s.ndim:s.ndim] }

// CheckOut checks that out can take a result of the shape and of the given dtype.
func (s *shapes) CheckOut(out *nd.Array, dt dtype.DType) error {
	if !slices.Equal(out.Shape(), s.Shape()) {
		return errs.New(errs.ErrOut, "out has shape %v, want %v", out.Shape(), s.Shape())
	}
	if out.DType != dt && !(out.DType.IsFloat() && dt.IsFloat()) {
		return errs.New(errs.ErrOut, "out dtype %v cannot hold a %v result", out.DType, dt)
	}
	if out.RepeatsElements() {
		return errs.New(errs.ErrOut, "out overlaps itself: shape %v has strides %v", out.Shape(), out.Strides())
	}
	return nil
}

// takes returns the shape of the inputs for messages: -1 is any length.
func (s *shapes) takes() []int {
	shape := slices.Clone(s.InputShape())
	if s.free {
		shape[0] = -1
	}
	return shape
}
