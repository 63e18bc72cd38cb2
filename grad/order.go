package grad

import (
	"math"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/locate"
	"github.com/ogive-go/ogive/internal/nd"
)

// gradient writes the elements of dx by lane and number.
type gradient[K kernel.Key] struct {
	lanes  lane.Lanes
	dt     dtype.DType
	stream bool // it is too large to stay in a cache
}

func newGradient[K kernel.Key](c *call, dx *nd.Array) gradient[K] {
	g := gradient[K]{dt: dx.DType, stream: len(dx.Bytes()) >= c.plan.Config.Thresholds().StreamGradient}
	g.lanes.Init(dx, c.plan.Reduced(), true)
	return g
}

func (g *gradient[K]) put(lane, element int, bits K) {
	*(*K)(g.lanes.Pointer(lane, element)) = bits
}

// round writes to dst the sums rounded once, NaN as the canonical one. It
// overwrites the sums.
func (g *gradient[K]) round(dst []K, sums []float64) {
	if len(sums) == 0 {
		return
	}
	if g.dt == dtype.Float32 {
		nan := K(dtype.CanonicalNaN(dtype.Float32))
		dst = dst[:len(sums)]
		for i, v := range sums {
			b := K(math.Float32bits(float32(v + 0))) // a negative zero, added to zero, is zero
			if v != v {
				b = nan
			}
			dst[i] = b
		}
		return
	}
	for i, v := range sums {
		if v += 0; v != v {
			v = math.Float64frombits(dtype.CanonicalNaN(dtype.Float64))
		}
		sums[i] = v
	}
	to := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(sums)*int(unsafe.Sizeof(K(0))))
	from := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(sums))), 8*len(sums))
	dtype.Convert(g.dt, to, dtype.Float64, from)
}

// scatter writes to the elements at the positions, one in each of the lanes
// from the first on, but for negative ones.
func scatter[K kernel.Key](g *gradient[K], first int, at []int64, bits []K) {
	size := int(unsafe.Sizeof(K(0)))
	element, pitch := g.lanes.Pitch()
	for len(at) > 0 {
		near := g.lanes.Neighbours(first, len(at))
		if !g.lanes.Even() {
			for j, e := range at[:near] {
				if e >= 0 {
					g.put(first+j, int(e), bits[j])
				}
			}
		} else {
			p := g.lanes.Pointer(first, 0)
			for j, e := range at[:near] {
				if e < 0 {
					continue
				}
				*(*K)(unsafe.Add(p, (j*pitch+int(e)*element)*size)) = bits[j]
			}
		}
		at, bits, first = at[near:], bits[near:], first+near
	}
}

// putRow writes an element of neighbouring lanes.
func (g *gradient[K]) putRow(first, element int, bits []K) {
	_, pitch := g.lanes.Pitch()
	for len(bits) > 0 {
		near := g.lanes.Neighbours(first, len(bits))
		p := g.lanes.Pointer(first, element)
		if pitch == 1 && g.stream {
			kernel.Stream(unsafe.Slice((*K)(p), near), bits[:near])
		} else {
			nd.CopyRun(p, pitch, unsafe.Pointer(unsafe.SliceData(bits)), 1, near, int(unsafe.Sizeof(K(0))))
		}
		bits, first = bits[near:], first+near
	}
}

// clear writes zeros to neighbouring lanes in rows.
func (g *gradient[K]) clear(first, lanes int) {
	for i := range g.lanes.N {
		clear(unsafe.Slice((*K)(g.lanes.Pointer(first, i)), lanes))
	}
}

// part returns the memory of n elements of a lane, nil if it does not lie
// together.
func (g *gradient[K]) part(lane, first, n int) []K {
	if !g.lanes.Adjacent() {
		return nil
	}
	return unsafe.Slice((*K)(g.lanes.Pointer(lane, first)), n)
}

// putPart writes elements of a lane.
func (g *gradient[K]) putPart(lane, first int, bits []K) {
	g.lanes.Runs(lane, first, first+len(bits), func(p unsafe.Pointer, stride, n int) {
		nd.CopyRun(p, stride, unsafe.Pointer(unsafe.SliceData(bits)), 1, n, int(unsafe.Sizeof(K(0))))
		bits = bits[n:]
	})
}

// byOrder is the pullback of a quantile.
func (c *call) byOrder(dy *ogive.Tensor) (*ogive.Tensor, error) {
	return c.pull(dy, orderRule[int16](c), orderRule[int32](c), orderRule[int64](c))
}

// orderRule returns the order rule for elements of one width.
func orderRule[K kernel.Key](c *call) rule {
	return func(dx *nd.Array, dy upstream, rows bool) error {
		r := selected[K]{c: c, dy: dy, to: newGradient[K](c, dx), quantiles: c.plan.Want().Len()}
		if rows {
			return r.byRows()
		}
		at, err := locateAll[K](c)
		if err != nil {
			return err
		}
		r.at = at
		return c.eachLanes(r.to.lanes.Count, r.quantiles, func(first, count int, s *crew.Scratch) {
			if r.quantiles == 1 {
				part := positions{at[0][first:][:count]}
				if at[1] != nil {
					part[1] = at[1][first:][:count]
				}
				r.single(first, count, part, s)
			} else {
				r.several(first, count, s)
			}
		})
	}
}

