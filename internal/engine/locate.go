package engine

import (
	"github.com/ogive-go/ogive/internal/locate"
	"github.com/ogive-go/ogive/internal/nd"
)

// locateAll computes all indices: the positions of the values that have been
// selected.
func (r *orderRun[K]) locateAll() error {
	e, s := r.e, &r.search
	order := &e.plan.order
	s.Lanes.Init(e.x, order.reduced, true)
	s.Encoding, s.Want, s.SkipNaN = r.coding.Encoding, &order.want, order.skipNaN
	if s.NaN = locate.FirstNaN; order.skipNaN {
		s.NaN = locate.Nowhere
	}
	s.Values[0] = nd.Slice[K](&e.value.array)
	s.Positions[0] = nd.Slice[int64](&e.index.array)
	err := s.Run(&e.Crew)
	s.Want, s.Values[0], s.Positions[0] = nil, nil, nil
	return err
}
