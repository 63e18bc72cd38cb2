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
func (p *Plan) runShort(x, out *nd.Array) error {
	if ctx := p.Config.Context; ctx != nil {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	switch p.dt.Size() {
	case 1:
		shortLane[int8](&p.statistic, x, out)
	case 2:
		shortLane[int16](&p.statistic, x, out)
	case 4:
		shortLane[int32](&p.statistic, x, out)
	default:
		shortLane[int64](&p.statistic, x, out)
	}
	if m := p.Config.Meter; m != nil {
		n := int64(p.n)
		m.Total.Add(n)
		m.Done.Add(n)
	}
	return nil
}

// shortLane selects in the only lane of x.
func shortLane[K kernel.Key](t *statistic, x, out *nd.Array) {
	var r selection.ShortResult[K]
	c := interpolate.CodingOf[K](t.dt)
	selection.Short(&t.want, c.Encoding, unsafe.Slice((*K)(x.Pointer(0)), t.n), &r)
	q := t.want.Len()
	interpolate.Lane(out.Pointer(0), t.dt, t.want.Set(), c, r.Lo[:q], r.Hi[:q], r.G[:q], r.Low[:q])
}
