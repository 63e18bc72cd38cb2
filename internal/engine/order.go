package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/tuning"
)

// runOrder computes order statistics: the values, and the indices from them.
func (e *execution) runOrder(out, indices *nd.Array) error {
	p := e.plan
	values := out
	if p.order.arg {
		values, indices = nil, out
	}
	weights := &p.order.weights
	direct := e.direct(values, p.order.value) && !weights.overlaps(values)
	e.value.set(p, p.order.value, values, direct)
	if indices != nil {
		e.index.set(p, dtype.Int64, indices, e.direct(indices, dtype.Int64) && !weights.overlaps(indices))
	}
	if p.laneLen() == 0 {
		e.fillEmpty()
		return nil
	}
	switch p.dt.Size() {
	case 1:
		return runKeys[int8](e)
	case 2:
		return runKeys[int16](e)
	case 4:
		return runKeys[int32](e)
	default:
		return runKeys[int64](e)
	}
}

// fillEmpty sets the answers of lanes without elements: NaN, and index -1.
func (e *execution) fillEmpty() {
	values := &e.value.array
	switch nan := dtype.CanonicalNaN(values.DType); values.DType.Size() {
	case 2:
		fill(nd.Slice[uint16](values), uint16(nan))
	case 4:
		fill(nd.Slice[uint32](values), uint32(nan))
	default:
		fill(nd.Slice[uint64](values), nan)
	}
	if e.index.active {
		fill(nd.Slice[int64](&e.index.array), -1)
	}
}

func fill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

// orderRun is the part of an execution that depends on the width of the keys.
// It runs the tiles of small and medium lanes as a phase.
type orderRun[K kernel.Key] struct {
	e      *execution
	coding selection.Coding[K]
	width  int  // lanes a task
	gather bool // lanes are not evenly spaced
	big    bigRun[K]
	locate locateRun[K]
}

// runKeys runs the execution with keys of type K.
func runKeys[K kernel.Key](e *execution) error {
	r, ok := e.order.(*orderRun[K])
	if !ok {
		r = new(orderRun[K])
		r.e, r.big.run, r.locate.run, r.locate.long.of = e, r, r, &r.locate
		r.big.histogram.of, r.big.pick.of, r.big.sample.of = &r.big, &r.big, &r.big
		e.order = r
	}
	p := e.plan
	r.coding = selection.Coding[K]{Encoding: kernel.EncodingOf[K](p.dt), NaN: K(dtype.CanonicalNaN(p.dt))}
	if p.order.weights.on {
		return r.runWeighted()
	}
	e.lanes.Init(e.x, p.order.reduced, false)
	if err := r.selectAll(); err != nil {
		return err
	}
	if e.index.active {
		return r.locate.all()
	}
	return nil
}

// selectAll computes all values.
func (r *orderRun[K]) selectAll() error {
	l := &r.e.lanes
	size := int(unsafe.Sizeof(K(0)))
	if l.N*l.Count < tuning.Default.SoloWork && l.N < (tuning.Default.BigBytes+size-1)/size {
		r.gather, r.width = !l.Even(), l.Count
		return r.e.Run(r, 1, l.Count*l.N)
	}
	r.gather = !l.Even()
	r.width = selection.PackedLanes(l.N, size, l.SideBySide())
	fits := l.N < (tuning.Default.BigBytes+r.width*size-1)/(r.width*size)
	// Lanes of adjacent elements need not fit if there are enough of them to
	// keep all workers busy: each is narrowed where it lies.
	many := l.Adjacent() && l.Count >= 4*r.e.Workers() && l.N/8 < (tuning.Default.BigBytes+size-1)/size
	if !fits && !many {
		return r.big.all()
	}
	r.width = max(r.width, min(l.Count, tuning.Default.TaskElements/l.N))
	r.e.Memory = r.width * (l.N + 4*r.e.plan.order.want.Len()) * size
	if !fits {
		r.e.Memory /= 4 // narrowing collects a part of a lane
	}
	return r.e.Run(r, (l.Count+r.width-1)/r.width, l.Count*l.N)
}

// task selects in a block of lanes.
func (r *orderRun[K]) Task(number int, s *crew.Scratch) {
	l := &r.e.lanes
	first := number * r.width
	end := min(first+r.width, l.Count)
	for first < end {
		count := end - first
		var t kernel.Tile
		scratch := false
		if near := l.Neighbours(first, count); !r.gather && (near == count || near >= 16 || l.N > 256) {
			count = near
			t = l.Tile(first, count, 0, l.N)
			scratch = r.mayOverwrite()
		} else {
			memory := crew.Alloc[K](s, count*l.N)
			t = l.Gather(unsafe.Pointer(unsafe.SliceData(memory)), first, count, 0, l.N)
			scratch = true
		}
		res := selection.Tile(&r.e.plan.order.want, r.coding, t, scratch, r.values(first, count), s)
		finishLanes(r.e, &res, first, s)
		first += count
	}
}

// values returns the memory of the values of so many lanes, if selection may write
// these there, or keys that finishLanes decodes.
func (r *orderRun[K]) values(first, count int) []K {
	v := &r.e.value.array
	if r.e.ends != nil || v.DType != r.e.plan.dt || r.e.plan.order.want.Len() > 1 {
		return nil
	}
	return unsafe.Slice((*K)(v.Pointer(first)), count)
}

// mayOverwrite reports whether the elements of x may be used as scratch space:
// each belongs to one lane, and nobody looks at it again.
func (r *orderRun[K]) mayOverwrite() bool {
	e := r.e
	return e.plan.Config.Overwrite && e.Config.Context == nil && !e.index.active && !e.x.RepeatsElements()
}

func abs(n int) int { return max(n, -n) }
