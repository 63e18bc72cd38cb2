package ogive

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/elements"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/internal/weights"
	"github.com/ogive-go/ogive/rank"
)

// Plan is an operation prepared for inputs of one dtype and shape, whose first
// dimension may be free. It may be run by many goroutines at once; a run
// allocates nothing once warm.
type Plan struct {
	op     Op
	method rank.Method
	eng    engine.Plan // of length 1 where the first dimension is free
	sized  *sync.Pool  // of *engine.Plan, copies for the lengths of runs; nil if no dimension is free

	request request
	axes    []int
	qs      []rank.Q
}

// request is what the options of a call ask for.
type request struct {
	method     rank.Method
	mode       MedianMode
	keepDims   bool
	weights    *Tensor
	out        *Tensor
	outIndices *Tensor
	test       *Tensor
	keys       *Tensor // of groups
	member     elements.Member
	config     engine.Config
	given      settingSet
	withIndex  bool
	anywhere   bool // the plan may run on a device
	free       bool // the first dimension has any length
	rolling    bool // over windows of so many elements
	window     int
	minCount   int
	axes       int // the option that gives the axes, and the quantiles, or -1
	numbers    int
}

// quantileSettings are the options that give quantiles, in place of the functions'
// parameter.
var quantileSettings = settingsOf(optQ, optP, optRatio)

// results are the options that say where results go, which Run takes instead.
var results = settingsOf(optOut, optOutIndices)

// Prepare returns a plan of op for inputs of the given dtype and shape, with
// any strides. The functions' parameters are options here: [Q], [P], [Ratio]
// and [Test]; Out and OutIndices are parameters of Run instead. All errors of
// the operation are raised here, in the order and with the sentinels of the
// function, but for those of the tensors given to Run.
//
// The first dimension may be -1: it is free, and Run takes inputs of any length
// there, such as the last batch of fewer rows. Where it is not reduced the
// result has the same length, and -1 in [Plan.Shape]. Weights are then those of
// the reduced axes, which do not include it, else ErrWeights. What depends on
// the length alone is raised by Run: ErrEmpty of no rows to reduce, and ErrShape
// of too many to count. A run of another length than the one before costs some
// hundred nanoseconds more.
func Prepare(op Op, dt dtype.DType, shape []int, opts ...Option) (*Plan, error) {
	if op == opNone || op >= opCount {
		return nil, errs.New(errs.ErrOption, "unknown operation %v", op).In("Prepare")
	}
	p := new(Plan)
	p.request.anywhere = true
	free := len(shape) > 0 && shape[0] == -1
	if free {
		shape = append([]int{1}, shape[1:]...)
		p.request.free = true
	}
	if err := nd.Guard(op.String(), func() error { return p.prepare(op, dt, shape, nil, opts, results) }); err != nil {
		return nil, err
	}
	if free {
		p.eng.Free()
		p.sized = &sync.Pool{New: func() any { return p.eng.Copy() }}
	}
	p.request = request{} // keeps no tensor alive but the weights, which the engine holds
	return p, nil
}

// prepare fills p, whose request is zero but for test and withIndex. param gives
// the function's own quantiles, nil in Prepare and if it has none; where it is nil or a
// nil list, options may give them. Options of the banned set are not taken. The options
// are read and not kept, so that they stay on the caller's stack.
func (p *Plan) prepare(op Op, dt dtype.DType, shape []int, param *Option, opts []Option, banned settingSet) error {
	info := &ops[op]
	p.op = op
	if err := info.checkDType(dt); err != nil {
		return err
	}
	r := &p.request
	r.axes, r.numbers = -1, -1
	if param != nil && param.isNil() {
		param = nil
	}
	if param != nil {
		banned |= quantileSettings
	}
	for i := range opts {
		o := &opts[i]
		taken := info.takes &^ banned
		if r.rolling {
			taken = taken.with(optMinCount)
		}
		if !taken.has(o.set) && o.set != optTuned {
			if info.takes.has(o.set) && quantileSettings.has(o.set) {
				return errs.New(errs.ErrOption, "quantiles are a parameter, not an option")
			}
			return errs.New(errs.ErrOption, "option %v is not taken; allowed: %v", o.set, taken)
		}
		r.apply(o, i)
	}
	if r.numbers >= 0 {
		param = &opts[r.numbers]
	}
	switch {
	case info.Order:
		var axes *Option
		if r.axes >= 0 {
			axes = &opts[r.axes]
		}
		return p.prepareOrder(dt, shape, param, axes)
	case op == OpIsIn:
		return p.prepareMembership(dt, shape)
	default:
		p.eng.Config = r.config
		return p.eng.InitPredicate(dt, shape, info.predicate)
	}
}

// checkDType checks that the operation is defined for the dtype.
func (info *opInfo) checkDType(dt dtype.DType) error {
	switch {
	case !dt.Valid():
		return errs.New(errs.ErrDType, "%v is not a dtype", dt)
	case info.Order && !dt.IsOrdered():
		return errs.New(errs.ErrDType, "%v has no order", dt)
	}
	return nil
}

