package weighted

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// Short selects in weighted lanes that fit a core's cache, one after another.
type Short[K kernel.Key] struct {
	Answers[K]
	keys    []K // the pairs that count
	weights []uint64
	sum     sum
	s       *crew.Scratch
}

// NewShort returns a Short for lanes of n elements, with memory from s.
func NewShort[K kernel.Key](c *Call[K], n int, s *crew.Scratch) Short[K] {
	return Short[K]{
		Answers: newAnswers(c, s),
		keys:    crew.Alloc[K](s, n), weights: crew.Alloc[uint64](s, n),
		sum: newSum(c.Weighting.words, s),
		s:   s,
	}
}

// Select sets the answers to those of a lane, from the keys of its elements and
// their loaded weights.
func (l *Short[K]) Select(keys []K, weights []uint64) {
	n, hasNaN := l.compact(keys, weights)
	clear(l.sum)
	l.call.Weighting.add(l.sum, l.weights[:n])
	l.aim(l.sum, hasNaN)
	selectPairs(&l.Answers, 0, len(l.Answers.keys), l.keys[:n], l.weights[:n], l.s)
	if l.call.Index {
		l.locate(keys, weights)
	}
}

// compact collects the pairs of a lane that have a weight and are not NaN, and
// returns how many there are.
func (l *Short[K]) compact(keys []K, weights []uint64) (n int, hasNaN bool) {
	toKeys, toWeights, float := l.keys, l.weights, l.call.isFloat()
	for i, w := range weights[:len(keys)] {
		k := keys[i]
		toKeys[n], toWeights[n] = k, w
		if float && k == kernel.MaxKey[K]() {
			hasNaN = true
		} else if w != 0 {
			n++
		}
	}
	return n, hasNaN
}

// locate finds the elements of a lane that are its answers.
func (l *Short[K]) locate(keys []K, weights []uint64) {
	if l.isNaN {
		l.at[0], _ = kernel.IndexOf(keys, kernel.MaxKey[K](), 0)
	}
	for i, key := range l.Answers.keys {
		clear(l.sum)
		l.at[i] = reach(l.call.Weighting, l.sum, l.rest.at(i), key, keys, weights)
	}
}
