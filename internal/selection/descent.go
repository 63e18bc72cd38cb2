package selection

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
)

// DescentMax is the longest lane whose order statistics are found bit by bit,
// in as many lanes at a time as a vector has, where there are vectors. The work
// is the same for all data; up to here a block of lanes stays in the
// second-level cache, and lanes of 10 000 float32 take half the time that
// narrowing each takes (go test -bench OrderStatistics). Results do not depend
// on it; tests lower it.
var DescentMax = 16384

// descentQuantiles is the most quantiles of a descent: each is a search of its
// own, while partitioning serves them all.
const descentQuantiles = 4

// columnsAhead is how many blocks ahead columns are prefetched.
const columnsAhead = 2

// descends reports whether so many lanes of n keys are best searched bit by bit.
func descends[K kernel.Key](w *Want, n, lanes int) bool {
	return n <= DescentMax && int(K(n)) == n && // a rank must fit a key
		w.Len() <= descentQuantiles && 2*lanes >= kernel.BlockLanes[K]() && kernel.Descends()
}

// descent is the state of byDescent: a block of lanes and what is asked of it.
type descent[K kernel.Key] struct {
	want   *Want
	result *Result[K]
	s      *Scratch
	n      int
	float  bool
	keys   []K // a block
	nans   []K // of each of its lanes, the keys that are NaN's
	ranks  []K
	lo, hi []K
}

// byDescent selects in medium lanes: they are laid out in blocks, a row of
// which is a vector, and all lanes of a block are searched together.
func byDescent[K kernel.Key](w *Want, c Coding[K], t kernel.Tile, r *Result[K], s *Scratch) {
	n, size, lanes := t.N, int(unsafe.Sizeof(K(0))), kernel.BlockLanes[K]()
	d := descent[K]{
		want: w, result: r, s: s, n: n, float: c.Code == kernel.Float,
		keys: Alloc[K](s, n*lanes), nans: Alloc[K](s, lanes),
		ranks: Alloc[K](s, lanes), lo: Alloc[K](s, lanes), hi: Alloc[K](s, lanes),
	}
	// Of rows, the next block is wanted soon; of columns, whose blocks share
	// pages, the one after that.
	ahead := lanes * t.LaneStride * size
	if t.LaneStride == 1 {
		ahead = columnsAhead * kernel.BlockBytes
	}
	for first := 0; first < t.Lanes; first += lanes {
		block := t
		block.Base = unsafe.Add(t.Base, first*t.LaneStride*size)
		block.Lanes = min(lanes, t.Lanes-first)
		kernel.Pack(d.keys, block, c.Encoding, ahead, d.nans)
		d.search(d.keys, first, block.Lanes)
	}
}

// search sets the answers of the lanes of a block, of which the first is given.
func (d *descent[K]) search(block []K, first, lanes int) {
	r := d.result
	for q := range d.want.Len() {
		full := K(d.s.ranksOf(d.want, d.n).pos[q].Lo)
		for j := range d.ranks {
			d.ranks[j] = full
			if d.nans[j] > 0 && d.searched(j) {
				d.ranks[j] = K(d.s.ranksOf(d.want, d.n-int(d.nans[j])).pos[q].Lo)
			}
		}
		kernel.Descend(block, d.n, d.ranks, d.float, d.lo, d.hi)
		for j := range lanes {
			at := q*r.Lanes + first + j
			r.Lo[at], r.Hi[at] = d.lo[j], d.lo[j]
			if d.searched(j) {
				if p := d.s.ranksOf(d.want, d.n-int(d.nans[j])).pos[q]; p.Hi != p.Lo {
					r.Hi[at] = d.hi[j]
				}
			}
		}
	}
	for j := range lanes {
		if d.searched(j) {
			r.weigh(d.s.ranksOf(d.want, d.n-int(d.nans[j])), first+j, first+j+1)
		} else {
			r.fillNaN(first+j, first+j+1)
		}
	}
}

// searched reports whether a lane has answers other than NaN.
func (d *descent[K]) searched(lane int) bool {
	nan := int(d.nans[lane])
	return nan == 0 || d.want.skip && nan < d.n
}
