package nd

import (
	"slices"

	"github.com/ogive-go/ogive/internal/errs"
)

// Reshape returns a view with another shape of the same length. One dimension
// may be -1: it is computed. It is an error if no strides describe the shape
// over a's memory.
func (a *Array) Reshape(shape ...int) (Array, error) {
	want := slices.Clone(shape)
	if err := inferDim(want, a.Len()); err != nil {
		return Array{}, err
	}
	n, err := Count(want, a.DType.Size())
	if err != nil {
		return Array{}, err
	}
	if n != a.Len() {
		return Array{}, errs.New(errs.ErrShape, "cannot reshape %v (%d elements) to %v", a.Shape(), a.Len(), shape)
	}
	v := *a
	v.setShape(want)
	clear(v.strides[v.ndim:])
	clear(v.shape[v.ndim:])
	if n == 0 || a.IsContiguous() {
		v.setCStrides()
		return v, nil
	}
	if !v.regroup(a) {
		return Array{}, errs.New(errs.ErrShape, "shape %v needs a copy of a view with shape %v and strides %v; make it contiguous first", shape, a.Shape(), a.Strides())
	}
	return v, nil
}

// inferDim replaces the -1 in shape, if there is one, so that it has n elements.
func inferDim(shape []int, n int) error {
	at := slices.Index(shape, -1)
	if at < 0 {
		return nil
	}
	if slices.Contains(shape[at+1:], -1) {
		return errs.New(errs.ErrShape, "shape %v leaves more than one dimension open", shape)
	}
	rest := slices.Clone(shape)
	rest[at] = 1
	known, err := Count(rest, 1)
	if err != nil {
		return err
	}
	if known == 0 || n%known != 0 {
		return errs.New(errs.ErrShape, "no dimension makes shape %v hold %d elements", shape, n)
	}
	shape[at] = n / known
	return nil
}

// regroup sets v's strides so that v, of the same non-zero length, walks the
// elements of a in the same order. It reports whether that is possible: groups
// of dimensions with equal products must each be evenly spaced in a.
func (v *Array) regroup(a *Array) bool {
	var dims, steps []int // a's dimensions without those of length 1
	for i, d := range a.Shape() {
		if d != 1 {
			dims, steps = append(dims, d), append(steps, a.strides[i])
		}
	}
	i, j := 0, 0 // first dimension of the current group, in a and in v
	for i < len(dims) {
		ie, je := i+1, j
		have, want := dims[i], 1
		for have != want {
			if want < have {
				want *= v.shape[je]
				je++
			} else {
				have *= dims[ie]
				ie++
			}
		}
		for k := i; k < ie-1; k++ {
			if steps[k] != steps[k+1]*dims[k+1] {
				return false
			}
		}
		step := steps[ie-1]
		for k := je - 1; k >= j; k-- {
			v.strides[k] = step
			step *= v.shape[k]
		}
		i, j = ie, je
	}
	for ; j < v.ndim; j++ { // trailing dimensions of length 1
		v.strides[j] = 1
	}
	return true
}

// Transpose returns a view with the dimensions in the given order, reversed
// where none is given. The order must name each dimension once; negative ones
// count from the end.
func (a *Array) Transpose(order ...int) (Array, error) {
	v := *a
	if len(order) == 0 {
		slices.Reverse(v.shape[:v.ndim])
		slices.Reverse(v.strides[:v.ndim])
		return v, nil
	}
	if len(order) != a.ndim {
		return Array{}, errs.New(errs.ErrAxis, "order %v names %d of %d dimensions", order, len(order), a.ndim)
	}
	var seen [MaxDims]bool
	for i, d := range order {
		if d < -a.ndim || d >= a.ndim {
			return Array{}, axisError(d, a.ndim)
		}
		if d < 0 {
			d += a.ndim
		}
		if seen[d] {
			return Array{}, errs.New(errs.ErrAxis, "order %v names axis %d twice", order, d)
		}
		seen[d] = true
		v.shape[i], v.strides[i] = a.shape[d], a.strides[d]
	}
	return v, nil
}

// Slice returns the view of the positions start, start+step, … before stop
// along the axis (after stop for a negative step, where stop = -1 reaches
// element 0). Positions are plain: 0 <= start <= length going up, and
// -1 <= start < length going down; none wraps around.
func (a *Array) Slice(axis, start, stop, step int) (Array, error) {
	if axis < -a.ndim || axis >= a.ndim {
		return Array{}, axisError(axis, a.ndim)
	}
	if axis < 0 {
		axis += a.ndim
	}
	d := a.shape[axis]
	lo, hi := 0, d
	if step < 0 {
		lo, hi = -1, d-1
	}
	if step == 0 {
		return Array{}, errs.New(errs.ErrShape, "step is 0")
	}
	if start < lo || start > hi || stop < lo || stop > hi {
		return Array{}, errs.New(errs.ErrShape, "positions %d to %d are outside %d..%d for length %d and step %d", start, stop, lo, hi, d, step)
	}
	n := 0
	switch {
	case step > 0 && start < stop:
		n = (stop-start-1)/step + 1
	case step < 0 && start > stop:
		n = (start-stop-1)/-step + 1 // 1 for the smallest int, whose negative is itself
	}
	v := *a
	v.shape[axis] = n
	if n > 0 {
		v.Offset += start * a.strides[axis]
	}
	if n > 1 {
		v.strides[axis] *= step
	}
	return v, nil
}

// axisError is the error of an axis that does not exist.
func axisError(axis, ndim int) error {
	if ndim == 0 {
		return errs.New(errs.ErrAxis, "axis %d is out of range for a 0-d tensor", axis)
	}
	return errs.New(errs.ErrAxis, "axis %d is out of range for a %d-d tensor (allowed %d..%d)", axis, ndim, -ndim, ndim-1)
}

// BroadcastTo returns a view with the given shape in which dimensions of
// length 1, and missing leading ones, repeat with stride 0.
func (a *Array) BroadcastTo(shape ...int) (Array, error) {
	if _, err := Count(shape, a.DType.Size()); err != nil {
		return Array{}, err
	}
	lead := len(shape) - a.ndim
	if lead < 0 {
		return Array{}, errs.New(errs.ErrShape, "cannot broadcast %v to fewer dimensions %v", a.Shape(), shape)
	}
	v := *a
	v.setShape(shape)
	clear(v.strides[:])
	for i, d := range a.Shape() {
		switch shape[lead+i] {
		case d:
			v.strides[lead+i] = a.strides[i]
		default:
			if d != 1 {
				return Array{}, errs.New(errs.ErrShape, "cannot broadcast %v to %v: dimension %d is %d", a.Shape(), shape, i, d)
			}
		}
	}
	return v, nil
}

// Repeat gives the first dimension of a, along which all elements are one, another length.
func (a *Array) Repeat(length int) {
	a.shape[0], a.strides[0] = length, 0
}

// Windows sets v to the windows of width elements that move along an axis of a, with at
// least as many and fewer than MaxDims dimensions: v has their elements along another,
// last dimension, and shares them among windows.
func (v *Array) Windows(a *Array, axis, width int) {
	*v = *a
	v.shape[axis] -= width - 1
	v.shape[v.ndim], v.strides[v.ndim] = width, a.strides[axis]
	v.ndim++
}
