// Package locate finds the positions of order statistics whose values are
// known. Among equal elements position decides: the order statistic of rank k
// with b smaller elements is the one numbered k-b of its equals, counted from
// 0. So selection carries no positions, and a position costs a count of the
// lane, and a look for the one with that number.
//
// Lanes are taken in groups of neighbours, as blocks of keys: rows of lanes,
// which vectors count and search together, or one lane after the other. A
// group is a task; where there are too few to keep all workers busy, its
// blocks are.
package locate

import (
	"cmp"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/selection"
)

// Place is where the value of a lane is if that is NaN.
type Place uint8

// The places.
const (
	FirstNaN Place = iota // at the lane's first NaN
	LastNaN               // at its last
	Nowhere               // at position -1
)

// number returns which of the NaNs of a lane stands for it, if it has so many.
func (p Place) number(nans int) int {
	switch p {
	case FirstNaN:
		return 0
	case LastNaN:
		return nans - 1
	default:
		return -1
	}
}

// Search says which values are looked for in which lanes. A quantile has one
// or two order statistics in each lane, its ends.
type Search[K kernel.Key] struct {
	Lanes    lane.Lanes // in the order that positions count
	Encoding kernel.Encoding[K]
	Want     *selection.Want // the quantiles
	SkipNaN  bool            // NaNs have no rank
	NaN      Place

	// Values are the lower and the upper ends as elements, that of quantile q in
	// lane j number q*Lanes.Count+j; upper ones are nil where the lower ones
	// decide. Weights are those of the upper ends, one for each or for each
	// quantile: where it is 0 the lower end decides.
	Values  [2][]K
	Weights []float64

	// Positions are where the ends are found, numbered as Values are; -1 for a
	// value that is not there.
	Positions [2][]int64

	// ZerosEqual is for [Group.Alone]: zeros of both signs are one value.
	ZerosEqual bool

	layout selection.Layout
	direct bool // the ends of one quantile are counted in memory as it is
	crew   *crew.Crew
	visit  func(g *Group[K]) error

	mu  sync.Mutex
	err error // of a visit
}

// layoutOf returns how lanes are taken by so many workers, if only positions are wanted or
// more.
func layoutOf[K kernel.Key](l *lane.Lanes, c *crew.Crew, positions bool) selection.Layout {
	return selection.ChooseLayout[K](c.Config.Thresholds(), selection.Shape{
		N: l.N, Lanes: l.Count, SideBySide: l.SideBySide(), Gathered: !l.Even(), Workers: c.Workers(),
	}, positions)
}

// Shared reports whether lanes of elements as wide as K are so long and so few
// that a worker does not take whole ones.
func Shared[K kernel.Key](l *lane.Lanes, c *crew.Crew) bool { return layoutOf[K](l, c, false).Shared }

// Run finds all positions.
func (s *Search[K]) Run(c *crew.Crew) error { return s.Each(c, nil) }

// Each calls visit for the groups of all lanes: at the same time for several,
// or for one after the other if their blocks are tasks. Instead of nil it is
// [Group.Locate]. Each returns the error of a visit, or that of the crew's context
// if it ended first.
func (s *Search[K]) Each(c *crew.Crew, visit func(g *Group[K]) error) error {
	l := &s.Lanes
	s.layout, s.crew, s.visit, s.err = layoutOf[K](l, c, visit == nil), c, visit, nil
	s.direct = !s.layout.Rows && s.Want.Len() == 1 && l.Adjacent() && unsafe.Sizeof(K(0)) > 1
	if !s.layout.Shared {
		err := c.Run(s, (l.Count+s.layout.Width-1)/s.layout.Width, l.N*l.Count)
		return cmp.Or(s.err, err)
	}
	scratch := crew.Borrow()
	defer scratch.Return()
	g := newGroup[K]()
	defer g.free()
	for first := 0; first < l.Count; first += g.Count {
		scratch.Reset()
		g.init(s, first, l.Group(first), scratch)
		if err := s.each(g); err != nil {
			return err
		}
	}
	return nil
}

// Task visits lanes that one worker takes.
func (s *Search[K]) Task(number int, scratch *crew.Scratch) {
	g := newGroup[K]()
	defer g.free()
	end := min((number+1)*s.layout.Width, s.Lanes.Count)
	for first := number * s.layout.Width; first < end; first += g.Count {
		count := end - first
		if s.layout.Rows {
			count = s.Lanes.Neighbours(first, count)
		}
		mark := scratch.Mark()
		g.init(s, first, count, scratch)
		if err := s.each(g); err != nil {
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
		}
		scratch.Release(mark)
	}
}

// each visits a group.
func (s *Search[K]) each(g *Group[K]) error {
	if s.visit == nil {
		return g.Locate()
	}
	return s.visit(g)
}

// ends returns how many order statistics a quantile has at most in a lane.
func (s *Search[K]) ends() int {
	if s.Values[1] == nil {
		return 1
	}
	return 2
}

// Weight returns the weight of an upper end: number i, of quantile q.
func (s *Search[K]) Weight(q, i int) float64 {
	if len(s.Weights) == len(s.Values[0]) {
		return s.Weights[i]
	}
	return s.Weights[q]
}
