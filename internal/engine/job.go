package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/interpolate"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/rank"
)

// Meter counts the work of a running operation.
type Meter = crew.Meter

// Config is how an operation runs, whatever it computes.
type Config struct {
	crew.Config
	Overwrite bool // the input may be used as scratch space
}

// job is a run of an order statistic: what is asked, of which array, by whom it is done and
// where the answers go.
type job struct {
	crew.Crew
	*statistic
	part      bool      // of the quantiles that the plan has
	overwrite bool      // x may be used as scratch space
	x         *nd.Array // is read
	weights   *nd.Array // is read too, or nil
	lanes     lane.Lanes
	answers   target // the values
	positions target // those of the values, active if they are asked for
	ends      *Ends  // where the order statistics go, or nil
}

// begin sets what a job is of.
func (j *job) begin(s *statistic, c *Config, x *nd.Array) {
	j.statistic, j.x, j.Config, j.overwrite = s, x, c.Config, c.Overwrite
	j.Budget, j.Memory = max(j.Config.Thresholds().CollectBytes, x.Len()*x.DType.Size()/8), 0
}

// end drops the references to what is the caller's.
func (j *job) end() {
	j.statistic, j.part, j.x, j.weights, j.ends, j.Config = nil, false, nil, nil, nil, crew.Config{}
	j.answers.forget()
	j.positions.forget()
}

// answer has do compute the answers, and stores values in out and indices, which are nil if
// nobody asks for them. The indices are the answers of some operations.
func (j *job) answer(out, indices *nd.Array, do func() error) error {
	if j.arg {
		out, indices = nil, out
	}
	j.answers.set(&j.shapes, j.value, out, j.direct(out, j.value))
	if indices != nil {
		j.positions.set(&j.shapes, dtype.Int64, indices, j.direct(indices, dtype.Int64))
	}
	if j.n == 0 {
		fillNaN(&j.answers.array)
		if j.positions.active {
			fill(nd.Slice[int64](&j.positions.array), -1)
		}
	} else if err := do(); err != nil {
		return err
	}
	j.answers.finish()
	j.positions.finish()
	return nil
}

// reads reports whether a job reads memory of an array.
func (j *job) reads(a *nd.Array) bool {
	return nd.Overlaps(a, j.x) || j.weights != nil && nd.Overlaps(a, j.weights)
}

// direct reports whether a result of dtype dt can be written into out while x and the
// weights are still being read.
func (j *job) direct(out *nd.Array, dt dtype.DType) bool {
	return out != nil && out.DType == dt && out.IsContiguous() && !j.reads(out)
}

// finish turns the keys selected in a block of lanes into values and stores them. It may
// change the keys.
func finish[K kernel.Key](j *job, v *interpolate.Values[K], r *selection.Result[K], first int, s *crew.Scratch) {
	if j.ends != nil {
		keepEnds(j.ends, r, v.Coding, first)
		if j.ends.only {
			return
		}
	}
	if r.Values {
		return
	}
	answers := &j.answers.array
	count, size := j.lanes.Count, answers.DType.Size()
	for q := range j.want.Len() {
		v.Quantile(unsafe.Add(answers.Pointer(0), (q*count+first)*size), r, q, s)
	}
}

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
