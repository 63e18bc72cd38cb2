package call

import (
	"slices"
	"sync"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/errs"
)

// handles are what calls keep for others, by numbers that are never used twice, by another
// process on the machine neither.
var handles = struct {
	mu   sync.Mutex
	last uint64
	kept map[uint64]any
}{last: uint64(time.Now().UnixNano()), kept: map[uint64]any{}}

// keep returns the number of a plan or state.
func keep(it any) uint64 {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	handles.last++
	handles.kept[handles.last] = it
	return handles.last
}

// kept returns the plan or state of a number. Where it is none the request fails.
func kept[T any](r *request, number uint64) T {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	it, ok := handles.kept[number].(T)
	if !ok {
		fail[any](r, argument("handle %d is not there, or of another kind", number))
	}
	return it
}

// release does OGIVE_RELEASE.
func (r *request) release() error {
	if kept[any](r, r.Handle); r.err == nil {
		handles.mu.Lock()
		defer handles.mu.Unlock()
		delete(handles.kept, r.Handle)
	}
	return r.err
}

// plan is an operation that was prepared, and how.
type plan struct {
	*ogive.Plan
	again func(more ...ogive.Option) (*ogive.Plan, error)
}

// prepare does OGIVE_PREPARE.
func (r *request) prepare() error {
	dt, shape := r.header(value[Tensor](r, r.X, "x"), "x")
	r.Cancel, r.Progress = 0, 0 // of which a run has others
	r.copies = true
	opts := slices.Clone(r.options())
	switch {
	case r.err != nil:
		return r.err
	case r.Keys != 0 || r.Window != 0:
		return errs.New(errs.ErrOption, "%v of groups or windows cannot be prepared", r.op())
	}
	op := r.op()
	p := plan{again: func(more ...ogive.Option) (*ogive.Plan, error) {
		return ogive.Prepare(op, dt, shape, slices.Concat(opts, more)...)
	}}
	var err error
	if p.Plan, err = p.again(); err != nil {
		return err
	}
	if r.Results != 0 {
		if err := r.room(0, p.DType(), p.Shape()); err != nil && err != errRoom {
			return err
		}
	}
	r.home.Handle = keep(p)
	return nil
}

// runPlan does OGIVE_RUN.
func (r *request) runPlan() (err error) {
	p, x, more := kept[plan](r, r.Handle), r.tensor(r.X, "x"), r.running(nil)
	run := p.Plan
	if len(more) > 0 && r.err == nil {
		run, r.err = p.again(more...)
	}
	if r.err != nil {
		return r.err
	}
	return r.runPrepared(run, x, r.Flags&withIndex != 0)
}
