package narrow

import (
	"math"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

const (
	// keepAll is the part of a lane, 1/keepAll, up to which bins with targets are
	// collected whole where values have copies: 10 000 values among 10M float32, a
	// twentieth of them in such bins, take 1.2 times as long as distinct values,
	// and 1.6 times if copies are left out.
	keepAll = 16

	// keepTwice is the part of a lane, 1/keepTwice, up to which bins to collect are
	// kept first, and of them what is not excluded: a thousand values among 10M
	// float32, a tenth of them in such bins, take 0.7 of the time so, thirty, all
	// in such bins, 1.25 times as long.
	keepTwice = 2

	// guessSlack is how many standard deviations of its rank a target may lie
	// away from its place in a bin filled evenly, and guessShare the part of the
	// bin, 1/guessShare, that it may lie away besides, for others. Of 101
	// quantiles of normal elements none is missed in 200 lanes of 200 000, and
	// of 10M an eighth of the bins is collected.
	guessSlack = 4
	guessShare = 64

	// equalShare is the part of a sample, 1/equalShare, that equals the key
	// before, from which on bins are taken to hold values with copies, which
	// fill none evenly: a lane of 10M with some 40 copies of each. Of one value
	// equalMost copies count.
	equalShare = 64
	equalMost  = 16
)

// keep says what is kept of the bins that hold targets: all, what seems to be near the
// targets, or all but the copies of one value.
type keep[K kernel.Key] struct {
	guessing bool      // only what seems to be near the targets is kept
	spans    []span[K] // by bin, those that are kept then
	excluded []K       // by bin, elements that are not kept, if there are any
	crowded  bool      // many elements are in the bins
}

// span is an interval of keys: so many more from first on.
type span[K kernel.Key] struct{ first, more K }

// choose chooses what is kept of the bins of the buckets of a lane, near the targets if
// that may be guessed, and returns for how many keys room is needed.
func (k *keep[K]) choose(l *lane[K], b *bins[K], guess bool) (total int64) {
	list := l.buckets.list
	var all int64
	for i := range list {
		into := &list[i]
		into.whole, into.drops = l.targets[into.from].inside, false
		if !b.of.ByValue && into.bin == b.of.BinOf(kernel.MaxKey[K]()) {
			into.whole += int64(l.call.N - l.values) // NaNs
		}
		into.room = into.whole
		all += into.whole
	}
	k.crowded = all > int64(l.call.N/keepTwice)
	many := all > int64(l.call.Thresholds.GuessMin)*int64(len(list))
	if k.guessing = guess && many; k.guessing {
		k.spans = crew.Resize(k.spans, kernel.BinCount)
	}
	for i := range list {
		if k.guessing {
			k.guess(l, b, &list[i])
		} else if many && all > int64(l.call.N/keepAll) {
			k.drop(l, b, &list[i])
		}
		total += list[i].room
	}
	k.exclude(l, b)
	return total
}

// guess chooses to keep of the bin of a bucket the keys around the places that
// the targets have in a bin filled evenly, or all among which they may be if
// that is most of them.
func (k *keep[K]) guess(l *lane[K], b *bins[K], into *bucket[K]) {
	t, e, of := &l.targets[into.from], l.call.Encoding, &b.of
	around := &k.spans[t.bin]
	*around = span[K]{t.lo, t.hi - t.lo} // which NaN is beyond
	into.room = t.inside
	if h := b.heavyIn(t.bin); h != nil {
		// All else of the bin is in the span, as heavy values are found when nothing is
		// known of the targets, but for NaN: what is missing are copies.
		into.whole = t.inside
		into.drop(h.key, h.copies)
		return
	}
	n := float64(t.inside)
	first, last := float64(t.k-t.below), float64(l.targets[into.to-1].k-t.below)
	first -= guessSlack*math.Sqrt(first*(1-first/n)) + n/guessShare + 8
	last += guessSlack*math.Sqrt(last*(1-last/n)) + n/guessShare + 8
	if last-first > n/2 || t.bin == 0 || t.bin == of.BinOfKey(of.Hi, e) {
		if t.inside*int64(len(l.buckets.list)) > int64(l.call.Capacity) {
			from, end := l.sample.between(t.lo, t.hi)
			first, last := b.sampled(l, t.bin)
			into.room = expect(end-from, last-first, t.inside)
		}
		return
	}
	low, high := t.lo, t.hi
	if first > 0 {
		low = max(low, of.KeyAt(float64(t.bin)+first/n, e))
	}
	if last < n {
		high = min(high, of.KeyAt(float64(t.bin)+last/n, e))
	}
	if low <= high {
		*around = span[K]{low, high - low}
		into.room = min(int64(1.25*(last-first)+guessSlack*math.Sqrt(last-first)), t.inside)
	}
}

// drop chooses to keep of the bin of a bucket all keys but the copies of one: that
// of which there seem to be most, so that bins with few values take no room.
func (k *keep[K]) drop(l *lane[K], b *bins[K], into *bucket[K]) {
	t := &l.targets[into.from]
	into.drops, into.dropped = true, t.lo
	if h := b.heavyIn(t.bin); h != nil {
		into.drop(h.key, h.copies)
	} else if l.trusting() {
		from, end := b.sampled(l, t.bin)
		if into.whole > 2*t.inside {
			into.room, into.dropped = t.inside, kernel.MaxKey[K]() // NaN
		} else if m := end - from; m >= fewSampled {
			median := l.sample.keys[from+m/2]
			first, last := l.sample.between(median, median)
			if others := m - (last - first); others < m/2 {
				into.dropped = median
				into.room = expect(others, m, t.inside) + into.whole - t.inside
			}
		}
	}
}

// expect returns for how many keys of a bin to make room if so many of the sample's that
// are in it are kept: some twice the standard deviation more.
func expect(sampled, of int, inside int64) int64 {
	if of < fewSampled {
		return inside
	}
	most := float64(sampled) + 2*math.Sqrt(float64(sampled)+1) + 2
	return min(int64(most/float64(of)*float64(inside)), inside)
}

// exclude sets what is left out of the bins of the buckets, if of any: of those that
// drop nothing, what is in another one.
func (k *keep[K]) exclude(l *lane[K], b *bins[K]) {
	list := l.buckets.list
	k.excluded = k.excluded[:0]
	for i := range list {
		if !list[i].drops {
			continue
		}
		element := b.of.Element(list[i].dropped, l.call.Encoding)
		if len(k.excluded) == 0 {
			k.excluded = crew.Resize(k.excluded, kernel.BinCount)
			for j := range list {
				k.excluded[list[j].bin] = element
			}
		}
		k.excluded[list[i].bin] = element
	}
}

// repeats reports whether more than a few values of a sorted sample, but for the heavy
// ones, have copies in it.
func repeats[K kernel.Key](sample []K, values []heavy[K]) bool {
	equal, run := 0, 0
	for i, k := range sample {
		run++
		if i == 0 || k != sample[i-1] {
			run = 0
		}
		if run > 0 && run <= equalMost {
			equal++
		}
	}
	for _, h := range values {
		equal -= min(h.sampled-1, equalMost)
	}
	return equal > len(sample)/equalShare
}

const (
	// keepWhole is how many times the memory for collected keys the bins with
	// targets may hold; they are collected a part in each pass.
	keepWhole = 4

	// undividedShare is the part of a lane, 1/undividedShare, up to which bins with many
	// targets each are collected: half of 10M int64 in two bins with 50 targets each take
	// 190 ms, and 130 if they are divided first.
	undividedShare = 4
)

// kept collects the keys of the bins that hold targets, a bucket each: all of
// them, those near the targets, or all but the copies of one value.
type kept[K kernel.Key] struct {
	bins     *bins[K]
	keep     keep[K]
	set      kernel.BinSet
	bucketOf []uint16 // by bin
	guessed  bool     // some pass has
}

// begin makes buckets of the bins with open targets, as many as there is
// memory for, and reports whether there are any and few enough passes do.
func (c *kept[K]) begin(l *lane[K]) bool {
	for i := range l.targets {
		t := &l.targets[i]
		if t.done {
			continue
		}
		list := l.buckets.list
		if last := len(list) - 1; last >= 0 && t.bin == list[last].bin {
			list[last].to = i + 1
			continue
		}
		b := l.buckets.more()
		b.below, b.from, b.to, b.bin = t.below, i, i+1, t.bin
	}
	capacity := int64(l.call.Capacity)
	even := c.bins.of.Splitters == nil
	total := c.keep.choose(l, c.bins, !c.guessed && even && !repeats(l.sample.keys, c.bins.heavy))
	if c.guessed = true; c.keep.guessing && total > capacity {
		total = c.keep.choose(l, c.bins, false)
	}
	var room, many int64 // of those that fit; of bins with many targets
	list, fit := l.buckets.list, 0
	for i := range list {
		b := &list[i]
		if fit == i && room+b.room <= capacity {
			room, fit = room+b.room, fit+1
		}
		if b.to-b.from >= l.call.Thresholds.BinsMin {
			many += b.room
		}
	}
	// To divide an even bin with many targets, in two passes more, takes less time than to
	// select so many among its keys.
	if room == 0 || total > keepWhole*capacity || even && many > int64(l.call.N/undividedShare) {
		l.buckets.list = list[:0]
		return false
	}
	l.buckets.list = list[:fit]
	l.buckets.reserve(l.call.Capacity)
	l.counted.reset(0)
	c.set = kernel.BinSet{}
	c.bucketOf = crew.Resize(c.bucketOf, kernel.BinCount)
	for i := range l.buckets.list {
		bin := l.buckets.list[i].bin
		c.set.Add(bin)
		c.bucketOf[bin] = uint16(i)
	}
	return true
}

func (c *kept[K]) prepare(w *worker[K], s *crew.Scratch) {
	w.keys, w.bins = crew.Alloc[K](s, w.block), crew.Alloc[uint16](s, w.block)
	w.kept, w.keptBins = crew.Alloc[K](s, singleBlock+w.block)[:0], crew.Alloc[uint16](s, singleBlock+w.block)
	w.places = crew.Alloc[int64](s, len(w.lane.buckets.list))
	if c.keep.guessing {
		w.tables = crew.Alloc[uint32](s, kernel.BinCount)
		clear(w.tables)
	}
}

// add writes what is kept of a block after what waits. What is excluded is looked
// for in the bins to collect alone, unless most elements are in them.
func (c *kept[K]) add(w *worker[K], elements []K) {
	compared, found := c.bins.find(w, elements)
	at := len(w.kept)
	keys, in, n := w.kept[at:cap(w.kept)], w.keptBins[at:], 0
	if len(c.keep.excluded) == 0 || c.keep.crowded {
		n = kernel.CollectBins(keys, in, compared, found, &c.set, c.keep.excluded, elements)
	} else {
		n = kernel.CollectBins(keys, in, compared, found, &c.set, nil, elements)
		n = kernel.CollectBins(keys, in, keys[:n], in[:n], &c.set, c.keep.excluded, elements)
	}
	w.kept = w.kept[:at+n]
	if len(w.kept) > singleBlock {
		c.flush(w)
	}
}

// flush moves the keys that wait, as far as they are kept, to their buckets.
func (c *kept[K]) flush(w *worker[K]) {
	keys, in, buckets := w.kept, w.keptBins[:len(w.kept)], w.lane.buckets.list
	w.kept = w.kept[:0]
	if c.bins.of.ByValue {
		kernel.Encode(keys, keys, w.lane.call.Encoding)
	}
	if c.keep.guessing {
		n := c.keepNear(w, keys, in)
		keys, in = keys[:n], in[:n]
	}
	clear(w.places)
	for i, bin := range in {
		b := c.bucketOf[bin%kernel.BinCount]
		in[i] = b
		w.places[b]++
	}
	for i, n := range w.places {
		if n > 0 {
			w.places[i] = buckets[i].cursor.Add(n) - n
		}
	}
	for i, key := range keys {
		b := in[i]
		at := w.places[b]
		w.places[b] = at + 1
		if room := buckets[b].keys; uint64(at) < uint64(len(room)) {
			room[at] = key
		}
	}
}

// keepNear counts the keys below the spans of their bins, and keeps those
// inside, which are few; it returns how many they are.
func (c *kept[K]) keepNear(w *worker[K], keys []K, in []uint16) (n int) {
	spans, under := (*[kernel.BinCount]span[K])(c.keep.spans), (*[kernel.BinCount]uint32)(w.tables)
	in = in[:len(keys)]
	for i, key := range keys {
		bin := in[i] % kernel.BinCount
		first, more := spans[bin].first, spans[bin].more
		var below uint32 // added without a branch to mispredict
		if key < first {
			below = 1
		}
		under[bin] += below
		if uint64(int64(key-first)) <= uint64(int64(more)) {
			keys[n], in[n] = key, bin
			n++
		}
	}
	return n
}

// finish moves the last keys, and adds up those below the spans.
func (c *kept[K]) finish(w *worker[K]) {
	if len(w.kept) > 0 {
		c.flush(w)
	}
	if !c.keep.guessing {
		return
	}
	mu, list := &w.lane.counted.mu, w.lane.buckets.list
	mu.Lock()
	for i := range list {
		list[i].under += int64(w.tables[list[i].bin])
	}
	mu.Unlock()
}

// settle leaves the targets to the buckets.
func (c *kept[K]) settle(*lane[K]) {}
