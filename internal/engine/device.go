package engine

import (
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/elements"
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

// Task is what a plan computes, told to a backend: one of the two.
type Task struct {
	Order *OrderTask
	Test  *elements.Test
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

// Task returns what p computes.
func (p *Plan) Task() Task {
	if p.kind == testKind {
		return Task{Test: &p.test}
	}
	lanes := p.total
	if q := p.want.Len(); p.vector && q > 0 {
		lanes /= q
	}
	return Task{Order: &OrderTask{
		Set: p.want.Set(), SkipNaN: p.skipNaN, Arg: p.arg, Value: p.value, Reduced: p.reduced,
		N: p.n, Lanes: lanes, Weighted: p.weighted,
	}}
}
