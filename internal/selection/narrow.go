package selection

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
)

// Narrowing finds the answers of one long lane by passes over it. A pass
// counts the keys below and inside some intervals, and collects those of the
// intervals in which the wanted order statistics are expected. The counts are
// exact, so an expectation that fails costs another pass and never the answer;
// from the fourth pass on intervals are divided evenly, which ends after at
// most 64/6 more passes whatever the data.
//
//	nw.Start(…)
//	for nw.Next() {
//		for each part of the lane { p := nw.NewPass(…); p.AddStrided(…); nw.Merge(&p) }
//		nw.Settle()
//		for i := range nw.Groups() { nw.Select(i, …) }
//	}
//	nw.Finish(…)
//
// Between Next and Settle, passes of several workers may add to one Narrowing,
// and groups are selected in independently of each other.
type Narrowing[K kernel.Key] struct {
	want   *Want
	enc    kernel.Encoding[K]
	n      int // elements of the lane
	valid  int // those that are not NaN; estimated until counted is true
	sample []K // without NaN
	sorted bool
	places []int64 // of an unsorted sample: the order statistics found, ascending
	placed []K     // and their keys
	wanted []int64 // the places, to be found
	pass   int

	counted  bool
	isNaN    bool // the answer is NaN
	ranks    ranks
	targets  []target[K]
	capacity int // keys that may be collected

	way      way
	brackets []interval[K]
	merged   []interval[K] // before heavy values are set apart
	steps    []kernel.Bracket[K]
	onKeys   bool // elements are encoded before they are compared
	scale    kernel.Bins[K]
	scaled   bool // a pass has counted by the scale
	heavy    []heavy[K]
	tree     tree[K]
	bounds   [][kernel.Bounds]int8
	counts   []int64 // of the pass; by scale those of cells, then of heavy values
	nan      int     // of the pass
	dropped  int     // NaNs of the lane, once counted

	keep      kernel.BinSet // cells of the scale to collect
	spans     []span[K]     // by cell, to collect if the pass is guessing
	unlike    []K           // by cell, elements not to collect
	crowded   bool          // many elements are in the cells to collect
	groupOf   []uint16      // by cell of the scale
	guessing  bool          // only what seems to be near the targets is collected
	guessed   bool          // some pass has
	groups    []group[K]
	collected []K // memory of the groups
	spare     []K
}

// way is how a pass looks at keys.
type way uint8

const (
	byBrackets way = iota // a few intervals, one after the other
	byScale               // evenly spaced cells, counted
	byKeeping             // the cells of the last pass, collected
	byTree                // the cells between splitters
	byBounds              // bytes, counted up to some bounds
)

// target is an order statistic, known to lie among the keys lo … hi.
type target[K kernel.Key] struct {
	k             int64
	lo, hi        K
	below, inside int64 // how many keys are less than lo, and how many from lo to hi
	cell          int   // of the scale
	done          bool  // the order statistic is lo
}

// evenCells is how many parts of its range an interval is divided into once
// sampling has failed.
const evenCells = 64

// SampleSize returns how many of n elements a Narrowing should see first.
// More narrow the brackets, as 1/sqrt; fewer take less time to draw.
func (w *Want) SampleSize(n int) int {
	return min(max(int(math.Pow(float64(n), 0.55)), 32), n)
}

// LongSampleSize is SampleSize for a lane of elements of so many bytes that does not
// fit a core's cache. There collecting costs more, so that a few brackets are worth a
// larger sample: three quantiles of 10M float32 or float64 take 0.93 of the time,
// one or two, narrower elements and lanes in a cache 1 to 1.05.
func (w *Want) LongSampleSize(n, bytes int) int {
	m := w.SampleSize(n)
	if q := w.Len(); bytes >= 4 && q > 2 && 2*q < tuning.Default.BinsMin {
		m = min(2*m, n)
	}
	return m
}

