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
	"github.com/ogive-go/ogive/internal/tuning"
)

// weightedRun is the part of an execution with weights. As a phase it selects
// in blocks of small and medium lanes.
type weightedRun[K kernel.Key] struct {
	e       *execution
	coding  selection.Coding[K]
	lanes   lane.Lanes // of x, numbered as the weights' are
	weights weightReader
	width   int // lanes a task
	long    longWeighted[K]

	order [nd.MaxDims]int // of x's dimensions
	views [2]nd.Array     // x and the weights in that order
}

// weightedRuns keep the memory of weightedRuns, by the size of their keys.
var weightedRuns [4]sync.Pool

// runWeighted computes all values, and all indices if they are asked for.
func (r *orderRun[K]) runWeighted() error {
	pool := &weightedRuns[bits.TrailingZeros(uint(unsafe.Sizeof(K(0))))]
	w, ok := pool.Get().(*weightedRun[K])
	if !ok {
		w = new(weightedRun[K])
		w.long.of, w.long.find.of = w, w
	}
	w.e, w.coding = r.e, r.coding
	w.init()
	err := w.all()
	w.e, w.lanes, w.weights = nil, lane.Lanes{}, weightReader{}
	w.views = [2]nd.Array{}
	pool.Put(w)
	return err
}

// init sets the lanes of the input and of the weights. Their elements are
// numbered in the order of the axes, as indices are, or, if nobody asks for
// those, in the order of the input's strides, which is that of its memory.
func (w *weightedRun[K]) init() {
	e := w.e
	weights := &e.plan.order.weights
	reduced := e.plan.order.reduced
	x, array := e.x, &weights.array
	if order := w.order[:x.NDim()]; !e.index.active && !byStride(order, x, reduced) {
		w.views = [2]nd.Array{permuted(x, order), permuted(array, order)}
		x, array = &w.views[0], &w.views[1]
	}
	w.lanes.Init(x, reduced, true)
	e.lanes = w.lanes
	w.weights.init(weights, array, reduced)
}

// byStride sets order to that of x's dimensions that has the reduced ones by
// descending stride, in the places of the reduced ones. It reports whether they
// are so already.
func byStride(order []int, x *nd.Array, reduced lane.Axes) bool {
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

// all computes all lanes.
func (w *weightedRun[K]) all() error {
	l := &w.lanes
	n, least := l.N, 1
	if l.SideBySide() {
		least = min(l.Count, 64/int(unsafe.Sizeof(K(0)))) // use the cache lines that are read
	}
	if n > tuning.Default.BigBytes/(least*pairBytes) {
		return w.long.all()
	}
	w.width = max(least, blockBytes/(n*pairBytes))
	if few := l.Count * l.N / (4 * w.e.Workers() * tuning.Default.TaskElements); few == 0 {
		w.width = max(least, min(l.Count, tuning.Default.TaskElements/n))
	}
	w.e.Memory = 2 * w.width * n * pairBytes // packed, and moved while selecting
	return w.e.Run(w, (l.Count+w.width-1)/w.width, l.Count*l.N)
}

// pairBytes is the most that a key takes with its weight.
const pairBytes = 16

// blockBytes is how much of the pairs of lanes a task packs at a time: they
// stay in the second-level cache.
const blockBytes = 256 << 10

// task selects in a block of lanes.
func (w *weightedRun[K]) Task(number int, s *crew.Scratch) {
	l, p := &w.lanes, w.e.plan
	first := number * w.width
	count := min(w.width, l.Count-first)
	n := l.N
	keys := crew.Alloc[K](s, count*n)
	encodeLanes(keys, l, first, 0, n, w.coding.Encoding)
	distinct := count
	if w.weights.shared {
		distinct = 1
	}
	weights := crew.Alloc[uint64](s, distinct*n)
	w.weights.read(weights, first, distinct, 0, n, s)

	index := w.e.index.active
	sel := selection.NewWeightedLanes(&p.order.want, &p.order.weights.sums, w.coding.Encoding, n, index, s)
	res := selection.WeightedResult[K](&p.order.want, count, s)
	for j := range count {
		k, own := keys[j*n:][:n], weights[j%distinct*n:][:n]
		sel.Select(&res, j, k, own)
		if index {
			sel.Locate(k, own)
			for q := range p.order.want.Len() {
				w.setIndex(q, first+j, sel.Index(q))
			}
		}
	}
	finishLanes(w.e, &res, first, s)
}

// setIndex stores the index of a quantile of a lane.
func (w *weightedRun[K]) setIndex(q, at, index int) {
	nd.Slice[int64](&w.e.index.array)[q*w.lanes.Count+at] = int64(index)
}
