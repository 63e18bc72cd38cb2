package stream

import (
	"errors"
	"runtime"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/bridge"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection/weighted"
	"github.com/ogive-go/ogive/rank"
)

// MinBudget is the least budget of a [State], 1 MiB: it holds a counter for each of the
// 16-bit keys.
const MinBudget = 1 << 20

// leastBudget is MinBudget, but in tests, which have little data.
var leastBudget int64 = MinBudget

// tensors and plans go where package ogive lets no users.
var (
	tensors = bridge.TensorsOf[ogive.Tensor]()
	plans   = bridge.PlansOf[ogive.Op, ogive.Option]()
)

// spec says what is computed.
type spec struct {
	op     ogive.Op
	dt     dtype.DType
	set    rank.Set
	vector bool // the quantiles make a leading dimension
	budget int
}

// dropsNaN reports whether NaNs are left out.
func (s *spec) dropsNaN() bool { return s.op.Facts().SkipNaN }

// plan returns the in-memory operation for n elements.
func (s *spec) plan(n int) (*engine.Plan, error) {
	p := new(engine.Plan)
	order := s.engineOrder()
	return p, p.InitOrder(s.dt, []int{n}, &order)
}

// engineOrder returns the description of the operation over all axes.
func (s *spec) engineOrder() engine.Order {
	return engine.Order{
		Set: s.set, Vector: s.vector, AllAxes: true,
		SkipNaN: s.dropsNaN(), EmptyNaN: s.dropsNaN() || s.op.Facts().Median,
	}
}

// equal reports whether two specs are the same.
func (s *spec) equal(o *spec) bool {
	same := s.op == o.op && s.dt == o.dt && s.vector == o.vector && s.budget == o.budget &&
		s.set.Method() == o.set.Method() && s.set.Len() == o.set.Len()
	for i := 0; same && i < s.set.Len(); i++ {
		same = s.set.Q(i) == o.set.Q(i)
	}
	return same
}

// fail returns an error of the operation.
func (s *spec) fail(kind error, format string, args ...any) error {
	return errs.New(kind, format, args...).In(s.op.String())
}

// tally is what a pass counts beside the keys.
type tally struct {
	elements int64 // with NaNs, and those of weight 0
	nan      int64 // elements that are NaN, whatever their weight
	weight   int64 // of all elements
	valid    int64 // of those that are not NaN
	weighted bool  // there were weights
}

// State is an order statistic on its way: what one worker has seen of the data in
// the pass at hand. A pass is: Add every chunk of the data to a State, or to several
// Forks of it that are then merged into it, and call Next. The chunks, their order and
// who adds them do not matter, to the bit.
//
// The answer takes one pass if the data, as keys of an element's size (and weights of 8
// bytes, where there are any), fit into 7/16 of the budget, or the dtype has 8 or 16
// bits; otherwise mostly two. Each pass after the first divides what is left by the
// number of bins that the budget holds (up to 2^20), so that there is no data for which
// 64-bit keys take more than ten. Where many far quantiles are asked of a small budget,
// those that it does not hold wait for later passes.
//
// A State is used by one goroutine at a time; Forks are independent of each other.
// The memory is the budget and, for each quantile, some 200 bytes.
type State struct {
	spec
	pass  int
	done  bool
	first tally // of the first pass, once it has ended
	now   tally
	wants rank.Wants
	finder
}

// taken are the options that New takes.
var taken = []ogive.Option{ogive.Q(), ogive.P(), ogive.Ratio(0, 1), ogive.Method(rank.Linear), ogive.Mode(ogive.ModeAvg)}

// checkOptions checks that options are among those that are taken.
func checkOptions(opts, taken []ogive.Option) error {
	for _, o := range opts {
		if !slices.ContainsFunc(taken, o.Is) {
			return errs.New(errs.ErrOption, "option %v is not taken by a stream; allowed: %v", o, taken)
		}
	}
	return nil
}

