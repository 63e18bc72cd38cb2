package engine

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/selection/weighted"
)

// weightedRun is the part of an execution with weights. As a phase it selects
// in blocks of small and medium lanes, and it is the input of those in long ones.
type weightedRun[K kernel.Key] struct {
	e       *execution
	call    weighted.Call[K]
	lanes   lane.Lanes // of x, numbered as the weights' are
	weights weightReader
	width   int // lanes a task
	long    weighted.Long[K]

	order [nd.MaxDims]int // of x's dimensions
	views [2]nd.Array     // x and the weights in that order
}

// weightedRuns keep the memory of weightedRuns, by the size of their keys.
var weightedRuns [4]sync.Pool

// runWeighted computes all values, and all indices if they are asked for.
func runWeighted[K kernel.Key](e *execution) error {
	pool := &weightedRuns[bits.TrailingZeros(uint(unsafe.Sizeof(K(0))))]
	w, ok := pool.Get().(*weightedRun[K])
	if !ok {
		w = new(weightedRun[K])
	}
	w.init(e)
	err := w.all()
	w.e, w.call, w.lanes, w.weights = nil, weighted.Call[K]{}, lane.Lanes{}, weightReader{}
	w.views = [2]nd.Array{}
	pool.Put(w)
	return err
}

// init sets what is asked, the lanes of the input and those of the weights. Their
// elements are numbered in the order of the axes, as indices are, or, if nobody asks
// for those, in the order of the input's strides, which is that of its memory.
func (w *weightedRun[K]) init(e *execution) {
	o := &e.plan.order
	w.e = e
	w.call = weighted.Call[K]{
		Set: o.want.Set(), Skip: o.skipNaN, Index: e.index.active, Encoding: kernel.EncodingOf[K](e.plan.dt),
		Weighting: &o.weights.sums, Thresholds: e.Config.Thresholds(),
	}
	x, array := e.x, &o.weights.array
	if order := w.order[:x.NDim()]; !e.index.active && !byStride(order, x, o.reduced) {
		w.views = [2]nd.Array{permuted(x, order), permuted(array, order)}
		x, array = &w.views[0], &w.views[1]
	}
	w.lanes.Init(x, o.reduced, true)
	e.lanes = w.lanes
	w.weights.init(&o.weights, array, o.reduced)
}

// byStride sets order to that of x's dimensions that has the reduced ones by
// descending stride, in the places of the reduced ones. It reports whether they
// are so already.
func byStride(order []int, x *nd.Array, reduced nd.Axes) bool {
	var dims [nd.MaxDims]int
	n, sorted := 0, true
	strides := x.Strides()
	for i := range strides {
		if !reduced.Has(i) {
			continue
		}
		k := n
		for ; k > 0 && abs(strides[dims[k-1]]) < abs(strides[i]); k-- {
			dims[k], sorted = dims[k-1], false
		}
		dims[k] = i
		n++
	}
	next := 0
	for i := range order {
		order[i] = i
		if reduced.Has(i) {
			order[i] = dims[next]
			next++
		}
	}
	return sorted
}

// permuted returns the view of a with its dimensions in the given order.
func permuted(a *nd.Array, order []int) nd.Array {
	view, err := a.Transpose(order...)
	if err != nil {
		panic("engine: not an order of dimensions: " + err.Error())
	}
	return view
}

// all selects in all lanes.
func (w *weightedRun[K]) all() error {
	l := &w.lanes
	choice := selection.ChooseWeighted[K](w.call.Thresholds, selection.Shape{
		N: l.N, Lanes: l.Count, SideBySide: l.SideBySide(), Workers: w.e.Workers(),
	})
	if choice.Shared {
		return w.allLong(choice.Width)
	}
	w.width = choice.Width
	w.e.Memory = 2 * w.width * l.N * weighted.PairBytes // packed, and moved while selecting
	return w.e.Run(w, (l.Count+w.width-1)/w.width, l.Count*l.N)
}

// Task selects in a block of lanes.
func (w *weightedRun[K]) Task(number int, s *crew.Scratch) {
	n, first := w.lanes.N, number*w.width
	count := min(w.width, w.lanes.Count-first)
	keys := crew.Alloc[K](s, count*n)
	lane.Encode(keys, &w.lanes, first, 0, n, w.call.Encoding)
	distinct := count
	if w.weights.shared {
		distinct = 1
	}
	weights := crew.Alloc[uint64](s, distinct*n)
	w.weights.read(weights, first, distinct, 0, n, s)

	short := weighted.NewShort(&w.call, n, s)
	res := w.newResult(count, s)
	for j := range count {
		short.Select(keys[j*n:][:n], weights[j%distinct*n:][:n])
		w.store(&res, j, first+j, &short.Answers)
	}
	finishLanes(w.e, &res, first, s)
}

// allLong selects in all lanes, which are too long for one worker's cache, in as many
// together as lie side by side.
func (w *weightedRun[K]) allLong(most int) error {
	l := &w.lanes
	for first, count := 0, 1; first < l.Count; first += count {
		if l.SideBySide() {
			count = l.Neighbours(first, most)
		}
		if err := w.group(first, count); err != nil {
			return err
		}
	}
	return nil
}

// group selects in a group of long lanes.
func (w *weightedRun[K]) group(first, count int) error {
	s := crew.Borrow()
	defer s.Return()
	w.long.Start(&w.call, w, first, count, w.lanes.N, s)
	if err := w.e.RunStages(&w.long); err != nil {
		return err
	}
	res := w.newResult(count, s)
	for j := range count {
		w.store(&res, j, first+j, w.long.Lane(j))
	}
	finishLanes(w.e, &res, first, s)
	return nil
}

// Pointer is [weighted.Input].
func (w *weightedRun[K]) Pointer(lane, element int) unsafe.Pointer {
	return w.lanes.Pointer(lane, element)
}

// Read is [weighted.Input].
func (w *weightedRun[K]) Read(keys []K, weights []uint64, number, from int, s *crew.Scratch) (nan int) {
	w.weights.read(weights, number, 1, from, from+len(keys), s)
	return lane.Encode(keys, &w.lanes, number, from, from+len(keys), w.call.Encoding)
}

// newResult returns a result for so many lanes, each with weights of its own, as
// the lanes may have different totals.
func (w *weightedRun[K]) newResult(lanes int, s *crew.Scratch) selection.Result[K] {
	r := selection.NewKeys[K](w.call.Set, lanes, s)
	r.NewWeights(w.call.Set, true, s)
	return r
}

// store stores the answers of a lane: the keys in lane j of r, and indices where
// they belong.
func (w *weightedRun[K]) store(r *selection.Result[K], j, lane int, a *weighted.Answers[K]) {
	for q := range w.call.Set.Len() {
		at := q*r.Lanes + j
		lo, hi, p := a.Answer(q)
		r.Lo[at], r.Hi[at] = lo, hi
		r.Weigh(at, at+1, p)
		if w.call.Index {
			nd.Slice[int64](&w.e.index.array)[q*w.lanes.Count+lane] = int64(a.Index(q))
		}
	}
}
