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
	keys   []K   // blocks of n rows
	row    []K   // a row of all blocks
	valid  []int // of each lane of a block, the keys that are not NaN
	ranks  []K
	lo, hi []K
}

// byDescent selects in medium lanes: they are laid out in blocks, a row of
// which is a vector, and all lanes of a block are searched together.
func byDescent[K kernel.Key](w *Want, c Coding[K], t kernel.Tile, r *Result[K], s *Scratch) {
	n, size, lanes := t.N, int(unsafe.Sizeof(K(0))), kernel.BlockLanes[K]()
	width := max(packBytes/(n*kernel.BlockBytes), 1) * lanes
	width = min(width, (t.Lanes+lanes-1)/lanes*lanes)
	d := descent[K]{
		want: w, result: r, s: s, n: n, float: c.Code == kernel.Float,
		keys: Alloc[K](s, n*width), row: Alloc[K](s, width), valid: Alloc[int](s, lanes),
		ranks: Alloc[K](s, lanes), lo: Alloc[K](s, lanes), hi: Alloc[K](s, lanes),
	}
	for first := 0; first < t.Lanes; first += width {
		part := t
		part.Base = unsafe.Add(t.Base, first*t.LaneStride*size)
		part.Lanes = min(width, t.Lanes-first)
		nan := d.pack(part, c.Encoding)
		for at := 0; at < part.Lanes; at += lanes {
			d.search(d.keys[at*n:][:n*lanes], first+at, min(lanes, part.Lanes-at), nan > 0)
		}
	}
}

// pack writes the keys of a tile in blocks and returns how many are NaN.
func (d *descent[K]) pack(t kernel.Tile, e kernel.Encoding[K]) (nan int) {
	size, lanes := int(unsafe.Sizeof(K(0))), kernel.BlockLanes[K]()
	base := unsafe.Pointer(unsafe.SliceData(d.keys))
	if max(t.LaneStride, -t.LaneStride) > max(t.Stride, -t.Stride) {
		for j := 0; j < t.Lanes; j += lanes {
			block := t
			block.Base = unsafe.Add(t.Base, j*t.LaneStride*size)
			block.Lanes = min(lanes, t.Lanes-j)
			nan += kernel.EncodeTile(d.keys[j*d.n:], lanes, 1, block, e)
		}
		return nan
	}
	row := unsafe.Pointer(unsafe.SliceData(d.row))
	for i := range d.n {
		nan += kernel.EncodeStrided(row, 1, unsafe.Add(t.Base, i*t.Stride*size), t.LaneStride, t.Lanes, e)
		for j := 0; j < t.Lanes; j += lanes {
			to := unsafe.Add(base, (j*d.n+i*lanes)*size)
			*(*[kernel.BlockBytes]byte)(to) = *(*[kernel.BlockBytes]byte)(unsafe.Add(row, j*size))
		}
	}
	return nan
}

// search sets the answers of the lanes of a block, of which the first is given.
func (d *descent[K]) search(block []K, first, lanes int, mayHaveNaN bool) {
	r := d.result
	for j := range d.valid {
		d.valid[j] = d.n
	}
	if mayHaveNaN {
		for i := 0; i < len(block); i += len(d.valid) {
			for j, k := range block[i : i+len(d.valid)] {
				if k == kernel.MaxKey[K]() {
					d.valid[j]--
				}
			}
		}
	}
	for q := range d.want.Len() {
		clear(d.ranks)
		for j := range lanes {
			if valid := d.valid[j]; valid == d.n || d.want.skip && valid > 0 {
				p := d.s.ranksOf(d.want, valid).pos[q]
				d.ranks[j] = K(p.Lo)
			}
		}
		kernel.Descend(block, d.n, d.ranks, d.float, d.lo, d.hi)
		for j := range lanes {
			at := q*r.Lanes + first + j
			r.Lo[at], r.Hi[at] = d.lo[j], d.lo[j]
			if valid := d.valid[j]; valid == d.n || d.want.skip && valid > 0 {
				if p := d.s.ranksOf(d.want, valid).pos[q]; p.Hi != p.Lo {
					r.Hi[at] = d.hi[j]
				}
			}
		}
	}
	for j := range lanes {
		if valid := d.valid[j]; valid == d.n || d.want.skip && valid > 0 {
			r.weigh(d.s.ranksOf(d.want, valid), first+j, first+j+1)
		} else {
			r.fillNaN(first+j, first+j+1)
		}
	}
}
