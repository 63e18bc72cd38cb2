package narrow

import (
	"math"
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

const (
	// keptMax is how many keys wait to be sorted into their groups.
	keptMax = 1 << 13

	// keepWhole is how many times the memory for collected keys the bins with
	// targets may hold; they are collected a part in each pass.
	keepWhole = 4

	// undividedShare is the part of a lane, 1/undividedShare, up to which bins with many
	// targets each are collected: half of 10M int64 in two bins with 50 targets each take
	// 190 ms, and 130 if they are divided first.
	undividedShare = 4

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

	// sampledMin is the fewest keys that a sample must have of a bin to tell
	// which part of it is kept: 101 bins of 10M elements with a thousand values
	// have 7 each, of which 4 tell all but a twelfth of the bins.
	sampledMin = 4
)

// kept collects the keys of the bins that hold targets, a group each: all of
// them, those near the targets, or all but the copies of one value.
type kept[K kernel.Key] struct {
	*bins[K]
	set      kernel.BinSet
	groupOf  []uint16  // by bin
	spans    []span[K] // by bin, to collect if the pass is guessing
	excluded []K       // by bin, elements not to collect
	crowded  bool      // many elements are in the bins to collect
	guessing bool      // only what seems to be near the targets is collected
	guessed  bool      // some pass has
}

// span is an interval of keys: so many more from first on.
type span[K kernel.Key] struct{ first, more K }

// begin makes groups of the bins with open targets, as many as there is
// memory for, and reports whether there are any and few enough passes do.
func (c *kept[K]) begin() bool {
	for i := range c.targets {
		t := &c.targets[i]
		if t.done {
			continue
		}
		if last := len(c.groups) - 1; last < 0 || t.bin != c.groups[last].bin {
			g := c.newGroup()
			g.below, g.from, g.bin = t.below, i, t.bin
		}
		c.groups[len(c.groups)-1].to = i + 1
	}
	capacity := int64(c.call.Capacity)
	c.guessing = !c.guessed && c.of.Splitters == nil && !c.repeats()
	c.guessed = true
	total := c.choose()
	if c.guessing && total > capacity {
		c.guessing = false
		total = c.choose()
	}
	var room int64
	fit := 0 // groups
	for fit < len(c.groups) && room+c.groups[fit].room <= capacity {
		room += c.groups[fit].room
		fit++
	}
	if room == 0 || total > keepWhole*capacity || c.isUndivided() {
		c.groups = c.groups[:0]
		return false
	}
	c.groups = c.groups[:fit]
	c.reserve()
	c.counts = c.counts[:0]
	c.set = kernel.BinSet{}
	c.groupOf = crew.Resize(c.groupOf, kernel.BinCount)
	for i := range c.groups {
		bin := c.groups[i].bin
		c.set.Add(bin)
		c.groupOf[bin] = uint16(i)
	}
	return true
}

// isUndivided reports whether many keys are in even bins with many targets each: to divide
// such a bin, in two passes more, takes less time than to select so many among its keys.
func (c *kept[K]) isUndivided() bool {
	var many int64
	for i := range c.groups {
		if g := &c.groups[i]; g.to-g.from >= c.call.Thresholds.BinsMin {
			many += g.room
		}
	}
	return c.of.Splitters == nil && many > int64(c.call.N/undividedShare)
}

// choose chooses what is kept of the bins of the groups, and returns for how
// many keys room is needed.
func (c *kept[K]) choose() (total int64) {
	c.spans, c.excluded = c.spans[:0], c.excluded[:0]
	var all int64
	for i := range c.groups {
		g := &c.groups[i]
		g.whole = c.roomFor(&c.targets[g.from])
		g.room, g.drops = g.whole, false
		all += g.whole
	}
	c.crowded = all > int64(c.call.N/keepTwice)
	switch {
	case all <= int64(c.call.Thresholds.GuessMin)*int64(len(c.groups)):
		c.guessing = false
	case c.guessing:
		c.spans = crew.Resize(c.spans, kernel.BinCount)
		for i := range c.groups {
			c.guess(&c.groups[i])
		}
		c.exclude()
	case all > int64(c.call.N/keepAll):
		for i := range c.groups {
			c.drop(&c.groups[i])
		}
		c.exclude()
	}
	for i := range c.groups {
		total += c.groups[i].room
	}
	return total
}

// exclude sets what is left out of the bins of the groups, if of any: of those that
// drop nothing, what is in another one.
func (c *kept[K]) exclude() {
	for i := range c.groups {
		g := &c.groups[i]
		if !g.drops {
			continue
		}
		element := c.of.Element(g.dropped, c.call.Encoding)
		if len(c.excluded) == 0 {
			c.excluded = crew.Resize(c.excluded, kernel.BinCount)
			for j := range c.groups {
				c.excluded[c.groups[j].bin] = element
			}
		}
		c.excluded[g.bin] = element
	}
}

// repeats reports whether more than a few values of the sample, but for the heavy
// ones, have copies in it.
func (c *kept[K]) repeats() bool {
	equal, run := 0, 0
	for i, k := range c.sample {
		run++
		if i == 0 || k != c.sample[i-1] {
			run = 0
		}
		if run > 0 && run <= equalMost {
			equal++
		}
	}
	for _, h := range c.heavy {
		equal -= min(h.sampled-1, equalMost)
	}
	return equal > len(c.sample)/equalShare
}

// guess chooses to keep of the bin of a group the keys around the places that
// the targets have in a bin filled evenly, or all among which they may be if
// that is most of them.
func (c *kept[K]) guess(g *group[K]) {
	t := &c.targets[g.from]
	around := &c.spans[t.bin]
	*around = span[K]{t.lo, t.hi - t.lo} // which NaN is beyond
	g.room = t.inside
	if h := c.heavyIn(t.bin); h != nil {
		// All else of the bin is in the span, as heavy values are found when nothing is
		// known of the targets, but for NaN: what is missing are copies.
		g.whole = t.inside
		g.dropHeavy(h)
		return
	}
	n := float64(t.inside)
	from, to := float64(t.k-t.below), float64(c.targets[g.to-1].k-t.below)
	from -= guessSlack*math.Sqrt(from*(1-from/n)) + n/guessShare + 8
	to += guessSlack*math.Sqrt(to*(1-to/n)) + n/guessShare + 8
	if to-from > n/2 || t.bin == 0 || t.bin == c.binOf(&c.of, c.of.Hi) {
		if t.inside*int64(len(c.groups)) > int64(c.call.Capacity) {
			first, last := c.sampled(t.lo, t.hi)
			g.room = c.expect(t, last-first)
		}
		return
	}
	low, high := t.lo, t.hi
	if from > 0 {
		low = max(low, c.of.KeyAt(float64(t.bin)+from/n, c.call.Encoding))
	}
	if to < n {
		high = min(high, c.of.KeyAt(float64(t.bin)+to/n, c.call.Encoding))
	}
	if low <= high {
		*around = span[K]{low, high - low}
		g.room = min(int64(1.25*(to-from)+guessSlack*math.Sqrt(to-from)), t.inside)
	}
}

// drop chooses to keep of the bin of a group all keys but the copies of one: that
// of which there seem to be most, so that bins with few values take no room.
func (c *kept[K]) drop(g *group[K]) {
	t := &c.targets[g.from]
	g.drops, g.dropped = true, t.lo
	if h := c.heavyIn(t.bin); h != nil {
		g.dropHeavy(h)
	} else if c.pass <= sampledPasses {
		first, end := c.sampledIn(t.bin)
		if g.whole > 2*t.inside {
			g.room, g.dropped = t.inside, kernel.MaxKey[K]() // NaN
		} else if m := end - first; m >= sampledMin {
			median := c.sample[first+m/2]
			from, to := c.sampled(median, median)
			if others := m - (to - from); others < m/2 {
				g.dropped = median
				g.room = c.expect(t, others) + g.whole - t.inside
			}
		}
	}
}

// dropHeavy chooses to keep all keys of the bin but the copies of its heavy value.
func (g *group[K]) dropHeavy(h *heavy[K]) {
	g.drops, g.dropped, g.room = true, h.key, g.whole-h.copies
}

// expect returns for how many keys of the bin of t to make room if so many of the
// sample are kept: some twice the standard deviation more.
func (c *kept[K]) expect(t *target[K], sampled int) int64 {
	first, end := c.sampledIn(t.bin)
	if end-first < sampledMin {
		return t.inside
	}
	most := float64(sampled) + 2*math.Sqrt(float64(sampled)+1) + 2
	return min(int64(most/float64(end-first)*float64(t.inside)), t.inside)
}

// roomFor returns how many keys are in the bin of t, NaNs included.
func (c *kept[K]) roomFor(t *target[K]) int64 {
	if c.dropped > 0 && !c.of.ByValue && t.bin == c.of.BinOf(kernel.MaxKey[K]()) {
		return t.inside + int64(c.dropped)
	}
	return t.inside
}

// sampledIn returns the part of the sample in a bin.
func (c *kept[K]) sampledIn(bin int) (from, to int) {
	before := func(key K, bin int) int { return c.binOf(&c.of, key) - bin }
	from, _ = slices.BinarySearchFunc(c.sample, bin, before)
	n, _ := slices.BinarySearchFunc(c.sample[from:], bin+1, before)
	return from, from + n
}

func (c *kept[K]) prepare(p *part[K], s *crew.Scratch) {
	p.keys, p.bins = crew.Alloc[K](s, p.block), crew.Alloc[uint16](s, p.block)
	p.kept, p.keptBins = crew.Alloc[K](s, keptMax+p.block), crew.Alloc[uint16](s, keptMax+p.block)
	p.places = crew.Alloc[int64](s, len(c.groups))
	if c.guessing {
		p.tables = crew.Alloc[uint32](s, kernel.BinCount)
		clear(p.tables)
	}
}

// add writes what is kept of a block after what waits. What is excluded is looked
// for in the bins to collect alone, unless most elements are in them.
func (c *kept[K]) add(p *part[K], elements []K) {
	compared, found := c.find(p, elements)
	keys, in := p.kept[p.waiting:], p.keptBins[p.waiting:]
	if len(c.excluded) == 0 || c.crowded {
		p.waiting += kernel.CollectBins(keys, in, compared, found, &c.set, c.excluded, elements)
	} else {
		n := kernel.CollectBins(keys, in, compared, found, &c.set, nil, elements)
		p.waiting += kernel.CollectBins(keys, in, keys[:n], in[:n], &c.set, c.excluded, elements)
	}
	if p.waiting > keptMax {
		c.flush(p)
	}
}

// flush moves the keys that wait, as far as they are kept, to their groups.
func (c *kept[K]) flush(p *part[K]) {
	if p.waiting == 0 {
		return
	}
	keys, in := p.kept[:p.waiting], p.keptBins[:p.waiting]
	p.waiting = 0
	if c.of.ByValue {
		kernel.Encode(keys, keys, c.call.Encoding)
	}
	if c.guessing {
		n := c.keepNear(p, keys, in)
		keys, in = keys[:n], in[:n]
	}
	clear(p.places)
	for i, bin := range in {
		g := c.groupOf[bin%kernel.BinCount]
		in[i] = g
		p.places[g]++
	}
	for i, n := range p.places {
		if n > 0 {
			p.places[i] = c.groups[i].cursor.Add(n) - n
		}
	}
	for i, key := range keys {
		g := in[i]
		at := p.places[g]
		p.places[g] = at + 1
		if room := c.groups[g].keys; uint64(at) < uint64(len(room)) {
			room[at] = key
		}
	}
}

// keepNear counts the keys below the spans of their bins, and keeps those
// inside, which are few; it returns how many they are.
func (c *kept[K]) keepNear(p *part[K], keys []K, in []uint16) (n int) {
	spans, under := (*[kernel.BinCount]span[K])(c.spans), (*[kernel.BinCount]uint32)(p.tables)
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

func (c *kept[K]) merge(p *part[K]) {
	if c.guessing {
		for i := range c.groups {
			g := &c.groups[i]
			g.under += int64(p.tables[g.bin])
		}
	}
}

// settle leaves the targets to the groups.
func (c *kept[K]) settle() {}
