package selection

import (
	"math"
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
)

// squeezing finds the answers of a block of rows: what lies between two keys of
// a sample of each row, on both sides of the answer, is collected, and only
// that is laid out in a block and searched. A row whose answer is not there is
// partitioned.
type squeezing[K kernel.Key] struct {
	descent[K]
	pitch  int // keys from what is kept of a row to the next
	kept   []K
	sample []K
	failed []bool

	length []int // of each row, the keys left
	below  []int // and how many were dropped below them
	from   []K   // bounds
	to     []K
}

// squeezing returns the state for rows of n elements.
func (d descent[K]) squeezing() squeezing[K] {
	lanes := len(d.nans)
	pitch := (d.n+lanes-1)/lanes*lanes + lanes
	return squeezing[K]{
		descent: d, pitch: pitch,
		kept: Alloc[K](d.s, lanes*pitch), sample: Alloc[K](d.s, lanes*squeezeSampleLong),
		failed: Alloc[bool](d.s, lanes),
		length: Alloc[int](d.s, lanes), below: Alloc[int](d.s, lanes),
		from: Alloc[K](d.s, lanes), to: Alloc[K](d.s, lanes),
	}
}

// squeeze selects in the rows of a tile.
func (d descent[K]) squeeze(t kernel.Tile) {
	sq := d.squeezing()
	lanes := len(d.nans)
	for first := 0; first < t.Lanes; first += lanes {
		block := t
		block.Base = sq.row(t, first)
		block.Lanes = min(lanes, t.Lanes-first)
		sq.block(block, first)
	}
}

// block sets the answers of a block of rows, of which the first is given.
func (sq *squeezing[K]) block(t kernel.Tile, first int) {
	full := sq.s.ranksOf(sq.want, sq.n)
	clear(sq.failed)
	for q := range full.pos {
		sq.quantile(t, first, q, full)
	}
	nan := false
	for j := range t.Lanes {
		nan = nan || sq.nans[j] > 0
	}
	sq.weigh(full, first, t.Lanes, nan)
	for j := range t.Lanes {
		if sq.failed[j] {
			row := unsafe.Slice((*K)(sq.row(t, j)), sq.n)
			keys := sq.kept[:sq.n]
			sq.nans[j] = K(kernel.Encode(keys, row, sq.e))
			selectLane(sq.want, keys, sq.n-int(sq.nans[j]), first+j, sq.result, sq.s)
		}
	}
}

// row returns the address of a row of the tile.
func (sq *squeezing[K]) row(t kernel.Tile, lane int) unsafe.Pointer {
	return unsafe.Add(t.Base, lane*t.LaneStride*int(unsafe.Sizeof(K(0))))
}

// quantile sets the answers to one quantile.
func (sq *squeezing[K]) quantile(t kernel.Tile, first, q int, full *ranks) {
	lanes, r := len(sq.nans), sq.result
	pos := sq.pos[q*lanes:][:lanes]
	for j := range pos {
		pos[j], sq.length[j], sq.below[j], sq.nans[j] = full.pos[q], sq.n, 0, 0
	}
	longest := sq.n
	for round := 0; round < squeezeRounds && longest >= Thresholds.SqueezeMin; round++ {
		sq.draw(t, round)
		sq.bracket(q, round == 0)
		longest = 0
		for j := range t.Lanes {
			if sq.length[j] < len(sq.sample)/lanes {
				longest = max(longest, sq.length[j])
				continue // not sampled
			}
			kept := sq.kept[j*sq.pitch:][:sq.length[j]]
			src, e := kept, kernel.Encoding[K]{}
			if round == 0 {
				src, e = unsafe.Slice((*K)(sq.row(t, j)), sq.n), sq.e
			}
			c := kernel.Narrow(kept, src, e, sq.from[j], sq.to[j])
			if c.NaN > 0 {
				sq.nans[j] = K(c.NaN)
				if !sq.searched(j) {
					sq.length[j] = 0
					continue
				}
				pos[j] = sq.want.set.Position(q, int64(sq.n-c.NaN))
			}
			sq.below[j] += c.Below
			sq.length[j] = c.Inside
			if int(pos[j].Lo) < sq.below[j] || int(pos[j].Hi) >= sq.below[j]+c.Inside {
				sq.failed[j], sq.length[j] = true, 0
				continue
			}
			if sq.from[j] == sq.to[j] {
				at := q*r.Lanes + first + j
				r.Lo[at], r.Hi[at] = sq.from[j], sq.from[j]
				sq.length[j] = 0
			}
			longest = max(longest, sq.length[j])
		}
	}
	if longest == 0 {
		return
	}
	for j := range lanes {
		sq.ranks[j] = 0
		if j >= t.Lanes || sq.length[j] == 0 {
			continue
		}
		sq.ranks[j] = K(int(pos[j].Lo) - sq.below[j])
		rest := sq.kept[j*sq.pitch:][sq.length[j]:longest]
		for i := range rest {
			rest[i] = kernel.MaxKey[K]()
		}
	}
	kept := kernel.Tile{Base: unsafe.Pointer(unsafe.SliceData(sq.kept)), N: longest, Stride: 1, Lanes: lanes, LaneStride: sq.pitch}
	mark := sq.s.Mark()
	keys := Alloc[K](sq.s, longest*lanes)
	kernel.Pack(keys, kept, kernel.Encoding[K]{}, 0, sq.lo)
	kernel.Descend(keys, longest, sq.ranks, sq.e.Code == kernel.Float, sq.lo, sq.hi)
	for j := range t.Lanes {
		if sq.length[j] == 0 {
			continue
		}
		at := q*r.Lanes + first + j
		r.Lo[at], r.Hi[at] = sq.lo[j], sq.lo[j]
		if pos[j].Hi != pos[j].Lo {
			r.Hi[at] = sq.hi[j]
		}
	}
	sq.s.Release(mark)
}

