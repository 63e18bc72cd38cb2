package engine

import (
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/tuning"
)

// bigRun selects in lanes that are too long for one worker's cache, in passes
// over their data that all workers share. Lanes that lie side by side are
// taken together, so that memory is read in its order; nothing is copied but
// the few keys that can still be the answer. A pass over a chunk of the lanes
// is a task.
type bigRun[K kernel.Key] struct {
	run   *orderRun[K]
	mu    sync.Mutex
	lanes []selection.Narrowing[K]
	open  []bool // the lanes that take part in the pass
	first int    // the first lane of the group
	count int
	chunk int // elements of a lane in one task

	sample    sampleRun[K]
	pick      pickRun[K]
	histogram histogramRun[K]
}

// sampleRun draws samples of the lanes of a group: a wait for memory, which
// workers share. A task is a part of a lane's sample.
type sampleRun[K kernel.Key] struct {
	of    *bigRun[K]
	keys  []K // lane after lane
	each  int // of a lane
	group int // so many of them adjacent
}

const (
	// sampleTask is how many elements a task draws: some tens of microseconds.
	sampleTask = 1 << 9

	// drawnShare is how many elements a pass looks at while one is drawn, in
	// some 50 ns.
	drawnShare = 64
)

// draw draws so many elements of each lane, with memory from s.
func (d *sampleRun[K]) draw(each int, s *crew.Scratch) error {
	b := d.of
	e := b.run.e
	d.group = 1
	if unsafe.Sizeof(K(0)) == 1 && each >= bracket.SampleGroup && e.lanes.Adjacent() {
		d.group = bracket.SampleGroup
		each -= each % d.group
	}
	d.each, d.keys = each, crew.Alloc[K](s, each*b.count)
	_, parts := d.parts()
	return e.Run(d, b.count*parts, each*b.count/d.group*drawnShare)
}

// parts returns how much of a lane's sample a task draws, and how many tasks do.
func (d *sampleRun[K]) parts() (size, count int) {
	size = sampleTask * d.group
	return size, (d.each + size - 1) / size
}

// task draws a part of a lane's sample.
func (d *sampleRun[K]) Task(number int, _ *crew.Scratch) {
	b := d.of
	l := &b.run.e.lanes
	size, parts := d.parts()
	lane, from := number/parts, number%parts*size
	sample := d.keys[lane*d.each:][:d.each][from:min(from+size, d.each)]
	at := bracket.NewPositions(d.each/d.group, l.N/d.group)
	at.Skip(from / d.group)
	address := func(i int) unsafe.Pointer { return l.Pointer(b.first+lane, i) }
	if d.group == 1 {
		bracket.Draw(sample, &at, address)
	} else {
		bracket.DrawGroups(sample, &at, address)
	}
}

// pickRun selects among the keys that a pass has collected: a task is a group of
// them if there is one lane, and otherwise a lane.
type pickRun[K kernel.Key] struct{ of *bigRun[K] }

// all settles the lanes of the pass and selects.
func (p *pickRun[K]) all() error {
	b := p.of
	tasks := 0
	for j := range b.count {
		if b.open[j] {
			b.lanes[j].Settle()
			tasks += b.lanes[j].Groups()
		}
	}
	if b.count > 1 && tasks > 0 {
		tasks = b.count
	}
	return b.run.e.Run(p, tasks, b.run.e.lanes.N*b.count/pickShare)
}

// pickShare is the part of the elements that is collected, 1/pickShare, about.
const pickShare = 16

// task selects in a group, or in all of a lane.
func (p *pickRun[K]) Task(number int, s *crew.Scratch) {
	b := p.of
	if b.count == 1 {
		b.lanes[0].Select(number, s)
		return
	}
	if b.open[number] {
		for i := range b.lanes[number].Groups() {
			b.lanes[number].Select(i, s)
		}
	}
}

// all selects in all lanes.
func (b *bigRun[K]) all() error {
	l := &b.run.e.lanes
	size := int(unsafe.Sizeof(K(0)))
	for first := 0; first < l.Count; first += b.count {
		b.first, b.count = first, l.Group(first)
		b.chunk = max(tuning.Default.ChunkBytes/(size*b.count), 64)
		one := b.group
		if b.countsValues() {
			one = b.histogram.lane
		}
		if err := one(); err != nil {
			return err
		}
	}
	return nil
}

// group selects in the lanes of a group.
func (b *bigRun[K]) group() error {
	e := b.run.e
	l := &e.lanes
	size := int(unsafe.Sizeof(K(0)))
	w := &e.plan.order.want
	s := crew.Borrow()
	defer s.Return()
	for len(b.lanes) < b.count {
		b.lanes = append(b.lanes, selection.Narrowing[K]{})
		b.open = append(b.open, false)
	}
	if err := b.sample.draw(w.LongSampleSize(l.N, size), s); err != nil {
		return err
	}
	capacity := max(l.N/8, tuning.Default.CollectBytes/(size*b.count), 4*selection.BlockMax)
	for j := range b.count {
		sample := b.sample.keys[j*b.sample.each:][:b.sample.each]
		kernel.Encode(sample, sample, b.run.coding.Encoding)
		b.lanes[j].Start(w, b.run.coding.Encoding, l.N, sample, capacity)
	}
	for b.next() {
		if err := e.Run(b, (l.N+b.chunk-1)/b.chunk, l.N*b.count); err != nil {
			return err
		}
		if err := b.pick.all(); err != nil {
			return err
		}
	}
	res := selection.NewResult[K](w, b.count, s)
	for j := range b.count {
		b.lanes[j].Finish(&res, j)
	}
	finishLanes(e, &res, b.first, s)
	return nil
}

// next prepares a pass over the lanes that need one, and reports whether any does.
func (b *bigRun[K]) next() bool {
	any := false
	for j := range b.count {
		b.open[j] = b.lanes[j].Next()
		any = any || b.open[j]
	}
	return any
}

// task passes over a chunk of the lanes of the group.
func (b *bigRun[K]) Task(number int, s *crew.Scratch) {
	l := &b.run.e.lanes
	from := number * b.chunk
	to := min(from+b.chunk, l.N)
	block := crew.Alloc[K](s, selection.BlockMax)
	mark := s.Mark()
	for j := range b.count {
		if !b.open[j] {
			continue
		}
		nw := &b.lanes[j]
		pass := nw.NewPass(s)
		l.Runs(b.first+j, from, to, func(p unsafe.Pointer, stride, n int) {
			pass.AddStrided(p, stride, n, block)
		})
		b.mu.Lock()
		nw.Merge(&pass)
		b.mu.Unlock()
		s.Release(mark)
	}
}
