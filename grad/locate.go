package grad

import (
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/locate"
	"github.com/ogive-go/ogive/internal/nd"
)

// positions are those of the lower and the upper order statistics in their lanes, of
// quantile q and lane j number q*lanes+j. There are no upper ones if the lower ones
// decide everywhere; where one does, both are equal.
type positions [2][]int64

// check returns ErrChanged if a position is missing.
func (p *positions) check(c *call) error {
	if slices.Contains(p[0], -1) || slices.Contains(p[1], -1) {
		return c.changed()
	}
	return nil
}

// changed returns ErrChanged.
func (c *call) changed() error { return c.fail(ErrChanged, "%v", ErrChanged) }

// crew returns the workers of a pullback.
func (c *call) crew() *crew.Crew { return &crew.Crew{Config: c.plan.Config.Config} }

// newSearch returns a search for the order statistics of a call. By the index
// rule, and of float weights, there are none.
func newSearch[K kernel.Key](c *call) *locate.Search[K] {
	s := &locate.Search[K]{
		Encoding: kernel.EncodingOf[K](c.x.DType()),
		Want:     c.plan.Want(),
		SkipNaN:  c.skipNaN,
		NaN:      locate.LastNaN,
	}
	if c.skipNaN {
		s.NaN = locate.FirstNaN
	}
	s.Lanes.Init(tensors.Array(c.x), c.plan.Reduced(), true)
	if e := c.ends; e != nil {
		s.Values[0], s.Weights = nd.Slice[K](&e.Lo), e.G
		if slices.ContainsFunc(e.G, func(g float64) bool { return g != 0 }) {
			s.Values[1] = nd.Slice[K](&e.Hi)
		}
	}
	return s
}

// locateAll returns the positions, which it finds once.
func locateAll[K kernel.Key](c *call) (*positions, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found != nil {
		return c.found, nil
	}
	s := newSearch[K](c)
	s.Positions[0] = make([]int64, s.Lanes.Count*s.Want.Len())
	if s.Values[1] != nil {
		s.Positions[1] = make([]int64, len(s.Positions[0]))
	}
	at := (*positions)(&s.Positions)
	var err error
	if c.plan.Weights() != nil {
		err = newWeighted(c, s).locate()
	} else {
		err = s.Run(c.crew())
	}
	if err == nil {
		err = at.check(c)
	}
	if err != nil {
		return nil, err
	}
	c.found = at
	return at, nil
}
