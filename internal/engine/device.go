package engine

import (
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/rank"
)

// Backend runs plans on a device other than the host. The host is called
// directly: a plan that passes through an interface would escape to the heap.
type Backend interface {
	// Alloc returns an array on the device with unspecified contents.
	Alloc(dt dtype.DType, shape ...int) (nd.Array, error)
	// Upload copies a host array to the device.
	Upload(x *nd.Array) (nd.Array, error)
	// Download copies a device array to the host.
	Download(x *nd.Array) (nd.Array, error)
	// Run runs p on arrays of the device. out or indices may be nil.
	Run(p *Plan, x, out, indices *nd.Array) error
}

// Task is what a plan computes, told to a backend: one of the three.
type Task struct {
	Order   *OrderTask
	Windows *Windows
	Members *Members
}

// OrderTask is an order statistic of lanes.
type OrderTask struct {
	Set      rank.Set
	SkipNaN  bool
	Arg      bool        // the result is the index
	Value    dtype.DType // of the value, also where the result is the index
	Reduced  nd.Axes
	N        int // elements of a lane; 0 gives NaN and index -1
	Lanes    int
	Weighted bool
}

// Windows are an element test as ranges of bits. Without parts all elements pass, or
// none. Of complex elements either part or both lie in their windows.
type Windows struct {
	Parts    int // of an element: 1, 2, or 0 where the dtype alone decides
	All      bool
	Re, Im   kernel.Window[uint64]
	Either   bool
	PartSize int // bytes
}

// Members are the test values of isin.
type Members struct {
	Patterns any     // []uint8, []uint16, []uint32, []uint64, []kernel.Pair32 or []kernel.Pair64: the bits of members, which may repeat
	NaN      Windows // NaNs are members if it has parts
	Invert   bool
}

// Task returns what p computes.
func (p *Plan) Task() Task {
	switch p.kind {
	case kindOrder:
		o := &p.order
		lanes := p.outputs()
		if q := o.want.Len(); o.vector && q > 0 {
			lanes /= q
		}
		return Task{Order: &OrderTask{
			Set: o.want.Set(), SkipNaN: o.skipNaN, Arg: o.arg, Value: o.value, Reduced: o.reduced,
			N: p.laneLen(), Lanes: lanes, Weighted: o.weights.on,
		}}
	case kindPredicate:
		w := p.test.windows(p.dt)
		return Task{Windows: &w}
	default:
		m := Members{Patterns: p.member.patterns, Invert: p.member.invert}
		if p.member.nan {
			m.NaN = NaN.windows(p.dt)
		}
		return Task{Members: &m}
	}
}

// windows returns the test of elements of a dtype as ranges of bits.
func (t Predicate) windows(dt dtype.DType) Windows {
	switch {
	case dt == dtype.Complex64:
		return complexWindows[uint32](t, dtype.Float32)
	case dt == dtype.Complex128:
		return complexWindows[uint64](t, dtype.Float64)
	case dt.Size() == 1:
		return realWindows[uint8](t, dt)
	case dt.Size() == 2:
		return realWindows[uint16](t, dt)
	case dt.Size() == 4:
		return realWindows[uint32](t, dt)
	default:
		return realWindows[uint64](t, dt)
	}
}

func realWindows[B kernel.Bits](t Predicate, dt dtype.DType) Windows {
	w, ok, all := windowOf[B](t, dt)
	if !ok {
		return Windows{All: all}
	}
	return Windows{Parts: 1, Re: widen(w), PartSize: dt.Size()}
}

func complexWindows[B kernel.Bits](t Predicate, dt dtype.DType) Windows {
	re, im, either := windowsOf[B](t, dt)
	return Windows{Parts: 2, Re: widen(re), Im: widen(im), Either: either, PartSize: dt.Size()}
}

func widen[B kernel.Bits](w kernel.Window[B]) kernel.Window[uint64] {
	return kernel.Window[uint64]{Mask: uint64(w.Mask), Low: uint64(w.Low), Span: uint64(w.Span)}
}
