package narrow

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/rank"
)

const (
	// sampledPasses is how many passes trust the sample.
	sampledPasses = 3

	// vainMost is how many of the passes that do not trust the sample may narrow no target:
	// a guess that fails does not, and what waits for memory has its turn. More do so only
	// if elements have changed since they were counted.
	vainMost = 4
)

// lane is what is known of one lane.
type lane[K kernel.Key] struct {
	call     *Call[K]
	sample   sample[K]
	ranks    rank.Wants  // the order statistics that the quantiles name
	targets  []target[K] // what is known of each
	values   int         // that are not NaN, estimated until a pass has counted them; 0 if the answers are NaN
	passes   int         // that have been made
	progress progress
	counted  tally      // by the pass
	buckets  buckets[K] // of the keys that it has collected
}

// tally is what the workers of a pass count: what, is the matter of its strategy.
type tally struct {
	mu     sync.Mutex
	counts []int64
	nan    int
}

// reset makes room for so many counts, all 0.
func (t *tally) reset(n int) {
	t.counts = crew.Resize(t.counts, n)
	clear(t.counts)
	t.nan = 0
}

// progress is how far passes come that do not trust the sample.
type progress struct {
	left int // the bits of the keys between which the targets are
	vain int // passes that have narrowed nothing
}

// start begins a lane of which keys are a sample.
func (l *lane[K]) start(c *Call[K], keys []K) {
	l.call, l.sample.tuned, l.sample.known = c, c.Thresholds, 0
	l.sample.set(keys, c.Encoding)
	l.passes, l.progress.vain = 0, 0
	valid := len(l.sample.keys)
	l.values = max(1, int(float64(c.N)*(float64(valid)/float64(len(keys)))))
	if !c.Skip && valid < len(keys) {
		l.values = 0
		return
	}
	l.aim()
}

// isNaN reports whether the answers are NaN.
func (l *lane[K]) isNaN() bool { return l.values == 0 }

// trusting reports whether the next pass trusts the sample.
func (l *lane[K]) trusting() bool { return l.passes < sampledPasses }

// aim sets the targets to the wanted order statistics of so many values.
func (l *lane[K]) aim() {
	l.ranks.Resolve(l.call.Set, int64(l.values))
	l.targets = l.targets[:0]
	lo, hi := kernel.MinKey[K](), kernel.MaxKey[K]()
	if e := l.call.Encoding; e.Code == kernel.Float {
		lo, hi = ^e.Inf, e.Inf
	}
	for _, k := range l.ranks.Ranks {
		l.targets = append(l.targets, target[K]{k: k, lo: lo, hi: hi, inside: int64(l.values)})
	}
}

// begin prepares for a pass, and returns how many targets are open: none if no pass is
// needed, or if so many have been in vain that elements must have changed, where any answer
// is right. A first pass is, to count the values.
func (l *lane[K]) begin() (open int, needed bool) {
	left := 0
	for i := range l.targets {
		t := &l.targets[i]
		t.done = t.done || t.lo == t.hi
		if !t.done {
			open++
			left += 1 + bits.Len64(uint64(int64(t.hi))-uint64(int64(t.lo)))
		}
	}
	if p := &l.progress; l.passes > sampledPasses && left >= p.left {
		p.vain++
	}
	l.progress.left = left
	l.buckets.list, l.buckets.memory = l.buckets.list[:0], l.buckets.memory[:0]
	return open, !l.isNaN() && (open > 0 || l.passes == 0) && l.progress.vain <= vainMost
}

// countValues fixes the order statistics after the first pass, and reports whether the
// answers are other than NaN.
func (l *lane[K]) countValues() bool {
	l.values = l.call.N - l.counted.nan
	if l.counted.nan > 0 && !l.call.Skip {
		l.values = 0
	}
	if l.isNaN() {
		return false
	}
	l.aim()
	return true
}

// end ends a pass by which the targets have been narrowed. Those that are not where they
// were counted, as elements have changed, are anywhere.
func (l *lane[K]) end() {
	for i := range l.targets {
		if t := &l.targets[i]; !t.done && !t.isSound() {
			t.found(t.lo)
		}
	}
	l.passes++
}

// isMisled reports whether the sample was no help: a pass that collects by what it told
// has left an order statistic among too many keys, or one that counts has found many keys
// where it has few. Another sample is drawn then, at places that follow from what has been
// counted, so that they could not be known before.
func (l *lane[K]) isMisled(collects bool) bool {
	s := &l.sample
	if s.misled = false; l.isNaN() || !l.trusting() || unsafe.Sizeof(K(0)) == 1 {
		return false
	}
	for i := range l.targets {
		t := &l.targets[i]
		if t.done || t.lo >= t.hi {
			continue
		}
		if t.inside > int64(l.call.Thresholds.CollectWhole) {
			from, to := s.between(t.lo, t.hi)
			due := bracket.MulDiv(int(t.inside), len(s.keys), l.values)
			s.misled = s.misled || collects || due >= 8*fewSampled && to-from < due/4
		}
		s.known = (s.known ^ uint64(t.below) ^ uint64(t.inside)<<32) * 0x9E3779B97F4A7C15
	}
	return s.misled
}
