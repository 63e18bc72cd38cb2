package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/interpolate"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/selection/weighted"
	"github.com/ogive-go/ogive/internal/weights"
)

// weightedRun computes order statistics of lanes with weights. As a phase it selects
// in blocks of small and medium lanes, and it is the input of those in long ones.
type weightedRun[K kernel.Key] struct {
	*job
	values interpolate.Values[K]
	call   weighted.Call[K]
	sums   weighted.Weighting // of a part of the quantiles
	reader weights.Reader
	width  int // lanes a task
	long   weighted.Long[K]

	order [nd.MaxDims]int // of x's dimensions
	views [2]nd.Array     // x and the weights in that order
}

// run computes all values, and all indices if they are asked for. The elements of lanes are
// numbered in the order of the axes, as indices are, or, if nobody asks for those, in the
// order of the input's strides, which is that of its memory.
func (r *weightedRun[K]) run(j *job, w *weights.Weights) error {
	r.job = j
	r.values.Init(j.dt, j.want.Set())
	r.call = weightedCall[K](j, w)
	if j.part {
		r.sums = w.Sums.Of(j.want.Set())
		r.call.Weighting = &r.sums
	}
	x, array := j.x, &w.Array
	if order := r.order[:x.NDim()]; !j.positions.active && !byStride(order, x, j.reduced) {
		r.views = [2]nd.Array{permuted(x, order), permuted(array, order)}
		x, array = &r.views[0], &r.views[1]
	}
	j.lanes.Init(x, j.reduced, true)
	w.Reader(&r.reader, array, j.reduced)
	err := r.selectAll()
	r.call, r.reader, r.views = weighted.Call[K]{}, weights.Reader{}, [2]nd.Array{}
	return err
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
		for ; k > 0 && magnitude(strides[dims[k-1]]) < magnitude(strides[i]); k-- {
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

func magnitude(n int) int { return max(n, -n) }

// permuted returns the view of a with its dimensions in the given order.
func permuted(a *nd.Array, order []int) nd.Array {
	view, err := a.Transpose(order...)
	if err != nil {
		panic("engine: not an order of dimensions: " + err.Error())
	}
	return view
}

// selectAll selects in all lanes.
func (r *weightedRun[K]) selectAll() error {
	l := &r.lanes
	choice := selection.ChooseWeighted[K](r.call.Thresholds, selection.Shape{
		N: l.N, Lanes: l.Count, SideBySide: l.SideBySide(), Workers: r.Workers(),
	})
	if choice.Shared {
		return r.allLong(choice.Width)
	}
	r.width = choice.Width
	r.Memory = 2 * r.width * l.N * weighted.PairBytes // packed, and moved while selecting
	return r.Run(r, (l.Count+r.width-1)/r.width, l.Count*l.N)
}

// Task selects in a block of lanes.
func (r *weightedRun[K]) Task(number int, s *crew.Scratch) {
	n, first := r.lanes.N, number*r.width
	count := min(r.width, r.lanes.Count-first)
	keys := crew.Alloc[K](s, count*n)
	lane.Encode(keys, &r.lanes, first, 0, n, r.call.Encoding)
	distinct := count
	if r.reader.Shared {
		distinct = 1
	}
	weights := crew.Alloc[uint64](s, distinct*n)
	r.reader.Read(weights, first, distinct, 0, n, s)

	short := weighted.NewShort(&r.call, n, s)
	res := weightedResult(&r.call, count, s)
	for j := range count {
		short.Select(keys[j*n:][:n], weights[j%distinct*n:][:n])
		r.store(&res, j, first+j, &short.Answers)
	}
	finish(r.job, &r.values, &res, first, s)
}

// allLong selects in all lanes, which are too long for one worker's cache, in as many
// together as lie side by side.
func (r *weightedRun[K]) allLong(most int) error {
	l := &r.lanes
	for first, count := 0, 1; first < l.Count; first += count {
		if l.SideBySide() {
			count = l.Neighbours(first, most)
		}
		if err := r.group(first, count); err != nil {
			return err
		}
	}
	return nil
}

// group selects in a group of long lanes.
func (r *weightedRun[K]) group(first, count int) error {
	s := crew.Borrow()
	defer s.Return()
	r.long.Start(&r.call, r, first, count, r.lanes.N, s)
	if err := r.RunStages(&r.long); err != nil {
		return err
	}
	res := weightedResult(&r.call, count, s)
	for j := range count {
		r.store(&res, j, first+j, r.long.Lane(j))
	}
	finish(r.job, &r.values, &res, first, s)
	return nil
}

// Pointer is [weighted.Input].
func (r *weightedRun[K]) Pointer(lane, element int) unsafe.Pointer {
	return r.lanes.Pointer(lane, element)
}

// Read is [weighted.Input].
func (r *weightedRun[K]) Read(keys []K, weights []uint64, number, from int, s *crew.Scratch) (nan int) {
	r.reader.Read(weights, number, 1, from, from+len(keys), s)
	return lane.Encode(keys, &r.lanes, number, from, from+len(keys), r.call.Encoding)
}

// store stores the answers of a lane: in lane j of res, and indices where they belong.
func (r *weightedRun[K]) store(res *selection.Result[K], j, lane int, a *weighted.Answers[K]) {
	takeAnswers(res, j, r.call.Set.Len(), a)
	for q := 0; r.call.Index && q < r.call.Set.Len(); q++ {
		nd.Slice[int64](&r.positions.array)[q*r.lanes.Count+lane] = int64(a.Index(q))
	}
}

// weightedCall is what a job asks of lanes with weights.
func weightedCall[K kernel.Key](j *job, w *weights.Weights) weighted.Call[K] {
	return weighted.Call[K]{
		Set: j.want.Set(), Skip: j.skipNaN, Index: j.positions.active, Encoding: kernel.EncodingOf[K](j.dt),
		Weighting: &w.Sums, Thresholds: j.Config.Thresholds(),
	}
}

// weightedResult returns a result for so many lanes, each with weights of its own, as
// the lanes may have different totals.
func weightedResult[K kernel.Key](c *weighted.Call[K], lanes int, s *crew.Scratch) selection.Result[K] {
	res := selection.NewKeys[K](c.Set, lanes, s)
	res.NewWeights(c.Set, true, s)
	return res
}

// takeAnswers sets lane j of a result to the answers for so many quantiles.
func takeAnswers[K kernel.Key](res *selection.Result[K], j, quantiles int, a *weighted.Answers[K]) {
	for q := range quantiles {
		at := q*res.Lanes + j
		lo, hi, p := a.Answer(q)
		res.Lo[at], res.Hi[at] = lo, hi
		res.Weigh(at, at+1, p)
	}
}
