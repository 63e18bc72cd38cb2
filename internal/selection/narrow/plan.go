package narrow

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// fewOpen is for how many targets places in the sample are found one by one where that
// takes no vectors: to sort that of 10M float16 takes as long as to find ten.
const fewOpen = 4

// narrowing is a lane with the strategies by which it is narrowed.
type narrowing[K kernel.Key] struct {
	lane     lane[K]
	bounds   bounds[K]
	heavy    []heavy[K]
	strategy strategy[K] // of the pass; nil if the lane needs none
	binned   bool        // a pass has counted bins

	brackets brackets[K]
	bins     bins[K]
	kept     kept[K]
	bytes    bytes[K]
}

// take takes the keys that were drawn for a sample: the first one, with which the lane
// begins, or another one if it needs that.
func (n *narrowing[K]) take(c *Call[K], keys []K, again bool) {
	switch s := &n.lane.sample; {
	case !again:
		n.lane.start(c, keys)
		n.strategy, n.binned, n.kept.guessed, n.kept.bins = nil, false, false, &n.bins
	case s.misled:
		s.set(keys, c.Encoding)
	}
}

// plan prepares a pass and reports whether one is needed.
func (n *narrowing[K]) plan() bool {
	open, needed := n.lane.begin()
	if !needed {
		n.strategy = nil
		return false
	}
	n.strategy = n.choose(open)
	return true
}

// choose returns the strategy of a pass for so many open targets, ready.
func (n *narrowing[K]) choose(open int) strategy[K] {
	l := &n.lane
	least := l.call.Thresholds.BinsMin
	if unsafe.Sizeof(K(0)) == 2 {
		least *= 3 // the bins of 16-bit keys are found one key at a time
	}
	bins := open >= least && !n.binned && len(l.sample.keys) > 0
	if bins || l.passes > 0 || open > fewOpen && !kernel.NthOnVectors[K]() {
		l.sample.sort()
	}
	if unsafe.Sizeof(K(0)) == 1 {
		n.bytes.begin(l, n.bounds.of(l))
		return &n.bytes
	}
	if bins {
		all := false
		if n.heavy = n.heavy[:0]; l.passes == 0 {
			n.heavy, all = l.findHeavy(n.heavy)
		}
		if all {
			n.brackets.begin(l, n.bounds.alone(n.heavy))
			return &n.brackets
		}
		n.binned = true
		n.bins.begin(l, n.heavy)
		return &n.bins
	}
	if (n.strategy == &n.bins && open >= least || n.strategy == &n.kept) && n.kept.begin(l) {
		return &n.kept
	}
	list := n.bounds.of(l)
	if l.passes > 0 && (expected(list) > int64(l.call.Capacity) || len(list) > kernel.BracketsMax) {
		n.binned = true
		n.bins.divide(l, list)
		return &n.bins
	}
	n.brackets.begin(l, list)
	return &n.brackets
}

// settle ends a pass. It returns how many buckets there are to select in, and for how
// many keys they have room.
func (n *narrowing[K]) settle() (buckets, keys int) {
	l := &n.lane
	if n.strategy == nil || l.passes == 0 && !l.countValues() {
		return 0, 0
	}
	n.strategy.settle(l)
	l.end()
	return len(l.buckets.list), len(l.buckets.memory)
}

// selectIn finds the targets that lie in a bucket, with memory from s.
func (n *narrowing[K]) selectIn(number int, s *crew.Scratch) {
	n.lane.buckets.list[number].selectIn(n.lane.targets, n.lane.call.Thresholds, s)
}
