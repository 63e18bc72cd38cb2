package engine

import (
	"sync"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/internal/selection/weighted"
	"github.com/ogive-go/ogive/internal/weights"
)

// groupWeights are the weights of the elements of groups.
type groupWeights[K kernel.Key] struct {
	reader weights.Reader
	call   weighted.Call[K]

	mu  sync.Mutex
	bad badGroup
}

// badGroup is the first group whose weights have no proper sum.
type badGroup struct {
	found, large bool
	rank, lane   int
}

// begin prepares w for the weights of a job.
func (w *groupWeights[K]) begin(j *job, of *weights.Weights) {
	w.bad = badGroup{}
	of.Reader(&w.reader, &of.Array, j.reduced)
	w.call = weightedCall[K](j, of)
}

// check notes a group whose widened weights, of which none is negative, do not have
// a positive sum, or frequencies too large a one.
func (w *groupWeights[K]) check(weights []uint64, rank, lane int) {
	total := int64(0)
	if w.reader.DType.IsFloat() {
		for _, b := range weights {
			if b<<1 != 0 { // neither 0 nor -0
				return
			}
		}
	} else if total, _ = weighted.AddFrequencies(0, weights); 0 < total && total < weighted.MaxFrequencies {
		return
	}
	bad := badGroup{found: true, large: total > 0, rank: rank, lane: lane}
	w.mu.Lock()
	if b := &w.bad; !b.found || rank < b.rank || rank == b.rank && lane < b.lane {
		*b = bad
	}
	w.mu.Unlock()
}

// failed returns the error of the first group that check noted.
func (w *groupWeights[K]) failed(keys *nd.Array) error {
	switch {
	case !w.bad.found:
		return nil
	case w.bad.large:
		return errs.New(errs.ErrWeights, "weights of group %v sum to 2^53 or more, which is too large for frequencies", keyOf(keys, w.bad.rank))
	}
	return errs.New(errs.ErrWeights, "weights of group %v sum to 0, want a positive sum", keyOf(keys, w.bad.rank))
}

// keyOf returns a key as a message shows it.
func keyOf(keys *nd.Array, i int) string {
	one, err := keys.Slice(0, i, i+1, 1)
	if err == nil {
		one, err = one.Reshape()
	}
	if err != nil {
		panic("engine: no such key: " + err.Error())
	}
	return one.Format()
}

// selectIn selects in groups of lengths that lie one after the other, whose elements are at
// the given positions, and overwrites them. Their ranks are counted from first.
func (w *groupWeights[K]) selectIn(elements []K, positions, lengths, ranks []uint32, first, lane int, s *crew.Scratch) selection.Result[K] {
	from := lane
	if w.reader.Shared {
		from = 0
	}
	list := crew.Alloc[uint64](s, len(positions))
	w.reader.Pick(list, from, positions, s)
	most := uint32(0)
	for i, at := 0, 0; i < len(lengths); i++ {
		w.check(list[at:at+int(lengths[i])], first+int(ranks[i]), lane)
		at += int(lengths[i])
		most = max(most, lengths[i])
	}
	w.reader.Sums.Load(list)
	kernel.Encode(elements, elements, w.call.Encoding)

	short := weighted.NewShort(&w.call, int(most), s)
	res := weightedResult(&w.call, len(lengths), s)
	for i, n := range lengths {
		short.Select(elements[:n], list[:n])
		takeAnswers(&res, i, w.call.Set.Len(), &short.Answers)
		elements, list = elements[n:], list[n:]
	}
	return res
}
