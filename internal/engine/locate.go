package engine

import (
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/tuning"
)

// locateRun finds the indices of values that have been selected. Among equal
// elements position decides: the value of rank k with b smaller elements is
// the one numbered k-b of its equals. So an index costs two looks at the lane,
// and selection carries no positions.
type locateRun[K kernel.Key] struct {
	run   *orderRun[K]
	lanes lane.Lanes // in the order that indices count
	width int        // lanes a task

	long longSearch[K]
}

// all computes all indices.
func (f *locateRun[K]) all() error {
	e := f.run.e
	f.lanes.Init(e.x, e.plan.order.reduced, true)
	l := &f.lanes
	size := int(unsafe.Sizeof(K(0)))
	f.width = selection.PackedLanes(l.N, size, l.SideBySide())
	if l.N >= (tuning.Default.BigBytes+f.width*size-1)/(f.width*size) {
		return f.long.all()
	}
	f.width = max(f.width, min(l.Count, tuning.Default.TaskElements/l.N))
	e.Memory = f.width * l.N * size
	return e.Run(f, (l.Count+f.width-1)/f.width, l.N*l.Count)
}

// task finds the indices of a block of lanes.
func (f *locateRun[K]) Task(number int, s *crew.Scratch) {
	l := &f.lanes
	first := number * f.width
	end := min(first+f.width, l.Count)
	if f.inRows() {
		for first < end {
			count := l.Neighbours(first, min(end-first, locateLanes))
			f.rows(first, count, s)
			first += count
		}
		return
	}
	keys := crew.Alloc[K](s, (end-first)*l.N)
	nan := encodeLanes(keys, l, first, 0, l.N, f.run.coding.Encoding)
	for j := range end - first {
		f.find(first+j, keys[j*l.N:][:l.N], nan > 0)
	}
}

// find finds the indices of a lane from all its keys.
func (f *locateRun[K]) find(at int, keys []K, mayHaveNaN bool) {
	want := &f.run.e.plan.order.want
	valid := len(keys)
	if mayHaveNaN {
		_, dropped := kernel.CountBelow(keys, kernel.MaxKey[K]())
		valid -= dropped
	}
	for q := range want.Len() {
		v, isNaN := f.value(q, at)
		if isNaN {
			// All of the lane are NaN, it is empty, or one NaN makes it so.
			first := -1
			if !f.run.e.plan.order.skipNaN {
				first, _ = kernel.IndexOf(keys, v, 0)
			}
			f.set(q, at, first)
			continue
		}
		below, _ := kernel.CountBelow(keys, v)
		index, _ := kernel.IndexOf(keys, v, int(want.RankOf(q, valid))-below)
		f.set(q, at, index)
	}
}

// value returns the key of the value of quantile q in a lane.
func (f *locateRun[K]) value(q, at int) (key K, isNaN bool) {
	values := nd.Slice[K](&f.run.e.value.array)
	enc := f.run.coding.Encoding
	one := [1]K{values[q*f.lanes.Count+at]}
	nan := kernel.Encode(one[:], one[:], enc)
	return one[0], nan > 0
}

// set stores an index.
func (f *locateRun[K]) set(q, at, index int) {
	nd.Slice[int64](&f.run.e.index.array)[q*f.lanes.Count+at] = int64(index)
}

// longSearch finds indices in lanes that are too long to pack. As a phase it
// counts, chunk by chunk, the keys below and equal to the values of some
// quantiles, for each of a group of lanes, which are read in the order of memory.
type longSearch[K kernel.Key] struct {
	of           *locateRun[K]
	first, count int     // the lanes of the group
	chunk        int     // elements of a lane in one task
	chunks       int     // of a lane
	from, to     int     // the quantiles
	keys         []K     // their values, lane after lane
	below, equal []int64 // a chunk each, key after key
	nan          []int64 // a chunk each, lane after lane
}

