package narrow

import (
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/selection/partition"
	"github.com/ogive-go/ogive/rank"
)

const (
	// sampledPasses is how many passes trust the sample.
	sampledPasses = 3

	// fewOpen is for how many targets places in the sample are found one by one where that
	// takes no vectors: to sort that of 10M float16 takes as long as to find ten.
	fewOpen = 4

	// fewSampled is the fewest keys of a sample that tell a bracket.
	fewSampled = 8

	// vainMost is how many of the passes that do not trust the sample may narrow no target:
	// a guess that fails does not, and what waits for memory has its turn. More do so only
	// if elements have changed since they were counted.
	vainMost = 4
)

// lane is the state of one lane.
type lane[K kernel.Key] struct {
	call   *Call[K]
	sample []K // without NaN
	sorted bool
	spare  []K
	misled bool   // the sample was no help; another one is drawn
	known  uint64 // what the passes have found out, as a number for that

	pass    int
	vain    int  // passes that have narrowed nothing
	left    int  // how far there is to go: the bits of the keys between which the targets are
	counted bool // of the elements is known how many are NaN
	valid   int  // those that are not; estimated until they are counted
	dropped int  // those that are, once they are counted
	isNaN   bool // the answer is NaN

	wants   rank.Wants
	targets []target[K]

	way    way[K]  // of the pass; nil if the lane needs none
	counts []int64 // of the pass
	nan    int     // of the pass

	groups    []group[K]
	collected []K // memory of the groups

	brackets brackets[K]
	bins     bins[K]
	kept     kept[K]
	bytes    bytes[K]
}

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

func newLane[K kernel.Key]() *lane[K] {
	l := new(lane[K])
	l.brackets.lane, l.bins.lane, l.bytes.lane = l, l, l
	l.kept.bins = &l.bins
	return l
}

// start begins a lane of which keys are a sample.
func (l *lane[K]) start(c *Call[K], keys []K) {
	drawn := len(keys)
	l.call, l.known = c, 0
	l.resample(keys)
	keys = l.sample
	l.pass, l.vain, l.counted, l.dropped, l.way = 0, 0, false, 0, nil
	l.valid = max(1, int(float64(c.N)*(float64(len(keys))/float64(drawn))))
	l.isNaN = !c.Skip && len(keys) < drawn
	l.bins.counted, l.kept.guessed = false, false
	l.aim()
}

// resample gives the lane a sample, of keys that may be NaN.
func (l *lane[K]) resample(keys []K) {
	if l.call.Encoding.Code == kernel.Float {
		keys = keys[:kernel.Collect(keys, keys, kernel.Encoding[K]{}, kernel.MinKey[K](), kernel.MaxKey[K]()-1).Inside]
	}
	l.sample, l.sorted, l.misled = keys[:len(keys):len(keys)], false, false
	l.spare = crew.Resize(l.spare, len(keys)+2*kernel.CacheKeys)
}

// isMisled reports whether the sample was no help: a pass that collects by what it told
// has left an order statistic among too many keys, or one that counts has found many keys
// where it has few. Another sample is drawn then, at places that follow from what has been
// counted, so that they could not be known before.
func (l *lane[K]) isMisled() bool {
	if l.misled = false; l.isNaN || l.pass >= sampledPasses || unsafe.Sizeof(K(0)) == 1 {
		return false
	}
	for i := range l.targets {
		t := &l.targets[i]
		if t.done || t.lo >= t.hi {
			continue
		}
		if t.inside > int64(l.call.Thresholds.CollectWhole) {
			from, to := l.sampled(t.lo, t.hi)
			due := bracket.MulDiv(int(t.inside), len(l.sample), l.valid)
			l.misled = l.misled || l.way != &l.bins || due >= 4*fewSampled && to-from < due/4
		}
		l.known = (l.known ^ uint64(t.below) ^ uint64(t.inside)<<32) * 0x9E3779B97F4A7C15
	}
	return l.misled
}

