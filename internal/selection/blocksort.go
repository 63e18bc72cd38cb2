package selection

import (
	"math/bits"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
)

// sortsBlocks reports whether lanes of n keys are best sorted for what is asked,
// a block of them together.
func sortsBlocks(w *Want, n int) bool {
	return w.Len() >= blockSortQuantiles && n <= tuning.Default.BlockSortMax
}

// pick sets the answers of the lanes of a sorted block, of which the first is
// given.
func (d *descent[K]) pick(first, lanes int, nan bool) {
	r, full, width := d.result, ranksOf(d.s, d.want, d.n), len(d.nans)
	if nan {
		d.place(full, lanes)
	}
	for q, p := range full.pos {
		at := q*r.Lanes + first
		lo, hi := r.Lo[at:at+lanes], r.Hi[at:at+lanes]
		copy(lo, d.block.Keys[int(p.Lo)*width:])
		copy(hi, d.block.Keys[int(p.Hi)*width:])
		if nan {
			for j, p := range d.pos[q*width:][:lanes] {
				lo[j], hi[j] = d.block.Keys[int(p.Lo)*width+j], d.block.Keys[int(p.Hi)*width+j]
			}
		}
	}
	d.weigh(full, first, lanes, nan)
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
