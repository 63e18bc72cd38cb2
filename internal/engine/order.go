package engine

import (
	"slices"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// Order describes a call of the quantile or median family. Its quantiles and
// method have been checked.
type Order struct {
	Set      rank.Set
	Vector   bool // the quantiles make a leading dimension
	SkipNaN  bool
	EmptyNaN bool // an empty slice gives NaN where the value is floating
	Arg      bool // the result is the index
	AllAxes  bool
	Axes     []int // if not AllAxes
	KeepDims bool
	Weights  *nd.Array // or nil
	Keys     *nd.Array // of groups along the only axis, for RunGroups; or nil
	Free     bool      // the first dimension is free; see Plan.Free
	Window   int       // elements of the windows that move along the only axis; 0 for none
	Least    int       // values that the answer of a window needs, which then need not be full; 0 for full ones only
}

// statistic is an order statistic of lanes, with everything resolved that can be known
// without data: what is asked, of which lanes, and what becomes of it. Of an element test
// there are only the shapes.
type statistic struct {
	shapes
	want     selection.Want
	arg      bool        // the result is the index
	value    dtype.DType // of the value, also where the result is the index
	skipNaN  bool
	emptyNaN bool // a lane without elements gives NaN where the value is floating
	keepDims bool
	vector   bool // the quantiles make a leading dimension
	reduced  nd.Axes
	axes     [nd.MaxDims]int // as given, wrapped
	naxes    int
	n        int // elements of a lane
}

// init sets all but the axes and the result's shape.
func (s *statistic) init(o *Order, t *tuning.Thresholds) {
	s.arg, s.keepDims, s.vector = o.Arg, o.KeepDims, o.Vector
	s.skipNaN, s.emptyNaN = o.SkipNaN && s.dt.IsFloat(), o.EmptyNaN
	s.value = s.dt.Quantile(o.Set.Method().Discrete())
	s.result = s.value
	if o.Arg {
		s.result = dtype.Int64
	}
	s.want.Init(o.Set, s.skipNaN, t)
}

// Axes returns the reduced axes in the order given, counted from the front; it
// must not be changed.
func (s *statistic) Axes() []int { return s.axes[:s.naxes:s.naxes] }

// KeepDims reports whether the reduced dimensions stay with length 1.
func (s *statistic) KeepDims() bool { return s.keepDims }

// SkipNaN reports whether NaNs are dropped.
func (s *statistic) SkipNaN() bool { return s.skipNaN }

// Want returns the quantiles.
func (s *statistic) Want() *selection.Want { return &s.want }

// Reduced returns the reduced axes.
func (s *statistic) Reduced() nd.Axes { return s.reduced }

// reduce wraps and checks the axes.
func (s *statistic) reduce(o *Order) error {
	s.reduced, s.naxes = 0, 0
	if !o.AllAxes {
		return s.wrap(o.Axes)
	}
	for i := range s.ndim {
		s.axes[i] = i
	}
	s.naxes = s.ndim
	s.reduced = 1<<s.ndim - 1
	return nil
}

// layOut sets the shape of the result, in which reduced dimensions have length 1 if they
// are kept, and the number of elements of a lane.
func (s *statistic) layOut(keep bool) {
	s.outDim, s.n = 0, 1
	if s.vector {
		s.out[0] = s.want.Len()
		s.outDim++
	}
	for i, d := range s.InputShape() {
		if s.reduced.Has(i) {
			s.n *= d
			if !keep {
				continue
			}
			d = 1
		}
		s.out[s.outDim] = d
		s.outDim++
	}
}

// wrap sets the axes from those given.
func (s *statistic) wrap(axes []int) error {
	if len(axes) == 0 {
		return errs.New(errs.ErrAxis, "axes list is empty; leave it out to reduce all axes")
	}
	// A tensor without dimensions takes 0 and -1, which mean the same.
	span := max(s.ndim, 1)
	for i, a := range axes {
		if a < -span || a >= span {
			return errs.New(errs.ErrAxis, "axis %d is out of range for a %d-d tensor (allowed %d..%d)", a, s.ndim, -span, span-1)
		}
		at := a
		if at < 0 {
			at += span
		}
		if s.reduced.Has(at) {
			first := slices.Index(s.axes[:s.naxes], at)
			return errs.New(errs.ErrAxis, "axis %d given twice (positions %d and %d)", at, first, i)
		}
		s.reduced |= 1 << at
		s.axes[i] = at
		s.naxes++
	}
	if s.ndim == 0 {
		s.naxes = 0
	}
	return nil
}

// checkEmpty checks that there is an answer where there are no elements.
func (s *statistic) checkEmpty() error {
	if s.n > 0 || s.total == 0 || s.emptyNaN && s.value.IsFloat() {
		return nil
	}
	return errs.New(errs.ErrEmpty, "axes %v of shape %v reduce 0 elements", s.Axes(), s.InputShape())
}
