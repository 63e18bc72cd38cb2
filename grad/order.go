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
	"github.com/ogive-go/ogive/internal/nd"
)

// gradient writes the elements of dx by lane and number.
type gradient[K kernel.Key] struct {
	lanes  lane.Lanes
	dt     dtype.DType
	stream bool // it is too large to stay in a cache
}

func newGradient[K kernel.Key](c *call, dx *nd.Array) gradient[K] {
	g := gradient[K]{dt: dx.DType, stream: len(dx.Bytes()) >= sizes.Stream}
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

// one is round of one sum.
func (g *gradient[K]) one(sum float64) K {
	switch sum += 0; {
	case sum != sum:
		return K(dtype.CanonicalNaN(g.dt))
	case g.dt == dtype.Float32:
		return K(math.Float32bits(float32(sum)))
	case g.dt == dtype.Float64:
		return K(math.Float64bits(sum))
	case g.dt == dtype.BFloat16:
		return K(dtype.ToBF16(sum).Bits())
	default:
		return K(dtype.ToF16(sum).Bits())
	}
}

// scatter writes to the elements at the positions, one in each of the lanes
// from the first on, but for negative ones.
func scatter[K kernel.Key, P kernel.Key | int](g *gradient[K], first int, at []P, bits []K) {
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
		r := selected[K]{c: c, dy: dy, to: newGradient[K](c, dx), quantiles: c.plan.Quantiles()}
		if rows {
			return r.byRows(&search[K]{scan: newScan[K](c)})
		}
		at, err := locate[K](c)
		if err != nil {
			return err
		}
		r.at = at
		lanes := r.to.lanes.Count
		width := min(max(sizes.Task/(8*r.quantiles), 1), lanes)
		return c.plan.Each((lanes+width-1)/width, lanes*r.quantiles, func(task int, s *crew.Scratch) {
			first := task * width
			count := min(width, lanes-first)
			if r.quantiles == 1 {
				r.single(first, count, at.of(first, count), s)
			} else {
				r.several(first, count, s)
			}
		})
	}
}

// selected is the gradient of quantiles whose positions are known.
type selected[K kernel.Key] struct {
	c         *call
	at        *positions
	dy        upstream
	to        gradient[K]
	quantiles int
}

// byRows writes the gradient of one quantile by rows. Where blocks of lanes need
// positions, they are found once.
func (r *selected[K]) byRows(f *search[K]) error {
	err := f.tasks(func(first, lanes int, s *crew.Scratch) {
		at, known := r.c.blocks.Load(first)
		if !known {
			if f.singles(&r.to, &r.dy, first, lanes, s) {
				return
			}
			p := &positions{lo: make([]int, lanes)}
			if f.paired {
				p.hi = make([]int, lanes)
			}
			if !f.stack(first, lanes, 0, f.x.N, s).positions(0, first, p.lo, p.hi) {
				f.changed.Store(true)
				return
			}
			r.c.blocks.Store(first, p)
			at = p
		}
		r.to.clear(first, lanes)
		r.single(first, lanes, *at.(*positions), s)
	})
	if err == nil && f.changed.Load() {
		err = r.c.fail(ErrChanged, "%v", ErrChanged)
	}
	return err
}

// single writes the gradient of lanes with one quantile, at positions.
func (r *selected[K]) single(first, count int, at positions, s *crew.Scratch) {
	lo := at.lo
	bits, low := crew.Alloc[K](s, count), r.dy.part(first, count, s)
	if at.hi == nil {
		r.to.round(bits, low)
		scatter(&r.to, first, lo, bits)
		return
	}
	hi, high, g := at.hi, crew.Alloc[float64](s, count), r.c.ends.G
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
	at    int
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
		slices.SortStableFunc(terms, func(a, b term) int { return a.at - b.at })
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
			r.to.put(lane, t.at, bits[i])
		}
	}
}

// terms appends what the quantiles add to a lane, in their order, if quantile q
// gets dy[q*step]. Those of one quantile go to different elements.
func (r *selected[K]) terms(dst []term, lane int, dy []float64, step int) []term {
	for q := range r.quantiles {
		i := q*r.to.lanes.Count + lane
		up, lo := dy[q*step], r.at.lo[i]
		if r.at.hi == nil || r.at.hi[i] == lo {
			dst = append(dst, term{lo, up})
			continue
		}
		g := r.c.ends.Factor(i)
		dst = append(dst, term{lo, float64((1 - g) * up)}, term{r.at.hi[i], float64(g * up)})
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
		lanes := to.lanes.Count
		width := min(sizes.Task/8, lanes)
		return c.plan.Each((lanes+width-1)/width, lanes, func(task int, s *crew.Scratch) {
			first := task * width
			count := min(width, lanes-first)
			bits := crew.Alloc[K](s, count)
			to.round(bits, dy.part(first, count, s))
			scatter(&to, first, c.index[first:first+count], bits)
		})
	}
}
