package engine

import (
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
)

// execution is one run of a plan: its arrays, its workers, and the memory that
// outlives a task.
type execution struct {
	crew.Crew
	plan  *Plan
	x     *nd.Array
	lanes lane.Lanes
	value target // of the values, or of the answers of an element test
	index target // of the indices
	ends  *Ends  // where the order statistics go, or nil

	order any // an *orderRun of the keys used last
}

// target is where a part of the result goes: straight into the caller's array,
// or into memory of its own that is copied there in the end.
type target struct {
	array  nd.Array  // contiguous, of the result's dtype
	final  *nd.Array // the caller's, if array is not over its memory
	memory []uint64
	active bool
}

// set prepares t for a result of p with the given dtype that ends in out; out
// is nil if nobody asks for it, although it is computed.
func (t *target) set(p *Plan, dt dtype.DType, out *nd.Array, direct bool) {
	t.active = true
	if out != nil && direct {
		t.array, t.final = *out, nil
		return
	}
	words := (p.outputs()*dt.Size() + 7) / 8
	t.memory = crew.Resize(t.memory, words)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(t.memory))), p.outputs()*dt.Size())
	array, err := nd.FromBytes(dt, bytes, nil, p.Shape()...)
	if err != nil {
		panic("engine: the shape of a plan is not valid: " + err.Error())
	}
	t.array, t.final = array, out
}

// finish moves the result where it belongs.
func (t *target) finish() {
	if t.active && t.final != nil {
		nd.Cast(t.final, &t.array)
	}
	t.active, t.final, t.array = false, nil, nd.Array{}
}

var executions = sync.Pool{New: func() any { return new(execution) }}

// Run computes the plan's result for x, which is on the host and passed
// CheckInput, into out and, if the plan is Positional, indices; both passed
// CheckOut, or are nil if not asked for. It fails only if the context ends.
func (p *Plan) Run(x, out, indices *nd.Array) error { return p.run(x, out, indices, nil) }

// run is Run that stores the order statistics in ends too, unless it is nil.
func (p *Plan) run(x, out, indices *nd.Array, ends *Ends) error {
	if p.outputs() == 0 {
		return nil
	}
	if p.short && ends == nil && indices == nil && p.shortDirect(x, out) {
		return p.runShort(x, out)
	}
	if p.kind == kindOrder && p.order.vector && ends == nil && p.order.want.Len() > fewQuantiles {
		if most := max(p.mostQuantiles(x), fewQuantiles); p.order.want.Len() > most {
			return p.runParts(x, out, indices, most)
		}
	}
	e := executions.Get().(*execution)
	e.plan, e.x, e.ends, e.Config = p, x, ends, p.Config.Config
	e.Budget, e.Memory = max(e.Config.Thresholds().CollectBytes, x.Len()*x.DType.Size()/8), 0
	var err error
	switch p.kind {
	case kindOrder:
		err = e.runOrder(out, indices)
	case kindPredicate:
		err = e.runPredicate(out)
	default:
		err = e.runMembership(out)
	}
	if err == nil {
		e.value.finish()
		e.index.finish()
	}
	e.value.active, e.index.active = false, false
	e.plan, e.x, e.ends, e.Config = nil, nil, nil, crew.Config{}
	executions.Put(e)
	return err
}

// direct reports whether a result of dtype dt can be written into out while x
// and the weights are still being read.
func (e *execution) direct(out *nd.Array, dt dtype.DType) bool {
	w := &e.plan.order.weights
	return out != nil && out.DType == dt && out.IsContiguous() && !nd.Overlaps(out, e.x) && !(w.on && nd.Overlaps(out, &w.array))
}
