package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
)

// target is where a part of the result goes: straight into the caller's array,
// or into memory of its own that is copied there in the end.
type target struct {
	array  nd.Array  // contiguous, of the result's dtype
	final  *nd.Array // the caller's, if array is not over its memory
	memory []uint64
	active bool
}

// set prepares t for a result of the shape with the given dtype that ends in out; out
// is nil if nobody asks for it, although it is computed.
func (t *target) set(s *shapes, dt dtype.DType, out *nd.Array, direct bool) {
	t.active = true
	if out != nil && direct {
		t.array, t.final = *out, nil
		return
	}
	words := (s.total*dt.Size() + 7) / 8
	t.memory = crew.Resize(t.memory, words)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(t.memory))), s.total*dt.Size())
	array, err := nd.FromBytes(dt, bytes, nil, s.Shape()...)
	if err != nil {
		panic("engine: the shape of a plan is not valid: " + err.Error())
	}
	t.array, t.final = array, out
}

// finish moves the result where it belongs.
func (t *target) finish() {
	if t.active && t.final != nil {
		nd.Cast(t.final, &t.array)
	}
}

// forget drops the references to what is the caller's.
func (t *target) forget() { t.active, t.final, t.array.Buf = false, nil, nd.Buffer{} }

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

func fill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

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
