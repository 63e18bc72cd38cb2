package grad

import (
	"sync/atomic"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/locate"
	"github.com/ogive-go/ogive/internal/weights"
)

// A weighted lane is its elements, each repeated so often as its weight says.
// Elements of weight 0 do not exist, but for NaNs that make a quantile NaN: they
// take part where there are no other NaNs.

// weightedBlock is the number of elements that are read at a time.
const weightedBlock = 256

// weighted reads lanes with their weights.
type weighted[K kernel.Key] struct {
	c      *call
	search *locate.Search[K]
	reader weights.Reader
}

func newWeighted[K kernel.Key](c *call, s *locate.Search[K]) *weighted[K] {
	w, of := &weighted[K]{c: c, search: s}, c.plan.Weights()
	of.Reader(&w.reader, &of.Array, c.plan.Reduced())
	return w
}

// lanes calls fn for each lane.
func (w *weighted[K]) lanes(fn func(lane int, s *crew.Scratch)) error {
	workers, l := w.c.crew(), &w.search.Lanes
	width := max(workers.Config.Thresholds().TaskElements/l.N, 1)
	return workers.Each((l.Count+width-1)/width, l.N*l.Count, func(task int, s *crew.Scratch) {
		for lane := task * width; lane < min((task+1)*width, l.Count); lane++ {
			fn(lane, s)
		}
	})
}

// elements calls fn for the keys of a lane with their weights until it returns
// false. Of a float weight it is told only whether there is one.
func (w *weighted[K]) elements(at int, s *crew.Scratch, fn func(i int, k K, weight int64) bool) {
	mark := s.Mark()
	defer s.Release(mark)
	block, list := crew.Alloc[K](s, weightedBlock), crew.Alloc[uint64](s, weightedBlock)
	n, float := w.search.Lanes.N, w.reader.DType.IsFloat()
	for first := 0; first < n; first += weightedBlock {
		end := min(first+weightedBlock, n)
		keys := block[:end-first]
		lane.Encode(keys, &w.search.Lanes, at, first, end, w.search.Encoding)
		w.reader.Widen(list[:end-first], at, 1, first, end, s)
		for i, k := range keys {
			weight := int64(list[i])
			if float {
				weight = min(weight, 1) // floats that are not negative order as their bits do
			}
			if !fn(first+i, k, weight) {
				return
			}
		}
	}
}

// isNaN reports whether a key is that of NaN.
func isNaN[K kernel.Key](k K) bool { return k == kernel.MaxKey[K]() }

// nanOf returns the number of the NaN that stands for a lane that is NaN: the first
// if NaNs are dropped, the last otherwise; -1 if there is none.
func (w *weighted[K]) nanOf(lane int, s *crew.Scratch) int64 {
	first, last, void := -1, -1, -1
	w.elements(lane, s, func(i int, k K, weight int64) bool {
		switch {
		case !isNaN(k):
		case weight == 0:
			void = i
		default:
			if last = i; first < 0 {
				first = i
			}
		}
		return true
	})
	switch {
	case w.search.SkipNaN:
		return int64(first)
	case last >= 0:
		return int64(last)
	}
	return int64(void)
}

// key returns the key of an element.
func (w *weighted[K]) key(v K) K {
	one := [1]K{v}
	kernel.Encode(one[:], one[:], w.search.Encoding)
	return one[0]
}

// locate finds the positions of a search.
func (w *weighted[K]) locate() error {
	return w.lanes(func(lane int, s *crew.Scratch) {
		f, total, nan := w.search, int64(0), int64(-1)
		if w.c.index == nil {
			w.elements(lane, s, func(_ int, k K, weight int64) bool {
				if !isNaN(k) {
					total += weight
				}
				return true
			})
		}
		for i := lane; i < len(f.Positions[0]); i += f.Lanes.Count {
			lo, hi, isNaN := w.find(i, lane, total, s)
			if isNaN {
				if nan < 0 {
					nan = w.nanOf(lane, s)
				}
				lo, hi = nan, nan
			}
			if f.Positions[0][i] = lo; f.Positions[1] != nil {
				f.Positions[1][i] = hi
			}
		}
	})
}

// find returns the positions of answer i, of a lane with so much weight without
// NaNs, and whether it is NaN, which has none.
func (w *weighted[K]) find(i, lane int, total int64, s *crew.Scratch) (lo, hi int64, nan bool) {
	f := w.search
	if w.c.index != nil {
		at := w.c.index[i]
		return at, at, at < 0 || isNaN(w.key(*(*K)(f.Lanes.Pointer(lane, int(at)))))
	}
	k := w.key(f.Values[0][i])
	switch {
	case isNaN(k):
		return 0, 0, true
	case total <= 0 || total > 1<<53: // the lane was changed
		return -1, -1, false
	}
	p := f.Want.Position(i/f.Lanes.Count, total)
	lo = w.reach(lane, k, p.Lo, s)
	if hi = lo; p.Hi != p.Lo && f.Values[1] != nil {
		hi = w.reach(lane, w.key(f.Values[1][i]), p.Hi, s)
	}
	return lo, hi, false
}

// reach returns the number of the element whose copies have the order statistic of
// the given rank, which has the key k; -1 if it is not there.
func (w *weighted[K]) reach(lane int, k K, rank int64, s *crew.Scratch) int64 {
	var sum int64
	w.elements(lane, s, func(_ int, other K, weight int64) bool {
		if other < k {
			sum += weight
		}
		return true
	})
	if sum > rank {
		return -1
	}
	at := -1
	w.elements(lane, s, func(i int, other K, weight int64) bool {
		if other == k {
			if sum += weight; sum > rank {
				at = i
			}
		}
		return at < 0
	})
	return int64(at)
}

// weighted shares the gradient of weighted lanes.
func (e *even[K]) weighted() error {
	w, f := newWeighted(e.c, e.search), e.search
	var changed atomic.Bool
	err := w.lanes(func(lane int, s *crew.Scratch) {
		lo, part := w.key(f.Values[0][lane]), 1.0
		if f.Values[1] != nil && f.Weight(0, lane) != 0 {
			lower, _ := kernel.EqualKeys(lo)
			hi := w.key(f.Values[1][lane])
			if upper, _ := kernel.EqualKeys(hi); upper != lower {
				part = 0.5
				if !e.shareWeighted(w, lane, hi, part, s) {
					changed.Store(true)
				}
			}
		}
		if !e.shareWeighted(w, lane, lo, part, s) {
			changed.Store(true)
		}
	})
	if err == nil && changed.Load() {
		err = e.c.changed()
	}
	return err
}

// shareWeighted shares a part of the gradient of a lane among what is equal to the
// key k, and reports whether that is anything.
func (e *even[K]) shareWeighted(w *weighted[K], lane int, k K, part float64, s *crew.Scratch) bool {
	lo, hi := kernel.EqualKeys(k)
	var total, void int64
	w.elements(lane, s, func(_ int, k K, weight int64) bool {
		if lo <= k && k <= hi {
			if total += weight; weight == 0 {
				void++
			}
		}
		return true
	})
	least := int64(0)
	if total == 0 && isNaN(k) {
		total, least = void, 1
	}
	w.elements(lane, s, func(i int, k K, weight int64) bool {
		if weight = max(weight, least); weight > 0 && lo <= k && k <= hi {
			var bits [1]K
			e.to.round(bits[:], []float64{part * float64(weight) / float64(total) * e.dy.at(lane)})
			e.to.put(lane, i, bits[0])
		}
		return true
	})
	return total > 0
}
