package stream

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// Source is an array that is read piece by piece, such as a [tensorio.Array]. Its methods
// may be called by several goroutines at once.
//
// [tensorio.Array]: https://pkg.go.dev/github.com/ogive-go/ogive/tensorio#Array
type Source interface {
	DType() dtype.DType
	Shape() []int
	// Read returns the elements at the positions lo[i] to hi[i]-1 of each dimension i: a
	// tensor of that shape, with any strides, which its reader may keep.
	Read(lo, hi []int) (*ogive.Tensor, error)
}

// fortran is what a Source has whose first dimension varies fastest: its pieces are then
// chosen in that order.
type fortran interface{ Fortran() bool }

// into is what a Source has that reads into memory it is given, if that is large enough,
// as a [tensorio.Array] does: the tensor is read no longer once another is asked for.
//
// [tensorio.Array]: https://pkg.go.dev/github.com/ogive-go/ogive/tensorio#Array
type into interface {
	ReadInto(memory []byte, lo, hi []int) (*ogive.Tensor, error)
}

// reduceTaken are the options that Reduce takes.
var reduceTaken = append(slices.Clone(taken), ogive.Axis(), ogive.KeepDims(), ogive.Workers(0), ogive.Context(nil))

// Reduce computes an order statistic of an array along axes: what the in-memory operation
// returns for it, to the bit, with about the budget of memory beside the result. op is as
// in [New]; the options are those of New and Axis, KeepDims, Workers and Context.
//
// Lanes (the elements that are reduced together) of up to half of the budget are read
// whole, as many at a time as it holds, and reduced in memory: every element is read
// once. Longer ones take passes, as a [State] does, as many lanes at a time as have
// budgets of [MinBudget] at least, and a worker for each part of a lane that stands alone.
//
// The errors are those of [ogive.Prepare] for the source's dtype and shape; a budget less
// than four times MinBudget is ErrOption. Those of the source are returned as they are; a
// piece of another dtype or shape than asked for is ErrFormat. Pieces that differ between
// passes are ErrFormat where they are noticed: see [State.Next].
func Reduce(op ogive.Op, src Source, budget int, opts ...ogive.Option) (y *ogive.Tensor, err error) {
	err = nd.GuardMapping(func() error { // a source may map files when it is read
		r, err := newReduction(op, src, budget, opts)
		if err != nil {
			return err
		}
		out, err := nd.New(r.plan.DType(), r.plan.Shape()...)
		if err == nil {
			err = r.run(&out)
		}
		y = tensors.Wrap(out)
		return err
	})
	if err != nil {
		return nil, errs.Named(op.String(), err)
	}
	return y, nil
}

// reduction is a call of Reduce.
type reduction struct {
	spec
	src  Source
	plan *engine.Plan
}

// newReduction checks a call.
func newReduction(op ogive.Op, src Source, budget int, opts []ogive.Option) (*reduction, error) {
	if err := checkOp(op); err != nil {
		return nil, err
	}
	if src == nil {
		return nil, errs.New(errs.ErrShape, "the source is nil")
	}
	if src.DType().IsOrdered() {
		if err := checkOptions(opts, reduceTaken); err != nil {
			return nil, err
		}
	}
	plan, err := plans.Prepare(op, src.DType(), src.Shape(), nil, opts, false)
	if err != nil {
		return nil, err
	}
	if int64(budget) < 4*leastBudget {
		return nil, errs.New(errs.ErrOption, "a budget of %d bytes; the least is %d", budget, 4*leastBudget)
	}
	return &reduction{spec: specOf(op, src.DType(), plan, budget), src: src, plan: plan}, nil
}

// order returns the dimensions, slowest first.
func (r *reduction) order() []int {
	order := make([]int, len(r.plan.InputShape()))
	for i := range order {
		order[i] = i
	}
	if f, ok := r.src.(fortran); ok && f.Fortran() {
		slices.Reverse(order)
	}
	return order
}

// box is a part of an array: the positions lo[i] to hi[i]-1 of each dimension.
type box struct{ lo, hi []int }

