// Package weights has the weights that a caller gives to the elements of an array: which
// lane's they are, whether they are proper, and as the numbers that package
// selection/weighted adds up.
package weights

import (
	"slices"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection/weighted"
	"github.com/ogive-go/ogive/rank"
)

// Weights are those of an array that is reduced. They are read again by each run, and must
// not change in between.
type Weights struct {
	Array  nd.Array // a view of the array's shape
	Shared bool     // all lanes have the same weights
	Sums   weighted.Weighting
}

// Call says what is reduced, and what is asked.
type Call struct {
	Set     rank.Set
	Shape   []int // of the array
	Axes    []int // that are reduced, as given and counted from the front
	Reduced nd.Axes
	Unread  bool // there is no result: weights are not looked at
	Grouped bool // lanes fall into groups, which have sums of their own
}

// CheckMethod checks that the method takes weights of the dtype.
func CheckMethod(dt dtype.DType, m rank.Method) error {
	if dt.IsFloat() && m != rank.InvertedCDF {
		return errs.New(errs.ErrMethod, "%v weights take method %v only, got %v; integer and bool weights take every method", dt, rank.InvertedCDF, m)
	}
	return nil
}

// view sets the view of the input's shape.
func (w *Weights) view(array *nd.Array, c *Call) error {
	if slices.Equal(array.Shape(), c.Shape) {
		w.Array = *array
		return nil
	}
	axes := c.Axes
	along := make([]int, len(axes))
	for i, a := range axes {
		along[i] = c.Shape[a]
	}
	switch {
	case slices.Equal(array.Shape(), along):
	case slices.Equal(c.Shape, along):
		return errs.New(errs.ErrWeights, "weights have shape %v, want x's %v", array.Shape(), along)
	default:
		return errs.New(errs.ErrWeights, "weights have shape %v, want x's %v or %v, its shape along axes %v", array.Shape(), c.Shape, along, axes)
	}
	// Its dimensions in increasing order of the axes, then those of length 1
	// between them, which repeat.
	order := make([]int, len(axes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return axes[i] - axes[j] })
	shape := make([]int, len(c.Shape))
	for i := range shape {
		shape[i] = 1
		if c.Reduced.Has(i) {
			shape[i] = c.Shape[i]
		}
	}
	view, err := array.Transpose(order...)
	if err == nil {
		view, err = view.Reshape(shape...)
	}
	if err == nil {
		view, err = view.BroadcastTo(c.Shape...)
	}
	if err != nil {
		return err
	}
	w.Array, w.Shared = view, true
	return nil
}

// Reader sets r to read the array, a view of the weights, along the reduced axes.
func (w *Weights) Reader(r *Reader, array *nd.Array, reduced nd.Axes) {
	r.DType, r.Shared, r.Sums = array.DType, w.Shared, &w.Sums
	r.Lanes.Init(array, reduced, true)
}
