package narrow

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

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
	for fit < len(list) && room+list[fit].room <= capacity {
		room += list[fit].room
		fit++
	}
	for i := range list {
		if b := &list[i]; b.to-b.from >= l.call.Thresholds.BinsMin {
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
	keys, in := w.room()
	var n int
	if len(c.keep.excluded) == 0 || c.keep.crowded {
		n = kernel.CollectBins(keys, in, compared, found, &c.set, c.keep.excluded, elements)
	} else {
		n = kernel.CollectBins(keys, in, compared, found, &c.set, nil, elements)
		n = kernel.CollectBins(keys, in, keys[:n], in[:n], &c.set, c.keep.excluded, elements)
	}
	w.kept = w.kept[:len(w.kept)+n]
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