// apply sets what option number i asks for.
func (r *request) apply(o *Option, i int) {
	r.given |= 1 << o.set
	switch o.set {
	case optAxis:
		r.axes = i
	case optKeepDims:
		r.keepDims = true
	case optMethod:
		r.method = rank.Method(o.n)
		if int64(r.method) != o.n {
			r.method = ^rank.Method(0)
		}
	case optMode:
		r.mode = MedianMode(o.n)
	case optWeights:
		r.weights, _ = (*o.ref).(*Tensor)
	case optOut:
		r.out, _ = (*o.ref).(*Tensor)
	case optOutIndices:
		r.outIndices, _ = (*o.ref).(*Tensor)
		r.withIndex = true
	case optOverwrite:
		r.config.Overwrite = true
	case optInvert:
		r.member.Invert = true
	case optAssumeUnique:
		r.member.AssumeUnique = true
	case optKind:
		r.member.Kind = elements.Kind(o.n)
	case optEqualNaN:
		r.member.EqualNaN = true
	case optWorkers:
		r.config.Workers = int(o.n)
	case optContext:
		r.config.Context, _ = (*o.ref).(context.Context)
	case optProgress:
		r.config.Meter, _ = (*o.ref).(*Meter)
	case optTuned:
		r.config.Tuned, _ = (*o.ref).(*tuning.Thresholds)
	case optMinCount:
		r.minCount = int(o.n)
	case optTest:
		r.test, _ = (*o.ref).(*Tensor)
	default:
		r.numbers = i
	}
}

// prepareOrder prepares a quantile or median.
func (p *Plan) prepareOrder(dt dtype.DType, shape []int, numbers, axes *Option) error {
	info, r := &ops[p.op], &p.request
	if err := r.checkWindow(); err != nil {
		return err
	}
	if info.Median {
		if err := r.setMode(); err != nil {
			return err
		}
	}
	if info.Index && !r.given.has(optMethod) {
		r.method = rank.Lower
	}
	if !r.method.Valid() {
		return errs.New(errs.ErrMethod, "unknown method %v; known: %s", r.method, methodNames(false))
	}
	if info.Index && !r.method.Discrete() {
		return errs.New(errs.ErrMethod, "method %v does not choose an element; use one of %s", r.method, methodNames(true))
	}
	if w := r.weights; w != nil {
		if err := weights.CheckMethod(w.DType(), r.method); err != nil {
			return err
		}
	}
	p.method = r.method
	vector, err := p.setQuantiles(info, numbers)
	if err != nil {
		return err
	}
	order := engine.Order{
		Set:      rank.NewSet(r.method, p.qs),
		Vector:   vector,
		SkipNaN:  info.SkipNaN,
		EmptyNaN: info.SkipNaN || info.Median,
		Arg:      info.Index,
		AllAxes:  axes == nil,
		KeepDims: r.keepDims,
		Free:     r.free,
	}
	if axes != nil {
		p.axes = append(p.axes[:0], axes.axes...)
		order.Axes = p.axes
	}
	if r.keys != nil {
		order.Keys = &r.keys.arr
	}
	if r.rolling {
		order.Window, order.Least = r.window, r.minCount
	}
	if axes == nil && (r.rolling || r.keys != nil) { // which have one axis
		p.axes = append(p.axes[:0], 0)
		order.AllAxes, order.Axes = false, p.axes
	}
	if r.weights != nil {
		host, err := r.weights.ToHost() // to check them; they must lie where x does
		if err != nil {
			return err
		}
		order.Weights = &host.arr
	}
	p.eng.Config = r.config
	if err := p.eng.InitOrder(dt, shape, &order); err != nil {
		return err
	}
	if r.given.has(optWeights) && r.weights == nil {
		return errs.New(errs.ErrWeights, "the weights are nil")
	}
	return nil
}

// setMode sets the method that a median's mode stands for. Where indices are
// asked for the mode is ModeLower, unless it is given.
func (r *request) setMode() error {
	if r.withIndex && !r.given.has(optMode) {
		r.mode = ModeLower
	}
	if w := r.weights; w != nil && w.DType().IsFloat() && r.mode < MedianMode(len(modeNames)) {
		if r.mode != ModeLower {
			return errs.New(errs.ErrMethod, "%v weights take mode lower only, got %s; integer and bool weights take every mode", w.DType(), modeNames[r.mode])
		}
		r.method = rank.InvertedCDF // which is the lower median, of weights too
		return nil
	}
	switch r.mode {
	case ModeAvg:
		if r.withIndex {
			return errs.New(errs.ErrOption, "mode avg has no index; use lower or upper")
		}
		r.method = rank.Midpoint
	case ModeLower:
		r.method = rank.Lower
	case ModeUpper:
		r.method = rank.Higher
	default:
		return errs.New(errs.ErrOption, "unknown mode %d; known: %s", r.mode, strings.Join(modeNames, ", "))
	}
	return nil
}

