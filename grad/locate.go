package grad

import (
	"sync/atomic"
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection"
)

// positions are those of the order statistics in their lanes, of quantile q and
// lane j number q*lanes+j. hi is nil if one of them decides everywhere, and
// equals lo where one does.
type positions struct{ lo, hi []int }

// search finds positions. Among equal elements the order statistic of rank k
// with b smaller elements is the one numbered k-b; but one without equals, which
// is the rule, is found by a single look at its lane.
type search[K kernel.Key] struct {
	*scan[K]
	at      positions
	changed atomic.Bool
}

// locate returns the positions, which it finds once.
func locate[K kernel.Key](c *call) (*positions, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found != nil {
		return c.found, nil
	}
	f := &search[K]{scan: newScan[K](c)}
	total := f.x.Count * f.plan.Quantiles()
	f.at.lo = make([]int, total)
	if f.paired {
		f.at.hi = make([]int, total)
	}
	var err error
	switch {
	case f.plan.Weights() != nil:
		err = f.weighted()
	case f.x.N >= sizes.Long:
		err = f.long()
	default:
		err = f.short()
	}
	if err == nil && f.changed.Load() {
		err = c.fail(ErrChanged, "%v", ErrChanged)
	}
	if err != nil {
		return nil, err
	}
	c.found = &f.at
	return c.found, nil
}

// set sets the positions of an answer.
func (f *search[K]) set(i, lo, hi int) {
	if lo < 0 || hi < 0 {
		f.changed.Store(true)
		lo, hi = 0, 0
	}
	f.at.lo[i] = lo
	if f.at.hi != nil {
		f.at.hi[i] = hi
	}
}

// settled sets the positions of an answer that is NaN or of which the order
// statistics are unlike all other elements, and reports whether it is such a
// one.
func (f *search[K]) settled(i, q, lane int, lo, hi tally, s *selection.Scratch) bool {
	if f.lo[i] == f.nan {
		at := 0 // all are NaN, so the first is
		if !f.c.skipNaN {
			at = f.lastNaN(lane, s)
		}
		f.set(i, at, at)
		return true
	}
	if f.weight(q, i) == 0 {
		hi = lo
	}
	if lo < 0 || hi < 0 {
		return false
	}
	f.set(i, lo, hi)
	return true
}

// lastNaN returns the number of the last NaN of a lane, -1 if there is none.
func (f *scan[K]) lastNaN(lane int, s *selection.Scratch) int {
	for end := f.x.N; end > 0; end -= blockSize {
		last := -1
		f.blocks(lane, max(end-blockSize, 0), end, s, func(block []K, first int) bool {
			for i, v := range block {
				if f.isNaN(v) {
					last = first + i
				}
			}
			return true
		})
		if last >= 0 {
			return last
		}
	}
	return -1
}

// width returns how many lanes a task takes.
func (f *scan[K]) width() int {
	least := 1
	if f.x.SideBySide() {
		least = 64
	}
	return min(max(sizes.Task/max(f.x.N, 1), least), f.x.Count)
}

// short finds the positions in lanes that a task takes whole.
func (f *search[K]) short() error {
	l, width := &f.x, f.width()
	return f.plan.Each((l.Count+width-1)/width, l.N*l.Count, func(task int, s *selection.Scratch) {
		first := task * width
		count := min(width, l.Count-first)
		for q := range f.plan.Quantiles() {
			at := q*l.Count + first
			lo, hi := f.at.lo[at:at+count], []tally(nil)
			if f.paired {
				hi = f.at.hi[at : at+count]
			}
			f.count(q, first, 0, l.N, lo, hi, s)
		}
		for j := range count {
			f.settle(first+j, s)
		}
	})
}

// settle turns the tallies of a lane, which stand where its positions belong,
// into these.
func (f *search[K]) settle(lane int, s *selection.Scratch) {
	mark := s.Mark()
	var keys []K
	valid := f.x.N
	for q := range f.plan.Quantiles() {
		i := q*f.x.Count + lane
		lo := f.at.lo[i]
		hi := lo
		if f.paired {
			hi = f.at.hi[i]
		}
		if f.settled(i, q, lane, lo, hi, s) {
			continue
		}
		if keys == nil {
			keys = selection.Alloc[K](s, f.x.N)
			f.x.Gather(unsafe.Pointer(unsafe.SliceData(keys)), lane, 1, 0, f.x.N)
			valid -= kernel.Encode(keys, keys, f.enc)
		}
		if valid == 0 {
			f.set(i, -1, -1)
			continue
		}
		p := f.plan.Position(q, int64(valid))
		lo = numbered(keys, f.key(f.lo[i]), int(p.Lo))
		if hi = lo; p.Hi != p.Lo {
			hi = numbered(keys, f.key(f.hi[i]), int(p.Hi))
		}
		f.set(i, lo, hi)
	}
	s.Release(mark)
}

