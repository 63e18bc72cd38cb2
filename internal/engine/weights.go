package engine

import (
	"fmt"
	"math"
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

// weighting are the weights of a plan. They are read again by each run, and
// must not change in between.
type weighting struct {
	on     bool
	array  nd.Array // a view of the input's shape
	shared bool     // all lanes have the same weights
	sums   weighted.Weighting
}

// CheckWeighted checks that the method takes weights of the dtype.
func CheckWeighted(dt dtype.DType, m rank.Method) error {
	if dt.IsFloat() && m != rank.InvertedCDF {
		return errs.New(errs.ErrMethod, "%v weights take method %v only, got %v; integer and bool weights take every method", dt, rank.InvertedCDF, m)
	}
	return nil
}

// init checks the weights and prepares them.
func (w *weighting) init(p *Plan, array *nd.Array) error {
	*w = weighting{on: true, sums: weighted.Frequencies()}
	dt := array.DType
	if err := CheckWeighted(dt, p.order.want.Method()); err != nil {
		return err
	}
	if !dt.IsOrdered() {
		return errs.New(errs.ErrWeights, "weights are %v, want a real dtype", dt)
	}
	if err := w.view(p, array); err != nil {
		return err
	}
	if p.outputs() == 0 {
		return nil
	}
	return w.check(p)
}

// view sets the view of the input's shape.
func (w *weighting) view(p *Plan, array *nd.Array) error {
	if slices.Equal(array.Shape(), p.InputShape()) {
		w.array = *array
		return nil
	}
	axes := p.Axes()
	along := make([]int, len(axes))
	for i, a := range axes {
		along[i] = p.shape[a]
	}
	switch {
	case slices.Equal(array.Shape(), along):
	case slices.Equal(p.InputShape(), along):
		return errs.New(errs.ErrWeights, "weights have shape %v, want x's %v", array.Shape(), along)
	default:
		return errs.New(errs.ErrWeights, "weights have shape %v, want x's %v or %v, its shape along axes %v", array.Shape(), p.InputShape(), along, axes)
	}
	// Its dimensions in increasing order of the axes, then those of length 1
	// between them, which repeat.
	order := make([]int, len(axes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return axes[i] - axes[j] })
	shape := make([]int, p.ndim)
	for i := range shape {
		shape[i] = 1
		if p.order.reduced.Has(i) {
			shape[i] = p.shape[i]
		}
	}
	view, err := array.Transpose(order...)
	if err == nil {
		view, err = view.Reshape(shape...)
	}
	if err == nil {
		view, err = view.BroadcastTo(p.InputShape()...)
	}
	if err != nil {
		return err
	}
	w.array, w.shared = view, true
	return nil
}

// checkElements is how many weights are checked at a time: they stay in a
// core's cache.
const checkElements = 1 << 14

// check checks the weights and their sum in each lane.
func (w *weighting) check(p *Plan) error {
	var r weightReader
	r.init(w, &w.array, p.order.reduced)
	l := &r.lanes
	s := crew.Borrow()
	defer s.Return()

	lanes := l.Count
	if w.shared {
		lanes = 1
	}
	n := max(l.N, 1)
	width := max(checkElements/n, 1)
	if l.SideBySide() {
		width = max(width, 64/r.dt.Size())
	}
	width = min(width, lanes)
	length := min(max(checkElements/width, 1), n)
	c := weightCheck{
		plan: p, w: w, span: weighted.NewSpan(),
		total: crew.Alloc[int64](s, width), positive: crew.Alloc[bool](s, width),
	}
	block := crew.Alloc[uint64](s, width*length)
	for first := 0; first < lanes && l.N > 0; first += width {
		count := min(width, lanes-first)
		clear(c.total)
		clear(c.positive)
		for from := 0; from < l.N; from += length {
			m := min(length, l.N-from)
			weights := block[:count*m]
			r.widen(weights, first, count, from, from+m, s)
			for j := range count {
				if err := c.add(weights[j*m:][:m], j, first+j, from); err != nil {
					return err
				}
			}
		}
		for j := 0; j < count && !p.order.grouped; j++ { // groups have sums of their own
			if err := c.sum(j, first+j); err != nil {
				return err
			}
		}
	}
	if r.dt.IsFloat() {
		w.sums = weighted.FloatWeights(p.order.want.Set(), &c.span, l.N)
	}
	return nil
}

// weightCheck is the state of a check of some lanes.
type weightCheck struct {
	plan     *Plan
	w        *weighting
	span     weighted.Span
	total    []int64 // of frequencies
	positive []bool
}

// add checks weights of the jth lane of the block.
func (c *weightCheck) add(weights []uint64, j, lane, from int) error {
	bad := 0
	if c.w.array.DType.IsFloat() {
		var positive bool
		positive, bad = c.span.Add(weights)
		c.positive[j] = c.positive[j] || positive
	} else {
		c.total[j], bad = weighted.AddFrequencies(c.total[j], weights)
		c.positive[j] = c.total[j] > 0
	}
	if bad < 0 {
		return nil
	}
	name := "weights"
	if at := c.w.place(c.plan, lane, from+bad); len(at) > 0 {
		name = fmt.Sprintf("weights%v", at)
	}
	switch dt, v := c.w.array.DType, weights[bad]; {
	case dt.IsUnsigned():
		return errs.New(errs.ErrWeights, "%s = %d; frequencies must sum to less than 2^53", name, v)
	case !dt.IsFloat():
		return errs.New(errs.ErrWeights, "%s = %d is negative", name, int64(v))
	case math.Float64frombits(v) < 0:
		return errs.New(errs.ErrWeights, "%s = %v is negative", name, math.Float64frombits(v))
	default:
		return errs.New(errs.ErrWeights, "%s = %v is not finite", name, math.Float64frombits(v))
	}
}

// sum checks the sum of the jth lane of the block.
func (c *weightCheck) sum(j, lane int) error {
	if c.positive[j] && c.total[j] < weighted.MaxFrequencies {
		return nil
	}
	name := "weights"
	if p := c.plan; !c.w.shared && len(p.Axes()) < p.ndim {
		var at []int
		for i, number := range p.coordinates(lane, 0) {
			if !p.order.reduced.Has(i) {
				at = append(at, number)
			}
		}
		name = fmt.Sprintf("weights of slice %v", at)
	}
	if !c.positive[j] {
		return errs.New(errs.ErrWeights, "%s sum to 0, want a positive sum", name)
	}
	return errs.New(errs.ErrWeights, "%s sum to 2^53 or more, which is too large for frequencies", name)
}

// coordinates returns where an element of a lane is in the input, both
// numbered in C order.
func (p *Plan) coordinates(lane, element int) []int {
	at := make([]int, p.ndim)
	for i := p.ndim - 1; i >= 0; i-- {
		n := p.shape[i]
		if p.order.reduced.Has(i) {
			at[i], element = element%n, element/n
		} else {
			at[i], lane = lane%n, lane/n
		}
	}
	return at
}

// place returns where the weight of an element of a lane is in the array that
// was given.
func (w *weighting) place(p *Plan, lane, element int) []int {
	all := p.coordinates(lane, element)
	if !w.shared {
		return all
	}
	at := make([]int, len(p.Axes()))
	for i, a := range p.Axes() {
		at[i] = all[a]
	}
	return at
}

// weightReader reads the weights of lanes.
type weightReader struct {
	dt     dtype.DType
	lanes  lane.Lanes
	shared bool
	sums   *weighted.Weighting
}

// init sets r to read the array, a view of the weights w, along the reduced
// axes.
func (r *weightReader) init(w *weighting, array *nd.Array, reduced nd.Axes) {
	r.dt, r.shared, r.sums = array.DType, w.shared, &w.sums
	r.lanes.Init(array, reduced, true)
}

// read writes the loaded weights of the elements from … to-1 of count lanes to
// dst, lane after lane.
func (r *weightReader) read(dst []uint64, first, count, from, to int, s *crew.Scratch) {
	r.widen(dst, first, count, from, to, s)
	r.sums.Load(dst)
}

// widen is read of weights as they are given, but as wide as an int64 or, of a float
// dtype, a float64. A uint64 that no int64 holds becomes negative.
func (r *weightReader) widen(dst []uint64, first, count, from, to int, s *crew.Scratch) {
	if len(dst) == 0 {
		return
	}
	mark := s.Mark()
	size := r.dt.Size()
	raw := dst
	if size < 8 {
		raw = crew.Alloc[uint64](s, (len(dst)*size+7)/8)
	}
	at := unsafe.Pointer(unsafe.SliceData(raw))
	switch size {
	case 1:
		copyLanes[int8](at, &r.lanes, first, count, from, to)
	case 2:
		copyLanes[int16](at, &r.lanes, first, count, from, to)
	case 4:
		copyLanes[int32](at, &r.lanes, first, count, from, to)
	default:
		copyLanes[int64](at, &r.lanes, first, count, from, to)
	}
	r.convert(dst, at)
	s.Release(mark)
}

// convert widens the weights at raw into dst. Weights of eight bytes lie there
// already.
func (r *weightReader) convert(dst []uint64, raw unsafe.Pointer) {
	size := r.dt.Size()
	if size == 8 {
		return
	}
	wide := dtype.Int64
	if r.dt.IsFloat() {
		wide = dtype.Float64
	}
	dtype.Convert(wide, unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), 8*len(dst)), r.dt, unsafe.Slice((*byte)(raw), size*len(dst)))
}

// copyLanes copies the elements from … to-1 of count lanes to dst, lane after
// lane, and walks evenly spaced lanes in the order of their memory.
func copyLanes[K kernel.Key](dst unsafe.Pointer, l *lane.Lanes, first, count, from, to int) {
	lane.Encode(unsafe.Slice((*K)(dst), count*(to-from)), l, first, from, to, kernel.Encoding[K]{})
}
