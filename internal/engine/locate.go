package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
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
	if f.width*l.N*size >= Thresholds.BigBytes {
		return f.long.all()
	}
	f.width = max(f.width, min(l.Count, Thresholds.TaskElements/l.N))
	e.memory = f.width * l.N * size
	return e.run(f, (l.Count+f.width-1)/f.width, l.N*l.Count)
}

// task finds the indices of a block of lanes.
func (f *locateRun[K]) task(number int, s *selection.Scratch) {
	l := &f.lanes
	enc := f.run.coding.Encoding
	first := number * f.width
	end := min(first+f.width, l.Count)
	memory := selection.Alloc[K](s, (end-first)*l.N)
	nan := 0
	for first < end {
		count := l.Neighbours(first, end-first)
		keys := memory[:count*l.N]
		if l.Even() {
			nan = kernel.EncodeTile(keys, 1, l.N, l.Tile(first, count, 0, l.N), enc)
		} else {
			l.Gather(unsafe.Pointer(unsafe.SliceData(keys)), first, count, 0, l.N)
			nan = kernel.Encode(keys, keys, enc)
		}
		for j := range count {
			f.find(first+j, keys[j*l.N:][:l.N], nan > 0)
		}
		first += count
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
				first = kernel.IndexOf(keys, v, 0)
			}
			f.set(q, at, first)
			continue
		}
		below, _ := kernel.CountBelow(keys, v)
		f.set(q, at, kernel.IndexOf(keys, v, int(want.RankOf(q, valid))-below))
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
// counts, chunk by chunk, the keys below and equal to one key for each of a
// group of lanes, which are read in the order of memory.
type longSearch[K kernel.Key] struct {
	of           *locateRun[K]
	first, count int     // the lanes of the group
	chunk        int     // elements of a lane in one task
	chunks       int     // of a lane
	keys         []K     // a lane each
	below, equal []int64 // a chunk each, lane after lane
}

// all computes the indices, group by group.
func (g *longSearch[K]) all() error {
	f := g.of
	l := &f.lanes
	for g.first = 0; g.first < l.Count; g.first += g.count {
		g.count = l.Group(g.first)
		g.chunk = max(Thresholds.ChunkBytes/(int(unsafe.Sizeof(K(0)))*g.count), 64)
		g.chunks = (l.N + g.chunk - 1) / g.chunk
		g.keys = make([]K, g.count)
		g.below, g.equal = make([]int64, g.count*g.chunks), make([]int64, g.count*g.chunks)
		if err := g.group(); err != nil {
			return err
		}
	}
	return nil
}

// group computes the indices of a group of lanes.
func (g *longSearch[K]) group() error {
	f := g.of
	order := &f.run.e.plan.order
	dropped := make([]int64, g.count)
	if order.skipNaN {
		if err := g.tally(func(int) K { return kernel.MaxKey[K]() }); err != nil {
			return err
		}
		for j := range dropped {
			_, dropped[j] = g.totals(j)
		}
	}
	for q := range order.want.Len() {
		if err := g.tally(func(j int) K { key, _ := f.value(q, g.first+j); return key }); err != nil {
			return err
		}
		for j := range g.count {
			at := g.first + j
			_, isNaN := f.value(q, at)
			switch {
			case !isNaN:
				below, _ := g.totals(j)
				f.set(q, at, g.index(j, order.want.RankOf(q, f.lanes.N-int(dropped[j]))-below))
			case order.skipNaN:
				f.set(q, at, -1)
			default:
				f.set(q, at, g.index(j, 0))
			}
		}
	}
	return nil
}

// tally counts each lane of the group by its key.
func (g *longSearch[K]) tally(key func(j int) K) error {
	for j := range g.count {
		g.keys[j] = key(j)
	}
	return g.of.run.e.run(g, g.chunks, g.of.lanes.N*g.count)
}

// totals returns how many keys of a lane are below and equal to its key.
func (g *longSearch[K]) totals(j int) (below, equal int64) {
	for c := j * g.chunks; c < (j+1)*g.chunks; c++ {
		below += g.below[c]
		equal += g.equal[c]
	}
	return below, equal
}

// task counts a chunk of each lane of the group.
func (g *longSearch[K]) task(number int, s *selection.Scratch) {
	for j := range g.count {
		var below, equal int
		g.blocks(j, number, s, func(keys []K, _ int) bool {
			b, e := kernel.CountBelow(keys, g.keys[j])
			below, equal = below+b, equal+e
			return true
		})
		g.below[j*g.chunks+number], g.equal[j*g.chunks+number] = int64(below), int64(equal)
	}
}

// index returns the position of the nth key of a lane that is equal to the
// one counted.
func (g *longSearch[K]) index(j int, nth int64) int {
	chunk := 0
	for ; nth >= g.equal[j*g.chunks+chunk]; chunk++ {
		nth -= g.equal[j*g.chunks+chunk]
	}
	s := scratchPool.Get().(*selection.Scratch)
	defer scratchPool.Put(s)
	s.Reset()
	left, found := int(nth), -1
	g.blocks(j, chunk, s, func(keys []K, first int) bool {
		if at := kernel.IndexOf(keys, g.keys[j], left); at >= 0 {
			found = first + at
			return false
		}
		_, equal := kernel.CountBelow(keys, g.keys[j])
		left -= equal
		return true
	})
	return found
}

// blocks calls fn for the keys of a chunk of a lane, in order and with the
// position of the first, until it returns false.
func (g *longSearch[K]) blocks(j, number int, s *selection.Scratch, fn func(keys []K, first int) bool) {
	l := &g.of.lanes
	enc := g.of.run.coding.Encoding
	mark := s.Mark()
	block := selection.Alloc[K](s, selection.BlockMax)
	end := min((number+1)*g.chunk, l.N)
	for from := number * g.chunk; from < end; from += selection.BlockMax {
		keys := block[:min(selection.BlockMax, end-from)]
		l.Gather(unsafe.Pointer(unsafe.SliceData(keys)), g.first+j, 1, from, from+len(keys))
		kernel.Encode(keys, keys, enc)
		if !fn(keys, from) {
			break
		}
	}
	s.Release(mark)
}
