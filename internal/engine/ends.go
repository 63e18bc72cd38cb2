package engine

import (
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
)

// Ends are the order statistics that the values of a run lie between: for
// quantile q and lane j the elements number q*Lanes+j of Lo and Hi. Both are the
// canonical NaN where a lane has no answer: a NaN makes it NaN, or nothing is
// left of it.
type Ends struct {
	Lanes  int
	Lo, Hi nd.Array  // of the input's dtype; one array for a discrete method
	G      []float64 // the factor of Hi-Lo: one for each quantile, or for each element of Hi

	only bool // nobody asks for the values
}

// Factor returns the factor of element i of Hi-Lo, as in [rank.Position]; of a
// value it is the weight of Hi, and where that is 0 one order statistic decides.
func (e *Ends) Factor(i int) float64 {
	if len(e.G) == e.Lo.Len() {
		return e.G[i]
	}
	return e.G[i/e.Lanes]
}

// keepEnds stores the answers of a block of lanes.
func keepEnds[K kernel.Key](e *Ends, r *selection.Result[K], c selection.Coding[K], first int) {
	lo, hi := nd.Slice[K](&e.Lo), nd.Slice[K](&e.Hi)
	for q := 0; q*e.Lanes < len(lo); q++ {
		at := q*e.Lanes + first
		kernel.Decode(lo[at:at+r.Lanes], r.Lo[q*r.Lanes:], c.Encoding, c.NaN)
		if e.Hi.Buf != e.Lo.Buf {
			kernel.Decode(hi[at:at+r.Lanes], r.Hi[q*r.Lanes:], c.Encoding, c.NaN)
		}
		switch {
		case len(e.G) != len(lo):
		case len(r.G) == len(r.Lo):
			copy(e.G[at:at+r.Lanes], r.G[q*r.Lanes:])
		default:
			fill(e.G[at:at+r.Lanes], r.G[q])
		}
	}
}
