package ogive

import (
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/bridge"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/nd"
)

// The packages of this module that are above this one see behind its types.
func init() {
	bridge.Open(
		bridge.Tensors[Tensor]{
			Wrap:  func(a nd.Array) *Tensor { return &Tensor{a} },
			Array: func(t *Tensor) *nd.Array { return &t.arr },
		},
		bridge.Plans[Op, Option]{Prepare: prepareCall, Tuned: tuned},
	)
}

// prepareCall prepares a call of an operation's function without running it; see
// [bridge.Plans].
func prepareCall(op Op, dt dtype.DType, shape []int, quantiles *Option, opts []Option, withIndex bool) (*engine.Plan, error) {
	p := new(Plan)
	p.request.withIndex = withIndex
	err := nd.Guard(op.String(), func() error { return p.prepare(op, dt, shape, quantiles, opts, results.with(optTest)) })
	if err != nil {
		return nil, err
	}
	p.request = request{}
	return &p.eng, nil
}
