package cuda

import (
	"slices"

	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/rank"
)

// Lanes of any length are read in passes, a lane by many blocks.

// searchAll searches all lanes by digits.
func (r *orderRun) searchAll() {
	var positions []rank.Position
	var rowOf []uint32
	group := max(1, min(r.l.count, r.d.limits.scratch/(2*r.q*(8<<digitBits)), 1<<16-1))
	if group < r.l.count && r.l.inner != 1 { // whose lanes are no rows that a part begins with
		r.l = rowsAt(r.gather(r.x, r.task.Reduced), r.l.n, r.l.count)
	}
	for first := 0; first < r.l.count && r.err == nil; first += group {
		count := min(group, r.l.count-first)
		s := r.search(r.l.part(first, count, r.code.size), func(valid int64) rank.Wants {
			var w rank.Wants
			w.Resolve(r.task.Set, max(valid, 1))
			return w
		})
		s.answer(r, first)
		before := uint32(len(positions) / r.q)
		for _, w := range s.wants {
			positions = append(positions, w.Positions...)
		}
		for _, row := range s.rowOf {
			rowOf = append(rowOf, before+row)
		}
	}
	r.setPositions(positions)
	r.rows = upload(r.call, rowOf)
}

// digitBits is the most bits of a digit.
const digitBits = 11

// digitsOf returns the bits of the digits of keys of so many bytes, from the top.
func digitsOf(size int) []int {
	return map[int][]int{1: {8}, 2: {11, 5}, 4: {11, 11, 10}, 8: {11, 11, 11, 11, 10, 10}}[size]
}

// search is a search for ranks of lanes by the digits of their keys, in as many passes
// as these have.
type search struct {
	l     lanes
	ranks int // of each lane
	keys  cudrv.Ptr

	valid  []int64      // the number of values of each lane, if they are counted
	valids cudrv.Ptr    // the same on the device, or 0
	wants  []rank.Wants // what is wanted of the lanes with some number of values
	rowOf  []uint32     // which of these it is, for each lane
}

// search finds the ranks of each lane that wanted asks for, given how many of its values
// are counted: those that are not NaN where NaNs are skipped, else all.
func (r *orderRun) search(l lanes, wanted func(valid int64) rank.Wants) *search {
	s := &search{l: l}
	if r.floating() {
		s.valids = r.zeroed(8 * l.count)
	}
	var slots, rest, prefixes, counts cudrv.Ptr
	slotCounts := r.alloc(4 * l.count)
	shift := 8 * r.code.size
	most := 0 // prefixes that have been counted, for a lane
	for pass, bits := range digitsOf(r.code.size) {
		shift -= bits
		bins := 1 << bits
		if pass == 0 {
			counts = r.zeroed(8 * bins * l.count)
			r.kernel("radix", "digits", r.chunks(&l, 4*bins), r.digits(&l, shift, bits, 1, true, 0, 0, counts, s.valids)...)
			s.want(r, wanted)
			slots, rest, prefixes, s.keys = r.zeroed(4*s.ranks*l.count), s.upload(r), r.zeroed(s.ranks*r.code.size*l.count), r.alloc(s.ranks*r.code.size*l.count)
			most = 1
		} else {
			if most == 1 {
				most = s.ranks
				counts = r.alloc(8 << digitBits * most * l.count)
			}
			r.fill(counts, 0, 8*bins*most*l.count)
			inShared := 4*bins*most <= 48<<10
			shared := 0
			if inShared {
				shared = 4 * bins * most
			}
			r.kernel("radix", "digits", r.chunks(&l, shared), r.digits(&l, shift, bits, most, inShared, prefixes, slotCounts, counts, 0)...)
		}
		r.run("choose", "choose_"+widthOf(r.dt), grid{blocks: min(l.count, r.d.limits.gridRows), threads: 256}, uint64(l.count), uint64(s.ranks), uint64(most), uint64(bits),
			uint64(counts), uint64(rest), uint64(slots), uint64(s.keys), uint64(prefixes), uint64(slotCounts))
	}
	return s
}

