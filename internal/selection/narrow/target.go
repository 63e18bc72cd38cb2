package narrow

import "github.com/ogive-go/ogive/internal/kernel"

// target is an order statistic, known to lie among the keys lo … hi.
type target[K kernel.Key] struct {
	k             int64
	lo, hi        K
	below, inside int64 // how many keys are less than lo, and how many from lo to hi
	bin           int   // that holds it, once bins are counted
	done          bool  // the order statistic is lo
}

// found sets the order statistic.
func (t *target[K]) found(key K) { t.lo, t.done = key, true }

// isSound reports whether a target is among the keys that have been counted, as all are
// unless elements change between passes.
func (t *target[K]) isSound() bool {
	return t.lo <= t.hi && t.below <= t.k && t.k-t.below < t.inside
}

// interval is a range of keys.
type interval[K kernel.Key] struct {
	lo, hi   K
	expected int64 // keys inside
	exact    bool  // so many there are
}

// expected returns how many keys to expect in the intervals of more than one
// key, which are collected.
func expected[K kernel.Key](list []interval[K]) (total int64) {
	for _, v := range list {
		if v.lo < v.hi {
			total += v.expected
		}
	}
	return total
}
