package selection

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/selection/partition"
	"github.com/ogive-go/ogive/internal/tuning"
)

// Coding is how the elements of a dtype are read as keys and written back.
type Coding[K kernel.Key] struct {
	kernel.Encoding[K]
	NaN K // the canonical NaN as an element; unused where there is none
}

// PackedLanes returns how many lanes of n keys of the given size are worth
// giving to one call of Tile: few enough to stay in cache and, if neighbours
// share cache lines or vectors search them together, enough for that.
func PackedLanes(n, size int, neighbours bool) int {
	if networks(n) {
		return networkRow / size
	}
	return packWidth(n, size, neighbours || n <= tuning.Default.SearchMax && kernel.Searches())
}

// packWidth returns the lanes that are packed at a time.
func packWidth(n, size int, together bool) int {
	if !together {
		return max(packBytes/size/n, 1)
	}
	lanes := kernel.BlockBytes / size
	return max(packBytes/kernel.BlockBytes/n, 1) * lanes
}

// Tile selects in each lane of t, which has elements. The arrays of the result
// are s's, or dst, a key or value for each lane, if that is not nil and there is
// one quantile of dst's dtype. If scratch is true, the elements of t may be
// overwritten.
func Tile[K kernel.Key](w *Want, c Coding[K], t kernel.Tile, scratch bool, dst []K, s *crew.Scratch) Result[K] {
	if networks(t.N) && t.Lanes >= tuning.Default.NetworkLanes {
		return byNetwork(w, c, t, dst, s)
	}
	r := NewResult[K](w, t.Lanes, s)
	switch {
	case descends[K](w, t.N, t.Lanes):
		byDescent(w, c, t, &r, s)
	case countsValues[K](w, t.N) || sorts[K](w, t.N):
		byPartition(w, c, t, scratch, &r, s)
	case t.N >= tuning.Default.NarrowMin && t.Stride == 1:
		byNarrowing(w, c, t, &r, s)
	default:
		byPartition(w, c, t, scratch, &r, s)
	}
	return r
}

// countsValues reports whether lanes of n keys are best counted by value.
func countsValues[K kernel.Key](w *Want, n int) bool {
	switch unsafe.Sizeof(K(0)) {
	case 1:
		return n >= tuning.Default.HistogramMin
	case 2:
		return n >= tuning.Default.WideHistogramMin && w.Len() >= tuning.Default.HistogramQuantiles
	}
	return false
}

// sorts reports whether lanes of n keys are best sorted: the more is asked, the
// longer.
func sorts[K kernel.Key](w *Want, n int) bool {
	return w.Len() >= tuning.Default.SortQuantiles && n >= tuning.Default.RadixMin*int(unsafe.Sizeof(K(0))) && n <= w.Len()*tuning.Default.SortLength
}

// NewResult returns a result for so many lanes. Each has weights of its own if
// NaNs are dropped.
func NewResult[K kernel.Key](w *Want, lanes int, s *crew.Scratch) Result[K] {
	q := w.Len()
	r := Result[K]{Lanes: lanes, Lo: crew.Alloc[K](s, q*lanes), Hi: crew.Alloc[K](s, q*lanes)}
	if w.skip {
		r.G = crew.Alloc[float64](s, q*lanes)
	} else {
		r.G = crew.Alloc[float64](s, q)
	}
	clear(r.G)
	return r
}

// weigh sets the weights of the lanes from … to-1, or those that all share.
func (r *Result[K]) weigh(ranks *ranks, from, to int) {
	if len(r.G) == len(ranks.pos) {
		for q := range r.G {
			r.G[q] = ranks.pos[q].G
		}
		return
	}
	for q := range ranks.pos {
		g := ranks.pos[q].G
		for j := q*r.Lanes + from; j < q*r.Lanes+to; j++ {
			r.G[j] = g
		}
	}
}

// fillNaN makes the answers of the lanes from … to-1 NaN.
func (r *Result[K]) fillNaN(from, to int) {
	for q := 0; q < len(r.Lo); q += r.Lanes {
		for j := from; j < to; j++ {
			r.Lo[q+j], r.Hi[q+j] = kernel.MaxKey[K](), kernel.MaxKey[K]()
		}
	}
}