// numbered returns the position of the key of the given rank, -1 if it is not
// there.
func numbered[K kernel.Key](keys []K, k K, rank int) int {
	below, _ := kernel.CountBelow(keys, k)
	if rank < below {
		return -1
	}
	return kernel.IndexOf(keys, k, rank-below)
}

// chunks are the tasks of a pass over a group of long lanes.
type chunks struct{ first, lanes, length, count int }

// groups calls fn for groups of lanes that are best walked together.
func (f *scan[K]) groups(fn func(g chunks) error) error {
	l := &f.x
	for first := 0; first < l.Count; {
		g := chunks{first: first, lanes: l.Group(first)}
		g.length = max(sizes.Task/g.lanes, 1)
		g.count = (l.N + g.length - 1) / g.length
		if err := fn(g); err != nil {
			return err
		}
		first += g.lanes
	}
	return nil
}

// pass calls fn for each chunk of a group, from … to-1.
func (f *scan[K]) pass(g chunks, fn func(chunk, from, to int, s *selection.Scratch)) error {
	return f.plan.Each(g.count, f.x.N*g.lanes, func(chunk int, s *selection.Scratch) {
		from := chunk * g.length
		fn(chunk, from, min(from+g.length, f.x.N), s)
	})
}

// tallies counts the lanes of a group in all chunks, by the order statistics of
// all quantiles: that of lane j by quantile q is number q*g.lanes+j.
func (f *scan[K]) tallies(g chunks) (lo, hi []tally, err error) {
	quantiles := f.plan.Quantiles()
	size := g.lanes * quantiles
	all := [2][]tally{make([]tally, g.count*size), nil}
	if f.paired {
		all[1] = make([]tally, g.count*size)
	}
	err = f.pass(g, func(chunk, from, to int, s *selection.Scratch) {
		for q := range quantiles {
			at := chunk*size + q*g.lanes
			lo, hi := all[0][at:at+g.lanes], []tally(nil)
			if f.paired {
				hi = all[1][at : at+g.lanes]
			}
			f.count(q, g.first, from, to, lo, hi, s)
		}
	})
	for _, t := range all {
		for i := size; i < len(t); i++ {
			t[i%size] = merge(t[i%size], t[i])
		}
	}
	if f.paired {
		hi = all[1][:size]
	}
	return all[0][:size], hi, err
}

// long finds the positions in lanes of which each chunk is a task.
func (f *search[K]) long() error {
	var s selection.Scratch
	return f.groups(func(g chunks) error {
		lo, hi, err := f.tallies(g)
		if err != nil {
			return err
		}
		for k := range g.lanes * f.plan.Quantiles() {
			q, lane := k/g.lanes, g.first+k%g.lanes
			i := q*f.x.Count + lane
			a, b := lo[k], lo[k]
			if f.paired {
				b = hi[k]
			}
			if f.settled(i, q, lane, a, b, &s) {
				continue
			}
			if a, err = f.amongEquals(q, lane, f.lo[i], false); err != nil {
				return err
			}
			if b = a; f.weight(q, i) != 0 {
				if b, err = f.amongEquals(q, lane, f.hi[i], true); err != nil {
					return err
				}
			}
			f.set(i, a, b)
		}
		return nil
	})
}

// amongEquals returns the position of the lower or upper order statistic of a
// quantile in a long lane, where others equal it; -1 if it is not there.
func (f *search[K]) amongEquals(q, lane int, v K, upper bool) (int, error) {
	g := chunks{first: lane, lanes: 1, length: sizes.Task, count: (f.x.N + sizes.Task - 1) / sizes.Task}
	narrowed := make([]kernel.Narrowed, g.count)
	k := f.key(v)
	err := f.pass(g, func(chunk, from, to int, s *selection.Scratch) {
		kept := selection.Alloc[K](s, blockSize)
		f.blocks(lane, from, to, s, func(block []K, _ int) bool {
			c := kernel.Narrow(kept[:len(block)], block, f.enc, k, k)
			n := &narrowed[chunk]
			n.Below, n.AtLo, n.NaN = n.Below+c.Below, n.AtLo+c.AtLo, n.NaN+c.NaN
			return true
		})
	})
	if err != nil {
		return -1, err
	}
	valid, below := f.x.N, 0
	for _, n := range narrowed {
		valid, below = valid-n.NaN, below+n.Below
	}
	if valid == 0 {
		return -1, nil
	}
	p := f.plan.Position(q, int64(valid))
	left := int(p.Lo) - below
	if upper {
		left = int(p.Hi) - below
	}
	found := -1
	for chunk, n := range narrowed {
		if left < 0 || left >= n.AtLo {
			left -= n.AtLo
			continue
		}
		var s selection.Scratch
		from := chunk * g.length
		f.blocks(lane, from, min(from+g.length, f.x.N), &s, func(block []K, first int) bool {
			if at := kernel.IndexOf(block, v, left); at >= 0 {
				found = first + at
				return false
			}
			_, equal := kernel.CountBelow(block, v)
			left -= equal
			return true
		})
		break
	}
	return found, nil
}
