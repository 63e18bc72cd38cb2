package engine

import (
	"math/bits"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/rolling"
	"github.com/ogive-go/ogive/internal/selection"
)

// window is the part of a Plan for order statistics of windows.
type window struct {
	width int // elements; 0 if there are no windows
	least int // values that an answer needs; 0 if windows are full ones only
}

// initWindow checks the windows, which move along the only axis, and sets the length
// of the result there.
func (p *Plan) initWindow(o *Order) error {
	s := &p.order
	if p.ndim == 0 {
		return errs.New(errs.ErrShape, "x has no dimensions, and so no axis for windows")
	}
	if s.naxes != 1 {
		return errs.New(errs.ErrAxis, "windows move along one axis, got axes %v", p.Axes())
	}
	s.window = window{o.Window, o.Least}
	n := p.laneLen()
	switch {
	case o.Least > 0:
		s.window.width = min(o.Window, max(n, 1)) // no more are there
	case o.Window > n:
		return errs.New(errs.ErrShape, "a window of %d elements is longer than axis %d of shape %v", o.Window, p.Axes()[0], p.InputShape())
	default:
		n -= o.Window - 1
	}
	if bits.Len(uint(s.window.width)) > 31 {
		return errs.New(errs.ErrShape, "a window of %d elements, at most %d", s.window.width, 1<<31-1)
	}
	if o.Least > 1 && !s.value.IsFloat() {
		return errs.New(errs.ErrOption, "windows of fewer than %d values have no answer, and %v no NaN to say so", o.Least, s.value)
	}
	at := p.Axes()[0]
	if s.vector {
		at++
	}
	p.out[at] = n
	return nil
}

const (
	// stretchWindows is how many windows follow each other in a stretch, at least, as a
	// multiple of a window's elements, which are sorted once more for each stretch.
	stretchWindows = 7

	// stretchLeast is how many windows follow each other at least, for what each stretch
	// costs beside its elements.
	stretchLeast = 2000

	// stretchMax is how many windows follow each other where windows are shorter, for
	// what is sorted to stay in a core's cache.
	stretchMax = 1 << 16
)

// rollingRun is what the tasks of an execution over windows share.
type rollingRun[K kernel.Key] struct {
	e         *execution
	coding    selection.Coding[K]
	windows   rolling.Windows
	count     int // windows of a lane
	inner     int // lanes side by side, between whose answers lies that of the next window
	stretch   int // windows of a task
	stretches int // of a lane
	width     int // lanes of a task
	view      nd.Array
}

// runRolling computes the order statistics of windows.
func runRolling[K kernel.Key](r *orderRun[K]) error {
	e, p := r.e, r.e.plan
	o, axis := &p.order, p.Axes()[0]
	w := &r.rolling
	w.e, w.coding = e, r.coding
	if o.window.least == 0 && selection.WindowsAreLanes(&o.want, o.window.width) && p.ndim < nd.MaxDims {
		return r.runViews(axis)
	}
	e.lanes.Init(e.x, o.reduced, true)
	w.windows = rolling.Windows{
		Want: &o.want, Width: o.window.width, Least: max(o.window.least, 1), Skip: o.skipNaN, Float: p.dt.IsFloat(),
	}
	w.count = e.lanes.N
	if o.window.least == 0 {
		w.count -= o.window.width - 1
	}
	w.inner = 1
	for _, d := range p.InputShape()[axis+1:] {
		w.inner *= d
	}
	w.share()
	size := int(unsafe.Sizeof(K(0)))
	n := min(w.stretch+o.window.width-1, e.lanes.N)
	e.Memory = w.width*n*size + rolling.Memory(n, size)
	e.Budget = max(e.Budget, 16*n*size)
	tasks := w.stretches * ((e.lanes.Count + w.width - 1) / w.width)
	err := e.Run(w, tasks, e.lanes.Count*e.lanes.N)
	w.windows = rolling.Windows{} // keeps no plan alive
	return err
}

