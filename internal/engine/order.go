package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/locate"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
)

// runOrder computes order statistics: the values, and the indices from them.
func (e *execution) runOrder(out, indices *nd.Array) error {
	p := e.plan
	values := out
	if p.order.arg {
		values, indices = nil, out
	}
	e.value.set(p, p.order.value, values, e.direct(values, p.order.value))
	if indices != nil {
		e.index.set(p, dtype.Int64, indices, e.direct(indices, dtype.Int64))
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
	fillNaN(&e.value.array)
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
// As a phase it selects in tiles of lanes, each worker in its own.
type orderRun[K kernel.Key] struct {
	e       *execution
	coding  selection.Coding[K]
	choice  selection.Choice
	big     bigRun[K]
	search  locate.Search[K]
	rolling rollingRun[K]
}

// runKeys runs the execution with keys of type K.
func runKeys[K kernel.Key](e *execution) error {
	r, ok := e.order.(*orderRun[K])
	if !ok {
		r = new(orderRun[K])
		r.e = e
		e.order = r
	}
	p := e.plan
	r.coding = selection.Coding[K]{Encoding: kernel.EncodingOf[K](p.dt), NaN: K(dtype.CanonicalNaN(p.dt))}
	if p.order.weights.on {
		return runWeighted[K](e)
	}
	if p.order.window.width > 0 {
		return runRolling(r)
	}
	e.lanes.Init(e.x, p.order.reduced, false)
	if err := r.selectAll(); err != nil {
		return err
	}
	if e.index.active {
		return r.locateAll()
	}
	return nil
}

// selectAll computes all values.
func (r *orderRun[K]) selectAll() error {
	l, w := &r.e.lanes, &r.e.plan.order.want
	r.choice = selection.Choose[K](w, selection.Shape{
		N: l.N, Lanes: l.Count, Adjacent: l.Adjacent(), Gathered: !l.Even(), SideBySide: l.SideBySide(), Workers: r.e.Workers(),
	})
	if r.choice.Shared {
		return r.big.all(r.e, r.choice.Way, r.coding)
	}
	each := l.N*int(unsafe.Sizeof(K(0))) + w.Len()*answerBytes
	if r.choice.Way == selection.Narrow && l.Adjacent() {
		each /= 4 // narrowing collects a part of a lane
	}
	width := min(r.choice.Width, max(r.e.Share()/each, lanesAtOnce))
	r.choice.Width, r.e.Memory = width, width*each
	return r.e.Run(r, (l.Count+width-1)/width, l.Count*l.N)
}

// Task selects in a block of lanes.
func (r *orderRun[K]) Task(number int, s *crew.Scratch) {
	l := &r.e.lanes
	first := number * r.choice.Width
	end := min(first+r.choice.Width, l.Count)
	for first < end {
		count := end - first
		var t kernel.Tile
		scratch := false
		if near := l.Neighbours(first, count); l.Even() && (near == count || near >= 16 || l.N > 256) {
			count = near
			t = l.Tile(first, count, 0, l.N)
			scratch = r.mayOverwrite()
		} else {
			memory := crew.Alloc[K](s, count*l.N)
			t = l.Gather(unsafe.Pointer(unsafe.SliceData(memory)), first, count, 0, l.N)
			scratch = true
		}
		res := selection.Tile(r.choice.Way, &r.e.plan.order.want, r.coding, t, scratch, r.values(first, count), s)
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