// all computes the indices, group by group, and as many quantiles in one pass
// as there is room for counts.
func (g *longSearch[K]) all() error {
	f := g.of
	l := &f.lanes
	quantiles := f.run.e.plan.order.want.Len()
	for g.first = 0; g.first < l.Count; g.first += g.count {
		g.count = l.Group(g.first)
		g.chunk = max(tuning.Default.ChunkBytes/(int(unsafe.Sizeof(K(0)))*g.count), 64)
		g.chunks = (l.N + g.chunk - 1) / g.chunk
		counts := g.count * g.chunks
		batch := min(max(tuning.Default.LocateCounts/counts, 1), quantiles)
		g.keys = resize(g.keys, batch*g.count)
		g.below, g.equal = resize(g.below, batch*counts), resize(g.equal, batch*counts)
		g.nan = resize(g.nan, counts)
		for g.from = 0; g.from < quantiles; g.from = g.to {
			g.to = min(g.from+batch, quantiles)
			if err := g.batch(); err != nil {
				return err
			}
		}
	}
	return nil
}

// resize returns a slice of n elements of any values, s if it has room.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// batch computes the indices of some quantiles in a group of lanes.
func (g *longSearch[K]) batch() error {
	f := g.of
	order := &f.run.e.plan.order
	for q := g.from; q < g.to; q++ {
		for j := range g.count {
			g.keys[g.number(q, j)], _ = f.value(q, g.first+j)
		}
	}
	if err := f.run.e.Run(g, g.chunks, f.lanes.N*g.count); err != nil {
		return err
	}
	for q := g.from; q < g.to; q++ {
		for j := range g.count {
			at, i := g.first+j, g.number(q, j)
			_, isNaN := f.value(q, at)
			switch {
			case !isNaN:
				valid := f.lanes.N - int(g.total(g.nan, j))
				f.set(q, at, g.index(i, order.want.RankOf(q, valid)-g.total(g.below, i)))
			case order.skipNaN:
				f.set(q, at, -1)
			default:
				f.set(q, at, g.index(i, 0))
			}
		}
	}
	return nil
}

// number returns the number of the key of a quantile in a lane of the group.
func (g *longSearch[K]) number(q, j int) int { return (q-g.from)*g.count + j }

// total returns the sum of the counts of the chunks for one key, or one lane.
func (g *longSearch[K]) total(counts []int64, number int) (n int64) {
	for _, c := range counts[number*g.chunks:][:g.chunks] {
		n += c
	}
	return n
}

// task counts a chunk of each lane of the group.
func (g *longSearch[K]) Task(number int, s *crew.Scratch) {
	for j := range g.count {
		for q := g.from; q < g.to; q++ {
			at := g.number(q, j)*g.chunks + number
			g.below[at], g.equal[at] = 0, 0
		}
		nans := int64(0)
		g.blocks(j, number, s, func(keys []K, nan, _ int) bool {
			nans += int64(nan)
			for q := g.from; q < g.to; q++ {
				i := g.number(q, j)
				below, equal := kernel.CountBelow(keys, g.keys[i])
				at := i*g.chunks + number
				g.below[at] += int64(below)
				g.equal[at] += int64(equal)
			}
			return true
		})
		g.nan[j*g.chunks+number] = nans
	}
}

// index returns the position of the nth element, in its lane, that has the key
// of the given number.
func (g *longSearch[K]) index(number int, nth int64) int {
	equal := g.equal[number*g.chunks:][:g.chunks]
	chunk := 0
	for ; nth >= equal[chunk]; chunk++ {
		nth -= equal[chunk]
	}
	key := g.keys[number]
	s := crew.Borrow()
	defer s.Return()
	left, found := int(nth), -1
	g.blocks(number%g.count, chunk, s, func(keys []K, _, first int) bool {
		at, equal := kernel.IndexOf(keys, key, left)
		if at >= 0 {
			found = first + at
		}
		left -= equal
		return at < 0
	})
	return found
}

// blocks calls fn for the keys of a chunk of a lane, in order, with how many are NaN
// and the position of the first, until it returns false.
func (g *longSearch[K]) blocks(j, number int, s *crew.Scratch, fn func(keys []K, nan, first int) bool) {
	l := &g.of.lanes
	mark := s.Mark()
	block := crew.Alloc[K](s, selection.BlockMax)
	end := min((number+1)*g.chunk, l.N)
	for from := number * g.chunk; from < end; from += selection.BlockMax {
		keys := block[:min(selection.BlockMax, end-from)]
		nan := encodeLanes(keys, l, g.first+j, from, from+len(keys), g.of.run.coding.Encoding)
		if !fn(keys, nan, from) {
			break
		}
	}
	s.Release(mark)
}
