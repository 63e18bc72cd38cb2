package ogive

import (
	"runtime"
	"slices"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// Tensor is an N-dimensional array of elements of one dtype, or a view of one.
// Tensors are made by [FromSlice], [FromBytes], [Scalar] and [Zeros]; views
// share their memory. A tensor may be read by many goroutines at once.
type Tensor struct{ arr nd.Array }

// FromSlice returns a tensor over data, which it shares, in C order. Without a
// shape it is a vector of all of data; otherwise the shape must hold exactly
// len(data) elements, else ErrShape. At most 16 dimensions.
func FromSlice[T dtype.Element](data []T, shape ...int) (*Tensor, error) {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	dt := dtype.Of[T]()
	if n, err := nd.Count(shape, dt.Size()); err != nil {
		return nil, errs.Named("FromSlice", err)
	} else if n != len(data) {
		return nil, errs.New(errs.ErrShape, "shape %v holds %d elements, data has %d", shape, n, len(data)).In("FromSlice")
	}
	return fromBytes("FromSlice", dt, bytesOf(data), shape)
}

// FromRows returns a matrix of the given rows, which it copies: its shape is
// [len(rows) len(rows[0])], [0 0] without rows. Rows of different lengths are ErrShape.
func FromRows[T dtype.Element](rows [][]T) (*Tensor, error) {
	columns := 0
	if len(rows) > 0 {
		columns = len(rows[0])
	}
	for i, row := range rows {
		if len(row) != columns {
			return nil, errs.New(errs.ErrShape, "row %d has %d elements, row 0 has %d", i, len(row), columns).In("FromRows")
		}
	}
	return nd.Guarded("FromRows", func() (*Tensor, error) { return FromSlice(slices.Concat(rows...), len(rows), columns) })
}

// FromStrided returns a tensor over a part of data, which it shares: element (i0, i1, …)
// is data[i0·strides[0] + i1·strides[1] + …], strides in elements, counted from the end
// where they are negative. So it takes the memory
// of matrices as others keep it, such as gonum's: rows that lie further apart than they
// are long, or matrices stored by columns.
//
// Special cases are:
//   - a stride of 0 repeats elements; such a tensor can be read, but not be an [Out]
//   - elements between those of the tensor, and behind the last, are never touched
//   - along a negative stride the elements come from the end: data begins with the last
//     one along such axes, so that (0, 0, …) is data[the sum of (shape[i]-1)·-strides[i]]
//   - a shape without elements takes any strides
//
// As many strides as dimensions, of which there are at most 16, and no element outside of
// data, else ErrShape.
func FromStrided[T dtype.Element](data []T, shape, strides []int) (*Tensor, error) {
	a, err := nd.FromBytes(dtype.Of[T](), bytesOf(data), nil, len(data))
	if err == nil {
		a, err = nd.Strided(a.DType, a.Buf, 0, shape, strides)
	}
	if err == nil && !a.Settle(len(data)) {
		err = errs.New(errs.ErrShape, "shape %v with strides %v reaches outside of the data's %d elements", shape, strides, len(data))
	}
	return view("FromStrided")(a, err)
}

// FromBytes returns a tensor over b, which it shares: elements in C order, in
// the machine's byte order, aligned as the dtype's Go type is. A length that
// is not the shape's, or misaligned memory, is ErrShape. Bool bytes must be 0
// or 1. Without a shape it is a vector.
func FromBytes(dt dtype.DType, b []byte, shape ...int) (*Tensor, error) {
	if len(shape) == 0 && dt.Valid() {
		shape = []int{len(b) / dt.Size()}
	}
	return fromBytes("FromBytes", dt, b, shape)
}

func fromBytes(name string, dt dtype.DType, b []byte, shape []int) (*Tensor, error) {
	a, err := nd.FromBytes(dt, b, nil, shape...)
	if err != nil {
		return nil, errs.Named(name, err)
	}
	return &Tensor{a}, nil
}

// Scalar returns a tensor without dimensions that holds v.
func Scalar[T dtype.Element](v T) *Tensor {
	a, err := nd.New(dtype.Of[T]())
	if err != nil {
		panic("ogive: Scalar: " + err.Error())
	}
	*(*T)(a.Pointer(0)) = v
	return &Tensor{a}
}

// Zeros returns a tensor of zeros in C order.
func Zeros(dt dtype.DType, shape ...int) (*Tensor, error) {
	a, err := nd.New(dt, shape...)
	if err != nil {
		return nil, errs.Named("Zeros", err)
	}
	return &Tensor{a}, nil
}

// Values returns t's elements in C order. The slice shares t's memory if t is
// contiguous and is a copy otherwise; that of a mapped file then stays mapped.
// T must be t's dtype, else ErrDType; a tensor on a device is ErrDevice.
func Values[T dtype.Element](t *Tensor) ([]T, error) {
	return nd.Guarded("Values", func() ([]T, error) {
		if err := readable[T](t); err != nil {
			return nil, err
		}
		a := t.arr.Contiguous()
		a.Pin()
		return nd.Slice[T](&a), nil
	})
}

// Item returns the value of a tensor with exactly one element, else ErrShape.
// T must be t's dtype, else ErrDType; a tensor on a device is ErrDevice.
func Item[T dtype.Element](t *Tensor) (T, error) {
	return nd.Guarded("Item", func() (v T, err error) {
		if err = readable[T](t); err != nil {
			return v, err
		}
		if t.Len() != 1 {
			return v, errs.New(errs.ErrShape, "shape %v holds %d elements, want 1", t.Shape(), t.Len())
		}
		v = *(*T)(t.arr.Pointer(0))
		runtime.KeepAlive(t)
		return v, nil
	})
}

// readable checks that t's elements can be read as T.
func readable[T dtype.Element](t *Tensor) error {
	if t == nil {
		return errs.New(errs.ErrShape, "the tensor is nil")
	}
	if want := dtype.Of[T](); want != t.DType() {
		return errs.New(errs.ErrDType, "the tensor holds %v, not %v", t.DType(), want)
	}
	return onHost(t)
}

// Must returns v and panics if err is not nil. It is for examples and tests.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// DType returns the element type.
func (t *Tensor) DType() dtype.DType { return t.arr.DType }

// Shape returns a copy of the dimensions, empty for a scalar.
func (t *Tensor) Shape() []int { return append([]int{}, t.arr.Shape()...) }

// Strides returns a copy of the strides, in elements; they may be zero or
// negative.
func (t *Tensor) Strides() []int { return append([]int{}, t.arr.Strides()...) }

// NDim returns the number of dimensions.
func (t *Tensor) NDim() int { return t.arr.NDim() }

// Len returns the number of elements, 1 for a scalar.
func (t *Tensor) Len() int { return t.arr.Len() }

// Bytes returns the memory of a contiguous tensor in the machine's byte order,
// shared, nil if it has no elements. A view with gaps is ErrShape (see
// [Tensor.Contiguous]), a tensor on a device ErrDevice.
func (t *Tensor) Bytes() ([]byte, error) {
	return nd.Guarded("Bytes", func() ([]byte, error) {
		if err := onHost(t); err != nil {
			return nil, err
		}
		if !t.arr.IsContiguous() {
			return nil, errs.New(errs.ErrShape, "a view with shape %v and strides %v is not contiguous", t.arr.Shape(), t.arr.Strides())
		}
		t.arr.Pin()
		return t.arr.Bytes(), nil
	})
}

// Reshape returns a view with another shape of the same length; one dimension
// may be -1 and is computed. A shape that no strides describe over t's memory
// is ErrShape: nothing is copied (see [Tensor.Contiguous]).
func (t *Tensor) Reshape(shape ...int) (*Tensor, error) {
	return view("Reshape")(t.arr.Reshape(shape...))
}

// Transpose returns a view with the dimensions in the given order, reversed
// where none is given. Negative axes count from the end.
func (t *Tensor) Transpose(order ...int) (*Tensor, error) {
	return view("Transpose")(t.arr.Transpose(order...))
}

// Slice returns the view of positions start, start+step, … before stop along
// the axis. Positions are plain, none wraps around: 0 ≤ start, stop ≤ length
// with a positive step; with a negative one -1 ≤ start, stop < length, where
// stop = -1 reaches element 0. Anything else is ErrShape.
func (t *Tensor) Slice(axis, start, stop, step int) (*Tensor, error) {
	return view("Slice")(t.arr.Slice(axis, start, stop, step))
}

// BroadcastTo returns a view in which dimensions of length 1, and missing
// leading ones, repeat with stride 0.
func (t *Tensor) BroadcastTo(shape ...int) (*Tensor, error) {
	return view("BroadcastTo")(t.arr.BroadcastTo(shape...))
}

// view wraps the result of a view of the array.
func view(name string) func(nd.Array, error) (*Tensor, error) {
	return func(a nd.Array, err error) (*Tensor, error) {
		if err != nil {
			return nil, errs.Named(name, err)
		}
		return &Tensor{a}, nil
	}
}

// Contiguous returns t if its elements lie in C order without gaps, else a
// copy. The tensor must be on the host.
func (t *Tensor) Contiguous() (*Tensor, error) {
	if t.arr.IsContiguous() {
		return t, nil
	}
	return nd.Guarded("Contiguous", func() (*Tensor, error) {
		if err := onHost(t); err != nil {
			return nil, err
		}
		return &Tensor{t.arr.Clone()}, nil
	})
}

// Cast returns a new tensor with the elements converted to dt by the rules of
// [dtype.Convert]. The tensor must be on the host.
func (t *Tensor) Cast(dt dtype.DType) (*Tensor, error) {
	return nd.Guarded("Cast", func() (*Tensor, error) {
		if err := onHost(t); err != nil {
			return nil, err
		}
		a, err := nd.New(dt, t.arr.Shape()...)
		if err != nil {
			return nil, err
		}
		nd.Cast(&a, &t.arr)
		return &Tensor{a}, nil
	})
}

// String formats t as NumPy prints an array; more than 1000 elements are
// shortened to the edges. What cannot be read is the text of the error.
func (t *Tensor) String() string {
	if !t.DType().Valid() {
		return "<no tensor>"
	}
	s, err := nd.Guarded("String", func() (string, error) {
		h, err := t.ToHost()
		if err != nil {
			return "", err
		}
		return h.arr.Format(), nil
	})
	if err != nil {
		return err.Error()
	}
	return s
}