// New returns the State of a first pass. op is one of the operations quantile,
// percentile and median with and without nan; the options are those with which
// [ogive.Prepare] takes its parameters: Q, Qs, P, Ps, Ratio, Ratios, Method and Mode.
// budget bounds the memory of the State, in bytes; less than [MinBudget] is ErrOption.
//
// The errors are those of ogive.Prepare; any other operation or option is ErrOption.
// Complex dtypes have no order: ErrDType.
func New(op ogive.Op, dt dtype.DType, budget int, opts ...ogive.Option) (*State, error) {
	if err := checkOp(op); err != nil {
		return nil, err
	}
	if dt.IsOrdered() { // else Prepare says so
		if err := checkOptions(opts, taken); err != nil {
			return nil, errs.Named(op.String(), err)
		}
	}
	plan, err := plans.Prepare(op, dt, []int{1}, nil, opts, false)
	if err != nil {
		return nil, err
	}
	s := &State{spec: specOf(op, dt, plan, budget), pass: 1}
	if int64(budget) < leastBudget {
		return nil, s.fail(errs.ErrOption, "a budget of %d bytes; the least is %d", budget, leastBudget)
	}
	s.finder = newFinder(dt, budget)
	return s, nil
}

// checkOp checks that an operation is an order statistic without indices.
func checkOp(op ogive.Op) error {
	if !op.Facts().Passes {
		return errs.New(errs.ErrOption, "a stream computes quantile, percentile, median and those with nan, not %v", op).In(op.String())
	}
	return nil
}

// specOf returns what a plan computes, for all axes.
func specOf(op ogive.Op, dt dtype.DType, plan *engine.Plan, budget int) spec {
	set := plan.Want().Set()
	qs := make([]rank.Q, set.Len())
	for i := range qs {
		qs[i] = set.Q(i)
	}
	kept := len(plan.InputShape()) - len(plan.Axes())
	if plan.KeepDims() {
		kept = len(plan.InputShape())
	}
	return spec{op: op, dt: dt, set: rank.NewSet(set.Method(), qs), vector: len(plan.Shape()) > kept, budget: budget}
}

// newFinder returns the finder of a first pass.
func newFinder(dt dtype.DType, budget int) finder {
	switch dt.Size() {
	case 1:
		return newPasses(kernel.EncodingOf[int8](dt), budget)
	case 2:
		return newPasses(kernel.EncodingOf[int16](dt), budget)
	case 4:
		return newPasses(kernel.EncodingOf[int32](dt), budget)
	default:
		return newPasses(kernel.EncodingOf[int64](dt), budget)
	}
}

// DType returns the dtype that Add takes.
func (s *State) DType() dtype.DType { return s.dt }

// Pass returns the number of the pass, counted from 1; once Next has returned false,
// that of the last one.
func (s *State) Pass() int { return s.pass }

// Count returns how many values this pass has seen: elements, or the sum of their weights,
// NaNs included.
func (s *State) Count() int64 { return s.now.weight }

// MaxPasses returns how many passes the answer takes at most, whatever the data: what a
// program that is planned before it sees any, such as a dataflow, has to provide for.
func (s *State) MaxPasses() int {
	if s.finder == nil {
		return 0
	}
	return s.finder.mostPasses(2 * s.set.Len())
}

// Size returns the memory, in bytes, that what this pass has seen takes.
func (s *State) Size() int {
	if s.finder == nil {
		return 0
	}
	return s.finder.bytes()
}

// Add adds a chunk of the data, of any shape and strides. weights gives how many times
// each element counts: integers or bools of the chunk's shape, or nil, for once each. An
// element of weight 0 is left out, but for a NaN, which makes the answer of the operations
// without nan NaN in any case, as it does in memory.
//
// Special cases are:
//   - another dtype is ErrDType, a nil chunk ErrShape
//   - float weights are ErrDType: no exact sum of them has a bound that a budget could
//     hold, and that of float64 depends on the order
//   - weights of another shape, negative ones, and sums of 2^53 or more are ErrWeights
//   - once Next has returned false, no pass is open: ErrOption
//
// The chunk is added whole or, on error, not at all; it is not kept. But where it is
// memory of a mapped file that is cut short meanwhile, ErrFormat, the State is of no
// further use. Cost: one to two
// nanoseconds an element in the first pass, where a counter is incremented for each, up to
// four where the elements are sorted, and a fraction of one in the others; some times that
// with weights or where elements do not follow each other in memory.
func (s *State) Add(chunk, weights *ogive.Tensor) error {
	err := nd.Guard(s.op.String(), func() error { return s.add(chunk, weights) })
	if errors.Is(err, errs.ErrFormat) {
		s.finder = nil
	}
	return err
}

