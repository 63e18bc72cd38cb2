package selection

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/rank"
)

const (
	// squeezeSigma is how many standard deviations the bounds lie from the place
	// of the answer in the sample: three in ten of the keys are kept, and one row
	// in seven is looked at again. From 1.25 to 2 times of 10 000 float32 differ by
	// a quarter, and are shortest here.
	squeezeSigma = 1.5

	// squeezeHeavy is how many more copies of a value, at the place of the answer
	// in the sample, make it likely to be the answer: rows of 10 000 float32 of
	// two values take 0.46 and of ten 0.7 of the time so, those with Zipf's
	// frequencies 1.3 times as long.
	squeezeHeavy = 4
)

// squeeze finds the answers of a block of rows: what lies between two keys of
// a sample of each row, on both sides of the answer, is collected, and the same
// done with that, as long as it pays. What is left is laid out in a block and
// searched. Where the answer is not between the two, the side that it is on is
// collected.
type squeeze[K kernel.Key] struct {
	search[K]
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

// bySqueeze selects in the rows of a tile.
func bySqueeze[K kernel.Key](w *Want, e kernel.Encoding[K], t kernel.Tile, r *Result[K], s *crew.Scratch) {
	d := newSearch(w, e, t.N, kernel.BlockLanes[K](), r, s)
	lanes := len(d.nans)
	pitch := (d.n+lanes-1)/lanes*lanes + lanes
	keys := func(n int) []K { return crew.Alloc[K](d.s, n) }
	sq := squeeze[K]{
		search: d, pitch: pitch,
		kept:  [2][]K{keys(lanes * pitch), keys(lanes * pitch)},
		drawn: keys(lanes * squeezeSample), first: keys(lanes * squeezeSample), sample: keys(lanes * squeezeSample),
		memory: keys(kernel.NetworkMemory[K]()), largest: keys(128),
		length: crew.Alloc[int](d.s, lanes), below: crew.Alloc[int](d.s, lanes),
		from: keys(lanes), to: keys(lanes),
	}
	clear(sq.drawn)
	for i := range sq.largest {
		sq.largest[i] = kernel.MaxKey[K]()
	}
	for first := 0; first < t.Lanes; first += lanes {
		block := t
		block.Base = sq.row(t, first)
		block.Lanes = min(lanes, t.Lanes-first)
		sq.draw(block)
		sq.sort(sq.first, sq.e)
		for q := range d.full.Positions {
			sq.quantile(block, first, q)
			sq.weigh(q, first, block.Lanes, slices.Max(sq.nans[:block.Lanes]) > 0)
		}
	}
}

// row returns the address of a row of the tile.
func (sq *squeeze[K]) row(t kernel.Tile, lane int) unsafe.Pointer {
	return unsafe.Add(t.Base, lane*t.LaneStride*int(unsafe.Sizeof(K(0))))
}

// quantile sets the answers to one quantile.
func (sq *squeeze[K]) quantile(t kernel.Tile, first, q int) {
	pos := sq.pos
	for j := range pos {
		pos[j], sq.length[j], sq.below[j], sq.nans[j] = sq.full.Positions[q], sq.n, 0, 0
	}
	sq.bound(pos, sq.first)
	at := q*sq.result.Lanes + first
	for j := range t.Lanes {
		sq.collect(at+j, j, q, unsafe.Slice((*K)(sq.row(t, j)), sq.n), sq.e)
	}
	last, longest := sq.n, slices.Max(sq.length[:t.Lanes])
	for longest >= max(sq.want.tuned.SqueezeAgain, squeezeSample) && longest <= last-last/4 {
		sq.kept[0], sq.kept[1] = sq.kept[1], sq.kept[0]
		for j := range t.Lanes {
			sq.drawKept(j)
		}
		sq.sort(sq.sample, kernel.Encoding[K]{})
		sq.bound(pos, sq.sample)
		for j := range t.Lanes {
			if sq.length[j] > 0 {
				sq.collect(at+j, j, q, sq.kept[1][j*sq.pitch:][:sq.length[j]], kernel.Encoding[K]{})
			}
		}
		last, longest = longest, slices.Max(sq.length[:t.Lanes])
	}
	if longest > 0 {
		sq.finish(t.Lanes, longest, at, pos)
	}
}

// collect keeps the keys of a lane between its bounds, or those on one side of
// them if the answer is there. If the bounds are one key which is the answer,
// nothing is left.
func (sq *squeeze[K]) collect(at, lane, q int, src []K, e kernel.Encoding[K]) {
	dst := sq.kept[0][lane*sq.pitch:][:len(src)]
	from, to := sq.from[lane], sq.to[lane]
	c := kernel.Collect(dst, src, e, from, to)
	pos := &sq.pos[lane]
	if c.NaN > 0 {
		sq.nans[lane] = K(c.NaN)
		if !sq.hasValue(lane) {
			sq.length[lane] = 0
			return
		}
		*pos = sq.want.set.Position(q, int64(sq.n-c.NaN))
	}
	below := int64(sq.below[lane])
	low, high := bracket.Beyond(from, to, int64(c.Below), int64(c.Inside), pos.Lo-below, pos.Hi-below)
	if low != from || high != to {
		from, to = low, high
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
func (sq *squeeze[K]) finish(rows, longest, at int, pos []rank.Position) {
	lanes, r := len(sq.nans), sq.result
	for j := range lanes {
		sq.ranks[j] = 0
		if j >= rows || sq.length[j] == 0 {
			continue
		}
		// Within the block, whatever has been written to the row meanwhile.
		sq.ranks[j] = K(min(max(int(pos[j].Lo)-sq.below[j], 0), longest-1))
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

// places returns where the runs of a sample of n keys begin, in runs.
func places(n int) bracket.Positions {
	return bracket.NewPositions(squeezeSample/bracket.SampleRun, n/bracket.SampleRun)
}

// draw samples rows: runs of adjacent elements, at the same places in each.
func (sq *squeeze[K]) draw(t kernel.Tile) {
	lanes, size := len(sq.nans), int(unsafe.Sizeof(K(0)))
	at := places(sq.n)
	run := t
	run.N = bracket.SampleRun
	for i := 0; i < squeezeSample; i += bracket.SampleRun {
		run.Base = unsafe.Add(t.Base, at.Next()*bracket.SampleRun*size)
		kernel.Transpose(sq.drawn[i*lanes:], lanes, run)
	}
}

// drawKept samples what is kept of a row.
func (sq *squeeze[K]) drawKept(lane int) {
	lanes, kept := len(sq.nans), sq.kept[1][lane*sq.pitch:][:sq.length[lane]]
	if len(kept) < squeezeSample {
		return // what was drawn before does no harm
	}
	at := places(len(kept))
	for i := 0; i < squeezeSample; i += bracket.SampleRun {
		run := kept[at.Next()*bracket.SampleRun:][:bracket.SampleRun]
		to := sq.drawn[i*lanes+lane:][:(bracket.SampleRun-1)*lanes+1]
		for j, k := range run {
			to[j*lanes] = k
		}
	}
}

// sorter returns what a network picks from lanes of squeezeSample elements to
// sort them.
var sorter = sync.OnceValue(func() *kernel.Networks {
	var p picks
	p.start(squeezeSample, squeezeSample)
	for q := range squeezeSample {
		for m := 1; m <= squeezeSample; m++ {
			p.set(q, m, q, q)
		}
	}
	return p.finish()
})

// sort sorts what was drawn of each row.
func (sq *squeeze[K]) sort(to []K, e kernel.Encoding[K]) {
	lanes := len(sq.nans)
	t := kernel.Tile{Base: unsafe.Pointer(unsafe.SliceData(sq.drawn)), N: squeezeSample, Stride: lanes, Lanes: lanes, LaneStride: 1}
	kernel.Network(sorter(), t, e, kernel.Picked[K]{Lo: to, Hi: to, Stride: lanes}, sq.memory)
}

// bound sets the bounds from … to of what is kept of each row: keys of its
// sorted sample around the place of the answer. A row of which the sample holds
// few values is kept whole.
func (sq *squeeze[K]) bound(pos []rank.Position, sample []K) {
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
		k, n := pos[j].Lo-int64(sq.below[j]), int64(sq.length[j])
		lo, hi := bracket.Around(k, k, n, valid, squeezeSigma)
		if lo >= 0 {
			sq.from[j] = sample[lo*lanes+j]
		}
		if hi < valid {
			sq.to[j] = sample[hi*lanes+j]
		}
		// A value that fills much of the sample is looked at alone.
		middle := bracket.MulDiv(int(k), valid, int(n))
		for _, at := range [2]int{middle - squeezeHeavy, middle} {
			if at >= 0 && at+squeezeHeavy < valid && sample[at*lanes+j] == sample[(at+squeezeHeavy)*lanes+j] {
				sq.from[j], sq.to[j] = sample[at*lanes+j], sample[at*lanes+j]
			}
		}
	}
}
