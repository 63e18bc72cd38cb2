package grad

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
)

// byRows says which pullbacks of a call write the gradient row by row, each element
// once where order statistics have no equals.
type byRows struct {
	first, later bool
	pulled       atomic.Bool // one was asked for
}

// init chooses for a call. known is whether its other pullbacks know the positions
// once the first has found them.
func (r *byRows) init(c *call, known bool) {
	a := tensors.Array(c.x)
	if a.DType != dtype.Float32 || !a.IsContiguous() || !kernel.LocatesOnVectors[int32]() || c.plan.Quantiles() > 1 || c.plan.Weights() != nil {
		return
	}
	var x lane.Lanes
	x.Init(a, c.plan.Reduced(), true)
	r.first = x.SideBySide() && x.Even() && x.N < sizes.Long
	r.later = r.first && (!known || x.N <= sizes.Rows)
}

// next reports whether the pullback that is asked for is among them.
func (r *byRows) next() bool { return !r.pulled.Swap(true) && r.first || r.later }

// singlesLanes is how many lanes in rows are written at a time: what they get stays
// in the first-level cache, and little is in vain if one has equals.
const singlesLanes = 512

// singles writes the gradient of neighbouring lanes in rows, and reports whether it
// could: not if an order statistic has equals, or is NaN. Then the gradient has
// anything there.
func (f *scan[K]) singles(to *gradient[K], dy *upstream, first, lanes int, s *crew.Scratch) bool {
	mark := s.Mark()
	defer s.Release(mark)
	pitch, _ := f.x.Pitch()
	low, high, upper := crew.Alloc[float32](s, singlesLanes), crew.Alloc[float32](s, singlesLanes), crew.Alloc[K](s, singlesLanes)
	for end := first + lanes; first < end; first += lanes {
		lanes = min(singlesLanes, end-first)
		values := [2][]float32{floats(f.lo[first:][:lanes]), floats(f.upper(upper[:lanes], first))}
		bits := [2][]float32{low[:lanes], high[:lanes]}
		f.split(bits, values, nd.Slice[float32](&dy.dy)[first:][:lanes], first)
		n := (f.x.N-1)*pitch + lanes
		x := unsafe.Slice((*float32)(f.x.Pointer(first, 0)), n)
		dx := unsafe.Slice((*float32)(to.lanes.Pointer(first, 0)), n)
		if !kernel.GradUnique(dx, x, pitch, values, bits, to.stream) {
			return false
		}
	}
	return true
}

// upper returns the upper order statistics of the lanes from the first on, which are
// the lower ones where these decide. It may write them to dst.
func (f *scan[K]) upper(dst []K, first int) []K {
	lo := f.lo[first:][:len(dst)]
	if !f.paired {
		return lo
	}
	hi := f.hi[first:][:len(dst)]
	if len(f.g) < len(f.lo) {
		return hi
	}
	for j, g := range f.g[first:][:len(dst)] {
		if dst[j] = hi[j]; g == 0 {
			dst[j] = lo[j]
		}
	}
	return dst
}

// split writes what the lower and the upper order statistics of the lanes from the
// first on get: all of it where they are equal.
func (f *scan[K]) split(bits, values [2][]float32, ups []float32, first int) {
	low, high := bits[0][:len(ups)], bits[1][:len(ups)]
	lo, hi := values[0][:len(ups)], values[1][:len(ups)]
	g, shared := f.g[0], len(f.g) < len(f.lo)
	for j, up := range ups {
		if !shared {
			g = f.g[first+j]
		}
		a := float64(up)
		b := a
		if lo[j] != hi[j] {
			a, b = float64((1-g)*a), float64(g*a)
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