// Start prepares to narrow a lane of n elements, n > 0, of which sample are the keys
// of some, drawn at random. It keeps the sample and reorders it. At most
// capacity keys are collected at a time; it must be at least evenCells.
func (nw *Narrowing[K]) Start(w *Want, e kernel.Encoding[K], n int, sample []K, capacity int) {
	drawn := len(sample)
	if e.Code == kernel.Float {
		c := kernel.Collect(sample, sample, kernel.Encoding[K]{}, kernel.MinKey[K](), kernel.MaxKey[K]()-1)
		sample = sample[:c.Inside]
	}
	nw.sorted = false
	nw.want, nw.n, nw.enc, nw.sample = w, n, e, sample
	nw.valid = max(1, int(float64(n)*(float64(len(sample))/float64(drawn))))
	nw.pass, nw.counted, nw.dropped = 0, false, 0
	nw.scaled, nw.guessed = false, false
	nw.isNaN = !w.skip && len(sample) < drawn
	nw.capacity = capacity
	nw.aim()
}

// aim sets the targets to the wanted order statistics of valid values.
func (nw *Narrowing[K]) aim() {
	nw.want.resolve(&nw.ranks, nw.valid)
	nw.targets = nw.targets[:0]
	lo, hi := kernel.MinKey[K](), kernel.MaxKey[K]()
	if nw.enc.Code == kernel.Float {
		lo, hi = ^nw.enc.Inf, nw.enc.Inf
	}
	for _, k := range nw.ranks.wanted {
		nw.targets = append(nw.targets, target[K]{k: k, lo: lo, hi: hi, inside: int64(nw.valid)})
	}
}

// Next prepares a pass and reports whether one is needed.
func (nw *Narrowing[K]) Next() bool {
	if nw.isNaN {
		return false
	}
	open := 0
	for i := range nw.targets {
		t := &nw.targets[i]
		if !t.done && t.lo == t.hi {
			t.done = true
		}
		if !t.done {
			open++
		}
	}
	if open == 0 && nw.counted {
		return false
	}
	nw.pass++
	nw.plan(open)
	nw.nan = 0
	clear(nw.counts)
	return true
}

// plan chooses the way of a pass, and what it counts and collects.
func (nw *Narrowing[K]) plan(open int) {
	nw.groups = nw.groups[:0]
	if !nw.sorted {
		nw.order(open)
	}
	if open >= scaleMin[K]() && !nw.scaled && len(nw.sample) > 0 && unsafe.Sizeof(K(0)) > 1 {
		if nw.pass > 1 {
			nw.heavy = nw.heavy[:0]
		} else if nw.findHeavy() {
			nw.bracketHeavy()
			nw.prepareBrackets()
			return
		}
		nw.way, nw.scaled = byScale, true
		nw.chooseScale()
		nw.cellHeavy()
		nw.counts = crew.Resize(nw.counts, kernel.BinCount+len(nw.heavy))
		return
	}
	if nw.scaled && (nw.way == byScale || nw.way == byKeeping) && nw.keepCells() {
		nw.way, nw.counts = byKeeping, nw.counts[:0]
		return
	}
	total := nw.bracketAll()
	if unsafe.Sizeof(K(0)) == 1 {
		nw.way = byBounds
		nw.chooseBounds()
		nw.counts = crew.Resize(nw.counts, kernel.Bounds*len(nw.bounds))
		return
	}
	if total > int64(nw.capacity) && nw.counted {
		// Too many to collect: divide each interval evenly and only count.
		nw.way = byTree
		nw.tree.divide(nw.brackets)
		nw.counts = crew.Resize(nw.counts, nw.tree.cells())
		return
	}
	nw.prepareBrackets()
}

// scaleMin returns tuning.Default.BinsMin for keys of type K: the cells of 16-bit
// keys are found one key at a time.
func scaleMin[K kernel.Key]() int {
	if unsafe.Sizeof(K(0)) == 2 {
		return 3 * tuning.Default.BinsMin
	}
	return tuning.Default.BinsMin
}

