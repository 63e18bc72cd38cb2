// Package weights has the weights that a caller gives to the elements of an array: which
// lane's they are, whether they are proper, and as the numbers that package
// selection/weighted adds up.
package weights

import (
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
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

// Reader reads the weights of lanes; see [Weights.Reader].
type Reader struct {
	DType  dtype.DType
	Lanes  lane.Lanes
	Shared bool // all lanes have the same weights
	Sums   *weighted.Weighting
}

// Read writes the loaded weights of the elements from … to-1 of count lanes to
// dst, lane after lane.
func (r *Reader) Read(dst []uint64, first, count, from, to int, s *crew.Scratch) {
	r.Widen(dst, first, count, from, to, s)
	r.Sums.Load(dst)
}

// Widen is Read of weights as they are given, but as wide as an int64 or, of a float
// dtype, a float64. A uint64 that no int64 holds becomes negative.
func (r *Reader) Widen(dst []uint64, first, count, from, to int, s *crew.Scratch) {
	r.widened(dst, s, func(at unsafe.Pointer) {
		switch r.DType.Size() {
		case 1:
			copyLanes[int8](at, &r.Lanes, first, count, from, to)
		case 2:
			copyLanes[int16](at, &r.Lanes, first, count, from, to)
		case 4:
			copyLanes[int32](at, &r.Lanes, first, count, from, to)
		default:
			copyLanes[int64](at, &r.Lanes, first, count, from, to)
		}
	})
}

// Pick is Widen of the weights of a lane at the positions. Lanes are even.
func (r *Reader) Pick(dst []uint64, number int, positions []uint32, s *crew.Scratch) {
	r.widened(dst, s, func(at unsafe.Pointer) {
		n := len(positions)
		switch r.DType.Size() {
		case 1:
			lane.Pick(unsafe.Slice((*uint8)(at), n), &r.Lanes, number, positions)
		case 2:
			lane.Pick(unsafe.Slice((*uint16)(at), n), &r.Lanes, number, positions)
		case 4:
			lane.Pick(unsafe.Slice((*uint32)(at), n), &r.Lanes, number, positions)
		default:
			lane.Pick(unsafe.Slice((*uint64)(at), n), &r.Lanes, number, positions)
		}
	})
}

// widened has copy write as many weights as dst holds, and widens them into dst.
func (r *Reader) widened(dst []uint64, s *crew.Scratch, copy func(at unsafe.Pointer)) {
	if len(dst) == 0 {
		return
	}
	size := r.DType.Size()
	if size == 8 {
		copy(unsafe.Pointer(&dst[0]))
		return
	}
	mark := s.Mark()
	raw := crew.Alloc[uint64](s, (len(dst)*size+7)/8)
	at := unsafe.Pointer(&raw[0])
	copy(at)
	wide := dtype.Int64
	if r.DType.IsFloat() {
		wide = dtype.Float64
	}
	dtype.Convert(wide, unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), 8*len(dst)), r.DType, unsafe.Slice((*byte)(at), size*len(dst)))
	s.Release(mark)
}

// copyLanes copies the elements from … to-1 of count lanes to dst, lane after
// lane, and walks evenly spaced lanes in the order of their memory.
func copyLanes[K kernel.Key](dst unsafe.Pointer, l *lane.Lanes, first, count, from, to int) {
	lane.Encode(unsafe.Slice((*K)(dst), count*(to-from)), l, first, from, to, kernel.Encoding[K]{})
}
