package oracle

import (
	"slices"

	"github.com/ogive-go/ogive/dtype"
)

// Options are those of the order statistics. The zero value is quantile's
// default: all axes, linear, NaN spreads.
type Options struct {
	Axes     []int // nil means all
	KeepDims bool
	Method   string // "" means linear
	SkipNaN  bool
	Weights  *Array
}

// reduction is a resolved set of axes.
type reduction struct {
	shape  []int // of the input
	given  []int // wrapped axes in the order given
	axes   []int // the same, ascending
	kept   []int // the other axes
	out    []int // shape of the result, without the dimension of q
	length int   // elements of a lane
}

// resolve wraps and checks the axes.
func resolve(shape []int, o Options) (*reduction, error) {
	r := &reduction{shape: shape, length: 1}
	if o.Axes == nil {
		for a := range shape {
			r.given = append(r.given, a)
		}
	} else if len(o.Axes) == 0 {
		return nil, ErrAxis
	}
	n := max(len(shape), 1) // a 0-d array takes axis 0 and -1
	for _, a := range o.Axes {
		if a < -n || a >= n {
			return nil, ErrAxis
		}
		if a < 0 {
			a += n
		}
		if slices.Contains(r.given, a) {
			return nil, ErrAxis
		}
		r.given = append(r.given, a)
	}
	if len(shape) == 0 {
		r.given = nil
	}
	r.axes = slices.Sorted(slices.Values(r.given))
	for a, d := range shape {
		switch {
		case !slices.Contains(r.axes, a):
			r.kept = append(r.kept, a)
			r.out = append(r.out, d)
		case o.KeepDims:
			r.length *= d
			r.out = append(r.out, 1)
		default:
			r.length *= d
		}
	}
	return r, nil
}

// offsets lists the offsets reached by stepping through the given axes, the
// last fastest.
func offsets(shape, strides, axes []int) []int {
	list := []int{0}
	for _, a := range axes {
		next := make([]int, 0, len(list)*shape[a])
		for _, base := range list {
			for i := range shape[a] {
				next = append(next, base+i*strides[a])
			}
		}
		list = next
	}
	return list
}

// contiguous returns the strides of a shape in C order.
func contiguous(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for a := len(shape) - 1; a >= 0; a-- {
		strides[a] = step
		step *= shape[a]
	}
	return strides
}

// weightLanes returns, for a lane number and a position in it, the offset of
// its weight: of x's shape, or of x's shape along the axes in the order given.
func (r *reduction) weightLanes(w *Array) (lanes, inLane []int, err error) {
	if slices.Equal(w.Shape, r.shape) {
		s := contiguous(r.shape)
		return offsets(r.shape, s, r.kept), offsets(r.shape, s, r.axes), nil
	}
	along := make([]int, len(r.given))
	for i, a := range r.given {
		along[i] = r.shape[a]
	}
	if !slices.Equal(w.Shape, along) {
		return nil, nil, ErrWeights
	}
	own := contiguous(along)
	strides := make([]int, len(r.shape))
	for i, a := range r.given {
		strides[a] = own[i]
	}
	lanes = make([]int, len(offsets(r.shape, contiguous(r.shape), r.kept)))
	return lanes, offsets(r.shape, strides, r.axes), nil
}

// lane is one slice to reduce.
type lane struct {
	dt      dtype.DType
	bits    []uint64
	numbers []Number
	weights *laneWeights // nil without
}

// lanes cuts x into the slices of the reduction, in C order of the output.
func (r *reduction) lanes(x, w *Array) ([]lane, error) {
	s := contiguous(r.shape)
	starts, steps := offsets(r.shape, s, r.kept), offsets(r.shape, s, r.axes)
	var wStarts, wSteps []int
	if w != nil {
		var err error
		if wStarts, wSteps, err = r.weightLanes(w); err != nil {
			return nil, err
		}
	}
	list := make([]lane, len(starts))
	for i, start := range starts {
		l := lane{dt: x.DType, bits: make([]uint64, len(steps)), numbers: make([]Number, len(steps))}
		for j, step := range steps {
			l.bits[j] = x.Bits[start+step].Re
			l.numbers[j] = Decode(x.DType, l.bits[j])
		}
		if w != nil {
			raw := make([]uint64, len(wSteps))
			for j, step := range wSteps {
				raw[j] = w.Bits[wStarts[i]+step].Re
			}
			var err error
			if l.weights, err = newLaneWeights(w.DType, raw); err != nil {
				return nil, err
			}
		}
		list[i] = l
	}
	return list, nil
}

// firstNaN returns the position of the first NaN of the lane, or -1.
func (l *lane) firstNaN() int {
	return slices.IndexFunc(l.numbers, Number.IsNaN)
}

// sorted returns the positions of the lane's numbers, NaNs left out, in order
// of value; among identical values position decides.
func (l *lane) sorted() []int {
	order := make([]int, 0, len(l.numbers))
	for i, v := range l.numbers {
		if !v.IsNaN() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return compare(l.numbers[i], l.numbers[j]) })
	return order
}