// methodNames lists the methods, or the discrete ones.
func methodNames(discrete bool) string {
	var names []string
	for _, m := range rank.Methods() {
		if !discrete || m.Discrete() {
			names = append(names, m.String())
		}
	}
	return strings.Join(names, ", ")
}

// setQuantiles checks the quantiles that o asks for and sets p.qs to them. It
// reports whether they make a leading dimension.
func (p *Plan) setQuantiles(info *opInfo, o *Option) (vector bool, err error) {
	p.qs = p.qs[:0]
	if info.Median {
		p.qs = append(p.qs, rank.At(0.5))
		return false, nil
	}
	switch {
	case o == nil:
		return false, errs.New(errs.ErrQ, "%s is empty", info.Param)
	case o.set == optRatio:
		return o.list, p.setRatios(o)
	}
	list := o.floats
	if !o.list {
		list = []float64{o.num}
	}
	if len(list) == 0 {
		return false, errs.New(errs.ErrQ, "%s is empty", info.Param)
	}
	top := 1.0
	percent := info.Param == "p"
	if percent {
		top = 100
	}
	p.qs = slices.Grow(p.qs, len(list))
	for i, q := range list {
		if err := checkQuantile(info.Param, i, q, top); err != nil {
			return false, err
		}
		if percent {
			q /= 100
		}
		p.qs = append(p.qs, rank.At(q))
	}
	return o.list, nil
}

// checkQuantile checks quantile i of a list, of which 1 or 100 is the largest.
func checkQuantile(letter string, i int, q, top float64) error {
	switch {
	case q != q:
		return errs.New(errs.ErrQ, "%s[%d] is NaN", letter, i)
	case q < 0 || q > top:
		return errs.New(errs.ErrQ, "%s[%d] = %v is outside [0, %v]", letter, i, q, top)
	}
	return nil
}

// setRatios is setQuantiles for exact fractions, and what [Fractions] has beside them.
func (p *Plan) setRatios(o *Option) error {
	switch {
	case o.ref != nil:
		p.qs = append(p.qs, (*o.ref).([]rank.Q)...)
	case !o.list:
		p.qs = append(p.qs, rank.Ratio(o.n, o.den))
	}
	for _, num := range o.nums {
		p.qs = append(p.qs, rank.Ratio(num, o.den))
	}
	if len(p.qs) == 0 {
		return errs.New(errs.ErrQ, "q is empty")
	}
	for i, q := range p.qs {
		switch {
		case o.ref != nil && q.Num == 0 && q.Den == 0:
			if err := checkQuantile("q", i, q.Value, 1); err != nil {
				return err
			}
		case q.Den <= 0:
			return errs.New(errs.ErrQ, "q[%d] = %d/%d: the denominator must be positive", i, q.Num, q.Den)
		case q.Num < 0 || q.Num > q.Den:
			return errs.New(errs.ErrQ, "q[%d] = %d/%d is outside [0, 1]", i, q.Num, q.Den)
		}
	}
	return nil
}

// prepareMembership prepares IsIn.
func (p *Plan) prepareMembership(dt dtype.DType, shape []int) error {
	r := &p.request
	if int(r.member.Kind) >= len(kindNames) {
		return errs.New(errs.ErrOption, "unknown kind %d; known: %s", r.member.Kind, strings.Join(kindNames, ", "))
	}
	test := r.test
	if test == nil {
		return errs.New(errs.ErrShape, "test is nil")
	}
	if !test.DType().Valid() {
		return errs.New(errs.ErrDType, "test is an empty Tensor value, of no dtype")
	}
	if test.arr.Buf.Device != nil {
		host, err := test.ToHost()
		if err != nil {
			return err
		}
		test = host
	}
	r.member.Test = &test.arr
	r.member.Patterns = r.anywhere
	p.eng.Config = r.config
	return p.eng.InitMembers(dt, shape, &r.member)
}

// Op returns the operation.
func (p *Plan) Op() Op { return p.op }

// Shape returns the shape of the result, with -1 where it has the length of the
// input's free dimension.
func (p *Plan) Shape() []int {
	shape := append([]int{}, p.eng.Shape()...)
	if at, ok := p.eng.FreeOutput(); ok {
		shape[at] = -1
	}
	return shape
}

// DType returns the dtype of the result.
func (p *Plan) DType() dtype.DType { return p.eng.DType() }

// Axes returns the reduced axes in the order given, counted from the front;
// none for the element tests.
func (p *Plan) Axes() []int { return append([]int{}, p.eng.Axes()...) }

// KeepDims reports whether the reduced dimensions stay with length 1.
func (p *Plan) KeepDims() bool { return p.eng.KeepDims() }

// Method returns the quantile method: for a median the one that its mode
// stands for, Midpoint, Lower or Higher.
func (p *Plan) Method() rank.Method { return p.method }

// SkipNaN reports whether NaNs are dropped.
func (p *Plan) SkipNaN() bool { return ops[p.op].SkipNaN }
