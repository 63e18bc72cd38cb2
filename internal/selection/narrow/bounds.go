package narrow

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
)

// sigma is how many standard deviations brackets reach in the first pass: one in
// 400 targets lies beyond. After a miss they are as much wider again.
const sigma = 3

// bounds are the intervals in which open targets are expected, in memory that is kept.
type bounds[K kernel.Key] struct {
	list   []interval[K] // disjoint, ascending
	merged []interval[K] // before heavy values are set apart
}

// of sets the bounds to those of the open targets of a lane.
func (b *bounds[K]) of(l *lane[K]) []interval[K] {
	list := b.list[:0]
	for i := range l.targets {
		if l.targets[i].done {
			continue
		}
		v := l.around(&l.targets[i])
		if last := len(list) - 1; last >= 0 && v.lo <= list[last].hi {
			prev := &list[last]
			if v.lo != prev.lo || v.hi != prev.hi { // not two targets in one interval
				prev.expected += v.expected
				prev.hi, prev.exact = max(prev.hi, v.hi), false
			}
			continue
		}
		list = append(list, v)
	}
	if l.trusting() && unsafe.Sizeof(K(0)) > 1 {
		b.merged, list = list, b.merged[:0]
		for _, v := range b.merged {
			list = l.setHeavyApart(list, v)
		}
	}
	b.list = list
	return list
}

// around returns the interval in which a target is expected: all that it is known to
// lie in if that is small enough to collect or there is no sample of it to tell
// more.
func (l *lane[K]) around(t *target[K]) interval[K] {
	counted := l.passes > 0
	v := interval[K]{t.lo, t.hi, t.inside, counted}
	if counted && t.inside <= int64(l.call.Thresholds.CollectWhole) {
		return v
	}
	from, end := l.sample.between(t.lo, t.hi)
	m := end - from
	if m < fewSampled || !l.trusting() {
		return v
	}
	lo, hi := bracket.Around(t.k-t.below, t.k-t.below, t.inside, m, sigma*float64(l.passes+1))
	if lo >= 0 {
		v.lo = l.sample.at(from + lo)
	}
	if hi < m {
		v.hi = l.sample.at(from + hi)
	}
	first, last := l.sample.between(v.lo, v.hi) // the ends may have copies beyond
	v.exact = false
	v.expected = int64(float64(last-first) / float64(m) * float64(t.inside))
	return v
}

// setHeavyApart appends an interval, and for its ends, if they are values with many
// copies, intervals of their own; nothing between them if the sample has nothing.
func (l *lane[K]) setHeavyApart(dst []interval[K], v interval[K]) []interval[K] {
	s := &l.sample
	from, to := s.between(v.lo, v.hi)
	if v.lo == v.hi || from == to {
		return append(dst, v)
	}
	low, high := v.lo, v.hi
	_, end := s.between(low, low)
	if s.isHeavy(end - from) {
		dst = append(dst, interval[K]{lo: low, hi: low})
		from, v.lo = end, low+1
	}
	first, _ := s.between(high, high)
	apart := s.isHeavy(to - first)
	if apart {
		to, v.hi = first, high-1
	}
	if v.lo <= v.hi && from < to {
		if v.lo > low || v.hi < high {
			v.expected, v.exact = int64(float64(to-from)/float64(len(s.keys))*float64(l.values)), false
		}
		dst = append(dst, v)
	}
	if apart {
		dst = append(dst, interval[K]{lo: high, hi: high})
	}
	return dst
}
