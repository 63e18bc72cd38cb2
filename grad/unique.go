package grad

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/locate"
	"github.com/ogive-go/ogive/internal/nd"
)

// byRows says which pullbacks of a call write the gradient row by row, each element
// once where order statistics have no equals.
type byRows struct {
	first, later bool
	pulled       atomic.Bool  // one was asked for
	lanes        int          // of the input
	tied         atomic.Int64 // lanes that were written otherwise
}

// init chooses for a call. known is whether its other pullbacks know the positions
// once they have been found.
func (r *byRows) init(c *call, known bool) {
	a := tensors.Array(c.x)
	if a.DType != dtype.Float32 || !a.IsContiguous() || !kernel.LocatesOnVectors[int32]() || c.plan.Want().Len() > 1 || c.plan.Weights() != nil {
		return
	}
	var x lane.Lanes
	x.Init(a, c.plan.Reduced(), true)
	if x.N == 0 || x.Count == 0 {
		return
	}
	r.lanes = x.Count
	r.first = x.SideBySide() && x.Even() && !locate.Shared[int32](&x, c.crew())
	r.later = r.first && (!known || x.N <= c.plan.Config.Thresholds().GradientRows)
}

// next reports whether the pullback that is asked for is among them: one of those
// that would find positions again is not if many lanes need them.
func (r *byRows) next() bool {
	first := !r.pulled.Swap(true)
	return first && r.first || r.later && 8*int(r.tied.Load()) <= r.lanes
}

// uniqueLanes is how many lanes in rows are written at a time: what they get stays
// in the first-level cache, and little is in vain if one has equals.
const uniqueLanes = 512

// writeUnique writes the gradient of neighbouring lanes in rows, and reports whether
// it could: not if an order statistic has equals, or is NaN. Then the gradient has
// anything there.
func writeUnique[K kernel.Key](f *locate.Search[K], to *gradient[K], dy *upstream, g *locate.Group[K]) bool {
	s := g.Scratch
	mark := s.Mark()
	defer s.Release(mark)
	pitch, _ := f.Lanes.Pitch()
	upper, low, high := crew.Alloc[float32](s, uniqueLanes), crew.Alloc[float32](s, uniqueLanes), crew.Alloc[float32](s, uniqueLanes)
	for first, end := g.First, g.First+g.Count; first < end; first += uniqueLanes {
		lanes := min(uniqueLanes, end-first)
		lower := floats(f.Values[0][first:][:lanes])
		values, bits := [2][]float32{lower, lower}, [2][]float32{low[:lanes], high[:lanes]}
		weights := f.Weights
		if len(weights) > 1 {
			weights = weights[first:][:lanes]
		}
		if f.Values[1] != nil {
			values[1] = ends(upper, lower, floats(f.Values[1][first:][:lanes]), weights)
		}
		split(bits, values, nd.Slice[float32](&dy.dy)[first:][:lanes], weights)
		n := (f.Lanes.N-1)*pitch + lanes
		x := unsafe.Slice((*float32)(f.Lanes.Pointer(first, 0)), n)
		dx := unsafe.Slice((*float32)(to.lanes.Pointer(first, 0)), n)
		if !kernel.GradUnique(dx, x, pitch, values, bits, to.stream) {
			return false
		}
	}
	return true
}

// ends returns upper order statistics but for those of weight 0, where the lower ones
// decide: it writes to dst, if there are such.
func ends(dst, lower, upper []float32, weights []float64) []float32 {
	if len(weights) == 1 {
		return upper
	}
	dst = dst[:len(weights)]
	for j, w := range weights {
		if dst[j] = upper[j]; w == 0 {
			dst[j] = lower[j]
		}
	}
	return dst
}

// split writes what the lower and the upper order statistics of lanes get: all of
// it where they are equal.
func split(bits, values [2][]float32, ups []float32, weights []float64) {
	low, high := bits[0][:len(ups)], bits[1][:len(ups)]
	lo, hi := values[0][:len(ups)], values[1][:len(ups)]
	w, shared := weights[0], len(weights) == 1
	for j, up := range ups {
		if !shared {
			w = weights[j]
		}
		a := float64(up)
		b := a
		if lo[j] != hi[j] {
			a, b = float64((1-w)*a), float64(w*a)
		}
		low[j], high[j] = round32(a), round32(b)
	}
}

// round32 is [gradient.round] of one sum.
func round32(sum float64) float32 {
	if sum += 0; sum != sum {
		return nan32
	}
	return float32(sum)
}

var nan32 = math.Float32frombits(uint32(dtype.CanonicalNaN(dtype.Float32)))

// floats returns float32 elements given as bits.
func floats[K kernel.Key](bits []K) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(bits))), len(bits))
}
