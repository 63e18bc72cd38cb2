package cuda

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/rank"
)

// orderRun is the selection of order statistics: which keys each quantile of each lane
// lies between. Output o belongs to quantile o / lanes and lane o % lanes.
type orderRun struct {
	*call
	task *engine.OrderTask
	x    *nd.Array
	dt   dtype.DType
	code code
	l    lanes
	q    int // quantiles

	keep      bool      // the second key of an output may be another than the first
	lo, hi    cudrv.Ptr // the keys of all outputs; hi is 0 if lo says all
	positions []rank.Position
	table     cudrv.Ptr // of the positions, a row for each number of values that a lane may have
	rows      cudrv.Ptr // the row of each lane, or 0 if there is one for all
}

// order computes order statistics, and their indices if they are asked for.
func (c *call) order(t *engine.OrderTask, x, out, indices *nd.Array) {
	r := orderRun{call: c, task: t, x: x, dt: x.DType, q: t.Set.Len()}
	if t.Arg {
		out, indices = nil, out
	}
	if r.q*t.Lanes == 0 {
		return
	}
	if t.N == 0 {
		r.fillEmpty(out, indices)
		return
	}
	r.code = codeOf(r.dt)
	r.l = c.lanesOf(x, t.Reduced)
	r.keep = !t.Set.Method().Discrete()
	r.lo = c.alloc(r.outputs() * r.code.size)
	if r.keep {
		r.hi = c.alloc(r.outputs() * r.code.size)
	}
	r.selectKeys()
	if indices != nil { // before out is written, which may overlap x
		to := c.resultIn(indices, x, dtype.Int64)
		r.locate(to.at)
		c.finish(to)
	}
	if out != nil {
		to := c.resultIn(out, x, t.Value)
		r.interpolate(to.at)
		c.finish(to)
	}
}

func (r *orderRun) outputs() int { return r.q * r.l.count }

// fillEmpty writes the answers of lanes without elements.
func (r *orderRun) fillEmpty(out, indices *nd.Array) {
	n := r.q * r.task.Lanes
	if out != nil {
		nan, size := dtype.CanonicalNaN(r.task.Value), r.task.Value.Size()
		list := make([]byte, 0, n*size)
		for range n {
			list = append(list, unsafe.Slice((*byte)(unsafe.Pointer(&nan)), 8)[:size]...)
		}
		r.finish(result{at: upload(r.call, list), dt: r.task.Value, final: out})
	}
	if indices != nil {
		to := r.alloc(8 * n)
		r.fill(to, 0xFF, 8*n) // -1
		r.finish(result{at: to, dt: dtype.Int64, final: indices})
	}
}

// floating reports whether elements may be NaN.
func (r *orderRun) floating() bool { return r.dt.IsFloat() }

// position is a rank.Position in the memory of a device.
type position struct {
	lo, hi int64
	g      float64
}

// setPositions makes the table of positions.
func (r *orderRun) setPositions(list []rank.Position) {
	table := make([]position, len(list))
	for i, p := range list {
		table[i] = position{p.Lo, p.Hi, p.G}
	}
	r.positions, r.table = list, upload(r.call, table)
}

// setTable makes the table of positions for lanes of the same length, with a row for
// each number of values where NaNs are skipped. It reports false if that is too much.
func (r *orderRun) setTable() bool {
	first := r.l.n
	if r.task.SkipNaN {
		if first = 0; (r.l.n+1)*r.q > r.d.limits.positions {
			return false
		}
	}
	var table []rank.Position
	for valid := first; valid <= r.l.n; valid++ {
		table = r.task.Set.Positions(table, int64(max(valid, 1)))
	}
	r.setPositions(table)
	if r.task.SkipNaN {
		r.rows = r.alloc(4 * r.l.count)
	}
	return true
}

// wanted are the parameters of kernels that say which order statistics are wanted.
func (r *orderRun) wanted() []uint64 {
	return []uint64{uint64(r.table), uint64(r.q), uint64(answer(r.task.SkipNaN))}
}

// kernel runs a kernel for the elements' type.
func (r *orderRun) kernel(family, name string, g grid, args ...uint64) {
	r.run(family+"_"+r.code.suffix, name+"_"+r.code.suffix, g, args...)
}
