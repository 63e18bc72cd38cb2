package weighted

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
)

// pass says what a pass does in a lane.
type pass uint8

const (
	none       pass = iota // there was none yet
	counting               // it adds up the weights in bins
	collecting             // it collects the pairs in intervals
	locating               // it adds up the weights of the copies of some answers, chunk by chunk
	done                   // none is needed
)

// interval is a range of keys that holds what reaches some targets, from which the
// weight of all smaller keys has been taken.
type interval[K kernel.Key] struct {
	lo, hi   K
	count    int64 // elements with a weight
	from, to int   // the targets
}

// pieces is into how many pieces a sample is divided at least, as evenly as it allows, and an
// interval at most: to search among more takes longer than to collect one of them costs.
const pieces = 64

// lane is the state of one lane of a Long.
type lane[K kernel.Key] struct {
	Answers[K]
	pass       pass
	collectMax int // pairs that may be collected
	locateMax  int // answers that may be located in a pass

	intervals []interval[K] // that are left, ascending and disjoint
	after     []interval[K]
	splitters kernel.Splitters[K] // the bins to count in, or the ends of the intervals to collect
	collects  []bool              // by bin, whether it is an interval

	mu     sync.Mutex
	sums   sums    // of the weights in each bin
	counts []int64 // and the elements that have them
	nan    int

	cursor    atomic.Int64
	collected []K
	weights   []uint64

	distinct []K  // the answers
	located  int  // so many of which are, with those of the pass
	open     []K  // those that the pass locates
	copies   sums // the weight of their copies in a chunk, chunk after chunk
}

// plan chooses the next pass over the lane and prepares it.
func (l *lane[K]) plan(chunks int) {
	pairs := int64(0)
	for _, v := range l.intervals {
		pairs += v.count
	}
	switch {
	case len(l.intervals) > 0 && pairs <= int64(l.collectMax):
		l.collect(int(pairs))
	case len(l.intervals) > 0:
		each := max(2, min(pieces, kernel.BinCount/len(l.intervals)))
		keys := l.splitters.Memory()
		for _, v := range l.intervals {
			keys = bracket.AppendEnd(bracket.AppendEven(keys, v.lo, v.hi, each), v.hi)
		}
		l.count(keys)
	case l.call.Index:
		l.locate(chunks)
	default:
		l.pass = done
	}
}

// collect prepares a pass that collects so many pairs in the intervals.
func (l *lane[K]) collect(pairs int) {
	l.pass = collecting
	l.collected, l.weights = crew.Resize(l.collected, pairs), crew.Resize(l.weights, pairs)
	l.cursor.Store(0)
	keys := l.splitters.Memory()
	for _, v := range l.intervals {
		keys = bracket.AppendEnd(append(keys, v.lo), v.hi)
	}
	l.splitters.Set(keys)
	l.collects = crew.Resize(l.collects, l.splitters.Count())
	clear(l.collects)
	for _, v := range l.intervals {
		l.collects[l.splitters.BinOf(v.lo)] = true
	}
}

// locate prepares a pass that locates answers, unless all are.
func (l *lane[K]) locate(chunks int) {
	if l.pass != locating {
		l.distinct = append(l.distinct[:0], l.keys...)
		slices.Sort(l.distinct)
		l.distinct, l.located = slices.Compact(l.distinct), 0
	}
	l.open = l.distinct[l.located:min(l.located+l.locateMax, len(l.distinct))]
	l.located += len(l.open)
	if l.pass = locating; len(l.open) == 0 {
		l.pass = done
	}
	l.copies.resize(chunks*len(l.open), l.rest.words)
}

// count prepares a pass that counts between splitters.
func (l *lane[K]) count(keys []K) {
	l.pass, l.nan = counting, 0
	l.splitters.Set(keys)
	l.sums.resize(l.splitters.Count(), l.rest.words)
	l.counts = crew.Resize(l.counts, l.splitters.Count())
	clear(l.sums.all)
	clear(l.counts)
}

// descend narrows the intervals, which are bins side by side, to those that hold their
// targets. A bin of one key is an answer.
func (l *lane[K]) descend(s *crew.Scratch) {
	l.intervals, l.after = l.after[:0], l.intervals
	below, upTo := newSum(l.sums.words, s), newSum(l.sums.words, s)
	for _, v := range l.after {
		clear(below)
		clear(upTo)
		for bin, last := l.splitters.BinOf(v.lo), l.splitters.BinOf(v.hi); bin <= last && v.from < v.to; bin++ {
			upTo.add(l.sums.at(bin))
			if next := l.reached(v.from, v.to, upTo); next > v.from {
				l.take(v.from, next, below)
				if lo, hi := l.splitters.Ends(bin); lo == hi {
					l.set(v.from, next, lo)
				} else {
					l.intervals = append(l.intervals, interval[K]{lo, hi, l.counts[bin], v.from, next})
				}
				v.from = next
			}
			copy(below, upTo)
		}
	}
}

