package cuda

import (
	"math"
	"math/rand/v2"

	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/rank"
)

const (
	// bracketSigmas is how far from a sample's quantile the wanted one is looked for, in
	// standard deviations of its rank.
	bracketSigmas = 6
	// bracketChunk is the part of a lane that a block takes: what it collects of it, less
	// than 1 %, has room in its shared memory.
	bracketChunk = 1 << 16
)

// bracketed reports whether lanes are few and long enough for it: one quantile, keys of
// at least 32 bits.
func (r *orderRun) bracketed() bool {
	return r.q == 1 && r.code.size >= 4 && r.l.count <= r.d.limits.bracketLanes && r.l.n >= r.d.limits.bracketFrom
}

// bracketAll brackets the only quantile of all lanes, and reports whether that went well.
func (r *orderRun) bracketAll() bool {
	positions, rows := make([]rank.Position, r.l.count), make([]uint32, r.l.count)
	for i := range positions {
		p, ok := r.bracket(i)
		if !ok {
			return false
		}
		positions[i], rows[i] = p, uint32(i)
	}
	r.setPositions(positions)
	r.rows = upload(r.call, rows)
	return true
}

// bracket selects in lane number i: a sample says between which two keys the quantile
// lies, and a pass counts the keys below and collects those inside. The counts are exact
// and tell where the sample misled, which is false: the lane is searched by digits then.
// It returns the position of the quantile among the lane's values.
func (r *orderRun) bracket(i int) (rank.Position, bool) {
	l := r.l
	l.base += cudrv.Ptr((i/l.inner*l.outer + i%l.inner*l.near) * r.code.size)
	l.count, l.inner, l.outer, l.near = 1, 1, 0, 0
	low, high := r.bounds(&l)
	room := max(l.n/8, 1<<12)
	found, inside := r.zeroed(5*8), r.alloc(room*r.code.size)
	r.kernel("bracket", "bracket", grid{blocks: (l.n + bracketChunk - 1) / bracketChunk, threads: 256},
		l.args(r.code.word, bracketChunk, uint64(r.key(low)), uint64(r.key(high)), uint64(room), uint64(found), uint64(inside))...)
	counts := download[int64](r.call, found, 5)
	less, atLow, atHigh, nan, between := counts[0], counts[1], counts[2], counts[3], counts[4]
	valid := int64(l.n) - nan
	if r.err != nil || between > int64(room) {
		return rank.Position{}, false
	}
	if nan > 0 && !r.task.SkipNaN || valid == 0 {
		r.put(i, r.code.top(), r.code.top())
		return rank.Position{}, true
	}
	p := r.task.Set.Position(0, valid)
	wanted := [2]int64{p.Lo - less, p.Hi - less}
	if wanted[0] < 0 || wanted[1] >= atLow+between+atHigh {
		return p, false
	}
	var ranks []int64 // of those inside
	for _, w := range wanted {
		ranks = append(ranks, min(max(w-atLow, 0), max(between-1, 0)))
	}
	keys := []uint64{0, 0}
	if between > 0 {
		keys = r.download(r.search(rowsAt(inside, int(between), 1), func(int64) rank.Wants { return rank.Wants{Ranks: ranks} }).keys, 2)
	}
	for j, w := range wanted {
		switch {
		case w < atLow:
			keys[j] = low
		case w >= atLow+between:
			keys[j] = high
		}
	}
	r.put(i, keys[0], keys[1])
	return p, true
}

// bounds returns two keys between which a sample of the lane says that the quantile
// lies.
func (r *orderRun) bounds(l *lanes) (low, high uint64) {
	size := min(max(l.n/64, 1<<12), 1<<20)
	sample := r.alloc(size * r.code.size)
	r.run("choose", "sample_"+widthOf(r.dt), each(size, 256), l.args(uint64(size), seed, uint64(sample))...)
	var first, last, count int64
	s := r.search(rowsAt(sample, size, 1), func(valid int64) rank.Wants {
		count = max(valid, 1)
		p := r.task.Set.Position(0, count)
		share := (float64(p.Lo) + 0.5) / float64(count)
		margin := int64(math.Ceil(bracketSigmas*math.Sqrt(float64(count)*share*(1-share)))) + 2
		first, last = p.Lo-margin, p.Hi+margin
		return rank.Wants{Ranks: []int64{max(first, 0), min(last, count-1)}}
	})
	keys := r.download(s.keys, 2)
	low, high = keys[0], keys[1]
	if first < 0 {
		low = 0
	}
	if last >= count {
		high = r.code.top()
	}
	return low, high
}

// seed decides where samples are taken, in every process elsewhere, so that no data can
// be made for it. No answer depends on it.
var seed = rand.Uint64()

// top is the largest key.
func (c code) top() uint64 { return math.MaxUint64 >> (64 - 8*c.size) }

// key uploads a key.
func (r *orderRun) key(k uint64) cudrv.Ptr { return upload(r.call, raw([]uint64{k})[:r.code.size]) }

// download returns n keys.
func (r *orderRun) download(p cudrv.Ptr, n int) []uint64 {
	list := make([]uint64, n)
	switch r.code.size {
	case 1:
		spread(list, download[uint8](r.call, p, n))
	case 2:
		spread(list, download[uint16](r.call, p, n))
	case 4:
		spread(list, download[uint32](r.call, p, n))
	default:
		return download[uint64](r.call, p, n)
	}
	return list
}

// put writes the keys of the only quantile of lane i.
func (r *orderRun) put(i int, lo, hi uint64) {
	for _, k := range [2]struct {
		to  cudrv.Ptr
		key uint64
	}{{r.lo, lo}, {r.hi, hi}} {
		if r.err == nil && k.to != 0 {
			r.err = r.s.Upload(k.to+cudrv.Ptr(i*r.code.size), raw([]uint64{k.key})[:r.code.size])
		}
	}
}