func (s *State) add(chunk, weights *ogive.Tensor) error {
	switch {
	case s.finder == nil:
		return errs.New(errs.ErrOption, "the State is none that New made, or its data were lost")
	case s.done:
		return errs.New(errs.ErrOption, "no pass is open: the result is known")
	case chunk == nil:
		return errs.New(errs.ErrShape, "the chunk is nil")
	case chunk.DType() != s.dt:
		return errs.New(errs.ErrDType, "the chunk is %v, the state takes %v", chunk.DType(), s.dt)
	}
	host, err := chunk.ToHost()
	if err != nil {
		return err
	}
	x := tensors.Array(host)
	defer runtime.KeepAlive(host)
	n := int64(x.Len())
	if weights != nil {
		return s.addWeighted(x, weights)
	}
	if s.now.weight+n >= weighted.MaxFrequencies {
		return errs.New(errs.ErrWeights, "2^53 elements or more")
	}
	var l lane.Lanes
	l.Init(x, allAxes(x), false)
	nan, valid := s.finder.add(&l, nil)
	s.now.elements += n
	s.now.weight += n
	s.now.nan += nan
	s.now.valid += valid
	return nil
}

// allAxes returns the set of all axes of an array.
func allAxes(a *nd.Array) nd.Axes { return 1<<a.NDim() - 1 }

// addWeighted is add with weights.
func (s *State) addWeighted(x *nd.Array, weights *ogive.Tensor) error {
	dt := weights.DType()
	if !dt.IsBool() && !dt.IsInteger() {
		return errs.New(errs.ErrDType, "weights are %v; a stream takes integers and bool, as a sum of floats depends on the order", dt)
	}
	if !slices.Equal(weights.Shape(), x.Shape()) {
		return errs.New(errs.ErrWeights, "weights have shape %v, want the chunk's %v", weights.Shape(), x.Shape())
	}
	weights, err := weights.ToHost()
	if err == nil {
		weights, err = weights.Contiguous()
	}
	if err != nil {
		return err
	}
	w := tensors.Array(weights)
	defer runtime.KeepAlive(weights)
	size, raw := dt.Size(), w.Bytes()
	read := func(dst []uint64, from int) {
		dtype.Convert(dtype.Int64, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), 8*len(dst)), dt, raw[from*size:][:len(dst)*size])
	}
	sum := s.now.weight
	var block [256]uint64
	for from := 0; from < x.Len(); from += len(block) {
		part := block[:min(len(block), x.Len()-from)]
		read(part, from)
		var bad int
		if sum, bad = weighted.AddFrequencies(sum, part); bad >= 0 {
			if dt == dtype.Uint64 { // more than an int64 holds
				return errs.New(errs.ErrWeights, "weight %d of the chunk is %d; they must sum to less than 2^53", from+bad, part[bad])
			}
			return errs.New(errs.ErrWeights, "weight %d of the chunk is %d, which is negative", from+bad, int64(part[bad]))
		}
	}
	if sum >= weighted.MaxFrequencies {
		return errs.New(errs.ErrWeights, "the weights sum to 2^53 or more, which is too large for frequencies")
	}
	var l lane.Lanes
	l.Init(x, allAxes(x), true)
	nan, valid := s.finder.add(&l, read)
	s.now.elements += int64(x.Len())
	s.now.weight = sum
	s.now.nan += nan
	s.now.valid += valid
	s.now.weighted = true
	return nil
}

// Fork returns a State of the same pass that has seen nothing, for another worker or,
// by way of MarshalBinary, another machine. Its budget is its own.
func (s *State) Fork() *State {
	f := *s
	f.now = tally{}
	if s.finder != nil {
		f.finder = s.finder.fork()
	}
	return &f
}

