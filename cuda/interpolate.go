package cuda

import (
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/rank"
)

// unproven is an output that the device could not round with certainty.
type unproven struct {
	output, lo, hi uint64 // the keys
	g              float64
}

// hostOutputs is how many outputs the host interpolates at a time.
const hostOutputs = 1 << 16

// interpolate writes the values of all outputs. Those that the arithmetic of the device
// cannot prove are listed there and decided by package rank: next to none, but where
// values far apart meet odd weights.
func (r *orderRun) interpolate(to cudrv.Ptr) {
	n := r.outputs()
	if !r.keep {
		r.run("blend", "elements_"+r.code.suffix, each(n, 256), uint64(n), uint64(r.lo), r.code.word, uint64(to))
		return
	}
	if r.task.Set.Fractional() {
		r.interpolateOnHost(to)
		return
	}
	for most := min(n, 1<<10); ; {
		count, list := r.zeroed(8), r.alloc(32*most)
		r.run("blend", "blend_"+r.code.suffix, each(n, 256), uint64(n), uint64(r.lo), uint64(r.hi), r.code.word,
			uint64(r.table), uint64(r.rows), uint64(r.q), uint64(r.l.count), uint64(to), uint64(most), uint64(count), uint64(list))
		found := int(download[uint64](r.call, count, 1)[0])
		switch {
		case r.err != nil || found == 0:
			return
		case found <= most:
			list := download[unproven](r.call, list, found)
			g := make([]float64, len(list))
			for i, u := range list {
				g[i] = u.g
			}
			r.decide(to, list, rank.Weights{G: g})
			return
		}
		most = found
	}
}

// interpolateOnHost writes the values of all outputs as package rank has them: the device
// knows weights as float64s alone.
func (r *orderRun) interpolateOnHost(to cudrv.Ptr) {
	lo := r.download(r.lo, r.outputs())
	hi := lo
	if r.hi != 0 {
		hi = r.download(r.hi, r.outputs())
	}
	var rows []uint32
	if r.rows != 0 {
		rows = download[uint32](r.call, r.rows, r.l.count)
	}
	if r.err != nil {
		return
	}
	for from := 0; from < len(lo); {
		q := from / r.l.count
		end := min(from+hostOutputs, (q+1)*r.l.count) // of one quantile
		list := make([]unproven, end-from)
		w := rank.Weights{G: make([]float64, len(list)), Low: make([]float64, len(list)), Unit: r.task.Set.Unit(q)}
		for i := range list {
			o, row := from+i, 0
			if rows != nil {
				row = int(rows[o%r.l.count])
			}
			p := &r.positions[row*r.q+q]
			list[i], w.G[i], w.Low[i] = unproven{output: uint64(o), lo: lo[o], hi: hi[o]}, p.G, p.Low
		}
		r.decide(to, list, w)
		from = end
	}
}

// decide writes the values of outputs as package rank has them.
func (r *orderRun) decide(to cudrv.Ptr, list []unproven, w rank.Weights) {
	at, values := make([]uint64, len(list)), make([]uint64, len(list))
	for i, u := range list {
		at[i] = u.output
	}
	switch r.task.Value {
	case dtype.Float32:
		dst := make([]float32, len(list))
		w.Interpolate32(dst, elementsOf[float32, uint32](r.code, list, lower), elementsOf[float32, uint32](r.code, list, upper))
		spread(values, kernel.As[uint32](dst))
	case dtype.Float16:
		dst := make([]dtype.F16, len(list))
		w.InterpolateF16(dst, elementsOf[dtype.F16, uint16](r.code, list, lower), elementsOf[dtype.F16, uint16](r.code, list, upper))
		spread(values, kernel.As[uint16](dst))
	case dtype.BFloat16:
		dst := make([]dtype.BF16, len(list))
		w.InterpolateBF16(dst, elementsOf[dtype.BF16, uint16](r.code, list, lower), elementsOf[dtype.BF16, uint16](r.code, list, upper))
		spread(values, kernel.As[uint16](dst))
	default:
		dst := make([]float64, len(list))
		r.decide64(dst, list, w)
		spread(values, kernel.As[uint64](dst))
	}
	r.run("blend", "patch_"+widthOf(r.task.Value), each(len(list), 256), uint64(len(list)), uint64(upload(r.call, at)), uint64(upload(r.call, values)), uint64(to))
}

// decide64 is decide of values that are float64.
func (r *orderRun) decide64(dst []float64, list []unproven, w rank.Weights) {
	switch {
	case r.dt == dtype.Float64:
		w.Interpolate64(dst, elementsOf[float64, uint64](r.code, list, lower), elementsOf[float64, uint64](r.code, list, upper))
	case r.dt == dtype.Uint64:
		w.InterpolateUint(dst, elementsOf[uint64, uint64](r.code, list, lower), elementsOf[uint64, uint64](r.code, list, upper))
	default: // integers that are int64
		w.InterpolateInt(dst, integersOf(r.code, list, lower), integersOf(r.code, list, upper))
	}
}

func lower(u *unproven) uint64 { return u.lo }
func upper(u *unproven) uint64 { return u.hi }

// element returns the bits that a key stands for.
func (c code) element(key uint64) uint64 {
	top := uint64(1) << (8*c.size - 1)
	all := top | (top - 1)
	switch {
	case c.suffix[0] == 'i':
		return key ^ c.word
	case key == all:
		return c.word | (c.word&-c.word)>>1
	case key&top != 0:
		return key ^ top
	}
	return ^key & all
}

// elementsOf returns one of the elements of each output, as T, whose bits are a B.
func elementsOf[T any, B uint16 | uint32 | uint64](c code, list []unproven, which func(*unproven) uint64) []T {
	elements := make([]T, len(list))
	for i := range list {
		kernel.As[B](elements)[i] = B(c.element(which(&list[i])))
	}
	return elements
}

// integersOf is elementsOf for integers of any width that are int64.
func integersOf(c code, list []unproven, which func(*unproven) uint64) []int64 {
	elements := make([]int64, len(list))
	for i := range list {
		e := int64(c.element(which(&list[i])))
		if c.word != 0 { // signed
			unused := 64 - 8*c.size
			e = e << unused >> unused
		}
		elements[i] = e
	}
	return elements
}

// spread writes numbers as words.
func spread[B uint8 | uint16 | uint32 | uint64](dst []uint64, src []B) {
	for i, b := range src {
		dst[i] = uint64(b)
	}
}
