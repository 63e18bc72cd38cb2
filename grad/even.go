package grad

import (
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/locate"
	"github.com/ogive-go/ogive/internal/nd"
)

// evenly is the pullback of a median without index.
func (c *call) evenly(dy *ogive.Tensor) (*ogive.Tensor, error) {
	return c.pull(dy, evenRule[int16](c), evenRule[int32](c), evenRule[int64](c))
}

// evenRule returns the even rule for elements of one width.
func evenRule[K kernel.Key](c *call) rule {
	return func(dx *nd.Array, dy upstream, rows bool) error {
		e := even[K]{selected[K]{c: c, dy: dy, to: newGradient[K](c, dx)}, newSearch[K](c), rows}
		e.search.ZerosEqual = true
		if c.plan.Weights() != nil {
			return e.weighted()
		}
		return e.search.Each(c.crew(), e.share)
	}
}

// even shares the gradient of medians among the elements of two classes: those
// equal to the lower middle value, and those equal to the upper one. They are
// one class where both are equal.
type even[K kernel.Key] struct {
	selected[K] // writes where middle elements have no equals
	search      *locate.Search[K]
	rows        bool
}

// share writes the gradient of a group of lanes.
func (e *even[K]) share(g *locate.Group[K]) error {
	if e.rows && writeUnique(e.search, &e.to, &e.dy, g) {
		return nil
	}
	all, err := g.Alone()
	if err != nil {
		return err
	}
	at := positions{g.Position(0), g.Position(1)}
	if all {
		if err := at.check(e.c); err != nil {
			return err
		}
		if e.rows {
			e.to.clear(g.First, g.Count)
		}
	}
	if all || !g.Rows() {
		e.single(g.First, g.Count, at, g.Scratch)
	}
	if all {
		return nil
	}
	classes := [2]kernel.Class[K]{g.Class(0), g.Class(1)}
	bits, err := e.bits(g, classes)
	if err != nil {
		return err
	}
	return g.Blocks(func(j, from int, keys []K, s *crew.Scratch) {
		if g.Rows() {
			e.writeRows(g, from, keys, classes, bits, s)
		} else if at[0][j] < 0 {
			e.writeLane(g.First+j, from, keys, j, classes, bits)
		}
	})
}

// bits returns what an element of either class gets in each lane of a group.
func (e *even[K]) bits(g *locate.Group[K], classes [2]kernel.Class[K]) (bits [2][]K, err error) {
	var sums [2][]float64
	for i := range bits {
		bits[i], sums[i] = crew.Alloc[K](g.Scratch, g.Count), crew.Alloc[float64](g.Scratch, g.Count)
	}
	lower, upper := g.Equal(0), g.Equal(1)
	for j, up := range e.dy.part(g.First, g.Count, g.Scratch) {
		part := 1.0
		if classes[0].Lo[j] != classes[1].Lo[j] {
			part = 0.5
		}
		if lower[j] == 0 || upper[j] == 0 {
			return bits, e.c.changed()
		}
		sums[0][j] = part / float64(lower[j]) * up
		sums[1][j] = part / float64(upper[j]) * up
	}
	e.to.round(bits[0], sums[0])
	e.to.round(bits[1], sums[1])
	return bits, nil
}

// writeRows writes the gradient of rows of elements.
func (e *even[K]) writeRows(g *locate.Group[K], from int, keys []K, classes [2]kernel.Class[K], bits [2][]K, s *crew.Scratch) {
	row := crew.Alloc[K](s, g.Count)
	for ; len(keys) > 0; from++ {
		kernel.GradEqual(row, keys[:g.Count], classes, bits)
		e.to.putRow(g.First, from, row)
		keys = keys[g.Count:]
	}
}

// writeLane writes the gradient of elements of a lane, of which classes and bits
// have number j. It overwrites the keys.
func (e *even[K]) writeLane(lane, from int, keys []K, j int, classes [2]kernel.Class[K], bits [2][]K) {
	lo, hi := [2]K{classes[0].Lo[j], classes[1].Lo[j]}, [2]K{classes[0].Hi[j], classes[1].Hi[j]}
	both := [2]K{bits[0][j], bits[1][j]}
	if to := e.to.part(lane, from, len(keys)); to != nil {
		kernel.GradEqualLane(to, keys, lo, hi, both)
		return
	}
	kernel.GradEqualLane(keys, keys, lo, hi, both)
	e.to.putPart(lane, from, keys)
}
