package selection

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/narrow"
	"github.com/ogive-go/ogive/internal/selection/partition"
)

// Tile selects in each lane of t, which has elements, in the way that was chosen
// for the call. The arrays of the result are s's, or dst, a key or value for each
// lane, if that is not nil and there is one quantile of dst's dtype. If scratch is
// true, the elements of t may be overwritten.
func Tile[K kernel.Key](way Way, w *Want, c Coding[K], t kernel.Tile, scratch bool, dst []K, s *crew.Scratch) Result[K] {
	if way == Network {
		return byNetwork(w, c, t, dst, s)
	}
	r := NewResult[K](w, t.Lanes, s)
	switch {
	case way == Search || way == BlockSort:
		bySearch(way == BlockSort, w, c.Encoding, t, &r, s)
	case way == Squeeze:
		bySqueeze(w, c.Encoding, t, &r, s)
	case way == Narrow && t.Stride == 1:
		narrowLanes(w, c.Encoding, t, 0, &r, s)
	default:
		byLane(way, w, c, t, scratch, &r, s)
	}
	return r
}

// byLane packs lanes into scratch memory and selects in each.
func byLane[K kernel.Key](way Way, w *Want, c Coding[K], t kernel.Tile, scratch bool, r *Result[K], s *crew.Scratch) {
	n, size := t.N, int(unsafe.Sizeof(K(0)))
	width := 1
	if t.Stride != 1 {
		width = min(t.Lanes, packWidth(n, size, max(t.LaneStride, -t.LaneStride) < max(t.Stride, -t.Stride)))
	}
	inPlace := scratch && t.Stride == 1
	var packed []K
	if !inPlace {
		packed = crew.Alloc[K](s, n*width)
	}
	for first := 0; first < t.Lanes; first += width {
		part := t
		part.Base = unsafe.Add(t.Base, first*t.LaneStride*size)
		part.Lanes = min(width, t.Lanes-first)
		if inPlace {
			packed = unsafe.Slice((*K)(part.Base), n)
		}
		nan := kernel.EncodeTile(packed, 1, n, part, c.Encoding)
		for j := range part.Lanes {
			keys := packed[j*n:][:n]
			valid := n
			if nan > 0 {
				_, dropped := kernel.CountBelow(keys, kernel.MaxKey[K]())
				valid -= dropped
			}
			selectLane(way, w, keys, valid, first+j, r, s)
		}
	}
}

// selectLane sets the answers of a lane from its keys, of which all but valid are NaN.
func selectLane[K kernel.Key](way Way, w *Want, keys []K, valid, lane int, r *Result[K], s *crew.Scratch) {
	if valid == 0 || valid < len(keys) && !w.skip {
		r.fillNaN(lane)
		return
	}
	mark := s.Mark()
	defer s.Release(mark)
	if way == Narrow {
		if valid < len(keys) {
			kernel.Collect(keys, keys, kernel.Encoding[K]{}, kernel.MinKey[K](), kernel.MaxKey[K]()-1)
		}
		t := kernel.Tile{Base: unsafe.Pointer(unsafe.SliceData(keys)), N: valid, Stride: 1, Lanes: 1}
		narrowLanes(w, kernel.Encoding[K]{}, t, lane, r, s)
		return
	}
	ranks := ranksOf(s, w, valid)
	if way == Count {
		countLane(keys, ranks, lane, r, s)
		return
	}
	if way == Sort {
		partition.Sort(keys, crew.Alloc[K](s, len(keys)), w.tuned)
	} else {
		partition.Select(keys, ranks.Ranks)
	}
	found := crew.Alloc[K](s, len(ranks.Ranks))
	for i, k := range ranks.Ranks {
		found[i] = keys[k]
	}
	r.take(lane, ranks, found)
}

// narrowed is what narrows lanes one after the other.
type narrowed[K kernel.Key] struct {
	lanes narrow.Lanes[K]
	tile  narrow.Tile[K]
}

// narrowLanes narrows each lane of t, whose elements are adjacent; the first is
// lane number first of the result.
func narrowLanes[K kernel.Key](w *Want, e kernel.Encoding[K], t kernel.Tile, first int, r *Result[K], s *crew.Scratch) {
	m := memoOf(s)
	nw, ok := m.narrow.(*narrowed[K])
	if !ok {
		nw = new(narrowed[K])
		m.narrow = nw
	}
	nw.tile.Tile = t
	call := NarrowCall(w, e, &nw.tile, t.N)
	call.Lanes, call.Adjacent, call.Chunk, call.Capacity = 1, true, t.N, t.N
	for call.First = range t.Lanes {
		nw.lanes.Start(call)
		crew.Alone(&nw.lanes, s)
		r.Take(first+call.First, 1, &nw.lanes)
	}
}

// NarrowCall returns the call that narrows lanes of n elements; the caller says
// which lanes, and how they are read.
func NarrowCall[K kernel.Key](w *Want, e kernel.Encoding[K], in narrow.Input, n int) narrow.Call[K] {
	return narrow.Call[K]{Set: w.set, Skip: w.skip, Thresholds: w.tuned, Encoding: e, Input: in, N: n}
}
