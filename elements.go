package ogive

import (
	"iter"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// At returns the element at a position along each axis, as a view without dimensions:
// [Item] gives its value. Fewer positions than axes are those of the first axes and give
// the view of what lies there: At(i) of a matrix is its row i. Positions are plain, none
// wraps around: 0 ≤ i < length, else ErrShape, as are more positions than axes.
func (t *Tensor) At(position ...int) (*Tensor, error) {
	if !t.DType().Valid() {
		return nil, errs.New(errs.ErrDType, "an empty Tensor value, of no dtype").In("At")
	}
	return view("At")(t.arr.At(position...))
}

// All returns an iterator over the elements of t in C order, each with its number in that
// order: 0 to t.Len()-1. It copies nothing, whatever t's strides. T must be t's dtype and
// the tensor on the host: as an iterator has no place for an error, it panics with that of
// [Values] otherwise, like [Must], and so does the loop over a mapped file that is cut.
func All[T dtype.Element](t *Tensor) iter.Seq2[int, T] {
	if err := readable[T](t); err != nil {
		panic(errs.Named("All", err))
	}
	return func(yield func(int, T) bool) {
		if err := nd.Guard("All", func() error { nd.Each(&t.arr, yield); return nil }); err != nil {
			panic(err)
		}
	}
}

// Float64s returns the elements of t in C order as float64, in memory of their own: floats
// of any width and integers of up to 32 bits exactly, wider integers rounded once, bools as
// 0 and 1. Complex numbers are ErrDType, a tensor on a device is ErrDevice.
func (t *Tensor) Float64s() ([]float64, error) {
	return nd.Guarded("Float64s", func() ([]float64, error) {
		if err := onHost(t); err != nil {
			return nil, err
		}
		if t.DType().IsComplex() {
			return nil, errs.New(errs.ErrDType, "%v is not real", t.DType())
		}
		values := make([]float64, t.Len())
		a, err := nd.FromBytes(dtype.Float64, bytesOf(values), nil, t.arr.Shape()...)
		if err != nil {
			return nil, err
		}
		nd.Cast(&a, &t.arr)
		return values, nil
	})
}