// pick sets the answers of a lane whose order statistics stand in keys, stride
// keys apart.
func (r *Result[K]) pick(lane int, ranks *ranks, keys []K, stride int) {
	for q, p := range ranks.pos {
		at := q*r.Lanes + lane
		r.Lo[at], r.Hi[at] = keys[int(p.Lo)*stride], keys[int(p.Hi)*stride]
	}
	r.weigh(ranks, lane, lane+1)
}

// byNarrowing narrows each of the lanes, whose elements are adjacent.
func byNarrowing[K kernel.Key](w *Want, c Coding[K], t kernel.Tile, r *Result[K], s *crew.Scratch) {
	for j := range t.Lanes {
		lane := unsafe.Slice((*K)(unsafe.Add(t.Base, j*t.LaneStride*int(unsafe.Sizeof(K(0))))), t.N)
		narrowLane(w, c.Encoding, lane, j, r, s)
	}
}

// narrowLane sets the answers of a lane from its elements.
func narrowLane[K kernel.Key](w *Want, e kernel.Encoding[K], elements []K, lane int, r *Result[K], s *crew.Scratch) {
	n, start := len(elements), s.Mark()
	nw := narrowingOf[K](s)
	sample := crew.Alloc[K](s, w.SampleSize(n))
	at := bracket.NewPositions(len(sample), n)
	bracket.Draw(sample, &at, func(i int) unsafe.Pointer { return unsafe.Pointer(&elements[i]) })
	kernel.Encode(sample, sample, e)
	nw.Start(w, e, n, sample, n)
	for nw.Next() {
		mark := s.Mark()
		p := nw.NewPass(s)
		p.AddStrided(unsafe.Pointer(&elements[0]), 1, n, nil)
		nw.Merge(&p)
		nw.Settle()
		s.Release(mark)
		for g := range nw.Groups() {
			nw.Select(g, s)
		}
	}
	nw.Finish(r, lane)
	s.Release(start)
}

// narrowingOf returns the worker's Narrowing of keys of type K.
func narrowingOf[K kernel.Key](s *crew.Scratch) *Narrowing[K] {
	if nw, ok := memoOf(s).narrowing.(*Narrowing[K]); ok {
		return nw
	}
	nw := new(Narrowing[K])
	memoOf(s).narrowing = nw
	return nw
}

// byPartition packs lanes into scratch memory and selects in each.
func byPartition[K kernel.Key](w *Want, c Coding[K], t kernel.Tile, scratch bool, r *Result[K], s *crew.Scratch) {
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
			lane := packed[j*n:][:n]
			valid := n
			if nan > 0 {
				_, dropped := kernel.CountBelow(lane, kernel.MaxKey[K]())
				valid -= dropped
			}
			selectLane(w, lane, valid, first+j, r, s)
		}
	}
}

// selectLane sets the answers of a lane from its keys, of which all but valid are
// NaN. It leaves others in their place.
func selectLane[K kernel.Key](w *Want, keys []K, valid, lane int, r *Result[K], s *crew.Scratch) {
	if valid == 0 || valid < len(keys) && !w.skip {
		r.fillNaN(lane, lane+1)
		return
	}
	ranks := ranksOf(s, w, valid)
	mark := s.Mark()
	defer s.Release(mark)
	switch {
	case countsValues[K](w, len(keys)):
		counts := crew.Alloc[uint32](s, 1<<(8*unsafe.Sizeof(K(0))))
		clear(counts)
		kernel.Histogram(counts, keys)
		pickCounted(r, lane, ranks, counts, s)
		return
	case sorts[K](w, len(keys)):
		partition.Sort(keys, crew.Alloc[K](s, len(keys)), &tuning.Default)
	case len(keys) >= tuning.Default.NarrowMin:
		if valid < len(keys) {
			kernel.Collect(keys, keys, kernel.Encoding[K]{}, kernel.MinKey[K](), kernel.MaxKey[K]()-1)
		}
		narrowLane(w, kernel.Encoding[K]{}, keys[:valid], lane, r, s)
		return
	default:
		partition.Select(keys, ranks.wanted)
	}
	r.pick(lane, ranks, keys, 1)
}