// draw samples what is left of each row, groups of adjacent keys from equal
// parts, at a place in each that follows no pattern.
func (sq *squeezing[K]) draw(t kernel.Tile, round int) {
	lanes, size := len(sq.nans), int(unsafe.Sizeof(K(0)))
	sq.sample = sq.sample[:lanes*squeezeSample]
	if round == 0 && sq.n >= squeezeLong {
		sq.sample = sq.sample[:lanes*squeezeSampleLong]
	}
	groups := len(sq.sample) / (lanes * squeezeGroup)
	for j := range lanes {
		row := unsafe.Pointer(&sq.kept[j*sq.pitch])
		length := sq.length[j]
		if round == 0 {
			row = sq.row(t, min(j, t.Lanes-1))
		}
		if length < squeezeGroup*groups {
			continue // too few to sample
		}
		part := (length - squeezeGroup) << 16 / groups
		seed := uint32(1)
		to := unsafe.Pointer(&sq.sample[j])
		for i := range groups {
			seed = seed*1664525 + 1013904223
			at := (i*part + int(uint64(part)*uint64(seed>>8)>>24)) >> 16
			group := *(*[squeezeGroup]K)(unsafe.Add(row, at*size))
			for _, k := range group {
				*(*K)(to) = k
				to = unsafe.Add(to, lanes*size)
			}
		}
	}
}

// bracket sets the bounds from … to of what is kept of each row: keys of the
// sample two and a half standard deviations from the place of the answer. A row
// of which the sample holds few values is kept whole.
func (sq *squeezing[K]) bracket(q int, elements bool) {
	lanes := len(sq.nans)
	m := len(sq.sample) / lanes
	nan := elements && kernel.Encode(sq.sample, sq.sample, sq.e) > 0
	for j := range lanes {
		if sq.length[j] == 0 {
			sq.from[j], sq.to[j], sq.ranks[j] = -1, -1, 0
			continue
		}
		valid := m
		if nan {
			for i := j; i < len(sq.sample); i += lanes {
				if sq.sample[i] == kernel.MaxKey[K]() {
					valid--
				}
			}
		}
		p := (float64(int(sq.pos[q*lanes+j].Lo)-sq.below[j]) + 0.5) / float64(max(sq.length[j], 1))
		middle := p * float64(valid)
		slack := 2.5*math.Sqrt(middle*(1-p)) + 1.5
		sq.from[j], sq.to[j] = K(middle-slack), K(middle+slack)+1
		sq.ranks[j] = max(sq.from[j], 0)
		if middle < slack {
			sq.from[j] = -1
		}
		if int(sq.to[j]) >= valid {
			sq.to[j] = -1
		}
	}
	float := sq.e.Code == kernel.Float
	kernel.Descend(sq.sample, m, sq.ranks, float, sq.lo, sq.hi)
	for j := range lanes {
		sq.ranks[j] = max(sq.to[j], 0)
		if sq.from[j] < 0 {
			sq.lo[j] = kernel.MinKey[K]()
		}
	}
	copy(sq.from, sq.lo)
	kernel.Descend(sq.sample, m, sq.ranks, float, sq.lo, sq.hi)
	for j, to := range sq.to {
		if sq.to[j] = sq.lo[j]; to < 0 {
			sq.to[j] = kernel.MaxKey[K]()
		}
	}
}