// runViews runs a plan of short windows: lanes of their own, that lie across each other.
func (r *orderRun[K]) runViews(axis int) error {
	e, view := r.e, &r.rolling.view
	view.Windows(e.x, axis, e.plan.order.window.width)
	e.lanes.Init(view, 1<<e.x.NDim(), false)
	err := r.selectAll()
	*view = nd.Array{} // keeps no memory alive
	return err
}

// share divides the work: long lanes into stretches, others into blocks of lanes.
func (w *rollingRun[K]) share() {
	e := w.e
	t, lanes, width := e.Config.Thresholds(), e.lanes.Count, w.windows.Width
	w.stretch = max(min(stretchWindows*min(width, stretchMax), stretchMax), width, min(t.TaskElements, stretchLeast))
	if lanes < e.Workers() { // a lane for each is not enough
		w.stretch = min(w.stretch, max((w.count*lanes+e.Workers()-1)/e.Workers(), width))
	}
	w.stretch = int(min(uint(w.stretch), uint(w.count), rolling.MaxStretch-uint(width)))
	w.stretches = (w.count + w.stretch - 1) / w.stretch
	// Lanes side by side share cache lines. Short ones are worth a task together.
	w.width = 1
	if e.lanes.SideBySide() {
		w.width = min(lanes, kernel.LineBytes/int(unsafe.Sizeof(K(0))))
	}
	w.width = max(w.width, min(lanes, t.TaskElements/(w.stretch+width)))
}

// Task answers for a stretch of windows of a block of lanes.
func (w *rollingRun[K]) Task(number int, s *crew.Scratch) {
	l := &w.e.lanes
	first := number / w.stretches * w.width
	lanes := min(w.width, l.Count-first)
	from := number % w.stretches * w.stretch // the first window
	to := min(from+w.stretch, w.count)
	// Window i ends at element i+lead. Those before the first full one have no more
	// elements than are there.
	lead := 0
	if w.e.plan.order.window.least == 0 {
		lead = w.windows.Width - 1
	}
	start := max(from+lead-(w.windows.Width-1), 0)
	skip := from + lead - start // elements that are there before the first window ends
	n := to + lead - start
	keys := crew.Alloc[K](s, lanes*n)
	lane.Encode(keys, l, first, start, start+n, w.coding.Encoding)
	for j := range lanes {
		mark := s.Mark()
		w.lane(keys[j*n:][:n], skip, first+j, from, to, s)
		s.Release(mark)
	}
}

// answers is how many windows are answered for at a time: their keys stay in the
// first-level cache.
const answers = 512

// lane answers for the windows from … to-1 of a lane, whose elements have these keys.
func (w *rollingRun[K]) lane(keys []K, skip, lane, from, to int, s *crew.Scratch) {
	var st rolling.Stretch[K]
	st.Start(&w.windows, keys, skip, s)
	p := w.e.plan
	want, out := &p.order.want, &w.e.value.array
	size := out.DType.Size()
	for from < to {
		mark := s.Mark()
		count := min(answers, to-from)
		r := selection.NewResult[K](want, count, s)
		if p.order.window.least > 0 && len(r.G) != want.Len()*count { // windows differ in length
			r.NewWeights(want.Set(), true, s)
		}
		st.Next(&r)
		values := unsafe.Pointer(unsafe.SliceData(crew.Alloc[uint64](s, count)))
		for q := range want.Len() {
			at := ((q*(w.e.lanes.Count/w.inner)+lane/w.inner)*w.count+from)*w.inner + lane%w.inner
			if w.inner == 1 {
				values = out.Pointer(at)
			}
			finishQuantile(p, values, &r, q, w.coding, s)
			if !p.dt.IsFloat() && from < p.order.window.least-1 {
				nanUntil(values, min(p.order.window.least-1-from, count))
			}
			if w.inner > 1 {
				nd.CopyRun(out.Pointer(at), w.inner, values, 1, count, size)
			}
		}
		s.Release(mark)
		from += count
	}
}

// nanUntil sets the first n float64 to NaN: answers for integers, whose keys have none.
func nanUntil(values unsafe.Pointer, n int) {
	fill(unsafe.Slice((*uint64)(values), n), 0x7FF8000000000000)
}
