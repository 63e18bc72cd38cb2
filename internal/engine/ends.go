package engine

import (
	"github.com/ogive-go/ogive/dtype"
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

// RunEnds is Run that returns the order statistics as well, for a plan of the
// quantile or median family. out may be nil.
func (p *Plan) RunEnds(x, out *nd.Array) (*Ends, error) {
	q, total := p.order.want.Len(), p.outputs()
	e := &Ends{Lanes: total / q, only: out == nil}
	var err error
	if e.Lo, err = nd.New(p.dt, total); err != nil {
		return nil, err
	}
	e.Hi = e.Lo
	if !p.order.discrete {
		if e.Hi, err = nd.New(p.dt, total); err != nil {
			return nil, err
		}
	}
	n := p.laneLen()
	switch {
	case n == 0:
		e.G = make([]float64, q)
		fillNaN(&e.Lo)
		fillNaN(&e.Hi)
	case p.order.skipNaN || p.order.weights.on:
		e.G = make([]float64, total)
	default:
		e.G = make([]float64, q)
		for i := range e.G {
			e.G[i] = p.order.want.Position(i, int64(n)).G
		}
	}
	with := *p
	with.order.want.Weigh()
	return e, with.run(x, out, nil, e)
}

// fillNaN sets all elements of an array to NaN, where its dtype has one.
func fillNaN(a *nd.Array) {
	switch nan := dtype.CanonicalNaN(a.DType); a.DType.Size() {
	case 2:
		fill(nd.Slice[uint16](a), uint16(nan))
	case 4:
		fill(nd.Slice[uint32](a), uint32(nan))
	case 8:
		fill(nd.Slice[uint64](a), nan)
	}
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

// QDerivative returns a plan for RunEnds without values, whose ends and factors
// make the derivatives by the quantiles; see [rank.Method.QDerivative].
func (p *Plan) QDerivative() *Plan {
	d := *p
	d.order.want = p.order.want.QDerivative()
	return &d
}

// Want returns the quantiles.
func (p *Plan) Want() *selection.Want { return &p.order.want }

// Reduced returns the reduced axes.
func (p *Plan) Reduced() nd.Axes { return p.order.reduced }

// Weights returns the weights as a view of the input's shape, nil without any.
func (p *Plan) Weights() *nd.Array {
	if !p.order.weights.on {
		return nil
	}
	return &p.order.weights.array
}
