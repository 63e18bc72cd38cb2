package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/rank"
)

// FromKeys writes the values of a plan without kept axes to out, contiguous and of
// the plan's dtype and shape, from order statistics that were found elsewhere: quantile
// i lies between the keys lo[i] and hi[i], and g[i] is the weight of the latter, with low[i]
// lacking. The key of NaN, twice and with the weight 0, gives NaN. K is as wide as an
// element of the input; lo and hi may be changed.
func FromKeys[K kernel.Key](p *Plan, out *nd.Array, lo, hi []K, g, low []float64) {
	coding := selection.Coding[K]{Encoding: kernel.EncodingOf[K](p.dt), NaN: K(dtype.CanonicalNaN(p.dt))}
	if p.order.discrete {
		kernel.Decode(nd.Slice[K](out), lo, coding.Encoding, coding.NaN)
		return
	}
	set, size := p.order.want.Set(), p.order.value.Size()
	for i := range lo {
		w := rank.Weights{G: g[i : i+1]}
		if set.Fractional() {
			w.Low, w.Unit = low[i:i+1], set.Unit(i)
		}
		interpolate(p.dt, unsafe.Add(out.Pointer(0), i*size), lo[i:i+1], hi[i:i+1], w, coding, nil)
	}
}
