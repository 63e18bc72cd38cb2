package nd

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/errs"
)

// At returns the view of what lies at a position along each of the first dimensions:
// without these, an element where there is a position for all of them. Positions are
// plain, none wraps around.
func (a *Array) At(position ...int) (Array, error) {
	if len(position) > a.ndim {
		return Array{}, errs.New(errs.ErrShape, "%d positions for a %d-d tensor", len(position), a.ndim)
	}
	v := *a
	for i, at := range position {
		if at < 0 || at >= a.shape[i] {
			return Array{}, errs.New(errs.ErrShape, "position %d of axis %d is outside 0..%d", at, i, a.shape[i]-1)
		}
		v.Offset += at * a.strides[i]
	}
	clear(v.shape[:])
	clear(v.strides[:])
	v.ndim = copy(v.shape[:], a.shape[len(position):a.ndim])
	copy(v.strides[:], a.strides[len(position):a.ndim])
	return v, nil
}

// Each calls yield for the elements of a host array in C order, with their number in it,
// until it returns false. T is as large as an element.
func Each[T any](a *Array, yield func(int, T) bool) {
	runs(a, nil, func(r Run) bool {
		for i := range r.N {
			if !yield(r.First+i, *(*T)(a.Pointer(r.A + i*r.StepA))) {
				return false
			}
		}
		return true
	})
	keepMapped(a)
}

// CountTrue returns how many elements of a host array of bools are true.
func CountTrue(mask *Array) (n int) {
	Runs(mask, nil, func(r Run) {
		if r.StepA != 1 {
			for i := range r.N {
				n += int(*(*uint8)(mask.Pointer(r.A + i*r.StepA)))
			}
			return
		}
		for _, b := range unsafe.Slice((*uint8)(mask.Pointer(r.A)), r.N) {
			n += int(b)
		}
	})
	keepMapped(mask)
	return n
}

// Select copies the elements of src at which mask, of its shape, is true to dst, in C
// order: a vector with room for them.
func Select(dst, src, mask *Array) {
	switch src.DType.Size() {
	case 1:
		selectAs[uint8](dst, src, mask)
	case 2:
		selectAs[uint16](dst, src, mask)
	case 4:
		selectAs[uint32](dst, src, mask)
	case 8:
		selectAs[[2]uint32](dst, src, mask) // complex64 is aligned to 4 bytes
	default:
		selectAs[[4]uint32](dst, src, mask)
	}
	keepMapped(src, mask)
}

func selectAs[T any](dst, src, mask *Array) {
	to, n := Slice[T](dst), 0
	if len(to) == 0 {
		return
	}
	Runs(src, mask, func(r Run) {
		for i := range r.N {
			// Written whether it is wanted or not: the next one takes the place.
			if n == len(to) {
				return
			}
			to[n] = *(*T)(src.Pointer(r.A + i*r.StepA))
			n += int(*(*uint8)(mask.Pointer(r.B + i*r.StepB)))
		}
	})
}
