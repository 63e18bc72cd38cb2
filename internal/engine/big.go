package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/selection/narrow"
)

// bigRun selects in lanes that are too long for one worker's cache, in passes
// over their data that all workers share. Lanes that lie side by side are
// taken together, so that memory is read in its order; nothing is copied but
// the few keys that can still be the answer.
type bigRun[K kernel.Key] struct {
	group     narrow.Lanes[K]
	histogram histogramRun[K]
}

// all selects in all lanes in the given way.
func (b *bigRun[K]) all(e *execution, way selection.Way, c selection.Coding[K]) error {
	l, w, t := &e.lanes, &e.plan.order.want, e.Config.Thresholds()
	size := int(unsafe.Sizeof(K(0)))
	s := crew.Borrow()
	defer s.Return()
	for first, lanes := 0, 0; first < l.Count; first += lanes {
		lanes = l.Group(first)
		chunk := max(t.ChunkBytes/(size*lanes), 64)
		s.Reset()
		r := selection.NewResult[K](w, lanes, s)
		if way == selection.Count {
			if err := b.histogram.count(e, first, chunk, c); err != nil {
				return err
			}
			selection.Counted(w, c.Code == kernel.Float, b.histogram.counts, &r, 0, s)
		} else {
			call := selection.NarrowCall(w, c.Encoding, l, l.N)
			call.First, call.Lanes, call.Chunk = first, lanes, chunk
			call.Capacity = max(l.N/8, t.CollectBytes/(size*lanes), 4*kernel.CacheKeys)
			call.Far, call.Adjacent = true, l.Adjacent()
			b.group.Start(call)
			if err := e.RunStages(&b.group); err != nil {
				return err
			}
			r.Take(0, lanes, &b.group)
		}
		finishLanes(e, &r, first, s)
	}
	return nil
}
