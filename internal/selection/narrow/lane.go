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
	call    *Call[K]
	sample  sample[K]
	ranks   rank.Wants  // the order statistics that the quantiles name
	targets []target[K] // what is known of each
	values  int         // that are not NaN, estimated until a pass has counted them; 0 if the answers are NaN
	passes  int         // that have been made
	left    int         // how far there is to go: the bits of the keys between which the targets are
	vain    int         // passes that have narrowed nothing
	counted tally       // by the pass
	buckets buckets[K]  // of the keys that it has collected
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

// start begins a lane of which keys are a sample.
func (l *lane[K]) start(c *Call[K], keys []K) {
	l.call, l.sample.tuned, l.sample.known = c, c.Thresholds, 0
	l.sample.set(keys, c.Encoding)
	l.passes, l.vain = 0, 0
	valid := len(l.sample.keys)
	l.values = max(1, int(float64(c.N)*(float64(valid)/float64(len(keys)))))
	if !c.Skip && valid < len(keys) {
		l.values = 0
		return
	}
	l.aim()
}

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
	if l.passes > sampledPasses && left >= l.left {
		l.vain++
	}
	l.left = left
	l.buckets.list, l.buckets.memory = l.buckets.list[:0], l.buckets.memory[:0]
	return open, l.values > 0 && (open > 0 || l.passes == 0) && l.vain <= vainMost
}

// settle ends a pass: the first one fixes the order statistics, unless the answers are NaN,
// and the targets are narrowed. Those that are not where they were counted, as elements have
// changed, are anywhere.
func (l *lane[K]) settle(by strategy[K]) {
	if l.passes == 0 {
		l.values = l.call.N - l.counted.nan
		if l.counted.nan > 0 && !l.call.Skip {
			l.values = 0
		}
		if l.values == 0 {
			l.buckets.list = l.buckets.list[:0]
			return
		}
		l.aim()
	}
	by.settle(l)
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
	if s.misled = false; l.values == 0 || !l.trusting() || unsafe.Sizeof(K(0)) == 1 {
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

// strategy is what a pass looks for, and what is made of it.
type strategy[K kernel.Key] interface {
	// prepare gives a worker memory from s.
	prepare(w *worker[K], s *crew.Scratch)
	// add counts and collects a block of elements that lie together.
	add(w *worker[K], elements []K)
	// finish does what add has put off, and hands over what the worker knows besides its
	// counts of elements.
	finish(w *worker[K])
	// settle narrows the targets of the lane by what all workers have counted.
	settle(l *lane[K])
}

// worker is what one worker has counted and collected of a chunk of a lane.
type worker[K kernel.Key] struct {
	lane     *lane[K]
	strategy strategy[K]
	block    int     // elements that are looked at at a time
	counts   []int64 // as those of the lane
	nan      int
	keys     []K // of the block at hand

	bins     []uint16            // of the block at hand
	tables   []uint32            // counts of bins: two, as equal bins often follow each other; or of keys below those kept
	brackets *kernel.Brackets[K] // if they are looked at together

	kept     []K      // elements or keys that wait to be collected
	keptBins []uint16 // and their bins
	places   []int64  // in the buckets
}

// begin gives w a chunk of a lane, with memory from s.
func (w *worker[K]) begin(l *lane[K], of strategy[K], s *crew.Scratch) {
	*w = worker[K]{lane: l, strategy: of, block: kernel.CacheKeys, counts: crew.Alloc[int64](s, len(l.counted.counts))}
	clear(w.counts)
	of.prepare(w, s)
}

// end adds the counts to those of the lane.
func (w *worker[K]) end() {
	w.strategy.finish(w)
	t := &w.lane.counted
	t.mu.Lock()
	t.nan += w.nan
	for i, n := range w.counts {
		t.counts[i] += n
	}
	t.mu.Unlock()
}

// addStrided adds n elements that lie stride elements apart, by way of the block
// copied, of kernel.CacheKeys, where they are not adjacent.
func (w *worker[K]) addStrided(first unsafe.Pointer, stride, n int, copied []K) {
	size := int(unsafe.Sizeof(K(0)))
	if stride == 1 {
		all := unsafe.Slice((*K)(first), n)
		for from := 0; from < n; from += w.block {
			w.strategy.add(w, all[from:min(from+w.block, n)])
		}
		return
	}
	most := min(w.block, len(copied))
	for from := 0; from < n; from += most {
		block := copied[:min(most, n-from)]
		kernel.EncodeStrided(unsafe.Pointer(unsafe.SliceData(block)), 1, unsafe.Add(first, from*stride*size), stride, len(block), kernel.Encoding[K]{})
		w.strategy.add(w, block)
	}
}

// encode returns the keys of elements, and counts NaNs.
func (w *worker[K]) encode(elements []K) []K {
	e := w.lane.call.Encoding
	if e.Code == kernel.Signed {
		return elements
	}
	keys := w.keys[:len(elements)]
	w.nan += kernel.Encode(keys, elements, e)
	return keys
}
