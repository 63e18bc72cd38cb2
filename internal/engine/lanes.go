package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/interpolate"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/locate"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
)

// lanesRun computes order statistics of lanes. As a phase it selects in tiles of them, each
// worker in its own.
type lanesRun[K kernel.Key] struct {
	*job
	values interpolate.Values[K]
	choice selection.Choice
	long   longRun[K]
	search locate.Search[K]
}

// run computes all values, and all indices if they are located.
func (r *lanesRun[K]) run(j *job) error {
	j.lanes.Init(j.x, j.reduced, false)
	err := r.selectAll(j)
	if err == nil && j.positions.active {
		err = r.locateAll()
	}
	return err
}

// selectAll computes all values of the job's lanes.
func (r *lanesRun[K]) selectAll(j *job) error {
	r.job = j
	r.values.Init(j.dt, j.want.Set())
	l, w := &j.lanes, &j.want
	r.choice = selection.Choose[K](w, selection.Shape{
		N: l.N, Lanes: l.Count, Adjacent: l.Adjacent(), Gathered: !l.Even(), SideBySide: l.SideBySide(), Workers: j.Workers(),
	})
	if r.choice.Shared {
		return r.long.run(j, r.choice.Way, &r.values)
	}
	each := l.N*int(unsafe.Sizeof(K(0))) + w.Len()*answerBytes
	if r.choice.Way == selection.Narrow && l.Adjacent() {
		each /= 4 // narrowing collects a part of a lane
	}
	width := min(r.choice.Width, max(j.Share()/each, lanesAtOnce))
	r.choice.Width, j.Memory = width, width*each
	return j.Run(r, (l.Count+width-1)/width, l.Count*l.N)
}

// Task selects in a block of lanes.
func (r *lanesRun[K]) Task(number int, s *crew.Scratch) {
	l := &r.lanes
	first := number * r.choice.Width
	end := min(first+r.choice.Width, l.Count)
	for first < end {
		count := end - first
		var t kernel.Tile
		scratch := false
		if near := l.Neighbours(first, count); l.Even() && (near == count || near >= 16 || l.N > 256) {
			count = near
			t = l.Tile(first, count, 0, l.N)
			scratch = r.mayOverwrite()
		} else {
			gathered := crew.Alloc[K](s, count*l.N)
			t = l.Gather(unsafe.Pointer(unsafe.SliceData(gathered)), first, count, 0, l.N)
			scratch = true
		}
		res := selection.Tile(r.choice.Way, &r.want, r.values.Coding, t, scratch, r.memory(first, count), s)
		finish(r.job, &r.values, &res, first, s)
		first += count
	}
}

// memory returns that of the values of so many lanes, if selection may write
// these there, or keys that finish decodes.
func (r *lanesRun[K]) memory(first, count int) []K {
	v := &r.answers.array
	if r.ends != nil || v.DType != r.dt || r.want.Len() > 1 {
		return nil
	}
	return unsafe.Slice((*K)(v.Pointer(first)), count)
}

// mayOverwrite reports whether the elements of x may be used as scratch space:
// each belongs to one lane, and nobody looks at it again.
func (r *lanesRun[K]) mayOverwrite() bool {
	return r.overwrite && r.Config.Context == nil && !r.positions.active && !r.x.RepeatsElements()
}

// locateAll computes all indices: the positions of the values that have been
// selected.
func (r *lanesRun[K]) locateAll() error {
	s := &r.search
	s.Lanes.Init(r.x, r.reduced, true)
	s.Encoding, s.Want, s.SkipNaN = r.values.Coding.Encoding, &r.want, r.skipNaN
	if s.NaN = locate.FirstNaN; r.skipNaN {
		s.NaN = locate.Nowhere
	}
	s.Values[0] = nd.Slice[K](&r.answers.array)
	s.Positions[0] = nd.Slice[int64](&r.positions.array)
	err := s.Run(&r.Crew)
	s.Want, s.Values[0], s.Positions[0] = nil, nil, nil
	return err
}
