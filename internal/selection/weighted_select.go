package selection

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/partition"
)

// targets are cumulative weights to be reached, ascending, and what reaches
// them: for target t, the key at t, and in rest what the copies of that key
// must add up to for it, unless rest is nil. Sums take g.words words each.
type targets[K kernel.Key] struct {
	g    *Weighting
	n    int
	sums []uint64
	keys []K
	rest []uint64
}

// newTargets returns room for so many targets.
func newTargets[K kernel.Key](g *Weighting, room int, rest bool, s *crew.Scratch) targets[K] {
	t := targets[K]{g: g, sums: crew.Alloc[uint64](s, room*g.words), keys: crew.Alloc[K](s, room)}
	if rest {
		t.rest = crew.Alloc[uint64](s, room*g.words)
	}
	return t
}

// sum returns the sum of target i.
func (t *targets[K]) sum(i int) []uint64 { return t.sums[i*t.g.words:][:t.g.words] }

// restOf returns the rest of target i.
func (t *targets[K]) restOf(i int) []uint64 { return t.rest[i*t.g.words:][:t.g.words] }

// sameKey returns the end of the targets that the same key reaches as target
// from.
func (t *targets[K]) sameKey(from int) int {
	to := from + 1
	for to < t.n && t.keys[to] == t.keys[from] {
		to++
	}
	return to
}

// beyond returns the first of the targets from … to-1 that the sum does not
// reach, to if it reaches all.
func (t *targets[K]) beyond(from, to int, sum []uint64) int {
	if t.g.words == 1 {
		for from < to {
			if mid := (from + to) / 2; t.sums[mid] > sum[0] {
				to = mid
			} else {
				from = mid + 1
			}
		}
		return from
	}
	for from < to {
		if mid := (from + to) / 2; exceeds(t.sum(mid), sum) {
			to = mid
		} else {
			from = mid + 1
		}
	}
	return from
}

// settle sets what reaches the targets from … to-1: a key whose copies follow
// the sum below.
func (t *targets[K]) settle(from, to int, key K, below []uint64) {
	for i := from; i < to; i++ {
		t.keys[i] = key
		if t.rest != nil {
			rest := t.restOf(i)
			copy(rest, t.sum(i))
			subSum(rest, below)
		}
	}
}

// selectWeighted finds what reaches the targets among pairs of keys and
// weights, which it reorders. It takes O(n log t.n) time, and no more than 64 n
// per target for any input: however the weights are spread, pivots are chosen
// to halve the number of keys.
func selectWeighted[K kernel.Key](t *targets[K], keys []K, weights []uint64, s *crew.Scratch) {
	w := weightedSelector[K]{
		pivots: partition.NewPivots(keys),
		t:      t, s: s,
	}
	mark := s.Mark()
	below := crew.Alloc[uint64](s, t.g.words)
	clear(below)
	w.run(keys, weights, 0, t.n, below)
	s.Release(mark)
}

// weightedSelector carries the state of one selectWeighted.
type weightedSelector[K kernel.Key] struct {
	pivots partition.Pivots[K]
	t      *targets[K]
	s      *crew.Scratch
}

// run finds what reaches the targets from … to-1 among keys, before which the
// weights add up to below. It overwrites below.
func (w *weightedSelector[K]) run(keys []K, weights []uint64, from, to int, below []uint64) {
	mark := w.s.Mark()
	sum := crew.Alloc[uint64](w.s, len(below))
	for from < to {
		n := len(keys)
		if n <= insertionMax {
			w.finish(keys, weights, from, to, below, sum)
			break
		}
		pivot, constant := w.pivots.Next(keys, n/2, false)
		if constant {
			w.t.settle(from, to, keys[0], below)
			break
		}
		split := partitionPairs(keys, weights, pivot)
		equal := split == 0
		if equal {
			// The pivot is the smallest key: set its copies aside.
			split = partitionPairsEqual(keys, weights, pivot)
		}
		copy(sum, below)
		w.t.g.add(sum, weights[:split])
		next := w.t.beyond(from, to, sum)
		switch {
		case equal:
			w.t.settle(from, next, pivot, below)
		case next == to:
			keys, weights = keys[:split], weights[:split]
			continue
		case next > from:
			w.run(keys[:split], weights[:split], from, next, below)
		}
		copy(below, sum)
		keys, weights, from = keys[split:], weights[split:], next
	}
	w.s.Release(mark)
}

// finish is run for a few keys.
func (w *weightedSelector[K]) finish(keys []K, weights []uint64, from, to int, below, sum []uint64) {
	for i := 1; i < len(keys); i++ {
		k, wk := keys[i], weights[i]
		j := i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j], weights[j] = keys[j-1], weights[j-1]
		}
		keys[j], weights[j] = k, wk
	}
	copy(sum, below)
	for i := 0; i < len(keys) && from < to; {
		end := i + 1
		for end < len(keys) && keys[end] == keys[i] {
			end++
		}
		w.t.g.add(sum, weights[i:end])
		next := w.t.beyond(from, to, sum)
		w.t.settle(from, next, keys[i], below)
		copy(below, sum)
		i, from = end, next
	}
}

// partitionPairs is partition, with the weights moved along.
func partitionPairs[K kernel.Key](keys []K, weights []uint64, pivot K) int {
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

// partitionPairsEqual is partitionEqual, with the weights moved along.
func partitionPairsEqual[K kernel.Key](keys []K, weights []uint64, pivot K) int {
	weights = weights[:len(keys)]
	split := 0
	for i, k := range keys {
		w := weights[i]
		keys[i], weights[i] = keys[split], weights[split]
		keys[split], weights[split] = k, w
		if k <= pivot {
			split++
		}
	}
	return split
}
