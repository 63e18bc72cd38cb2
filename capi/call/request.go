package call

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
)

// request is a call while it runs. What its functions read of the call is zero after the
// first error, which it keeps.
type request struct {
	Call
	memory *Memory
	err    error
	home   *Call // where the call came from, and verbs write
	copies bool  // options have copies of tensors, as they outlive the call
	behind int   // dimensions that x has behind those that the call knows

	opts  [12]ogive.Option
	slots [6]ogive.Tensor // that are made of the caller's
	used  int
}

// requests are used again.
var requests = sync.Pool{New: func() any { return new(request) }}

// verbs are the functions of the verbs, in the order of ogive_verb.
var verbs = []func(*request) error{
	(*request).value, (*request).value, (*request).gradient, (*request).slope, (*request).ends,
	(*request).prepare, (*request).runPlan, (*request).newState, onState((*request).add), (*request).merge,
	onState((*request).next), onState((*request).answer), onState((*request).fork), onState((*request).save),
	(*request).load, onState((*request).look), (*request).release,
}

// Run does the call at an address and returns its status; the text of an error goes where
// the call says.
func (m *Memory) Run(address uintptr) Status {
	r := requests.Get().(*request)
	r.memory = m
	err := guarded(func() error {
		if r.read(address); r.err != nil {
			return r.err
		}
		return verbs[r.Verb](r)
	})
	if err != nil && r.Message != 0 {
		_ = guarded(func() error { r.tell(err.Error()); return nil })
	}
	*r = request{}
	requests.Put(r)
	return statusOf(err)
}

// read copies the call. One of another size than this library's was written for another
// version: what it has beyond must be zero.
func (r *request) read(address uintptr) {
	const own = uint32(unsafe.Sizeof(Call{}))
	size := *value[uint32](r, address, "the call")
	if r.err == nil && (size < own || size > own+1<<16) {
		r.err = argument("an ogive_call of %d bytes; it has %d or more", size, own)
	}
	if r.err != nil {
		return
	}
	r.home = value[Call](r, address, "the call")
	r.Call = *r.home
	later := slice[byte](r, address+uintptr(own), int64(size-own), "the call")
	switch {
	case slices.ContainsFunc(later, func(b byte) bool { return b != 0 }):
		fail[any](r, argument("a field of a later version is set; this library knows the first %d bytes of an ogive_call", own))
	case r.Verb >= uint32(len(verbs)):
		fail[any](r, argument("verb %d; there are 0 to %d", r.Verb, len(verbs)-1))
	case r.Flags > allFlags:
		fail[any](r, argument("flags %#x; there are %#x", r.Flags, allFlags))
	}
}

// op returns the operation.
func (r *request) op() ogive.Op { return ogive.Op(min(r.Op, 255)) }

// flags are those that stand for an option.
var flags = []struct {
	bit    uint32
	option ogive.Option
}{
	{keepDims, ogive.KeepDims()}, {overwrite, ogive.Overwrite()}, {invert, ogive.Invert()}, {assumeUnique, ogive.AssumeUnique()}, {equalNaN, ogive.EqualNaN()},
}

// options returns the options that the call's fields stand for, which are the request's. Of
// what they point to, tensors alone are the caller's memory.
func (r *request) options() []ogive.Option {
	opts := r.opts[:0]
	if r.Axes != 0 {
		axes := ints(r, r.Axes, r.NAxes, "axes")
		for i, a := range axes {
			if a < 0 {
				axes[i] -= r.behind
			}
		}
		opts = append(opts, ogive.Axis(axes...))
	}
	opts = r.quantiles(opts)
	if r.Method != unset {
		opts = append(opts, ogive.Method(rank.Method(enumerated(r.Method))))
	}
	switch {
	case r.Mode != unset:
		opts = append(opts, ogive.Mode(ogive.MedianMode(enumerated(r.Mode))))
	case r.Verb == verbIndex:
		opts = append(opts, ogive.Mode(ogive.ModeLower))
	}
	if r.Kind != 0 {
		opts = append(opts, ogive.Kind(ogive.IsInKind(enumerated(r.Kind))))
	}
	for _, f := range flags {
		if r.Flags&f.bit != 0 {
			opts = append(opts, f.option)
		}
	}
	if r.MinCount != 0 {
		opts = append(opts, ogive.MinCount(int(r.MinCount)))
	}
	if r.Weights != 0 {
		opts = append(opts, ogive.Weights(r.option(r.Weights, "weights")))
	}
	if r.Test != 0 {
		opts = append(opts, ogive.Test(r.option(r.Test, "test")))
	}
	if r.Workers > 0 {
		opts = append(opts, ogive.Workers(int(r.Workers)))
	}
	return r.running(opts)
}

// option returns the tensor of an option.
func (r *request) option(address uintptr, name string) *ogive.Tensor {
	t := r.tensor(address, name)
	if !r.copies || r.err != nil {
		return t
	}
	own, err := t.Cast(t.DType())
	r.err = err
	return own
}

// enumerated returns a number of an enumeration, 255 if it is of none.
func enumerated(n int32) uint8 { return uint8(min(uint32(n), 255)) }

// quantiles appends the option of the call's quantiles, if it has any.
func (r *request) quantiles(opts []ogive.Option) []ogive.Option {
	if r.Q == 0 && r.Den == 0 {
		return opts
	}
	scalar, n := r.NQ == unset, r.NQ
	if scalar {
		n = 1
	}
	var q []float64
	var num, den []int64
	if r.Q != 0 {
		q = slice[float64](r, r.Q, n, "q")
	}
	if r.Den != 0 {
		num, den = slice[int64](r, r.Num, n, "num"), slice[int64](r, r.Den, n, "den")
	}
	list := make([]rank.Q, max(len(q), len(den)))
	for i := range list {
		switch {
		case r.err == nil && den != nil && den[i] != 0:
			list[i] = rank.Ratio(num[i], den[i])
		case i < len(q):
			list[i] = rank.At(q[i])
		default:
			fail[any](r, argument("den[%d] is 0 and q is NULL", i))
		}
	}
	percent := r.op() == ogive.OpPercentile || r.op() == ogive.OpNaNPercentile
	switch {
	case r.err != nil:
		return opts
	case percent && scalar:
		return append(opts, ogive.P(q...))
	case percent:
		return append(opts, ogive.Ps(slices.Clone(q)))
	case !scalar:
		return append(opts, ogive.Fractions(list...))
	case list[0].Den != 0:
		return append(opts, ogive.Ratio(list[0].Num, list[0].Den))
	default:
		return append(opts, ogive.Q(list[0].Value))
	}
}

// running appends the options of a run that is looked at from outside.
func (r *request) running(opts []ogive.Option) []ogive.Option {
	if r.Cancel != 0 {
		opts = append(opts, ogive.Context(cancelled{context.Background(), value[int32](r, r.Cancel, "cancel")}))
	}
	if r.Progress != 0 {
		opts = append(opts, ogive.Progress(value[ogive.Meter](r, r.Progress, "progress")))
	}
	return opts
}

// cancelled is the context that ends when a number in the caller's memory is set. It is
// looked at between tasks; nobody waits for it.
type cancelled struct {
	context.Context
	flag *int32
}

func (c cancelled) Err() error {
	if atomic.LoadInt32(c.flag) != 0 {
		return context.Canceled
	}
	return nil
}