// aim sets the targets to the wanted order statistics of valid values.
func (l *lane[K]) aim() {
	l.wants.Resolve(l.call.Set, int64(l.valid))
	l.targets = l.targets[:0]
	lo, hi := kernel.MinKey[K](), kernel.MaxKey[K]()
	if e := l.call.Encoding; e.Code == kernel.Float {
		lo, hi = ^e.Inf, e.Inf
	}
	for _, k := range l.wants.Ranks {
		l.targets = append(l.targets, target[K]{k: k, lo: lo, hi: hi, inside: int64(l.valid)})
	}
}

// plan prepares a pass and reports whether one is needed: not if so many have been in vain
// that the elements must have changed, where any answer is right.
func (l *lane[K]) plan() bool {
	open, left := 0, 0
	for i := range l.targets {
		t := &l.targets[i]
		t.done = t.done || t.lo == t.hi
		if !t.done {
			open++
			left += 1 + bits.Len64(uint64(int64(t.hi))-uint64(int64(t.lo)))
		}
	}
	if l.pass > sampledPasses && left >= l.left {
		l.vain++
	}
	l.left = left
	if l.isNaN || open == 0 && l.counted || l.vain > vainMost {
		l.way = nil
		return false
	}
	l.pass++
	l.nan, l.groups = 0, l.groups[:0]
	l.way = l.choose(open)
	clear(l.counts)
	return true
}

// choose returns the way of a pass for so many open targets, ready.
func (l *lane[K]) choose(open int) way[K] {
	least := l.call.Thresholds.BinsMin
	if unsafe.Sizeof(K(0)) == 2 {
		least *= 3 // the bins of 16-bit keys are found one key at a time
	}
	counts := open >= least && !l.bins.counted && len(l.sample) > 0
	if !l.sorted && (counts || l.pass > 1 || open > fewOpen && !kernel.NthOnVectors[K]()) {
		partition.Sort(l.sample, l.spare, l.call.Thresholds)
		l.sorted = true
	}
	if unsafe.Sizeof(K(0)) == 1 {
		l.bytes.begin(l.brackets.around())
		return &l.bytes
	}
	switch {
	case counts && l.bins.begin():
		return &l.bins
	case counts: // all targets are expected to be values with many copies
		l.brackets.begin(l.bins.heavyAlone())
		return &l.brackets
	case (l.way == &l.bins && open >= least || l.way == &l.kept) && l.kept.begin():
		return &l.kept
	}
	list := l.brackets.around()
	if l.counted && (expected(list) > int64(l.call.Capacity) || len(list) > bracketsMost) {
		l.bins.divide(list)
		return &l.bins
	}
	l.brackets.begin(list)
	return &l.brackets
}

// settle ends a pass: it fixes the ranks after the first, and narrows the
// targets. It returns how many groups of keys there are to select in.
func (l *lane[K]) settle() int {
	if !l.counted {
		l.counted = true
		l.valid, l.dropped = l.call.N-l.nan, l.nan
		if l.isNaN = l.valid == 0 || l.nan > 0 && !l.call.Skip; l.isNaN {
			return 0
		}
		l.aim()
	}
	l.way.settle()
	for i := range l.targets {
		if t := &l.targets[i]; !t.done && !t.isSound() {
			t.found(t.lo)
		}
	}
	return len(l.groups)
}

// isSound reports whether a target is among the keys that have been counted, as all are
// unless elements change between passes.
func (t *target[K]) isSound() bool {
	return t.lo <= t.hi && t.below <= t.k && t.k-t.below < t.inside
}

// sampled returns the part of the sample from lo to hi, in its order.
func (l *lane[K]) sampled(lo, hi K) (from, to int) {
	if !l.sorted {
		from, _ = kernel.CountBelow(l.sample, lo)
		below, equal := kernel.CountBelow(l.sample, hi)
		return from, below + equal
	}
	from, _ = slices.BinarySearch(l.sample, lo)
	n, _ := slices.BinarySearchFunc(l.sample[from:], hi, func(s, hi K) int {
		if s <= hi {
			return -1
		}
		return 1
	})
	return from, from + n
}