// group is a set of keys that a pass collects, consecutive in order, and among
// which targets are then selected.
type group[K kernel.Key] struct {
	keys     []K // room for them
	cursor   atomic.Int64
	below    int64 // keys less than they
	from, to int   // the targets

	// Of the keys of a cell:
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

// newGroup appends a group with so much room, or as much as there is memory;
// prepareBrackets has seen to enough of it, and keepCells does later.
func (nw *Narrowing[K]) newGroup(memory []K, room int64) []K {
	room = min(room, int64(len(memory)))
	if len(nw.groups) < cap(nw.groups) {
		nw.groups = nw.groups[:len(nw.groups)+1]
	} else {
		nw.groups = append(nw.groups, group[K]{})
	}
	g := &nw.groups[len(nw.groups)-1]
	g.keys, g.from, g.to = memory[:room:room], 0, 0
	g.under, g.drops = 0, false
	g.cursor.Store(0)
	return memory[room:]
}

// Settle ends a pass when all parts are merged: it fixes the ranks after the
// first, narrows the targets, and leaves to Select those that lie in groups.
func (nw *Narrowing[K]) Settle() {
	if !nw.counted {
		nw.counted = true
		nw.valid, nw.dropped = nw.n-nw.nan, nw.nan
		if nw.isNaN = nw.valid == 0 || nw.nan > 0 && !nw.want.skip; nw.isNaN {
			nw.groups = nw.groups[:0]
			return
		}
		nw.aim()
	}
	switch nw.way {
	case byBrackets:
		nw.settleBrackets()
	case byScale:
		nw.settleScale()
	case byTree:
		nw.settleTree()
	case byBounds:
		nw.settleBounds()
	}
}

// Groups returns how many groups of keys have been collected.
func (nw *Narrowing[K]) Groups() int { return len(nw.groups) }

// Select finds the targets that lie in a group, with memory from s.
func (nw *Narrowing[K]) Select(number int, s *crew.Scratch) {
	g := &nw.groups[number]
	have := g.cursor.Load()
	if g.from == g.to || have > int64(len(g.keys)) {
		return
	}
	keys := g.keys[:have]
	var smaller, copies int64 // of the keys dropped: how many others are smaller, how many they are
	if g.drops {
		copies = g.whole - have
		for _, k := range keys {
			if k < g.dropped {
				smaller++
			}
		}
	}
	mark := s.Mark()
	wanted, found := crew.Alloc[int64](s, g.to-g.from)[:0], crew.Alloc[int](s, g.to-g.from)
	for i := g.from; i < g.to; i++ {
		t := &nw.targets[i]
		k := t.k - g.below - g.under
		if k >= smaller+copies {
			k -= copies
		} else if k >= smaller {
			t.lo, t.done = g.dropped, true
			continue
		}
		if k >= 0 && k < have {
			found[len(wanted)] = i
			wanted = append(wanted, k)
		}
	}
	if len(wanted) > 0 {
		answers := crew.Alloc[K](s, len(wanted))
		pick(answers, keys, wanted, s)
		for i, key := range answers {
			t := &nw.targets[found[i]]
			t.lo, t.done = key, true
		}
	}
	s.Release(mark)
}

// Finish sets the answers of a lane of the result, as keys. Next must have
// returned false.
func (nw *Narrowing[K]) Finish(r *Result[K], lane int) {
	if nw.isNaN {
		r.fillNaN(lane, lane+1)
		return
	}
	for q := range nw.ranks.pos {
		at := q*r.Lanes + lane
		r.Lo[at], r.Hi[at] = nw.targets[nw.ranks.lo[q]].lo, nw.targets[nw.ranks.hi[q]].lo
	}
	r.weigh(&nw.ranks, lane, lane+1)
}

// resize returns a slice of length n, reusing the memory of s; its contents
// are unspecified.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
