package weights

import (
	"fmt"
	"math"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection/weighted"
)

// Init checks the weights in an array of the call's shape, or of its shape along the axes,
// and sets w to them.
func (w *Weights) Init(array *nd.Array, c *Call) error {
	*w = Weights{Sums: weighted.Frequencies()}
	if err := CheckMethod(array.DType, c.Set.Method()); err != nil {
		return err
	}
	if !array.DType.IsOrdered() {
		return errs.New(errs.ErrWeights, "weights are %v, want a real dtype", array.DType)
	}
	if err := w.view(array, c); err != nil {
		return err
	}
	if c.Unread {
		return nil
	}
	return w.check(c)
}

// checkElements is how many weights are checked at a time: they stay in a
// core's cache.
const checkElements = 1 << 14

// check checks the weights and their sum in each lane.
func (w *Weights) check(call *Call) error {
	var r Reader
	w.Reader(&r, &w.Array, call.Reduced)
	l := &r.Lanes
	s := crew.Borrow()
	defer s.Return()

	lanes := l.Count
	if w.Shared {
		lanes = 1
	}
	n := max(l.N, 1)
	width := max(checkElements/n, 1)
	if l.SideBySide() {
		width = max(width, 64/r.DType.Size())
	}
	width = min(width, lanes)
	length := min(max(checkElements/width, 1), n)
	c := checker{
		call: call, w: w, span: weighted.NewSpan(),
		total: crew.Alloc[int64](s, width), positive: crew.Alloc[bool](s, width),
	}
	block := crew.Alloc[uint64](s, width*length)
	for first := 0; first < lanes && l.N > 0; first += width {
		if err := c.lanes(&r, first, min(width, lanes-first), block, length, s); err != nil {
			return err
		}
	}
	if r.DType.IsFloat() {
		w.Sums = weighted.FloatWeights(call.Set, &c.span, l.N)
	}
	return nil
}

// checker is the state of a check of some lanes.
type checker struct {
	call     *Call
	w        *Weights
	span     weighted.Span
	total    []int64 // of frequencies
	positive []bool
}

// lanes checks count lanes from the first on, so many elements of each at a time.
func (c *checker) lanes(r *Reader, first, count int, block []uint64, length int, s *crew.Scratch) error {
	clear(c.total)
	clear(c.positive)
	for from := 0; from < r.Lanes.N; from += length {
		m := min(length, r.Lanes.N-from)
		weights := block[:count*m]
		r.Widen(weights, first, count, from, from+m, s)
		for j := range count {
			if err := c.add(weights[j*m:][:m], j, first+j, from); err != nil {
				return err
			}
		}
	}
	if c.call.Grouped {
		return nil
	}
	for j := range count {
		if err := c.sum(j, first+j); err != nil {
			return err
		}
	}
	return nil
}

// add checks weights of the jth lane of the block.
func (c *checker) add(weights []uint64, j, lane, from int) error {
	bad := 0
	if c.w.Array.DType.IsFloat() {
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
	if at := c.place(lane, from+bad); len(at) > 0 {
		name = fmt.Sprintf("weights%v", at)
	}
	switch dt, v := c.w.Array.DType, weights[bad]; {
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
func (c *checker) sum(j, lane int) error {
	if c.positive[j] && c.total[j] < weighted.MaxFrequencies {
		return nil
	}
	name := "weights"
	if !c.w.Shared && len(c.call.Axes) < len(c.call.Shape) {
		var at []int
		for i, number := range c.call.coordinates(lane, 0) {
			if !c.call.Reduced.Has(i) {
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

// place returns where the weight of an element of a lane is in the array that
// was given.
func (c *checker) place(lane, element int) []int {
	all := c.call.coordinates(lane, element)
	if !c.w.Shared {
		return all
	}
	at := make([]int, len(c.call.Axes))
	for i, a := range c.call.Axes {
		at[i] = all[a]
	}
	return at
}

// coordinates returns where an element of a lane is in the array that is reduced, both
// numbered in C order.
func (c *Call) coordinates(lane, element int) []int {
	at := make([]int, len(c.Shape))
	for i := len(c.Shape) - 1; i >= 0; i-- {
		n := c.Shape[i]
		if c.Reduced.Has(i) {
			at[i], element = element%n, element/n
		} else {
			at[i], lane = lane%n, lane/n
		}
	}
	return at
}
