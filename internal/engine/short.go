package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/interpolate"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
)

// shortDirect reports whether runShort can read x and write to out as they lie.
// They may overlap: x has been read when the first value is written.
func (p *Plan) shortDirect(x, out *nd.Array) bool {
	return out != nil && out.DType == p.value && out.IsContiguous() && x.IsContiguous()
}

// runShort runs a plan of a single short lane on the caller's stack: in less
// time than it takes to hand out a task.
func runShort[K kernel.Key](p *Plan, x, out *nd.Array) error {
	if ctx := p.Config.Context; ctx != nil {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	var r selection.ShortResult[K]
	c := interpolate.CodingOf[K](p.dt)
	selection.Short(&p.want, c.Encoding, unsafe.Slice((*K)(x.Pointer(0)), p.n), &r)
	q := p.want.Len()
	interpolate.Lane(out.Pointer(0), p.dt, p.want.Set(), c, r.Lo[:q], r.Hi[:q], r.G[:q], r.Low[:q])
	if m := p.Config.Meter; m != nil {
		m.Total.Add(int64(p.n))
		m.Done.Add(int64(p.n))
	}
	return nil
}