// boxes divides a box along some of its dimensions, given slowest first, into parts of
// at most so many elements along these, at least one, and calls fn for each.
func (b box) boxes(along []int, most int, fn func(box) error) error {
	extent := make([]int, len(b.lo))
	for i := range extent {
		extent[i] = b.hi[i] - b.lo[i]
	}
	for _, d := range slices.Backward(along) { // the fastest dimensions stay whole
		extent[d] = max(1, min(extent[d], most))
		most /= max(extent[d], 1)
	}
	part := box{slices.Clone(b.lo), slices.Clone(b.hi)}
	var walk func(i int) error
	walk = func(i int) error {
		if i == len(along) {
			return fn(box{slices.Clone(part.lo), slices.Clone(part.hi)})
		}
		d := along[i]
		for at := b.lo[d]; at < b.hi[d]; at += extent[d] {
			part.lo[d], part.hi[d] = at, min(at+extent[d], b.hi[d])
			if err := walk(i + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(0)
}

// run computes the result into out.
func (r *reduction) run(out *nd.Array) error {
	shape := r.plan.InputShape()
	var kept, reduced []int
	lane := 1
	for _, d := range r.order() {
		if r.plan.Reduced().Has(d) {
			reduced = append(reduced, d)
			lane *= shape[d]
		} else {
			kept = append(kept, d)
		}
	}
	if out.Len() == 0 {
		return nil
	}
	if lane == 0 {
		x, err := nd.New(r.dt, shape...)
		if err == nil {
			err = r.plan.Run(&x, out, nil)
		}
		return err
	}
	all := box{make([]int, len(shape)), slices.Clone(shape)}
	size := r.dt.Size()
	if lane <= r.budget/2/size {
		return all.boxes(kept, r.budget/2/size/lane, func(b box) error { return r.inMemory(b, out) })
	}
	least := int(leastBudget)
	return all.boxes(kept, max(r.budget/2/least, 1), func(b box) error { return r.inPasses(b, kept, reduced, out) })
}

// read reads a box, into memory if the source can.
func (r *reduction) read(b box, memory []byte) (x *ogive.Tensor, err error) {
	if ctx := r.plan.Config.Context; ctx != nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if src, ok := r.src.(into); ok {
		x, err = src.ReadInto(memory, b.lo, b.hi)
	} else {
		x, err = r.src.Read(b.lo, b.hi)
	}
	if err != nil {
		return nil, err
	}
	want := make([]int, len(b.lo))
	for i := range want {
		want[i] = b.hi[i] - b.lo[i]
	}
	switch {
	case x == nil:
		return nil, errs.New(errs.ErrFormat, "the source gave no piece from %v to %v", b.lo, b.hi)
	case x.DType() != r.dt || !slices.Equal(x.Shape(), want):
		return nil, errs.New(errs.ErrFormat, "the source gave %v of %v from %v to %v, want %v of %v", x.Shape(), x.DType(), b.lo, b.hi, want, r.dt)
	}
	return x.ToHost()
}

// part returns where the results of the lanes of a box go.
func (r *reduction) part(b box, out *nd.Array) (part nd.Array, err error) {
	part = *out
	axis := 0
	if r.vector {
		axis++
	}
	for d := range b.lo {
		if !r.plan.Reduced().Has(d) {
			if part, err = part.Slice(axis, b.lo[d], b.hi[d], 1); err != nil {
				return part, err
			}
			axis++
		} else if r.plan.KeepDims() {
			axis++
		}
	}
	return part, nil
}

// inMemory computes the results of the lanes of a box that fit into memory.
func (r *reduction) inMemory(b box, out *nd.Array) error {
	x, err := r.read(b, nil)
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(x)
	var plan engine.Plan
	plan.Config = r.plan.Config
	plan.Config.Overwrite = false
	order := r.engineOrder()
	order.AllAxes, order.Axes, order.KeepDims = len(r.plan.Axes()) == len(b.lo), r.plan.Axes(), r.plan.KeepDims()
	if err := plan.InitOrder(r.dt, x.Shape(), &order); err != nil {
		return err
	}
	part, err := r.part(b, out)
	if err != nil {
		return err
	}
	return plan.Run(tensors.Array(x), &part, nil)
}

// inPasses computes the results of a few lanes that do not fit into memory.
func (r *reduction) inPasses(b box, kept, reduced []int, out *nd.Array) error {
	lanes := 1
	for _, d := range kept {
		lanes *= b.hi[d] - b.lo[d]
	}
	workers := r.plan.Config.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	if lanes > 1 {
		workers = 1
	}
	workers = max(1, min(workers, r.budget/2/int(leastBudget)))
	s := r.spec
	s.vector, s.budget = r.vector, max(r.budget/2/(lanes*workers), int(leastBudget))
	states := make([]*State, lanes)
	for i := range states {
		states[i] = &State{spec: s, pass: 1, finder: newFinder(s.dt, s.budget)}
	}
	piece := max(1, min(r.budget/2/workers/2/lanes, pieceBytes)/s.dt.Size())
	memory := make([][]byte, workers)
	if _, ok := r.src.(into); ok {
		for i := range memory {
			memory[i] = make([]byte, piece*lanes*s.dt.Size())
		}
	}
	for again := true; again; {
		var err error
		if lanes == 1 {
			err = r.passOfWorkers(states[0], memory, b, reduced, piece)
		} else {
			err = b.boxes(reduced, piece, func(p box) error { return r.addLanes(states, p, memory[0], kept) })
		}
		if err != nil {
			return err
		}
		again = false
		for _, s := range states {
			more, err := s.Next()
			if err != nil {
				return err
			}
			again = again || more
		}
	}
	part, err := r.part(b, out)
	if err != nil {
		return err
	}
	return r.store(states, b, kept, &part)
}

// pieceBytes bounds what is read of a lane at a time: it is still in a near cache when it
// is added, and more does not come faster (8 MiB from the page cache take a tenth longer).
const pieceBytes = 1 << 20

// passOfWorkers makes a pass over a lane, by a worker for each memory.
func (r *reduction) passOfWorkers(s *State, memory [][]byte, b box, reduced []int, piece int) error {
	forks := []*State{s}
	for len(forks) < len(memory) {
		forks = append(forks, s.Fork())
	}
	pieces := make(chan box)
	var stop atomic.Bool
	errors := make([]error, len(forks))
	var wg sync.WaitGroup
	for i, f := range forks {
		wg.Go(func() {
			for p := range pieces {
				if stop.Load() {
					continue
				}
				err := nd.GuardMapping(func() error {
					x, err := r.read(p, memory[i])
					if err == nil {
						err = f.Add(x, nil)
					}
					return err
				})
				if err != nil {
					errors[i] = err
					stop.Store(true)
				}
			}
		})
	}
	b.boxes(reduced, piece, func(p box) error {
		pieces <- p
		if stop.Load() {
			return context.Canceled // the worker's error is returned
		}
		return nil
	})
	close(pieces)
	wg.Wait()
	for i, f := range forks {
		if errors[i] != nil {
			return errors[i]
		}
		if i > 0 {
			if err := s.Merge(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachLane calls fn for the lanes of an array along the kept dimensions, which has a
// view of each, with their numbers.
func eachLane(x *ogive.Tensor, kept []int, fn func(number int, lane *ogive.Tensor) error) error {
	number := 0
	var walk func(x *ogive.Tensor, i int) error
	walk = func(x *ogive.Tensor, i int) error {
		if i == len(kept) {
			number++
			return fn(number-1, x)
		}
		for at := range x.Shape()[kept[i]] {
			part, err := x.Slice(kept[i], at, at+1, 1)
			if err == nil {
				err = walk(part, i+1)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return walk(x, 0)
}

// addLanes adds a piece of lanes to their states.
func (r *reduction) addLanes(states []*State, p box, memory []byte, kept []int) error {
	x, err := r.read(p, memory)
	if err != nil {
		return err
	}
	return eachLane(x, kept, func(number int, lane *ogive.Tensor) error {
		if states[number].done {
			return nil
		}
		return states[number].Add(lane, nil)
	})
}

// store writes the results of lanes to their part of the result.
func (r *reduction) store(states []*State, b box, kept []int, part *nd.Array) error {
	axes := make([]int, len(kept)) // of the result
	for i, d := range kept {
		axes[i] = d
		if !r.plan.KeepDims() {
			for e := range d {
				if r.plan.Reduced().Has(e) {
					axes[i]--
				}
			}
		}
		if r.vector {
			axes[i]++
		}
	}
	return eachLane(tensors.Wrap(*part), axes, func(number int, to *ogive.Tensor) error {
		value, err := states[number].Result()
		if err != nil {
			return err
		}
		if value, err = value.Reshape(to.Shape()...); err != nil {
			return err
		}
		nd.Cast(tensors.Array(to), tensors.Array(value))
		return nil
	})
}
