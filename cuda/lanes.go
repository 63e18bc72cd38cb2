package cuda

import (
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
)

// lanes are the lanes of an array as kernels see them: element i of lane l lies at
// base + i·element + (l / inner)·outer + (l % inner)·near, in elements.
type lanes struct {
	base                 cudrv.Ptr
	n, count             int
	element, outer, near int
	inner                int
}

// args are the parameters of kernels that are lanes, with the array's address first.
func (l *lanes) args(more ...uint64) []uint64 {
	return append([]uint64{uint64(l.base), uint64(l.n), uint64(l.count), uint64(l.element), uint64(l.outer), uint64(l.near), uint64(l.inner)}, more...)
}

// rowsAt returns lanes whose elements follow each other, one lane after the other.
func rowsAt(base cudrv.Ptr, n, count int) lanes {
	return lanes{base: base, n: n, count: count, element: 1, outer: n, inner: 1}
}

// part returns lanes first … first+count-1, of rows.
func (l lanes) part(first, count, size int) lanes {
	l.base += cudrv.Ptr(first * l.outer * size)
	l.count = count
	return l
}

// lanesOf returns the lanes of x along the reduced axes: where they lie, if kernels can
// walk them there and read neighbouring elements together, else in rows of a copy.
func (c *call) lanesOf(x *nd.Array, reduced nd.Axes) lanes {
	kept, within := lane.Split(x, reduced)
	l := lanes{base: address(x), n: 1, count: 1, element: 1, inner: 1}
	for _, d := range within.N[:within.NDim] {
		l.n *= d
	}
	for _, d := range kept.N[:kept.NDim] {
		l.count *= d
	}
	if within.NDim > 1 || kept.NDim > 2 {
		return rowsAt(c.gather(x, reduced), l.n, l.count)
	}
	if within.NDim == 1 {
		l.element = within.Stride[0]
	}
	fastest := 0
	switch kept.NDim {
	case 1:
		l.outer, fastest = kept.Stride[0], kept.Stride[0]
	case 2:
		l.outer, l.near, l.inner, fastest = kept.Stride[0], kept.Stride[1], kept.N[1], kept.Stride[1]
	}
	switch longest := c.d.limits.network; {
	case l.count == 1, l.element == 1 && l.inner == 1: // a lane, or rows
	case l.n <= longest, l.n <= c.d.limits.columns && abs(fastest) < abs(l.element):
	default:
		return c.turn(&l, x.DType)
	}
	return l
}

func abs(n int) int { return max(n, -n) }

// turn copies lanes that lie side by side to rows.
func (c *call) turn(l *lanes, dt dtype.DType) lanes {
	const tile = 32
	run := l.inner
	if run == 1 {
		run = l.count
	}
	to := c.alloc(l.n * l.count * dt.Size())
	c.run("elements", "turn_"+widthOf(dt), grid{blocks: (run + tile - 1) / tile * (l.count / run), rows: min((l.n+tile-1)/tile, c.d.limits.gridRows), threads: 256}, l.args(uint64(to))...)
	return rowsAt(to, l.n, l.count)
}

// gather copies x with the reduced axes last.
func (c *call) gather(x *nd.Array, reduced nd.Axes) cudrv.Ptr {
	var order []int
	for _, want := range []bool{false, true} {
		for i := range x.Shape() {
			if reduced.Has(i) == want {
				order = append(order, i)
			}
		}
	}
	turned, err := x.Transpose(order...)
	if err != nil {
		panic("cuda: " + err.Error()) // the axes are all, each once
	}
	to := c.alloc(x.Len() * x.DType.Size())
	c.pack(to, &turned)
	return to
}
