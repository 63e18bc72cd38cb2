package grad

import (
	"sync/atomic"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// positions are those of the order statistics in their lanes, of quantile q and
// lane j number q*lanes+j. hi is nil if one of them decides everywhere, and
// equals lo where one does.
type positions struct{ lo, hi []int }

// of returns the positions of lanes with one quantile.
func (p *positions) of(first, lanes int) (part positions) {
	part.lo = p.lo[first : first+lanes]
	if p.hi != nil {
		part.hi = p.hi[first : first+lanes]
	}
	return part
}

// search finds positions. Among equal elements the order statistic of rank k
// with b smaller elements is the one numbered k-b.
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
		err = f.tasks(f.short)
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

// short finds the positions in lanes that a task takes whole.
func (f *search[K]) short(first, lanes int, s *crew.Scratch) {
	if f.x.SideBySide() {
		b := f.stack(first, lanes, 0, f.x.N, s)
		for q := range f.plan.Quantiles() {
			i := q*f.x.Count + first
			lo, hi := f.at.lo[i:i+lanes], []int(nil)
			if f.paired {
				hi = f.at.hi[i : i+lanes]
			}
			if !b.positions(q, i, lo, hi) {
				f.changed.Store(true)
			}
		}
		return
	}
	for lane := first; lane < first+lanes; lane++ {
		for q := range f.plan.Quantiles() {
			i := q*f.x.Count + lane
			if f.settled(i, lane, s) {
				continue
			}
			mark := s.Mark()
			lo, hi := f.keys(q, i)
			p := f.inPieces(lane, lo, hi, s)
			f.fromPieces(i, q, &p, s)
			s.Release(mark)
		}
	}
}

// settled sets the positions of an answer that is NaN, and reports whether it is
// one.
func (f *search[K]) settled(i, lane int, s *crew.Scratch) bool {
	if f.lo[i] != f.nan {
		return false
	}
	at := 0 // all are NaN, so the first is
	if !f.c.skipNaN {
		at = f.lastNaN(lane, s)
	}
	f.set(i, at, at)
	return true
}

// keys returns the keys of the order statistics of quantile q that are answer i.
func (f *scan[K]) keys(q, i int) (lo, hi K) {
	lo = f.key(f.lo[i])
	if f.weight(q, i) == 0 {
		return lo, lo
	}
	return lo, f.key(f.hi[i])
}

// fromPieces sets the positions of answer i, which is quantile q's of a lane that
// was counted by its order statistics.
func (f *search[K]) fromPieces(i, q int, p *pieces, s *crew.Scratch) {
	one := f.weight(q, i) == 0
	equal := one || f.lo[i] == f.hi[i]
	first, second := p.all.atLo-1, 0 // the last of the lower and the first of the upper ones
	if equal && !(one && p.all.atLo == 1) {
		valid := f.x.N - p.all.nan
		if valid == 0 {
			f.set(i, -1, -1)
			return
		}
		at := f.plan.Position(q, int64(valid))
		first, second = int(at.Lo)-p.all.below, int(at.Hi)-p.all.below
	}
	lo := f.find(p, f.lo[i], false, first, s)
	if hi := lo; one {
		f.set(i, lo, hi)
	} else {
		f.set(i, lo, f.find(p, f.hi[i], !equal, second, s))
	}
}

// long finds the positions in lanes of which each chunk is a task.
func (f *search[K]) long() error {
	var s crew.Scratch
	return f.groups(func(g chunks) error {
		var t *tallies
		if g.lanes > 1 {
			var err error
			if t, err = f.tallied(g, f.classes); err != nil {
				return err
			}
		}
		for k := range g.lanes * f.plan.Quantiles() {
			q, lane := k/g.lanes, g.first+k%g.lanes
			i := q*f.x.Count + lane
			if f.settled(i, lane, &s) || t != nil && f.alone(i, q, t, k) {
				continue
			}
			lo, hi := f.keys(q, i)
			p, err := f.inChunks(lane, lo, hi)
			if err != nil {
				return err
			}
			f.fromPieces(i, q, &p, &s)
		}
		return nil
	})
}

// alone sets the positions of an answer whose order statistics have no equals,
// and reports whether it is one. The others take a pass of their own.
func (f *search[K]) alone(i, q int, t *tallies, k int) bool {
	lo, hi := t.at[0][k], t.at[0][k]
	if t.n[0][k] != 1 {
		return false
	}
	if f.weight(q, i) != 0 {
		if t.n[1][k] != 1 {
			return false
		}
		hi = t.at[1][k]
	}
	f.set(i, lo, hi)
	return true
}

// tallies are the counts of a group of long lanes side by side, of lane j by
// quantile q number q*lanes+j: of elements equal to the lower order statistics
// and, if anything is paired, the upper ones, with the position of the last.
type tallies struct{ n, at [2][]int }

// tallied counts the lanes of a group in all chunks, by the classes of each
// quantile's lower and upper order statistics in a stack.
func (f *scan[K]) tallied(g chunks, classes func(b *stack[K], q int) [2]kernel.Class[K]) (*tallies, error) {
	quantiles := f.plan.Quantiles()
	size := g.lanes * quantiles
	which := 1
	if f.paired {
		which = 2
	}
	var t tallies
	for k := range which {
		t.n[k], t.at[k] = make([]int, g.count*size), make([]int, g.count*size)
	}
	err := f.pass(g, func(chunk, from, to int, s *crew.Scratch) {
		b := f.stack(g.first, g.lanes, from, to, s)
		for q := range quantiles {
			at := chunk*size + q*g.lanes
			both := classes(b, q)
			for k, c := range both[:which] {
				b.tally(c, nil, t.n[k][at:at+g.lanes], t.at[k][at:at+g.lanes])
			}
		}
	})
	for k := range which {
		n, at := t.n[k], t.at[k]
		for i := size; i < len(n); i++ {
			if n[i] > 0 {
				n[i%size], at[i%size] = n[i%size]+n[i], at[i]
			}
		}
		t.n[k], t.at[k] = n[:size], at[:size]
	}
	if !f.paired {
		t.n[1], t.at[1] = t.n[0], t.at[0]
	}
	return &t, err
}

// classes returns the classes of the order statistics of quantile q in the lanes
// of a stack.
func (f *search[K]) classes(b *stack[K], q int) (c [2]kernel.Class[K]) {
	i := q*f.x.Count + b.first
	c[0] = b.class(f.lo[i : i+b.lanes])
	if c[1] = c[0]; f.paired {
		c[1] = b.class(f.hi[i : i+b.lanes])
	}
	return c
}
