package narrow

import (
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/selection/partition"
	"github.com/ogive-go/ogive/internal/tuning"
)

// fewSampled is the fewest keys of a sample that tell where an order statistic among them
// may be expected.
const fewSampled = 4

// sample are keys of a lane, none NaN, by which its order statistics are expected.
type sample[K kernel.Key] struct {
	keys   []K
	sorted bool
	spare  []K
	tuned  *tuning.Thresholds

	misled bool   // it was no help; another one is drawn
	known  uint64 // what has been counted, as a number: it says where the other one is drawn
}

// set makes s the sample of the keys, which may be NaN in this encoding.
func (s *sample[K]) set(keys []K, e kernel.Encoding[K]) {
	if e.Code == kernel.Float {
		keys = keys[:kernel.Collect(keys, keys, kernel.Encoding[K]{}, kernel.MinKey[K](), kernel.MaxKey[K]()-1).Inside]
	}
	s.keys, s.sorted, s.misled = keys[:len(keys):len(keys)], false, false
	s.spare = crew.Resize(s.spare, len(keys)+2*kernel.CacheKeys)
}

// sort sorts the keys.
func (s *sample[K]) sort() {
	if !s.sorted {
		partition.Sort(s.keys, s.spare, s.tuned)
		s.sorted = true
	}
}

// between returns the part of the keys from lo to hi, in their order.
func (s *sample[K]) between(lo, hi K) (from, to int) {
	if !s.sorted {
		from, _ = kernel.CountBelow(s.keys, lo)
		below, equal := kernel.CountBelow(s.keys, hi)
		return from, below + equal
	}
	from, _ = slices.BinarySearch(s.keys, lo)
	n, _ := slices.BinarySearchFunc(s.keys[from:], hi, func(k, hi K) int {
		if k <= hi {
			return -1
		}
		return 1
	})
	return from, from + n
}

// at returns order statistic i of the keys. For the few brackets of a first pass they are
// found one by one: to sort a sample of 10M takes a tenth of the time of all, in which
// other workers wait.
func (s *sample[K]) at(i int) K {
	if s.sorted {
		return s.keys[i]
	}
	var found [1]K
	bracket.Near(found[:], s.keys, s.spare, []int64{int64(i)}, s.tuned)
	return found[0]
}

// place returns the place among the keys at which order statistic k of so many values is
// expected, whatever is known of it.
func (s *sample[K]) place(k int64, values int) int {
	return min(bracket.MulDiv(int(k), len(s.keys), values), len(s.keys)-1)
}

// isHeavy reports whether a value of which the sample has so many copies is counted for
// itself: to look for its copies apart costs less than to collect them.
func (s *sample[K]) isHeavy(copies int) bool {
	return copies > max(len(s.keys)/s.tuned.HeavyShare, 1)
}

// appendSplitters appends the first key of an interval and every so manyeth that the sample
// has of it. One with more copies is set apart.
func (s *sample[K]) appendSplitters(dst []K, v interval[K], step int) []K {
	from, to := s.between(v.lo, v.hi)
	dst = append(dst, v.lo)
	for i := from; i < to; i += step {
		key := s.keys[i]
		if last := dst[len(dst)-1]; key != last {
			dst = append(dst, key)
		} else {
			dst = bracket.AppendEnd(dst, key)
		}
	}
	return slices.Compact(dst)
}
