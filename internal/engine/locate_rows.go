package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
)

// locateLanes is the most lanes that are searched together: an odd number of cache
// lines, so that rows do not meet in the same places of the caches.
const locateLanes = 15 * 64

// inRows reports whether a task searches its lanes together, as rows of keys.
func (f *locateRun[K]) inRows() bool {
	l := &f.lanes
	return l.SideBySide() && l.Even() && l.N <= kernel.LocateRows && kernel.LocatesOnVectors[K]()
}

// rows finds the indices of neighbouring lanes.
func (f *locateRun[K]) rows(first, lanes int, s *crew.Scratch) {
	mark := s.Mark()
	defer s.Release(mark)
	l, skipNaN := &f.lanes, f.run.e.plan.order.skipNaN
	_, step := l.Pitch()
	keys, nan := crew.Alloc[K](s, lanes*l.N), 0
	for i := range l.N {
		nan += kernel.EncodeStrided(unsafe.Pointer(&keys[i*lanes]), 1, l.Pointer(first, i), step, lanes, f.run.coding.Encoding)
	}
	value, n, at := crew.Alloc[K](s, lanes), crew.Alloc[K](s, lanes), crew.Alloc[K](s, lanes)
	none := same[K](0, lanes, s)
	for q := range f.run.e.plan.order.want.Len() {
		isNaN := f.values(value, q, first)
		kernel.CountAndLocate(n, at, keys, kernel.Class[K]{Lo: value, Hi: value}, none) // at is the first
		if !kernel.AllOne(n) {
			f.choose(q, at, keys, value, n, nan > 0, isNaN, s)
		}
		to := nd.Slice[int64](&f.run.e.index.array)[q*l.Count+first:][:lanes]
		for j, e := range at {
			to[j] = int64(e)
		}
		if isNaN && skipNaN {
			for j, k := range value {
				if k == kernel.MaxKey[K]() {
					to[j] = -1
				}
			}
		}
	}
}

// choose sets the positions of the values of quantile q, which have n equals in their
// lanes: with b smaller keys it is the one numbered k-b of them for rank k, or the
// first NaN. nan and isNaN tell whether there are NaNs among the elements and values.
func (f *locateRun[K]) choose(q int, at, keys, value, n []K, nan, isNaN bool, s *crew.Scratch) {
	mark := s.Mark()
	defer s.Release(mark)
	lanes := len(at)
	least, most := same(kernel.MinKey[K](), lanes, s), same(kernel.MaxKey[K](), lanes, s)
	upTo, nans, number := crew.Alloc[K](s, lanes), same[K](0, lanes, s), crew.Alloc[K](s, lanes)
	if nan {
		kernel.CountAndLocate(nans, at, keys, kernel.Class[K]{Lo: most, Hi: most}, most)
	}
	kernel.CountAndLocate(upTo, at, keys, kernel.Class[K]{Lo: least, Hi: value}, most)
	known, rank := 0, int64(0)
	for j := range number {
		if isNaN && value[j] == kernel.MaxKey[K]() {
			number[j] = 0
			continue
		}
		if valid := f.lanes.N - int(nans[j]); valid != known {
			known, rank = valid, f.run.e.plan.order.want.RankOf(q, valid)
		}
		number[j] = K(rank) - (upTo[j] - n[j])
	}
	kernel.CountAndLocate(n, at, keys, kernel.Class[K]{Lo: value, Hi: value}, number)
}

// same returns a key for each lane.
func same[K kernel.Key](k K, lanes int, s *crew.Scratch) []K {
	keys := crew.Alloc[K](s, lanes)
	fill(keys, k)
	return keys
}

// values writes the keys of the values of quantile q to dst, for lanes from the first
// on, and reports whether there are NaNs among them: the largest keys.
func (f *locateRun[K]) values(dst []K, q, first int) (isNaN bool) {
	values := nd.Slice[K](&f.run.e.value.array)
	return kernel.Encode(dst, values[q*f.lanes.Count+first:][:len(dst)], f.run.coding.Encoding) > 0
}