// chunks is a grid of blocks that each take a part of a lane.
func (r *orderRun) chunks(l *lanes, shared int) grid {
	chunk := r.chunk(l)
	return grid{blocks: (l.n + chunk - 1) / chunk, rows: min(l.count, r.d.limits.gridRows), threads: 256, shared: shared}
}

// chunk returns the part of a lane that a block takes: enough to make its counters
// worth while, little enough to keep all processors busy.
func (r *orderRun) chunk(l *lanes) int {
	blocks := 16 * r.d.info.Processors
	return min(max(4096, (l.n*min(l.count, blocks)/blocks+1023)&^1023), 1<<30)
}

// digits are the parameters of a pass.
func (r *orderRun) digits(l *lanes, shift, bits, slots int, inShared bool, prefixes, slotCounts, counts, valids cudrv.Ptr) []uint64 {
	shared := uint64(0)
	if inShared {
		shared = 1
	}
	return l.args(r.code.word, uint64(r.chunk(l)), uint64(shift), uint64(bits), uint64(slots), shared, uint64(prefixes), uint64(slotCounts), uint64(counts), uint64(valids))
}

// want decides which ranks are wanted of each lane.
func (s *search) want(r *orderRun, wanted func(valid int64) rank.Wants) {
	s.rowOf = make([]uint32, s.l.count)
	if !r.task.SkipNaN {
		s.wants = []rank.Wants{wanted(int64(s.l.n))}
	} else {
		s.valid = download[int64](r.call, s.valids, s.l.count)
		rows := map[int64]uint32{}
		for lane, valid := range s.valid {
			row, ok := rows[valid]
			if !ok {
				row = uint32(len(s.wants))
				rows[valid] = row
				s.wants = append(s.wants, wanted(valid))
			}
			s.rowOf[lane] = row
		}
	}
	for _, w := range s.wants {
		s.ranks = max(s.ranks, len(w.Ranks))
	}
}

// upload uploads the ranks of every lane; where there are fewer than of others the last
// one is repeated.
func (s *search) upload(r *orderRun) cudrv.Ptr {
	list := make([]int64, 0, s.ranks*s.l.count)
	for _, row := range s.rowOf {
		ranks := s.wants[row].Ranks
		list = append(list, ranks...)
		list = append(list, slices.Repeat(ranks[len(ranks)-1:], s.ranks-len(ranks))...)
	}
	return upload(r.call, list)
}

// answer writes the keys of the outputs of r's lanes from the first on.
func (s *search) answer(r *orderRun, first int) {
	var places []uint32
	for _, w := range s.wants {
		for q := range r.q {
			places = append(places, uint32(w.Lo[q]), uint32(w.Hi[q]))
		}
	}
	n := s.l.count * r.q
	// Outputs of a quantile lie together, those of some lanes do not.
	lo, hi := r.lo, r.hi
	whole := s.l.count == r.l.count
	if !whole {
		lo = r.alloc(n * r.code.size)
		if r.keep {
			hi = r.alloc(n * r.code.size)
		}
	}
	r.run("choose", "answer_"+widthOf(r.dt), each(n, 256), uint64(s.l.count), uint64(s.l.n), uint64(s.ranks), uint64(r.q), uint64(answer(r.task.SkipNaN)),
		uint64(s.keys), uint64(upload(r.call, places)), uint64(upload(r.call, s.rowOf)), uint64(s.valids), uint64(lo), uint64(hi))
	if whole {
		return
	}
	size := r.code.size
	for q := range r.q {
		at, from := cudrv.Ptr((q*r.l.count+first)*size), cudrv.Ptr(q*s.l.count*size)
		r.copy(r.lo+at, lo+from, s.l.count*size)
		if hi != 0 {
			r.copy(r.hi+at, hi+from, s.l.count*size)
		}
	}
}

// copy enqueues a copy.
func (c *call) copy(to, from cudrv.Ptr, bytes int) {
	if c.err == nil {
		c.err = c.s.Copy(to, from, bytes)
	}
}
