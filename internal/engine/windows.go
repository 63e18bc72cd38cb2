package engine

import (
	"math/bits"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/interpolate"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/rolling"
	"github.com/ogive-go/ogive/internal/selection"
)

// window is the part of a Plan for order statistics of windows.
type window struct {
	width int // elements
	least int // values that an answer needs; 0 if windows are full ones only
}

// init checks the windows, which move along the only axis, and sets the length
// of the result there.
func (w *window) init(s *statistic, o *Order) error {
	if s.ndim == 0 {
		return errs.New(errs.ErrShape, "x has no dimensions, and so no axis for windows")
	}
	if s.naxes != 1 {
		return errs.New(errs.ErrAxis, "windows move along one axis, got axes %v", s.Axes())
	}
	*w = window{o.Window, o.Least}
	n := s.n
	switch {
	case o.Least > 0:
		w.width = min(o.Window, max(n, 1)) // no more are there
	case o.Window > n:
		return errs.New(errs.ErrShape, "a window of %d elements is longer than axis %d of shape %v", o.Window, s.Axes()[0], s.InputShape())
	default:
		n -= o.Window - 1
	}
	if bits.Len(uint(w.width)) > 31 {
		return errs.New(errs.ErrShape, "a window of %d elements, at most %d", w.width, 1<<31-1)
	}
	if o.Least > 1 && !s.value.IsFloat() {
		return errs.New(errs.ErrOption, "windows of fewer than %d values have no answer, and %v no NaN to say so", o.Least, s.value)
	}
	at := s.Axes()[0]
	if s.vector {
		at++
	}
	s.out[at] = n
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

// windowsRun computes order statistics of windows. As a phase it does so for stretches of
// windows, of blocks of lanes.
type windowsRun[K kernel.Key] struct {
	*job
	values    interpolate.Values[K]
	windows   rolling.Windows
	full      bool // windows are full ones only
	count     int  // windows of a lane
	inner     int  // lanes side by side, between whose answers lies that of the next window
	stretch   int  // windows of a task
	stretches int  // of a lane
	width     int  // lanes of a task
	view      nd.Array
}

// run computes all values. Short windows are lanes, that lie across each other.
func (r *windowsRun[K]) run(j *job, w *window, lanes *lanesRun[K]) error {
	axis := j.Axes()[0]
	if w.least == 0 && selection.WindowsAreLanes(&j.want, w.width) && j.ndim < nd.MaxDims {
		r.view.Windows(j.x, axis, w.width)
		j.lanes.Init(&r.view, 1<<j.ndim, false)
		err := lanes.selectAll(j)
		r.view = nd.Array{} // keeps no memory alive
		return err
	}
	j.lanes.Init(j.x, j.reduced, true)
	r.job, r.full = j, w.least == 0
	r.values.Init(j.dt, j.want.Set())
	r.windows = rolling.Windows{
		Want: &j.want, Width: w.width, Least: max(w.least, 1), Skip: j.skipNaN, Float: j.dt.IsFloat(),
	}
	r.count = j.lanes.N
	if r.full {
		r.count -= w.width - 1
	}
	r.inner = 1
	for _, d := range j.InputShape()[axis+1:] {
		r.inner *= d
	}
	r.share()
	size := int(unsafe.Sizeof(K(0)))
	n := min(r.stretch+w.width-1, j.lanes.N)
	j.Memory = r.width*n*size + rolling.Memory(n, size)
	j.Budget = max(j.Budget, 16*n*size)
	tasks := r.stretches * ((j.lanes.Count + r.width - 1) / r.width)
	err := j.Run(r, tasks, j.lanes.Count*j.lanes.N)
	r.windows = rolling.Windows{} // keeps no plan alive
	return err
}

// share divides the work: long lanes into stretches, others into blocks of lanes.
func (r *windowsRun[K]) share() {
	t, lanes, width := r.Config.Thresholds(), r.lanes.Count, r.windows.Width
	r.stretch = max(min(stretchWindows*min(width, stretchMax), stretchMax), width, min(t.TaskElements, stretchLeast))
	if lanes < r.Workers() { // a lane for each is not enough
		r.stretch = min(r.stretch, max((r.count*lanes+r.Workers()-1)/r.Workers(), width))
	}
	r.stretch = int(min(uint(r.stretch), uint(r.count), rolling.MaxStretch-uint(width)))
	r.stretches = (r.count + r.stretch - 1) / r.stretch
	// Lanes side by side share cache lines. Short ones are worth a task together.
	r.width = 1
	if r.lanes.SideBySide() {
		r.width = min(lanes, kernel.LineBytes/int(unsafe.Sizeof(K(0))))
	}
	r.width = max(r.width, min(lanes, t.TaskElements/(r.stretch+width)))
}

// Task answers for a stretch of windows of a block of lanes.
func (r *windowsRun[K]) Task(number int, s *crew.Scratch) {
	l := &r.lanes
	first := number / r.stretches * r.width
	lanes := min(r.width, l.Count-first)
	from := number % r.stretches * r.stretch // the first window
	to := min(from+r.stretch, r.count)
	// Window i ends at element i+lead. Those before the first full one have no more
	// elements than are there.
	lead := 0
	if r.full {
		lead = r.windows.Width - 1
	}
	start := max(from+lead-(r.windows.Width-1), 0)
	skip := from + lead - start // elements that are there before the first window ends
	n := to + lead - start
	keys := crew.Alloc[K](s, lanes*n)
	lane.Encode(keys, l, first, start, start+n, r.values.Coding.Encoding)
	for j := range lanes {
		mark := s.Mark()
		r.lane(keys[j*n:][:n], skip, first+j, from, to, s)
		s.Release(mark)
	}
}

// windowsAtOnce is how many windows are answered for at a time: their keys stay in the
// first-level cache.
const windowsAtOnce = 512

// lane answers for the windows from … to-1 of a lane, whose elements have these keys.
func (r *windowsRun[K]) lane(keys []K, skip, lane, from, to int, s *crew.Scratch) {
	var st rolling.Stretch[K]
	st.Start(&r.windows, keys, skip, s)
	want, out := &r.want, &r.answers.array
	size := out.DType.Size()
	for from < to {
		mark := s.Mark()
		count := min(windowsAtOnce, to-from)
		res := selection.NewResult[K](want, count, s)
		if !r.full && len(res.G) != want.Len()*count { // windows differ in length
			res.NewWeights(want.Set(), true, s)
		}
		st.Next(&res)
		values := unsafe.Pointer(unsafe.SliceData(crew.Alloc[uint64](s, count)))
		for q := range want.Len() {
			at := ((q*(r.lanes.Count/r.inner)+lane/r.inner)*r.count+from)*r.inner + lane%r.inner
			if r.inner == 1 {
				values = out.Pointer(at)
			}
			r.values.Quantile(values, &res, q, s)
			if least := r.windows.Least; !r.dt.IsFloat() && from < least-1 {
				nanUntil(values, min(least-1-from, count))
			}
			if r.inner > 1 {
				nd.CopyRun(out.Pointer(at), r.inner, values, 1, count, size)
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
