package selection

import (
	"math"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// squeezing finds the answers of a block of rows: what lies between two keys of
// a sample of each row, on both sides of the answer, is collected, and the same
// done with that, as long as it pays. What is left is laid out in a block and
// searched. Where the answer is not between the two, the side that it is on is
// collected.
type squeezing[K kernel.Key] struct {
	descent[K]
	pitch   int    // keys from what is kept of a row to the next
	kept    [2][]K // what a round keeps, and what the one before it kept
	drawn   []K
	first   []K // sorted samples of the elements
	sample  []K // and of what is kept
	memory  []K // of the network
	largest []K // some of the largest key

	length []int // of each row, the keys left
	below  []int // and how many were dropped below them
	from   []K   // bounds
	to     []K
}

// squeezes reports whether rows of n elements are best squeezed.
func squeezes[K kernel.Key](n int) bool {
	size := int(unsafe.Sizeof(K(0)))
	fewest := tuning.Default.SqueezeBytes / size
	if kernel.SearchesInCells[K]() {
		fewest = tuning.Default.SqueezeMin
	}
	return size >= 4 && n >= max(fewest, squeezeSample)
}

// squeezing returns the state for rows of n elements.
func (d descent[K]) squeezing() squeezing[K] {
	lanes := len(d.nans)
	pitch := (d.n+lanes-1)/lanes*lanes + lanes
	sq := squeezing[K]{
		descent: d, pitch: pitch,
		kept:  [2][]K{crew.Alloc[K](d.s, lanes*pitch), crew.Alloc[K](d.s, lanes*pitch)},
		drawn: crew.Alloc[K](d.s, lanes*squeezeSample), first: crew.Alloc[K](d.s, lanes*squeezeSample),
		sample: crew.Alloc[K](d.s, lanes*squeezeSample), memory: crew.Alloc[K](d.s, kernel.NetworkMemory[K]()), largest: crew.Alloc[K](d.s, 128),
		length: crew.Alloc[int](d.s, lanes), below: crew.Alloc[int](d.s, lanes),
		from: crew.Alloc[K](d.s, lanes), to: crew.Alloc[K](d.s, lanes),
	}
	clear(sq.drawn)
	for i := range sq.largest {
		sq.largest[i] = kernel.MaxKey[K]()
	}
	return sq
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
	full := ranksOf(sq.s, sq.want, sq.n)
	sq.draw(t)
	sq.sort(sq.first, sq.e)
	for q := range full.pos {
		sq.quantile(t, first, q, full)
	}
	nan := false
	for j := range t.Lanes {
		nan = nan || sq.nans[j] > 0
	}
	sq.weigh(full, first, t.Lanes, nan)
}

// row returns the address of a row of the tile.
func (sq *squeezing[K]) row(t kernel.Tile, lane int) unsafe.Pointer {
	return unsafe.Add(t.Base, lane*t.LaneStride*int(unsafe.Sizeof(K(0))))
}

// quantile sets the answers to one quantile.
func (sq *squeezing[K]) quantile(t kernel.Tile, first, q int, full *ranks) {
	pos := sq.pos[q*len(sq.nans):][:len(sq.nans)]
	for j := range pos {
		pos[j], sq.length[j], sq.below[j], sq.nans[j] = full.pos[q], sq.n, 0, 0
	}
	sq.bracket(pos, sq.first)
	at := q*sq.result.Lanes + first
	for j := range t.Lanes {
		sq.narrow(at+j, j, q, unsafe.Slice((*K)(sq.row(t, j)), sq.n), sq.e)
	}
	last, longest := sq.n, sq.longest(t)
	for longest >= max(tuning.Default.SqueezeAgain, squeezeSample) && longest <= last-last/4 {
		sq.kept[0], sq.kept[1] = sq.kept[1], sq.kept[0]
		for j := range t.Lanes {
			sq.drawKept(j)
		}
		sq.sort(sq.sample, kernel.Encoding[K]{})
		sq.bracket(pos, sq.sample)
		for j := range t.Lanes {
			if sq.length[j] > 0 {
				sq.narrow(at+j, j, q, sq.kept[1][j*sq.pitch:][:sq.length[j]], kernel.Encoding[K]{})
			}
		}
		last, longest = longest, sq.longest(t)
	}
	if longest > 0 {
		sq.finish(t.Lanes, longest, at, pos)
	}
}

// longest returns the length of the longest row of what is kept.
func (sq *squeezing[K]) longest(t kernel.Tile) int {
	n := 0
	for _, length := range sq.length[:t.Lanes] {
		n = max(n, length)
	}
	return n
}

// narrow keeps the keys of a lane between its bounds, or those on one side of
// them if the answer is there. If the bounds are one key which is the answer,
// nothing is left.
func (sq *squeezing[K]) narrow(at, lane, q int, src []K, e kernel.Encoding[K]) {
	dst := sq.kept[0][lane*sq.pitch:][:len(src)]
	from, to := sq.from[lane], sq.to[lane]
	c := kernel.Collect(dst, src, e, from, to)
	pos := &sq.pos[q*len(sq.nans)+lane]
	if c.NaN > 0 {
		sq.nans[lane] = K(c.NaN)
		if !sq.searched(lane) {
			sq.length[lane] = 0
			return
		}
		*pos = sq.want.set.Position(q, int64(sq.n-c.NaN))
	}
	lo, hi := int(pos.Lo)-sq.below[lane], int(pos.Hi)-sq.below[lane]
	if lo < c.Below || hi >= c.Below+c.Inside {
		switch {
		case hi < c.Below:
			from, to = kernel.MinKey[K](), from-1
		case lo >= c.Below+c.Inside:
			from, to = to+1, kernel.MaxKey[K]()
		case hi < c.Below+c.Inside:
			from = kernel.MinKey[K]()
		case lo >= c.Below:
			to = kernel.MaxKey[K]()
		default:
			from, to = kernel.MinKey[K](), kernel.MaxKey[K]()
		}
		c = kernel.Collect(dst, src, e, from, to)
	}
	sq.below[lane] += c.Below
	sq.length[lane] = c.Inside
	if from == to {
		sq.result.Lo[at], sq.result.Hi[at] = from, from
		sq.length[lane] = 0
	}
}

// finish searches what is left of the rows.
func (sq *squeezing[K]) finish(rows, longest, at int, pos []rank.Position) {
	lanes, r := len(sq.nans), sq.result
	for j := range lanes {
		sq.ranks[j] = 0
		if j >= rows || sq.length[j] == 0 {
			continue
		}
		sq.ranks[j] = K(int(pos[j].Lo) - sq.below[j])
		for at := sq.length[j]; at < longest; {
			at += copy(sq.kept[0][j*sq.pitch:][at:longest], sq.largest)
		}
	}
	kept := kernel.Tile{Base: unsafe.Pointer(unsafe.SliceData(sq.kept[0])), N: longest, Stride: 1, Lanes: lanes, LaneStride: sq.pitch}
	mark := sq.s.Mark()
	keys := crew.Alloc[K](sq.s, longest*lanes)
	kernel.Pack(keys, kept, kernel.Encoding[K]{}, 0, sq.lo)
	memory := crew.Alloc[K](sq.s, kernel.SearchMemory[K](longest))
	block := kernel.Block[K]{Keys: keys, N: longest, Float: sq.e.Code == kernel.Float, Memory: memory}
	kernel.Search(block, sq.ranks, sq.lo, sq.hi)
	for j := range rows {
		if sq.length[j] == 0 {
			continue
		}
		r.Lo[at+j], r.Hi[at+j] = sq.lo[j], sq.lo[j]
		if pos[j].Hi != pos[j].Lo {
			r.Hi[at+j] = sq.hi[j]
		}
	}
	sq.s.Release(mark)
}

// draw samples rows: groups of adjacent elements from equal parts, at a place
// in each that follows no pattern.
func (sq *squeezing[K]) draw(t kernel.Tile) {
	lanes, size := len(sq.nans), int(unsafe.Sizeof(K(0)))
	places := newPlaces(sq.n)
	group := t
	group.N = squeezeGroup
	for i := 0; i < squeezeSample; i += squeezeGroup {
		group.Base = unsafe.Add(t.Base, places.next()*size)
		kernel.Transpose(sq.drawn[i*lanes:], lanes, group)
	}
}

// drawKept samples what is kept of a row.
func (sq *squeezing[K]) drawKept(lane int) {
	lanes, kept := len(sq.nans), sq.kept[1][lane*sq.pitch:][:sq.length[lane]]
	if len(kept) < squeezeSample {
		return // what was drawn before does no harm
	}
	places := newPlaces(len(kept))
	for i := 0; i < squeezeSample; i += squeezeGroup {
		group := kept[places.next():][:squeezeGroup]
		to := sq.drawn[i*lanes+lane:][:(squeezeGroup-1)*lanes+1]
		for g, k := range group {
			to[g*lanes] = k
		}
	}
}

// places are where the groups of a sample of n keys begin.
type places struct {
	at, part int
	seed     uint32
}

func newPlaces(n int) places {
	return places{part: (n - squeezeGroup) << 16 / (squeezeSample / squeezeGroup), seed: 1}
}

// next returns the place of the next group.
func (p *places) next() int {
	p.seed = p.seed*1664525 + 1013904223
	at := (p.at + int(uint64(p.part)*uint64(p.seed)>>32)) >> 16
	p.at += p.part
	return at
}

// sort sorts what was drawn of each row.
func (sq *squeezing[K]) sort(to []K, e kernel.Encoding[K]) {
	lanes := len(sq.nans)
	t := kernel.Tile{Base: unsafe.Pointer(unsafe.SliceData(sq.drawn)), N: squeezeSample, Stride: lanes, Lanes: lanes, LaneStride: 1}
	kernel.Network(sorter(), t, e, kernel.Picked[K]{Lo: to, Hi: to, Stride: lanes}, sq.memory)
}

// bracket sets the bounds from … to of what is kept of each row: keys of its
// sorted sample some standard deviations from the place of the answer. A row
// of which the sample holds few values is kept whole.
func (sq *squeezing[K]) bracket(pos []rank.Position, sample []K) {
	lanes := len(sq.nans)
	for j := range lanes {
		sq.from[j], sq.to[j] = kernel.MinKey[K](), kernel.MaxKey[K]()
		if sq.length[j] < squeezeSample {
			continue
		}
		valid := squeezeSample
		for valid > 0 && sample[(valid-1)*lanes+j] == kernel.MaxKey[K]() {
			valid--
		}
		p := (float64(int(pos[j].Lo)-sq.below[j]) + 0.5) / float64(sq.length[j])
		middle := p * float64(valid)
		slack := squeezeSlack*math.Sqrt(middle*(1-p)) + 0.5
		if middle >= slack {
			sq.from[j] = sample[int(middle-slack)*lanes+j]
		}
		if to := int(middle + slack); to < valid {
			sq.to[j] = sample[to*lanes+j]
		}
		// A value that fills much of the sample is looked at alone.
		for _, at := range [2]int{int(middle) - squeezeHeavy, int(middle)} {
			if at >= 0 && at+squeezeHeavy < valid && sample[at*lanes+j] == sample[(at+squeezeHeavy)*lanes+j] {
				sq.from[j], sq.to[j] = sample[at*lanes+j], sample[at*lanes+j]
			}
		}
	}
}
