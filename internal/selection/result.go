package selection

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/rank"
)

// Coding is how the elements of a dtype are read as keys and written back.
type Coding[K kernel.Key] struct {
	kernel.Encoding[K]
	NaN K // the canonical NaN as an element; unused where there is none
}

// Result are the answers of a tile of lanes: for quantile q and lane j the keys
// of the two values between which it lies at q*Lanes+j of Lo and Hi. The weight
// of Hi is G[q] if len(G) is the number of quantiles, the same for all lanes,
// and G[q*Lanes+j] otherwise. A NaN answer has two NaNs and any weight, and one of weight 0
// the same key twice. G may be nil where 1/2 serves every lane, as the method has no other weights.
// Low is what G lacks of exact weights, as long, or nil if these are float64s. If
// Values is set, Lo holds the answers, as elements.
type Result[K kernel.Key] struct {
	Lanes  int
	Lo, Hi []K
	G, Low []float64
	Values bool
}

// NewResult returns a result for so many lanes. Each has weights of its own if
// NaNs are dropped.
func NewResult[K kernel.Key](w *Want, lanes int, s *crew.Scratch) Result[K] {
	r := NewKeys[K](w.set, lanes, s)
	r.NewWeights(w.set, w.skip, s)
	return r
}

// NewKeys returns a result for so many lanes without weights.
func NewKeys[K kernel.Key](set rank.Set, lanes int, s *crew.Scratch) Result[K] {
	n := set.Len() * lanes
	return Result[K]{Lanes: lanes, Lo: crew.Alloc[K](s, n), Hi: crew.Alloc[K](s, n)}
}

// NewWeights gives r weights for the quantiles of a set: for each lane its own, or for all.
func (r *Result[K]) NewWeights(set rank.Set, each bool, s *crew.Scratch) {
	n := set.Len()
	if each {
		n *= r.Lanes
	}
	r.G, r.Low = crew.Alloc[float64](s, n), nil
	if set.Fractional() {
		r.Low = crew.Alloc[float64](s, n)
	}
}

// Weigh sets weights from … to-1.
func (r *Result[K]) Weigh(from, to int, p *rank.Position) {
	for i := from; i < to; i++ {
		r.G[i] = p.G
	}
	if r.Low != nil {
		for i := from; i < to; i++ {
			r.Low[i] = p.Low
		}
	}
}

// weigh sets the weights of the lanes from … to-1, or those that all share.
func (r *Result[K]) weigh(ranks *rank.Wants, from, to int) {
	for q := range ranks.Positions {
		r.weighOne(ranks, q, from, to)
	}
}

// weighOne is weigh of one quantile.
func (r *Result[K]) weighOne(ranks *rank.Wants, q, from, to int) {
	if len(r.G) == len(ranks.Positions) {
		from, to = q, q+1
	} else {
		from, to = q*r.Lanes+from, q*r.Lanes+to
	}
	r.Weigh(from, to, &ranks.Positions[q])
}

// fillNaN makes the answers of a lane NaN.
func (r *Result[K]) fillNaN(lane int) {
	for at := lane; at < len(r.Lo); at += r.Lanes {
		r.Lo[at], r.Hi[at] = kernel.MaxKey[K](), kernel.MaxKey[K]()
	}
}

// take sets the answers of a lane from its order statistics, as ranks lists
// them.
func (r *Result[K]) take(lane int, ranks *rank.Wants, keys []K) {
	for q := range ranks.Positions {
		at := q*r.Lanes + lane
		r.Lo[at], r.Hi[at] = keys[ranks.Lo[q]], keys[ranks.Hi[q]]
	}
	r.weigh(ranks, lane, lane+1)
}

// Answers are those of lanes that have been selected in by passes.
type Answers[K kernel.Key] interface {
	// IsNaN reports whether the answers of a lane are NaN.
	IsNaN(lane int) bool
	// Answer returns the two keys between which a quantile of a lane lies, and the
	// position with the weight of hi.
	Answer(lane, q int) (lo, hi K, p *rank.Position)
}

// Take sets the answers of lanes lane … lane+lanes-1 to those of the first lanes of a.
func (r *Result[K]) Take(lane, lanes int, a Answers[K]) {
	quantiles := len(r.Lo) / r.Lanes
	for j := range lanes {
		if a.IsNaN(j) {
			r.fillNaN(lane + j)
			continue
		}
		for q := range quantiles {
			at := q*r.Lanes + lane + j
			lo, hi, p := a.Answer(j, q)
			r.Lo[at], r.Hi[at] = lo, hi
			if len(r.G) == quantiles {
				r.Weigh(q, q+1, p)
			} else {
				r.Weigh(at, at+1, p)
			}
		}
	}
}