// eachLanes calls fn for tasks of lanes that get so many upstream gradients each.
func (c *call) eachLanes(lanes, quantiles int, fn func(first, count int, s *crew.Scratch)) error {
	workers := c.crew()
	width := min(max(workers.Config.Thresholds().TaskElements/(2*quantiles), 1), lanes)
	return workers.Each((lanes+width-1)/width, lanes*quantiles, func(task int, s *crew.Scratch) {
		first := task * width
		fn(first, min(width, lanes-first), s)
	})
}

// selected is the gradient of quantiles whose positions are known.
type selected[K kernel.Key] struct {
	c         *call
	at        *positions
	dy        upstream
	to        gradient[K]
	quantiles int
}

// byRows writes the gradient of one quantile by rows, but for groups of lanes that
// need positions.
func (r *selected[K]) byRows() error {
	f := newSearch[K](r.c)
	return f.Each(r.c.crew(), func(g *locate.Group[K]) error {
		if writeUnique(f, &r.to, &r.dy, g) {
			return nil
		}
		r.c.rows.tied.Add(int64(g.Count))
		if err := g.Locate(); err != nil {
			return err
		}
		at := positions{g.Position(0), g.Position(1)}
		if err := at.check(r.c); err != nil {
			return err
		}
		r.to.clear(g.First, g.Count)
		r.single(g.First, g.Count, at, g.Scratch)
		return nil
	})
}

// single writes the gradient of lanes with one quantile, at positions.
func (r *selected[K]) single(first, count int, at positions, s *crew.Scratch) {
	lo, hi := at[0], at[1]
	bits, low := crew.Alloc[K](s, count), r.dy.part(first, count, s)
	if hi == nil {
		r.to.round(bits, low)
		scatter(&r.to, first, lo, bits)
		return
	}
	high, g := crew.Alloc[float64](s, count), r.c.ends.G
	w, shared := g[0], len(g) == 1
	lo, hi, high = lo[:len(low)], hi[:len(low)], high[:len(low)]
	for j, up := range low {
		if !shared {
			w = g[first+j]
		}
		if high[j] = up; lo[j] != hi[j] {
			low[j], high[j] = float64((1-w)*up), float64(w*up)
		}
	}
	r.to.round(bits, low)
	scatter(&r.to, first, lo, bits)
	r.to.round(bits, high)
	scatter(&r.to, first, hi, bits)
}

// term is what a quantile adds to an element of a lane.
type term struct {
	at    int64
	value float64
}

// several writes the gradient of lanes with several quantiles.
func (r *selected[K]) several(first, count int, s *crew.Scratch) {
	terms := crew.Alloc[term](s, 2*r.quantiles)
	sums, bits := crew.Alloc[float64](s, len(terms)), crew.Alloc[K](s, len(terms))
	dy := crew.Alloc[float64](s, count*r.quantiles)
	for q := range r.quantiles {
		r.dy.convert(dy[q*count:][:count], q*r.to.lanes.Count+first)
	}
	for lane := first; lane < first+count; lane++ {
		terms = r.terms(terms[:0], lane, dy[lane-first:], count)
		slices.SortStableFunc(terms, func(a, b term) int { return int(a.at - b.at) })
		n := 0 // distinct elements, to the front of terms
		for i := range terms {
			if t := terms[i]; i == 0 || t.at != terms[n-1].at {
				terms[n], sums[n] = t, t.value
				n++
			} else {
				sums[n-1] += t.value
			}
		}
		r.to.round(bits, sums[:n])
		for i, t := range terms[:n] {
			r.to.put(lane, int(t.at), bits[i])
		}
	}
}

// terms appends what the quantiles add to a lane, in their order, if quantile q
// gets dy[q*step]. Those of one quantile go to different elements.
func (r *selected[K]) terms(dst []term, lane int, dy []float64, step int) []term {
	for q := range r.quantiles {
		i := q*r.to.lanes.Count + lane
		up, lo := dy[q*step], r.at[0][i]
		if r.at[1] == nil || r.at[1][i] == lo {
			dst = append(dst, term{lo, up})
			continue
		}
		g := r.c.ends.Factor(i)
		dst = append(dst, term{lo, float64((1 - g) * up)}, term{r.at[1][i], float64(g * up)})
	}
	return dst
}

// byIndex is the pullback of a median with its index.
func (c *call) byIndex(dy *ogive.Tensor) (*ogive.Tensor, error) {
	return c.pull(dy, indexRule[int16](c), indexRule[int32](c), indexRule[int64](c))
}

// indexRule returns the index rule for elements of one width.
func indexRule[K kernel.Key](c *call) rule {
	return func(dx *nd.Array, dy upstream, _ bool) error {
		to := newGradient[K](c, dx)
		return c.eachLanes(to.lanes.Count, 1, func(first, count int, s *crew.Scratch) {
			bits := crew.Alloc[K](s, count)
			to.round(bits, dy.part(first, count, s))
			scatter(&to, first, c.index[first:first+count], bits)
		})
	}
}
