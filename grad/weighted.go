package grad

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
)

// A weighted lane is its elements, each repeated so often as its weight says.
// Elements of weight 0 do not exist, but for NaNs that make a quantile NaN: they
// take part where there are no other NaNs.

// weightedScan reads lanes with their weights.
type weightedScan[K kernel.Key] struct {
	*scan[K]
	dt      dtype.DType
	weights lane.Lanes
}

func newWeightedScan[K kernel.Key](f *scan[K]) *weightedScan[K] {
	array := f.plan.Weights()
	w := &weightedScan[K]{scan: f, dt: array.DType}
	w.weights.Init(array, f.plan.Reduced(), true)
	return w
}

// each calls fn for the elements of a lane with their weights until it returns
// false. Of a float weight it is told only whether there is one.
func (w *weightedScan[K]) each(lane int, s *crew.Scratch, fn func(i int, v K, weight int64) bool) {
	mark := s.Mark()
	defer s.Release(mark)
	raw, wide := crew.Alloc[uint64](s, countBlock), crew.Alloc[int64](s, countBlock)
	start, size := unsafe.Pointer(unsafe.SliceData(raw)), w.dt.Size()
	w.blocks(lane, 0, w.x.N, countBlock, s, func(block []K, first int) bool {
		n := len(block)
		w.weights.Gather(start, lane, 1, first, first+n)
		to := wide[:n]
		if bytes := unsafe.Slice((*byte)(start), n*size); w.dt.IsFloat() {
			dtype.Convert(dtype.Float64, bytesOf(to), w.dt, bytes)
			for i, v := range to {
				to[i] = min(v, 1) // floats that are not negative order as their bits do
			}
		} else {
			dtype.Convert(dtype.Int64, bytesOf(to), w.dt, bytes)
		}
		for i, v := range block {
			if !fn(first+i, v, to[i]) {
				return false
			}
		}
		return true
	})
}

// bytesOf returns the memory of a slice that is not empty.
func bytesOf(s []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 8*len(s))
}

// theNaN returns the number of the NaN that stands for a lane that is NaN: the
// first if NaNs are dropped, the last otherwise; -1 if there is none.
func (w *weightedScan[K]) theNaN(lane int, s *crew.Scratch) int {
	first, last, void := -1, -1, -1
	w.each(lane, s, func(i int, v K, weight int64) bool {
		switch {
		case !w.isNaN(v):
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
	case w.c.skipNaN:
		return first
	case last >= 0:
		return last
	}
	return void
}

// weighted finds the positions in weighted lanes.
func (f *search[K]) weighted() error {
	w := newWeightedScan(f.scan)
	return w.eachLane(func(lane int, s *crew.Scratch) {
		if f.c.index != nil {
			f.fromIndex(w, lane, s)
			return
		}
		var total int64
		if f.lo[lane] != f.nan {
			w.each(lane, s, func(_ int, v K, weight int64) bool {
				if !w.isNaN(v) {
					total += weight
				}
				return true
			})
		}
		for i := lane; i < len(f.lo); i += f.x.Count {
			if total == 0 { // of a lane that is NaN, or was changed
				at := -1
				if f.lo[lane] == f.nan {
					at = w.theNaN(lane, s)
				}
				f.set(i, at, at)
				continue
			}
			p := f.plan.Position(i/f.x.Count, total)
			lo := w.reach(lane, f.lo[i], p.Lo, s)
			hi := lo
			if p.Hi != p.Lo {
				hi = w.reach(lane, f.hi[i], p.Hi, s)
			}
			f.set(i, lo, hi)
		}
	})
}

// fromIndex takes the positions of a lane from its indices.
func (f *search[K]) fromIndex(w *weightedScan[K], lane int, s *crew.Scratch) {
	nan := -1
	for i := lane; i < len(f.at.lo); i += f.x.Count {
		at := f.c.index[i]
		if at < 0 || f.isNaN(*(*K)(f.x.Pointer(lane, at))) {
			if nan < 0 {
				nan = w.theNaN(lane, s)
			}
			at = nan
		}
		f.set(i, at, at)
	}
}

// reach returns the number of the element whose copies have the order
// statistic of the given rank, which is v; -1 if it is not there.
func (w *weightedScan[K]) reach(lane int, v K, rank int64, s *crew.Scratch) int {
	k, at := w.key(v), -1
	var sum int64
	w.each(lane, s, func(_ int, v K, weight int64) bool {
		if !w.isNaN(v) && w.key(v) < k {
			sum += weight
		}
		return true
	})
	if sum > rank {
		return -1
	}
	w.each(lane, s, func(i int, u K, weight int64) bool {
		if u == v {
			if sum += weight; sum > rank {
				at = i
			}
		}
		return at < 0
	})
	return at
}

// weighted shares the gradient of weighted lanes.
func (f *even[K]) weighted() error {
	w := newWeightedScan(f.scan)
	return w.eachLane(func(lane int, s *crew.Scratch) {
		for _, c := range f.shares(make([]share[K], 0, 2), lane) {
			var total, void int64
			w.each(lane, s, func(_ int, v K, weight int64) bool {
				if f.has(&c, v) {
					if total += weight; weight == 0 {
						void++
					}
				}
				return true
			})
			least := int64(0)
			if total == 0 && c.nan() {
				total, least = void, 1
			}
			if total == 0 {
				f.changed.Store(true)
				continue
			}
			w.each(lane, s, func(i int, v K, weight int64) bool {
				if weight = max(weight, least); weight > 0 && f.has(&c, v) {
					part := c.part * float64(weight) / float64(total)
					f.to.put(lane, i, f.to.one(part*f.dy.at(lane)))
				}
				return true
			})
		}
	})
}
