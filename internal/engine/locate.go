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

	// The phase for one long lane and one quantile.
	long longSearch[K]
}

// all computes all indices.
func (f *locateRun[K]) all() error {
	e := f.run.e
	f.lanes.Init(e.x, e.plan.order.reduced, true)
	l := &f.lanes
	if l.N*int(unsafe.Sizeof(K(0))) >= Thresholds.BigBytes {
		return f.allLong()
	}
	f.width = selection.PackedLanes(max(l.N, 1), int(unsafe.Sizeof(K(0))))
	f.width = max(f.width, min(l.Count, Thresholds.TaskElements/max(l.N, 1)))
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
		if l.Even() && l.N > 0 {
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

// longSearch finds one index in a long lane. As a phase it counts, chunk by
// chunk, the keys below and equal to one key.
type longSearch[K kernel.Key] struct {
	of           *locateRun[K]
	lane         int
	key          K
	below, equal []int64 // a chunk each
}

// allLong computes the indices lane by lane, each by all workers.
func (f *locateRun[K]) allLong() error {
	e := f.run.e
	g := &f.long
	g.of = f
	chunks := (f.lanes.N + Thresholds.LongChunk - 1) / Thresholds.LongChunk
	if len(g.below) != chunks {
		g.below, g.equal = make([]int64, chunks), make([]int64, chunks)
	}
	for at := range f.lanes.Count {
		dropped := int64(0)
		if e.plan.order.skipNaN {
			if err := g.count(at, kernel.MaxKey[K]()); err != nil {
				return err
			}
			dropped = sum(g.equal)
		}
		for q := range e.plan.order.want.Len() {
			v, isNaN := f.value(q, at)
			if isNaN && e.plan.order.skipNaN {
				f.set(q, at, -1)
				continue
			}
			if err := g.count(at, v); err != nil {
				return err
			}
			nth := int64(0) // of a NaN the first
			if !isNaN {
				nth = e.plan.order.want.RankOf(q, f.lanes.N-int(dropped)) - sum(g.below)
			}
			f.set(q, at, g.index(nth))
		}
	}
	return nil
}

func sum(list []int64) (total int64) {
	for _, n := range list {
		total += n
	}
	return total
}

// count counts the keys of a lane by key.
func (g *longSearch[K]) count(at int, key K) error {
	g.lane, g.key = at, key
	return g.of.run.e.run(g, len(g.below), g.of.lanes.N)
}

// task counts a chunk.
func (g *longSearch[K]) task(number int, s *selection.Scratch) {
	g.below[number], g.equal[number] = 0, 0
	g.blocks(number, s, func(keys []K, _ int) bool {
		below, equal := kernel.CountBelow(keys, g.key)
		g.below[number] += int64(below)
		g.equal[number] += int64(equal)
		return true
	})
}

// index returns the position of the nth key equal to the one counted.
func (g *longSearch[K]) index(nth int64) int {
	chunk := 0
	for ; nth >= g.equal[chunk]; chunk++ {
		nth -= g.equal[chunk]
	}
	s := scratchPool.Get().(*selection.Scratch)
	defer scratchPool.Put(s)
	s.Reset()
	left, found := int(nth), -1
	g.blocks(chunk, s, func(keys []K, first int) bool {
		if at := kernel.IndexOf(keys, g.key, left); at >= 0 {
			found = first + at
			return false
		}
		_, equal := kernel.CountBelow(keys, g.key)
		left -= equal
		return true
	})
	return found
}

// blocks calls fn for the keys of a chunk of the lane, in order and with the
// position of the first, until it returns false.
func (g *longSearch[K]) blocks(number int, s *selection.Scratch, fn func(keys []K, first int) bool) {
	l := &g.of.lanes
	enc := g.of.run.coding.Encoding
	block := selection.Alloc[K](s, selection.BlockMax)
	end := min((number+1)*Thresholds.LongChunk, l.N)
	for from := number * Thresholds.LongChunk; from < end; from += selection.BlockMax {
		keys := block[:min(selection.BlockMax, end-from)]
		l.Gather(unsafe.Pointer(unsafe.SliceData(keys)), g.lane, 1, from, from+len(keys))
		kernel.Encode(keys, keys, enc)
		if !fn(keys, from) {
			return
		}
	}
}
