package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/rank"
)

const (
	// scratchLeast bounds the scratch memory of a call, or an eighth of its input does if that is
	// more.
	scratchLeast = 64 << 20

	// lanesAtOnce is about how many lanes a worker has the answers of at a time.
	lanesAtOnce = 64

	// fewQuantiles are looked for together whatever memory they take.
	fewQuantiles = 1 << 10

	// answerBytes is what an answer takes until it is a value: two keys and a weight in two.
	answerBytes = 32

	// targetBytes is what selection keeps of an order statistic while it looks for it; a
	// quantile names two.
	targetBytes = 256
)

// mostQuantiles returns how many quantiles of x are looked for at a time, so that what is
// known of them stays within the bound for scratch memory: their positions, the order
// statistics that these name and where they stand, and the answers of the lanes at hand.
func (p *Plan) mostQuantiles(x *nd.Array) int {
	lanes := min(p.outputs()/p.order.want.Len(), lanesAtOnce)
	if p.order.window.width > 0 {
		lanes = answers
	}
	each := int(unsafe.Sizeof(rank.Position{})) + 4*int(unsafe.Sizeof(int64(0))) + 2*targetBytes + lanes*answerBytes
	return max(scratchLeast, x.Len()*x.DType.Size()/8) / (2 * each)
}

// runParts is Run for so many quantiles at a time.
func (p *Plan) runParts(x, out, indices *nd.Array, most int) error {
	results := [2]*nd.Array{out, indices}
	var own [2]nd.Array
	for i, r := range results {
		if r == nil || !nd.Overlaps(r, x) && !(p.order.weights.on && nd.Overlaps(r, &p.order.weights.array)) {
			continue
		}
		// What is read for the next part must not be written by this one.
		var err error
		if own[i], err = nd.New(r.DType, p.Shape()...); err != nil {
			return err
		}
		results[i] = &own[i]
	}
	o, set := &p.order, p.order.want.Set()
	part := *p
	for from := 0; from < set.Len(); from += most {
		to := min(from+most, set.Len())
		part.order.want = selection.NewWant(set.Part(from, to), o.skipNaN, p.Config.Thresholds())
		part.out[0] = to - from
		part.order.number(&part)
		var views [2]nd.Array
		var parts [2]*nd.Array
		for i, r := range results {
			if r == nil {
				continue
			}
			var err error
			if views[i], err = r.Slice(0, from, to, 1); err != nil {
				return err
			}
			parts[i] = &views[i]
		}
		if err := part.run(x, parts[0], parts[1], nil); err != nil {
			return err
		}
	}
	if results[0] != out {
		nd.Cast(out, results[0])
	}
	if results[1] != indices {
		nd.Cast(indices, results[1])
	}
	return nil
}