// sampledAt returns order statistic i of the sample. For the few brackets of a first
// pass they are found one by one: to sort a sample of 10M takes a tenth of the time
// of all, in which other workers wait.
func (l *lane[K]) sampledAt(i int) K {
	if l.sorted {
		return l.sample[i]
	}
	var found [1]K
	bracket.Near(found[:], l.sample, l.spare, []int64{int64(i)}, l.call.Thresholds)
	return found[0]
}

// expectedAt returns the place in the sample at which a target is expected,
// whatever is known of it.
func (l *lane[K]) expectedAt(t *target[K]) int {
	return min(bracket.MulDiv(int(t.k), len(l.sample), l.valid), len(l.sample)-1)
}

// isHeavy reports whether a value of which the sample has so many copies is
// counted for itself: to look for its copies apart costs less than to collect
// them.
func (l *lane[K]) isHeavy(copies int) bool {
	return copies > max(len(l.sample)/l.call.Thresholds.HeavyShare, 1)
}

// group is a set of keys that a pass collects, consecutive in order, and among
// which targets are then selected.
type group[K kernel.Key] struct {
	keys     []K // room for them
	cursor   atomic.Int64
	below    int64 // keys less than they
	from, to int   // the targets

	// Of the keys of a bin:
	bin     int
	whole   int64 // how many there are
	room    int64 // for how many there is room
	under   int64 // those smaller than all that are kept, if the pass guesses
	drops   bool  // the copies of dropped are all that is not kept
	dropped K
}

// add adds keys in any order. What does not fit is lost; the cursor tells.
func (g *group[K]) add(keys []K) {
	n := len(keys)
	if end := g.cursor.Add(int64(n)); end <= int64(len(g.keys)) {
		copy(g.keys[end-int64(n):end], keys)
	}
}

// newGroup appends a group without room.
func (l *lane[K]) newGroup() *group[K] {
	if len(l.groups) < cap(l.groups) {
		l.groups = l.groups[:len(l.groups)+1]
	} else {
		l.groups = append(l.groups, group[K]{})
	}
	g := &l.groups[len(l.groups)-1]
	g.keys, g.below, g.from, g.to = nil, 0, 0, 0
	g.whole, g.room, g.under, g.drops = 0, 0, 0, false
	g.cursor.Store(0)
	return g
}

// reserve gives the groups the room that they need, or as much as there is
// memory.
func (l *lane[K]) reserve() {
	total := int64(0)
	for i := range l.groups {
		total += l.groups[i].room
	}
	l.collected = crew.Resize(l.collected, int(min(total, int64(l.call.Capacity))))
	memory := l.collected
	for i := range l.groups {
		g := &l.groups[i]
		room := min(g.room, int64(len(memory)))
		g.keys, memory = memory[:room:room], memory[room:]
	}
}

// selectIn finds the targets that lie in a group, with memory from s.
func (l *lane[K]) selectIn(number int, s *crew.Scratch) {
	g := &l.groups[number]
	have := g.cursor.Load()
	if g.from == g.to || have > int64(len(g.keys)) {
		return
	}
	keys := g.keys[:have]
	var smaller, copies int64 // of the keys dropped: how many others are smaller, how many they are
	if g.drops {
		copies = g.whole - have
		below, _ := kernel.CountBelow(keys, g.dropped)
		smaller = int64(below)
	}
	mark := s.Mark()
	wanted, at := crew.Alloc[int64](s, g.to-g.from)[:0], crew.Alloc[int](s, g.to-g.from)
	for i := g.from; i < g.to; i++ {
		t := &l.targets[i]
		k := t.k - g.below - g.under
		if k >= smaller+copies {
			k -= copies
		} else if k >= smaller {
			t.found(g.dropped)
			continue
		}
		if k >= 0 && k < have {
			at[len(wanted)] = i
			wanted = append(wanted, k)
		}
	}
	if len(wanted) > 0 {
		answers := crew.Alloc[K](s, len(wanted))
		bracket.Select(answers, keys, wanted, s, l.call.Thresholds)
		for i, key := range answers {
			l.targets[at[i]].found(key)
		}
	}
	s.Release(mark)
}
