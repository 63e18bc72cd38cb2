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

// answerParts is answer, for all quantiles at once or for so many at a time that what is
// known of them stays within the bound for scratch memory: their positions, the order
// statistics that these name and where they stand, and the answers of the lanes at hand, of
// which there are so many at most.
func (j *job) answerParts(out, indices *nd.Array, lanes int, do func() error) error {
	if j.want.Len() <= fewQuantiles || j.ends != nil {
		return j.answer(out, indices, do)
	}
	lanes = min(lanes, j.total/j.want.Len())
	each := int(unsafe.Sizeof(rank.Position{})) + 4*int(unsafe.Sizeof(int64(0))) + 2*targetBytes + lanes*answerBytes
	most := max(scratchLeast, j.x.Len()*j.x.DType.Size()/8) / (2 * each)
	if most = max(most, fewQuantiles); j.want.Len() <= most {
		return j.answer(out, indices, do)
	}
	var whole [2]target // what is read for the next part is not written by this one
	for i, r := range [2]*nd.Array{out, indices} {
		if r != nil {
			whole[i].set(&j.shapes, r.DType, r, !j.reads(r))
		}
	}
	err := j.eachPart(&whole, most, do)
	if err == nil {
		whole[0].finish()
		whole[1].finish()
	}
	return err
}

// eachPart is answer for most quantiles at a time. x is read for each.
func (j *job) eachPart(results *[2]target, most int, do func() error) error {
	whole, set := j.statistic, j.want.Set()
	defer func() { j.statistic = whole }()
	j.part, j.overwrite = true, false
	for from := 0; from < set.Len(); from += most {
		to := min(from+most, set.Len())
		part := *whole
		part.want = selection.NewWant(set.Part(from, to), part.skipNaN, j.Config.Thresholds())
		part.want.Number()
		part.out[0], part.total = to-from, whole.total/set.Len()*(to-from)
		j.statistic = &part
		var views [2]nd.Array
		var parts [2]*nd.Array
		for i := range results {
			if !results[i].active {
				continue
			}
			var err error
			if views[i], err = results[i].array.Slice(0, from, to, 1); err != nil {
				return err
			}
			parts[i] = &views[i]
		}
		if err := j.answer(parts[0], parts[1], do); err != nil {
			return err
		}
	}
	return nil
}