// Merge adds what other has seen to s. other does not change, and shares no memory with
// s. It must be a Fork of s or of a Fork, or as equal as that: of the same operation,
// dtype, options, budget and pass, else ErrOption. Counts that sum to 2^53 or more are
// ErrWeights. On error s does not change.
func (s *State) Merge(other *State) error {
	switch {
	case other == nil || s.finder == nil || other.finder == nil:
		return s.fail(errs.ErrOption, "a State that is nil or that New has not made")
	case other == s:
		return s.fail(errs.ErrOption, "a State cannot be merged with itself")
	case !s.equal(&other.spec) || s.pass != other.pass || s.done || other.done || s.first != other.first || !s.same(other.finder):
		return errOtherPass.In(s.op.String())
	case s.now.weight+other.now.weight >= weighted.MaxFrequencies:
		return s.fail(errs.ErrWeights, "the states have seen 2^53 values or more")
	}
	s.finder.merge(other.finder)
	s.now.elements += other.now.elements
	s.now.nan += other.now.nan
	s.now.weight += other.now.weight
	s.now.valid += other.now.valid
	s.now.weighted = s.now.weighted || other.now.weighted
	return nil
}

// Next ends the pass. If it returns true, another one is needed: all of the data is to
// be added once more, and Forks are to be made anew. If it returns false without an
// error the result is known, and calling it again changes nothing.
//
// A pass that has not seen what the first saw (the number of elements, of NaNs, the sum
// of the weights and how many of the values lie where) is ErrFormat, "the data changed
// between passes"; what the State has is then of no further use.
func (s *State) Next() (again bool, err error) {
	if s.finder == nil {
		return false, s.fail(errs.ErrOption, "the State is none that New made")
	}
	if s.done {
		return false, nil
	}
	if s.pass == 1 {
		s.first = s.now
	}
	// Weights that were written to while Add took them in may be more than it has checked.
	if s.now != s.first || s.now.valid < 0 || s.now.valid > s.now.weight {
		return false, errChanged.In(s.op.String())
	}
	if s.pass == 1 {
		if s.first.valid == 0 || s.first.nan > 0 && !s.dropsNaN() {
			s.done = true
			s.finder = newFinder(s.dt, s.budget)
			return false, nil
		}
		s.wants.Resolve(s.set, s.first.valid)
	}
	if again, err = s.finder.next(s.wants.Ranks, s.first); err != nil {
		return false, errs.Named(s.op.String(), err)
	}
	s.done = !again
	if again {
		s.pass++
		s.now = tally{}
	}
	return again, nil
}

// Result returns the answer: what the in-memory operation returns for all of the data
// as one array, with the same dtype, shape and bits. Passes that are still open are
// ErrOption.
//
// Special cases are, as in memory:
//   - without NaN in the operation's name, a NaN in the data makes all values NaN
//   - with it, data of only NaNs, or of no weight beside them, gives NaN
//   - no elements are ErrEmpty; for medians and the operations with nan, NaN where the
//     result is floating
//   - weights that sum to 0 are ErrWeights
func (s *State) Result() (*ogive.Tensor, error) {
	if s.finder == nil || !s.done {
		return nil, s.fail(errs.ErrOption, "pass %d is open: Next has not returned false", s.pass)
	}
	return nd.Guarded(s.op.String(), s.result)
}

// result is Result once it is known.
func (s *State) result() (*ogive.Tensor, error) {
	plan, err := s.plan(int(min(s.first.elements, 1)))
	if err != nil {
		return nil, err
	}
	if s.first.elements > 0 && s.first.weight == 0 {
		return nil, errs.New(errs.ErrWeights, "the weights sum to 0, want a positive sum")
	}
	out, err := nd.New(plan.DType(), plan.Shape()...)
	if err != nil {
		return nil, err
	}
	if s.first.elements == 0 {
		x, err := nd.New(s.dt, 0)
		if err == nil {
			err = plan.Run(&x, &out, nil)
		}
		return tensors.Wrap(out), err
	}
	s.finder.write(&s.spec, &out, &s.wants)
	return tensors.Wrap(out), nil
}
