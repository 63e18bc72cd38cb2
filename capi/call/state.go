package call

import (
	"sync"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/stream"
)

// state is a stream's state, which calls of several threads use one after the other.
type state struct {
	mu sync.Mutex
	*stream.State
}

// newState does OGIVE_STATE.
func (r *request) newState() error {
	dt, _ := r.header(value[Tensor](r, r.X, "x"), "x")
	opts := r.options()
	if r.err != nil {
		return r.err
	}
	s, err := stream.New(r.op(), dt, int(r.Budget), opts...)
	if err != nil {
		return err
	}
	r.home.Handle = keep(&state{State: s})
	return nil
}

// onState returns the verb that does something with the state of the handle.
func onState(do func(r *request, s *stream.State) error) func(*request) error {
	return func(r *request) error { return r.with(r.Handle, func(s *stream.State) error { return do(r, s) }) }
}

// with calls do with the state of a number, which nobody else uses meanwhile.
func (r *request) with(number uint64, do func(s *stream.State) error) error {
	s := kept[*state](r, number)
	if r.err != nil {
		return r.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return do(s.State)
}

// add does OGIVE_ADD.
func (r *request) add(s *stream.State) error {
	x := r.tensor(r.X, "x")
	var weights *ogive.Tensor
	if r.Weights != 0 {
		weights = r.tensor(r.Weights, "weights")
	}
	if r.err != nil {
		return r.err
	}
	return s.Add(x, weights)
}

// merge does OGIVE_MERGE. Two states are locked in the order of their numbers.
func (r *request) merge() error {
	if r.Handle == r.Other {
		return errs.New(errs.ErrOption, "a state cannot be merged with itself")
	}
	return r.with(min(r.Handle, r.Other), func(a *stream.State) error {
		return r.with(max(r.Handle, r.Other), func(b *stream.State) error {
			if r.Handle > r.Other {
				a, b = b, a
			}
			return a.Merge(b)
		})
	})
}

// next does OGIVE_NEXT.
func (r *request) next(s *stream.State) error {
	r.home.Number[0] = 0
	again, err := s.Next()
	if again {
		r.home.Number[0] = 1
	}
	return err
}

// answer does OGIVE_ANSWER.
func (r *request) answer(s *stream.State) error {
	y, err := s.Result()
	if err != nil {
		return err
	}
	return r.deliver(0, y)
}

// fork does OGIVE_FORK.
func (r *request) fork(s *stream.State) error {
	r.home.Other = keep(&state{State: s.Fork()})
	return nil
}

// save does OGIVE_SAVE.
func (r *request) save(s *stream.State) error {
	b, err := s.MarshalBinary()
	if err != nil {
		return err
	}
	return r.deliver(0, ogive.Must(ogive.FromSlice(b)))
}

// load does OGIVE_LOAD.
func (r *request) load() error {
	x := r.tensor(r.X, "x")
	if r.err != nil {
		return r.err
	}
	b, err := ogive.Values[uint8](x)
	if err != nil {
		return err
	}
	s := &state{State: new(stream.State)}
	if err := s.UnmarshalBinary(b); err != nil {
		return err
	}
	r.home.Handle = keep(s)
	return nil
}

// look does OGIVE_LOOK.
func (r *request) look(s *stream.State) error {
	r.home.Number = [4]int64{int64(s.Pass()), int64(s.MaxPasses()), s.Count(), int64(s.Size())}
	return nil
}
