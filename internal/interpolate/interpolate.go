// Package interpolate makes values of the keys of order statistics: it decodes the one that
// a method chooses, or finds what lies between two, exact and rounded once. Kernels do so
// where a proof says that they have the bits of package rank, which does the others.
package interpolate

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/rank"
)

// CodingOf returns the coding of elements of dtype dt, as wide as K.
func CodingOf[K kernel.Key](dt dtype.DType) selection.Coding[K] {
	return selection.Coding[K]{Encoding: kernel.EncodingOf[K](dt), NaN: K(dtype.CanonicalNaN(dt))}
}

// Values makes the values of quantiles of elements of one dtype from keys.
type Values[K kernel.Key] struct {
	Coding           selection.Coding[K]
	dt               dtype.DType
	set              rank.Set
	discrete, halves bool // what the method is
}

// Init sets v to the Values of the quantiles of a set. K is as wide as an element of dtype
// dt.
func (v *Values[K]) Init(dt dtype.DType, set rank.Set) {
	v.Coding, v.dt, v.set = CodingOf[K](dt), dt, set
	v.discrete, v.halves = set.Method().Discrete(), set.Method().Halves()
}

// Quantile writes the values of quantile q of all lanes of r to dst. It may change the keys.
func (v *Values[K]) Quantile(dst unsafe.Pointer, r *selection.Result[K], q int, s *crew.Scratch) {
	lanes := r.Lanes
	lo := r.Lo[q*lanes:][:lanes]
	if v.discrete {
		kernel.Decode(unsafe.Slice((*K)(dst), lanes), lo, v.Coding.Encoding, v.Coding.NaN)
		return
	}
	between(v.dt, dst, lo, r.Hi[q*lanes:][:lanes], v.weights(r, q), v.Coding, s)
}

// half is the weight of the middle of two values.
var half = rank.Weights{G: []float64{0.5}}

// weights returns the weights of quantile q, of which a Result has one, one for each lane,
// or none. Where all weights are 0 and 1/2, 1/2 serves every lane: a weight of 0 has the
// same order statistic twice.
func (v *Values[K]) weights(r *selection.Result[K], q int) rank.Weights {
	from, to := q*r.Lanes, (q+1)*r.Lanes
	switch {
	case len(r.G) == v.set.Len():
		from, to = q, q+1
	case v.halves:
		return half
	}
	w := rank.Weights{G: r.G[from:to]}
	if r.Low != nil {
		w.Low, w.Unit = r.Low[from:to], v.set.Unit(q)
	}
	return w
}

// Lane writes the values of all quantiles of a set for a single lane of elements of dtype dt,
// whose coding is c, to dst: quantile i lies between the keys lo[i] and hi[i], and g[i] is the weight of the
// latter, with low[i] lacking. The key of NaN, twice and with the weight 0, gives NaN. The
// keys may be changed.
func Lane[K kernel.Key](dst unsafe.Pointer, dt dtype.DType, set rank.Set, c selection.Coding[K], lo, hi []K, g, low []float64) {
	if set.Method().Discrete() {
		kernel.Decode(unsafe.Slice((*K)(dst), len(lo)), lo, c.Encoding, c.NaN)
		return
	}
	size := dt.Quantile(false).Size()
	for i := range lo {
		w := rank.Weights{G: g[i : i+1]}
		if set.Fractional() {
			w.Low, w.Unit = low[i:i+1], set.Unit(i)
		}
		between(dt, unsafe.Add(dst, i*size), lo[i:i+1], hi[i:i+1], w, c, nil)
	}
}

// between writes the values between the keys lo and hi of elements of
// dtype dt to dst, by the weights g. If these are 0 for all, hi is not looked at.
// Fewer than BlendMin lanes need no scratch memory.
func between[K kernel.Key](dt dtype.DType, dst unsafe.Pointer, lo, hi []K, g rank.Weights, c selection.Coding[K], s *crew.Scratch) {
	n := len(lo)
	one := g.Same(0)
	switch {
	case dt.IsFloat():
		if one {
			kernel.Decode(unsafe.Slice((*K)(dst), n), lo, c.Encoding, c.NaN)
			return
		}
		switch dt {
		case dtype.Float64:
			interpolate64(unsafe.Slice((*float64)(dst), n), kernel.As[int64](lo), kernel.As[int64](hi), g, codingAs[int64](&c))
		case dtype.Float32:
			interpolate32(unsafe.Slice((*float32)(dst), n), kernel.As[int32](lo), kernel.As[int32](hi), g, codingAs[int32](&c))
		default:
			interpolate16(dt, unsafe.Slice((*int16)(dst), n), kernel.As[int16](lo), kernel.As[int16](hi), g, codingAs[int16](&c), s)
		}
	case one:
		kernel.Widen(unsafe.Slice((*float64)(dst), n), lo, c.Encoding)
	case g.Same(0.5):
		kernel.MiddleInt(unsafe.Slice((*float64)(dst), n), lo, hi, c.Encoding)
	case dt == dtype.Int64:
		g.InterpolateInt(unsafe.Slice((*float64)(dst), n), kernel.As[int64](lo), kernel.As[int64](hi))
	case dt == dtype.Uint64:
		decode(lo, hi, c)
		g.InterpolateUint(unsafe.Slice((*float64)(dst), n), kernel.As[uint64](lo), kernel.As[uint64](hi))
	default:
		interpolateInt(unsafe.Slice((*float64)(dst), n), lo, hi, g, c, s)
	}
}

