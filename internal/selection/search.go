package selection

import (
	"math/bits"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/rank"
)

// search is the state of bySearch: a block of lanes, one in each lane of a vector,
// and what is asked of it.
type search[K kernel.Key] struct {
	want   *Want
	full   *rank.Wants // of lanes without NaN
	result *Result[K]
	s      *crew.Scratch
	e      kernel.Encoding[K]
	n      int
	block  kernel.Block[K]
	nans   []K // of each of its lanes, the keys that are NaN's
	ranks  []K
	lo, hi []K
	pos    []rank.Position // of the quantile at hand in each of them, if some have NaNs
}

// newSearch returns the state for blocks of lanes of n elements, with memory from s.
func newSearch[K kernel.Key](w *Want, e kernel.Encoding[K], n, lanes int, r *Result[K], s *crew.Scratch) search[K] {
	return search[K]{
		want: w, full: ranksOf(s, w, n), result: r, s: s, e: e, n: n,
		nans:  crew.Alloc[K](s, lanes),
		ranks: crew.Alloc[K](s, lanes), lo: crew.Alloc[K](s, lanes), hi: crew.Alloc[K](s, lanes),
		pos: crew.Alloc[rank.Position](s, lanes),
	}
}

// bySearch selects in medium lanes: they are laid out in blocks, a row of which is a
// vector or some, and all lanes of a block are searched, or sorted, together.
func bySearch[K kernel.Key](sorts bool, w *Want, e kernel.Encoding[K], t kernel.Tile, r *Result[K], s *crew.Scratch) {
	n, size, lanes := t.N, int(unsafe.Sizeof(K(0))), kernel.BlockLanes[K]()
	if sorts {
		lanes = sortRow(n) / size
	}
	d := newSearch(w, e, n, lanes, r, s)
	d.block = kernel.Block[K]{Keys: crew.Alloc[K](s, n*lanes), N: n, Float: e.Code == kernel.Float}
	if !sorts {
		d.block.Memory = crew.Alloc[K](s, kernel.SearchMemory[K](n))
	}
	// The next block is wanted soon. Where that is as many lines as a block has
	// rows, a search in cells fetches it, which takes longer than packing and looks
	// at nothing else that is far.
	ahead, step := lanes*t.LaneStride*size, kernel.BlockBytes()
	packing := ahead
	if t.LaneStride == 1 {
		step, packing = t.Stride*size, 2*kernel.LineBytes
	}
	fetches := !sorts && kernel.SearchesInCells[K]() && (t.LaneStride == 1 || t.LaneStride == n)
	if fetches {
		packing = 0
	}
	for first := 0; first < t.Lanes; first += lanes {
		for sorts && lanes > kernel.LineBytes/size && t.Lanes-first <= lanes/2 {
			lanes /= 2 // are enough for the rest
			d.nans = d.nans[:lanes]
		}
		block := t
		block.Base = unsafe.Add(t.Base, first*t.LaneStride*size)
		block.Lanes = min(lanes, t.Lanes-first)
		if fetches {
			d.block.Prefetch = kernel.Prefetch{At: uintptr(block.Base) + uintptr(ahead), Step: step}
		}
		nan := kernel.Pack(d.block.Keys, block, e, packing, d.nans)
		if sorts {
			sortBlock(d.block.Keys, n, lanes)
		}
		for q := range d.full.Positions {
			if nan {
				d.place(q, block.Lanes)
			}
			if sorts {
				d.pick(q, first, block.Lanes, nan)
			} else {
				d.find(q, first, block.Lanes, nan)
			}
			d.weigh(q, first, block.Lanes, nan)
		}
	}
}

// find searches for quantile q in the lanes of a block, of which the first is given.
func (d *search[K]) find(q, first, lanes int, nan bool) {
	p := d.full.Positions[q]
	for j := range d.ranks {
		d.ranks[j] = K(p.Lo)
	}
	if nan {
		for j, p := range d.pos[:lanes] {
			d.ranks[j] = K(p.Lo)
		}
	}
	kernel.Search(d.block, d.ranks, d.lo, d.hi)
	d.block.Prefetch = kernel.Prefetch{}
	at := q*d.result.Lanes + first
	lo, hi := d.result.Lo[at:at+lanes], d.result.Hi[at:at+lanes]
	copy(lo, d.lo)
	copy(hi, d.hi)
	switch {
	case nan:
		for j, p := range d.pos[:lanes] {
			if p.Hi == p.Lo {
				hi[j] = lo[j]
			}
		}
	case p.Hi == p.Lo:
		copy(hi, lo)
	}
}

// pick takes quantile q from the rows of a sorted block.
func (d *search[K]) pick(q, first, lanes int, nan bool) {
	p, width := d.full.Positions[q], len(d.nans)
	at := q*d.result.Lanes + first
	lo, hi := d.result.Lo[at:at+lanes], d.result.Hi[at:at+lanes]
	if !nan {
		copy(lo, d.block.Keys[int(p.Lo)*width:])
		copy(hi, d.block.Keys[int(p.Hi)*width:])
		return
	}
	for j, p := range d.pos[:lanes] {
		lo[j], hi[j] = d.block.Keys[int(p.Lo)*width+j], d.block.Keys[int(p.Hi)*width+j]
	}
}

// place sets the positions of quantile q in the lanes of a block.
func (d *search[K]) place(q, lanes int) {
	for j := range d.pos[:lanes] {
		p := d.full.Positions[q]
		if d.nans[j] > 0 && d.hasValue(j) {
			p = d.want.set.Position(q, int64(d.n)-int64(d.nans[j]))
		}
		d.pos[j] = p
	}
}

// weigh sets the weights of quantile q in the lanes of a block and makes NaN what is.
func (d *search[K]) weigh(q, first, lanes int, nan bool) {
	r := d.result
	r.weighOne(d.full, q, first, first+lanes)
	if !nan {
		return
	}
	for j := range lanes {
		at := q*r.Lanes + first + j
		switch {
		case !d.hasValue(j):
			r.Lo[at], r.Hi[at] = kernel.MaxKey[K](), kernel.MaxKey[K]()
		case d.nans[j] > 0:
			r.Weigh(at, at+1, &d.pos[j])
		}
	}
}

// hasValue reports whether a lane has answers other than NaN.
func (d *search[K]) hasValue(lane int) bool {
	nan := int(d.nans[lane])
	return nan == 0 || d.want.skip && nan < d.n
}

// sortBlock sorts each of the lanes of n rows of keys, by Batcher's merge
// exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M), of
// which rows that are compared with rows as far away are taken together.
func sortBlock[K kernel.Key](keys []K, n, lanes int) {
	if n < 2 {
		return
	}
	top := 1 << (bits.Len(uint(n-1)) - 1)
	for p := top; p > 0; p /= 2 {
		for q, r, d := top, 0, p; ; q, r, d = q/2, p, q-p {
			for i := r; i < n-d; i += 2 * p {
				rows := min(p, n-d-i)
				kernel.SortPairs(keys[i*lanes:(i+rows)*lanes], keys[(i+d)*lanes:(i+d+rows)*lanes])
			}
			if q == p {
				break
			}
		}
	}
}
