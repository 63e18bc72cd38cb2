// Package engine plans and runs operations on arrays. A Plan has everything
// resolved that can be known without data; running it splits the work into
// tasks, gives them scratch memory, and hands tiles of lanes to package
// selection. It knows no options and has no loops over elements.
package engine

import (
	"slices"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// Meter counts the work of a running operation.
type Meter = crew.Meter

// Config is how an operation runs, whatever it computes.
type Config struct {
	crew.Config
	Overwrite bool // the input may be used as scratch space
}

// Plan is an operation with everything resolved: shapes, dtypes, axes, the NaN
// policy. It may be run by many goroutines at once.
type Plan struct {
	Name   string // of the operation, for messages
	Config Config

	dt     dtype.DType // of the input
	result dtype.DType
	ndim   int
	free   bool            // the first dimension has any length; that of the shape is of the run at hand
	shape  [nd.MaxDims]int // of the input
	outDim int
	out    [nd.MaxDims + 1]int // shape of the result; one more to tell that it is too long

	kind   kind
	short  bool // runShort may run it: a single lane of a few elements, of whose result is nothing asked but the values
	order  orderStatistic
	test   Predicate
	member membership
}

// kind says which part of a Plan describes the operation.
type kind uint8

const (
	kindOrder kind = iota
	kindPredicate
	kindMembership
)

// orderStatistic is the part of a Plan for the quantile and median families.
type orderStatistic struct {
	want     selection.Want
	discrete bool
	halves   bool        // weights are 0 or 1/2
	arg      bool        // the result is the index
	value    dtype.DType // of the value, also where the result is the index
	skipNaN  bool
	emptyNaN bool // a lane without elements gives NaN where the value is floating
	keepDims bool
	grouped  bool
	vector   bool // the quantiles make a leading dimension
	reduced  nd.Axes
	axes     [nd.MaxDims]int // as given, wrapped
	naxes    int
	weights  weighting
	window   window
}

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

// Forget drops the plan's references to weights and test values, whose memory
// others may then use.
func (p *Plan) Forget() {
	p.member.set.Release()
	p.member.patterns = nil
	if p.order.weights.on {
		p.order.weights = weighting{}
	}
}

// DType returns the dtype of the result.
func (p *Plan) DType() dtype.DType { return p.result }

// Shape returns the shape of the result; it must not be changed.
func (p *Plan) Shape() []int { return p.out[:p.outDim:p.outDim] }

// InputShape returns the shape of the input; it must not be changed.
func (p *Plan) InputShape() []int { return p.shape[:p.ndim:p.ndim] }

// Axes returns the reduced axes in the order given, counted from the front; it
// must not be changed.
func (p *Plan) Axes() []int { return p.order.axes[:p.order.naxes:p.order.naxes] }

// KeepDims reports whether the reduced dimensions stay with length 1.
func (p *Plan) KeepDims() bool { return p.order.keepDims }

// SkipNaN reports whether NaNs are dropped.
func (p *Plan) SkipNaN() bool { return p.order.skipNaN }

// Positional reports whether the operation can tell indices: each of its
// values is an element of the input.
func (p *Plan) Positional() bool { return p.kind == kindOrder && p.order.discrete }

// begin sets what all plans have.
func (p *Plan) begin(name string, k kind, dt dtype.DType, shape []int) error {
	if _, err := nd.Count(shape, dt.Size()); err != nil {
		return err
	}
	p.Name, p.kind, p.dt = name, k, dt
	p.ndim = copy(p.shape[:], shape)
	p.outDim = copy(p.out[:], shape)
	p.member, p.order.naxes, p.order.keepDims, p.short, p.free = membership{}, 0, false, false, false
	return nil
}

// InitOrder makes p a plan of the quantile or median family for inputs of the
// dtype, which has an order, and the shape. Its errors are those of the axes,
// of the keys, of empty slices and of the weights, in this order.
func (p *Plan) InitOrder(name string, dt dtype.DType, shape []int, o *Order) error {
	if err := p.begin(name, kindOrder, dt, shape); err != nil {
		return err
	}
	s := &p.order
	s.discrete, s.halves = o.Set.Method().Discrete(), o.Set.Method().Halves()
	s.arg, s.keepDims, s.grouped, s.vector = o.Arg, o.KeepDims, o.Keys != nil, o.Vector
	s.skipNaN, s.emptyNaN = o.SkipNaN && dt.IsFloat(), o.EmptyNaN
	s.value = dt.Quantile(s.discrete)
	p.result = s.value
	if o.Arg {
		p.result = dtype.Int64
	}
	if p.Config.Tuned == nil {
		p.Config.Tuned = &tuning.Default
	}
	s.want.Init(o.Set, s.skipNaN, p.Config.Tuned)
	if err := p.reduce(o); err != nil {
		return err
	}
	if s.grouped {
		if err := p.checkKeys(o.Keys); err != nil {
			return err
		}
	}
	if err := p.checkEmpty(); err != nil {
		return err
	}
	if o.Weights != nil {
		if o.Free && (s.reduced.Has(0) || slices.Equal(o.Weights.Shape(), shape)) {
			return errs.New(errs.ErrWeights, "weights have shape %v; where the first dimension is free they are those of the other, reduced axes", o.Weights.Shape())
		}
		if err := s.weights.init(p, o.Weights); err != nil {
			return err
		}
	} else if s.weights.on {
		s.weights = weighting{}
	}
	s.number(p)
	return nil
}

// number decides whether p is short, and else gives its quantiles a number.
func (s *orderStatistic) number(p *Plan) {
	n, q := p.laneLen(), s.want.Len()
	p.short = selection.IsShort(n, q) && p.outputs() == q && !s.arg && !s.weights.on && !s.grouped && s.window.width == 0
	if !p.short {
		s.want.Number()
	}
}

// reduce wraps and checks the axes and sets the shape of the result.
func (p *Plan) reduce(o *Order) error {
	s := &p.order
	s.reduced, s.naxes = 0, 0
	if o.AllAxes {
		for i := range p.ndim {
			s.axes[i] = i
		}
		s.naxes = p.ndim
		s.reduced = 1<<p.ndim - 1
	} else if err := s.wrap(o.Axes, p.ndim); err != nil {
		return err
	}
	p.outDim = 0
	if o.Vector {
		p.out[0] = o.Set.Len()
		p.outDim++
	}
	for i, n := range p.InputShape() {
		switch {
		case !s.reduced.Has(i):
			p.out[p.outDim] = n
			p.outDim++
		case s.keepDims || o.Window > 0:
			p.out[p.outDim] = 1
			p.outDim++
		}
	}
	s.window = window{}
	if o.Window > 0 {
		if err := p.initWindow(o); err != nil {
			return err
		}
	}
	_, err := nd.Count(p.Shape(), p.result.Size())
	return err
}

// wrap sets the axes from those given for so many dimensions.
func (s *orderStatistic) wrap(axes []int, ndim int) error {
	if len(axes) == 0 {
		return errs.New(errs.ErrAxis, "axes list is empty; leave it out to reduce all axes")
	}
	// A tensor without dimensions takes 0 and -1, which mean the same.
	span := max(ndim, 1)
	for i, a := range axes {
		if a < -span || a >= span {
			return errs.New(errs.ErrAxis, "axis %d is out of range for a %d-d tensor (allowed %d..%d)", a, ndim, -span, span-1)
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
	if ndim == 0 {
		s.naxes = 0
	}
	return nil
}

// laneLen returns the number of elements of a lane.
func (p *Plan) laneLen() int {
	n := 1
	for _, a := range p.Axes() {
		n *= p.shape[a]
	}
	return n
}

// outputs returns the number of elements of the result.
func (p *Plan) outputs() int {
	n := 1
	for _, d := range p.Shape() {
		n *= d
	}
	return n
}

// CheckOut checks that out can take a result of p of the given dtype.
func (p *Plan) CheckOut(out *nd.Array, dt dtype.DType) error {
	if !slices.Equal(out.Shape(), p.Shape()) {
		return errs.New(errs.ErrOut, "out has shape %v, want %v", out.Shape(), p.Shape())
	}
	if out.DType != dt && !(out.DType.IsFloat() && dt.IsFloat()) {
		return errs.New(errs.ErrOut, "out dtype %v cannot hold a %v result", out.DType, dt)
	}
	if out.RepeatsElements() {
		return errs.New(errs.ErrOut, "out overlaps itself: shape %v has strides %v", out.Shape(), out.Strides())
	}
	return nil
}

// CheckInput checks that x is what p was made for. A plan with a free first dimension
// is given x's length there.
func (p *Plan) CheckInput(x *nd.Array) error {
	if x.DType != p.dt {
		return errs.New(errs.ErrDType, "x is %v, the plan takes %v", x.DType, p.dt)
	}
	if p.free && x.NDim() == p.ndim && slices.Equal(x.Shape()[1:], p.InputShape()[1:]) {
		return p.resize(x.Shape()[0])
	}
	if !slices.Equal(x.Shape(), p.InputShape()) {
		return errs.New(errs.ErrShape, "x has shape %v, the plan takes %v", x.Shape(), p.takes())
	}
	return nil
}