// codingAs returns the coding of keys that are in fact of type T.
func codingAs[T, K kernel.Key](c *selection.Coding[K]) *selection.Coding[T] {
	return (*selection.Coding[T])(unsafe.Pointer(c))
}

// decode turns keys into elements.
func decode[K kernel.Key](lo, hi []K, c selection.Coding[K]) {
	kernel.Decode(lo, lo, c.Encoding, c.NaN)
	kernel.Decode(hi, hi, c.Encoding, c.NaN)
}

// interpolate64 interpolates between float64 given by keys.
func interpolate64(dst []float64, lo, hi []int64, g rank.Weights, c *selection.Coding[int64]) {
	for at := 0; at < len(dst); {
		w := g.Part(at, len(dst))
		done, next := kernel.Blend64(dst[at:], lo[at:], hi[at:], true, w.G, w.Low)
		from, to := at+done, at+next
		decode(lo[from:to], hi[from:to], *c)
		g.Part(from, to).Interpolate64(dst[from:to], kernel.As[float64](lo[from:to]), kernel.As[float64](hi[from:to]))
		at = to
	}
}

// interpolate32 interpolates between float32 given by keys.
func interpolate32(dst []float32, lo, hi []int32, g rank.Weights, c *selection.Coding[int32]) {
	for at := 0; at < len(dst); {
		w := g.Part(at, len(dst))
		done, next := kernel.Blend32(dst[at:], lo[at:], hi[at:], true, w.G, w.Low, &kernel.Float32)
		from, to := at+done, at+next
		decode(lo[from:to], hi[from:to], *c)
		g.Part(from, to).Interpolate32(dst[from:to], kernel.As[float32](lo[from:to]), kernel.As[float32](hi[from:to]))
		at = to
	}
}

// blendChunk is how many lanes of narrow elements are widened at a time.
const blendChunk = 256

// interpolate16 interpolates between float16 or bfloat16 given by keys.
func interpolate16(dt dtype.DType, dst []int16, lo, hi []int16, g rank.Weights, c *selection.Coding[int16], s *crew.Scratch) {
	format := &kernel.Float16
	if dt == dtype.BFloat16 {
		format = &kernel.BFloat16
	}
	n := len(dst)
	done := 0
	if g.Same(0.5) {
		done = kernel.Middle16(dst, lo, hi, c.Encoding)
	}
	if n-done < kernel.BlendMin || !kernel.Blends() {
		decode(lo[done:], hi[done:], *c)
		between16(dt, dst[done:], lo[done:], hi[done:], g.Part(done, n))
		return
	}
	mark := s.Mark()
	a, b := crew.Alloc[int32](s, blendChunk), crew.Alloc[int32](s, blendChunk)
	wide := crew.Alloc[float32](s, blendChunk)
	for first := 0; first < n; first += blendChunk {
		end := min(first+blendChunk, n)
		kernel.Widen16(a[:end-first], lo[first:end], c.Encoding)
		kernel.Widen16(b[:end-first], hi[first:end], c.Encoding)
		for at := first; at < end; {
			values, w := wide[at-first:end-first], g.Part(at, end)
			done, next := kernel.Blend32(values, a[at-first:], b[at-first:], false, w.G, w.Low, format)
			from, to := at+done, at+next
			kernel.Round16(dst[at:from], kernel.As[int32](values[:done]), c.Encoding)
			decode(lo[from:to], hi[from:to], *c)
			between16(dt, dst[from:to], lo[from:to], hi[from:to], g.Part(from, to))
			at = to
		}
	}
	s.Release(mark)
}

// between16 interpolates between float16 or bfloat16.
func between16(dt dtype.DType, dst, lo, hi []int16, g rank.Weights) {
	if dt == dtype.Float16 {
		g.InterpolateF16(kernel.As[dtype.F16](dst), kernel.As[dtype.F16](lo), kernel.As[dtype.F16](hi))
		return
	}
	g.InterpolateBF16(kernel.As[dtype.BF16](dst), kernel.As[dtype.BF16](lo), kernel.As[dtype.BF16](hi))
}

// interpolateInt interpolates between integers of up to 32 bits given by keys.
// They are float64 exactly, so their exact value rounded once is that between
// integers.
func interpolateInt[K kernel.Key](dst []float64, lo, hi []K, g rank.Weights, c selection.Coding[K], s *crew.Scratch) {
	if n := len(dst); n < kernel.BlendMin {
		var a, b [kernel.BlendMin]float64
		kernel.Widen(a[:n], lo, c.Encoding)
		kernel.Widen(b[:n], hi, c.Encoding)
		g.Interpolate64(dst, a[:], b[:])
		return
	}
	mark := s.Mark()
	a, b := crew.Alloc[float64](s, blendChunk), crew.Alloc[float64](s, blendChunk)
	for first := 0; first < len(dst); first += blendChunk {
		end := min(first+blendChunk, len(dst))
		kernel.Widen(a[:end-first], lo[first:end], c.Encoding)
		kernel.Widen(b[:end-first], hi[first:end], c.Encoding)
		for at := first; at < end; {
			x, y, w := a[at-first:end-first], b[at-first:end-first], g.Part(at, end)
			done, next := kernel.Blend64(dst[at:end], kernel.As[int64](x), kernel.As[int64](y), false, w.G, w.Low)
			g.Part(at+done, at+next).Interpolate64(dst[at+done:at+next], x[done:next], y[done:next])
			at += next
		}
	}
	s.Release(mark)
}
