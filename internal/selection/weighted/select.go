package weighted

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/partition"
)

// selectPairs finds what reaches the targets from … to-1 among pairs of keys and
// weights, which it reorders. It takes O(n log t) time for t targets, and no more
// than 64 n per target for any input: however the weights are spread, pivots are
// chosen to halve the number of keys.
func selectPairs[K kernel.Key](a *Answers[K], from, to int, keys []K, weights []uint64, s *crew.Scratch) {
	p := selector[K]{of: a, pivots: partition.NewPivots(keys), s: s}
	p.run(keys, weights, from, to)
}

// selector is the state of one selectPairs.
type selector[K kernel.Key] struct {
	of     *Answers[K]
	pivots partition.Pivots[K]
	s      *crew.Scratch
}

// run finds what reaches the targets from … to-1 among some of the pairs.
func (p *selector[K]) run(keys []K, weights []uint64, from, to int) {
	mark := p.s.Mark()
	g := p.of.call.Weighting
	smaller := newSum(g.words, p.s)
	for from < to {
		n := len(keys)
		if partition.Few(n) {
			p.finish(keys, weights, from, to)
			break
		}
		pivot, constant := p.pivots.Next(keys, n/2, false)
		if constant {
			p.of.set(from, to, keys[0])
			break
		}
		split := pairsBelow(keys, weights, pivot)
		least := split == 0
		if least { // the pivot is the smallest key: set its copies aside
			split = n
			if pivot < kernel.MaxKey[K]() {
				split = pairsBelow(keys, weights, pivot+1)
			}
		}
		clear(smaller)
		g.add(smaller, weights[:split])
		next := p.of.reached(from, to, smaller)
		switch {
		case least:
			p.of.set(from, next, pivot)
		case next == to:
			keys, weights = keys[:split], weights[:split]
			continue
		case next > from:
			p.run(keys[:split], weights[:split], from, next)
		}
		p.of.take(next, to, smaller)
		keys, weights, from = keys[split:], weights[split:], next
	}
	p.s.Release(mark)
}

// finish is run for a few keys.
func (p *selector[K]) finish(keys []K, weights []uint64, from, to int) {
	for i := 1; i < len(keys); i++ {
		k, w := keys[i], weights[i]
		j := i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j], weights[j] = keys[j-1], weights[j-1]
		}
		keys[j], weights[j] = k, w
	}
	g := p.of.call.Weighting
	smaller, upTo := newSum(g.words, p.s), newSum(g.words, p.s)
	for i, k := range keys {
		if i > 0 && k != keys[i-1] {
			copy(smaller, upTo)
		}
		g.add(upTo, weights[i:i+1])
		for from < to && !upTo.less(p.of.rest.at(from)) {
			p.of.keys[from] = k
			p.of.rest.at(from).sub(smaller)
			from++
		}
		if from == to {
			return
		}
	}
}

// pairsBelow moves the keys below the pivot to the front, with their weights, and
// returns how many there are. The loop has no branch to mispredict.
func pairsBelow[K kernel.Key](keys []K, weights []uint64, pivot K) int {
	weights = weights[:len(keys)]
	split := 0
	for i, k := range keys {
		w := weights[i]
		keys[i], weights[i] = keys[split], weights[split]
		keys[split], weights[split] = k, w
		if k < pivot {
			split++
		}
	}
	return split
}