// among finds what reaches the targets of intervals among the pairs in them, which
// it reorders.
func (l *lane[K]) among(intervals []interval[K], keys []K, weights []uint64, s *crew.Scratch) {
	if m := len(intervals) / 2; m > 0 {
		split := pairsBelow(keys, weights, intervals[m].lo)
		l.among(intervals[:m], keys[:split], weights[:split], s)
		l.among(intervals[m:], keys[split:], weights[split:], s)
		return
	}
	selectPairs(&l.Answers, intervals[0].from, intervals[0].to, keys, weights, s)
}

// worker is what one worker has found in a chunk of a lane.
type worker[K kernel.Key] struct {
	of      *lane[K]
	bins    []uint32 // of a block
	sums    sums
	counts  []int64
	nan     int
	keys    []K // collected from a block
	weights []uint64
}

// newWorker returns the worker that looks at a chunk, with memory from s.
func (l *lane[K]) newWorker(chunk int, s *crew.Scratch) worker[K] {
	w := worker[K]{of: l}
	switch l.pass {
	case counting:
		n := l.splitters.Count()
		w.sums, w.counts = newSums(n, l.sums.words, s), crew.Alloc[int64](s, n)
		w.bins = crew.Alloc[uint32](s, kernel.CacheKeys)
		clear(w.counts)
	case collecting:
		w.keys, w.weights = crew.Alloc[K](s, kernel.CacheKeys), crew.Alloc[uint64](s, kernel.CacheKeys)
		w.bins = crew.Alloc[uint32](s, kernel.CacheKeys)
	default:
		n := len(l.open) * l.copies.words
		w.sums = sums{l.copies.words, l.copies.all[chunk*n:][:n]}
	}
	clear(w.sums.all)
	return w
}

// add adds a block of keys with their loaded weights, of which so many are NaN.
func (w *worker[K]) add(keys []K, weights []uint64, nan int) {
	weights = weights[:len(keys)]
	switch w.of.pass {
	case counting:
		w.nan += nan
		w.count(keys, weights)
	case collecting:
		w.collect(keys, weights)
	default:
		for i, key := range w.of.open {
			reach(w.of.call.Weighting, w.sums.at(i), nil, key, keys, weights)
		}
	}
}

// count adds up the weights of a block.
func (w *worker[K]) count(keys []K, weights []uint64) {
	w.of.splitters.Find(w.bins, keys)
	for i, bin := range w.bins[:len(keys)] {
		weight := weights[i]
		if weight == 0 {
			continue
		}
		w.counts[bin]++
		if w.sums.words == 1 {
			w.sums.all[bin] += weight
		} else {
			w.of.call.Weighting.addOne(w.sums.at(int(bin)), weight)
		}
	}
}

// collect collects the pairs of a block that lie in an interval.
func (w *worker[K]) collect(keys []K, weights []uint64) {
	l, n := w.of, 0
	if len(l.intervals) == 1 {
		lo, hi := l.intervals[0].lo, l.intervals[0].hi
		for i, k := range keys {
			w.keys[n], w.weights[n] = k, weights[i]
			if k >= lo && k <= hi && weights[i] != 0 {
				n++
			}
		}
	} else {
		l.splitters.Find(w.bins, keys)
		for i, bin := range w.bins[:len(keys)] {
			w.keys[n], w.weights[n] = keys[i], weights[i]
			if l.collects[bin] && weights[i] != 0 {
				n++
			}
		}
	}
	// Weights that have been changed since they were counted may not fit.
	if end := int(l.cursor.Add(int64(n))); end <= len(l.collected) {
		copy(l.collected[end-n:end], w.keys[:n])
		copy(l.weights[end-n:end], w.weights[:n])
	}
}

// merge adds what the worker has counted to the lane.
func (w *worker[K]) merge() {
	l := w.of
	if l.pass != counting {
		return
	}
	l.mu.Lock()
	l.nan += w.nan
	for i, n := range w.counts {
		if n > 0 {
			l.counts[i] += n
			l.sums.at(i).add(w.sums.at(i))
		}
	}
	l.mu.Unlock()
}
