package selection

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// descends reports whether so many lanes of n keys are best searched, or sorted,
// together.
func descends[K kernel.Key](w *Want, n, lanes int) bool {
	searched := n <= tuning.Default.SearchMax && int(K(n)) == n && // a rank must fit a key
		w.Len() <= tuning.Default.SearchQuantiles
	return (searched || sortsBlocks(w, n)) && 2*lanes >= kernel.BlockLanes[K]() && kernel.Searches()
}

// descent is the state of byDescent: a block of lanes and what is asked of it.
type descent[K kernel.Key] struct {
	want   *Want
	result *Result[K]
	s      *crew.Scratch
	e      kernel.Encoding[K]
	n      int
	block  kernel.Block[K]
	nans   []K // of each of its lanes, the keys that are NaN's
	ranks  []K
	lo, hi []K
	pos    []rank.Position // of each quantile in each lane, if some have NaNs
}

// byDescent selects in medium lanes: they are laid out in blocks, a row of
// which is a vector, and all lanes of a block are searched, or sorted, together.
func byDescent[K kernel.Key](w *Want, c Coding[K], t kernel.Tile, r *Result[K], s *crew.Scratch) {
	n, size, lanes := t.N, int(unsafe.Sizeof(K(0))), kernel.BlockLanes[K]()
	d := descent[K]{
		want: w, result: r, s: s, e: c.Encoding, n: n,
		nans:  crew.Alloc[K](s, lanes),
		ranks: crew.Alloc[K](s, lanes), lo: crew.Alloc[K](s, lanes), hi: crew.Alloc[K](s, lanes),
		pos: crew.Alloc[rank.Position](s, w.Len()*lanes),
	}
	sorted := sortsBlocks(w, n)
	if !sorted && t.Stride == 1 && squeezes[K](n) {
		d.squeeze(t)
		return
	}
	d.block = kernel.Block[K]{Keys: crew.Alloc[K](s, n*lanes), N: n, Float: c.Code == kernel.Float}
	if !sorted {
		d.block.Memory = crew.Alloc[K](s, kernel.SearchMemory[K](n))
	}
	// The next block is wanted soon. Where that is as many lines as a block has
	// rows, a search in cells fetches it, which takes longer than packing and looks
	// at nothing else that is far.
	ahead, step := lanes*t.LaneStride*size, kernel.BlockBytes
	packing := ahead
	if t.LaneStride == 1 {
		step, packing = t.Stride*size, columnsAhead*kernel.BlockBytes
	}
	searching := !sorted && kernel.SearchesInCells[K]() && (t.LaneStride == 1 || t.LaneStride == n)
	if searching {
		packing = 0
	}
	for first := 0; first < t.Lanes; first += lanes {
		block := t
		block.Base = unsafe.Add(t.Base, first*t.LaneStride*size)
		block.Lanes = min(lanes, t.Lanes-first)
		nan := kernel.Pack(d.block.Keys, block, c.Encoding, packing, d.nans)
		if sorted {
			sortBlock(d.block.Keys, n, lanes)
			d.pick(first, block.Lanes, nan)
		} else {
			if searching {
				d.block.Prefetch = kernel.Prefetch{At: uintptr(block.Base) + uintptr(ahead), Step: step}
			}
			d.search(first, block.Lanes, nan)
		}
	}
}

// search sets the answers of the lanes of a block, of which the first is given.
func (d *descent[K]) search(first, lanes int, nan bool) {
	r, full := d.result, ranksOf(d.s, d.want, d.n)
	if nan {
		d.place(full, lanes)
	}
	for q, p := range full.pos {
		for j := range d.ranks {
			d.ranks[j] = K(p.Lo)
		}
		if nan {
			for j, p := range d.pos[q*len(d.nans):][:lanes] {
				d.ranks[j] = K(p.Lo)
			}
		}
		kernel.Search(d.block, d.ranks, d.lo, d.hi)
		d.block.Prefetch = kernel.Prefetch{}
		at := q*r.Lanes + first
		lo, hi := r.Lo[at:at+lanes], r.Hi[at:at+lanes]
		copy(lo, d.lo)
		copy(hi, d.hi)
		switch {
		case nan:
			for j, p := range d.pos[q*len(d.nans):][:lanes] {
				if p.Hi == p.Lo {
					hi[j] = lo[j]
				}
			}
		case p.Hi == p.Lo:
			copy(hi, lo)
		}
	}
	d.weigh(full, first, lanes, nan)
}

// place sets the positions of the quantiles in each lane of a block.
func (d *descent[K]) place(full *ranks, lanes int) {
	for j := range lanes {
		for q, p := range full.pos {
			if d.nans[j] > 0 && d.searched(j) {
				p = d.want.set.Position(q, int64(d.n)-int64(d.nans[j]))
			}
			d.pos[q*len(d.nans)+j] = p
		}
	}
}

// weigh sets the weights of the lanes of a block and makes NaN what is.
func (d *descent[K]) weigh(full *ranks, first, lanes int, nan bool) {
	r := d.result
	r.weigh(full, first, first+lanes)
	if !nan {
		return
	}
	for j := range lanes {
		switch {
		case !d.searched(j):
			r.fillNaN(first+j, first+j+1)
		case d.nans[j] > 0:
			for q := range full.pos {
				r.G[q*r.Lanes+first+j] = d.pos[q*len(d.nans)+j].G
			}
		}
	}
}

// searched reports whether a lane has answers other than NaN.
func (d *descent[K]) searched(lane int) bool {
	nan := int(d.nans[lane])
	return nan == 0 || d.want.skip && nan < d.n
}
