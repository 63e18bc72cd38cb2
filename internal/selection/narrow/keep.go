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
	k.guessing, k.spans, k.excluded = false, k.spans[:0], k.excluded[:0]
	list := l.buckets.list
	var all int64
	for i := range list {
		into := &list[i]
		into.whole = b.holds(l, &l.targets[into.from])
		into.room, into.drops = into.whole, false
		all += into.whole
	}
	k.crowded = all > int64(l.call.N/keepTwice)
	switch {
	case all <= int64(l.call.Thresholds.GuessMin)*int64(len(list)):
	case guess:
		k.guessing = true
		k.spans = crew.Resize(k.spans, kernel.BinCount)
		for i := range list {
			k.guess(l, b, &list[i])
		}
		k.exclude(l, b)
	case all > int64(l.call.N/keepAll):
		for i := range list {
			k.drop(l, b, &list[i])
		}
		k.exclude(l, b)
	}
	for i := range list {
		total += list[i].room
	}
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
