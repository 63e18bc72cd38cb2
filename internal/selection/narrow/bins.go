package narrow

import (
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
)

// alongsideShare is the part of the sample, 1/alongsideShare, up to which even bins with
// targets hold other keys: beyond, the bins are divided by the sample, which takes longer
// to count in and leaves few.
const alongsideShare = 4

// bins counts keys by bins, and along with them the values with many copies: the first
// of the two passes that many targets take. The second is kept. Bins are evenly spaced
// first; if too many keys are in some, these are divided.
type bins[K kernel.Key] struct {
	of        kernel.Bins[K]
	splitters kernel.Splitters[K] // of them, if they are not even
	inBin     [kernel.BinCount]int64
	heavy     []heavy[K] // whose copies are the counts of the lane
}

// heavy is a value with many copies among which targets are expected. If all targets
// are, these values alone are counted in the first pass. Otherwise they are counted
// together with the bins, so that they need not be collected from theirs.
type heavy[K kernel.Key] struct {
	key     K
	element K     // as it is compared
	sampled int   // copies in the sample
	bin     int   // that holds it
	copies  int64 // in the lane, once counted
}

// findHeavy finds the heavy values, ascending, and reports whether all targets are expected
// to be among them. There are some in a first pass alone, where nothing is known of the
// targets.
func (b *bins[K]) findHeavy(l *lane[K]) (all bool) {
	if b.heavy = b.heavy[:0]; l.passes > 0 {
		return false
	}
	s, end := &l.sample, 0 // of the copies of the last one
	all = true
	for i := range l.targets {
		at := s.place(l.targets[i].k, l.values)
		if at < end {
			continue
		}
		key := s.keys[at]
		from, to := s.between(key, key)
		if !s.isHeavy(to - from) {
			all = false
			continue
		}
		b.heavy = append(b.heavy, heavy[K]{key: key, sampled: to - from})
		end = to
	}
	return all
}

// begin prepares a pass in which the bins are those that are expected to hold the
// fewest other keys along with the targets, and along with them heavy values are
// counted: of several in a bin that of which there seem to be most.
func (b *bins[K]) begin(l *lane[K]) {
	b.choose(l)
	kept := b.heavy[:0]
	for _, h := range b.heavy {
		h.element, h.bin = b.of.Element(h.key, l.call.Encoding), b.of.BinOfKey(h.key, l.call.Encoding)
		if last := len(kept) - 1; last < 0 || kept[last].bin != h.bin {
			kept = append(kept, h)
		} else if kept[last].sampled < h.sampled {
			kept[last] = h
		}
	}
	b.heavy = kept
	l.counted.reset(len(b.heavy))
	clear(b.inBin[:])
}

// choose sets the bins to those that are expected to hold the fewest other keys
// along with the targets: spread evenly over the values or over the keys, which
// are the logarithms of the values, with or without the tails.
func (b *bins[K]) choose(l *lane[K]) {
	all, e := l.sample.keys, l.call.Encoding
	finite := all
	if e.Code == kernel.Float {
		if from, to := l.sample.between(^e.Inf+1, e.Inf-1); from < to {
			finite = all[from:to]
		}
	}
	byValues := []bool{false, true}
	if e.Code != kernel.Float || kernel.BlockLanes[K]() > kernel.BlockLanes[int32]() {
		byValues = byValues[:1]
	}
	least := len(all) + 1
	for _, tail := range [4]int{len(finite) + 1, 1024, 64, 16} {
		cut := len(finite) / tail
		for _, byValue := range byValues {
			var of kernel.Bins[K]
			if !of.Between(finite[cut], finite[len(finite)-1-cut], e, byValue) {
				continue
			}
			if n := l.alongside(&of, least); n < least {
				least, b.of = n, of
			}
		}
	}
	if len(all) > kernel.BinCount/8 && least > len(all)/alongsideShare {
		whole := interval[K]{lo: l.targets[0].lo, hi: l.targets[0].hi}
		step := (len(all) + kernel.BinCount - 4) / (kernel.BinCount - 3)
		b.split(l.sample.appendSplitters(b.splitters.Memory(), whole, step))
	}
}

// split sets the bins to those that keys divide.
func (b *bins[K]) split(keys []K) {
	b.splitters.Set(keys)
	b.of = kernel.Bins[K]{Splitters: &b.splitters}
}

// alongside returns how many keys of the sample are in bins with open targets, but
// for the copies of what seem to be the targets; it stops counting at the given number.
func (l *lane[K]) alongside(of *kernel.Bins[K], most int) (n int) {
	keys, e := l.sample.keys, l.call.Encoding
	end := 0 // of the bin before
	for i := range l.targets {
		if n >= most {
			break
		}
		at := l.sample.place(l.targets[i].k, l.values)
		if at < end || l.targets[i].done {
			continue
		}
		key := keys[at]
		bin := of.BinOfKey(key, e)
		for i := at - 1; i >= end && of.BinOfKey(keys[i], e) == bin; i-- {
			if keys[i] != key {
				n++
			}
		}
		for end = at + 1; end < len(keys) && of.BinOfKey(keys[end], e) == bin; end++ {
			if keys[end] != key {
				n++
			}
		}
	}
	return n
}

// divide prepares a pass that divides the intervals, ascending, in which there are too
// many keys to collect: by keys of the sample that lie in them, or evenly where there are
// few of those or samples have failed.
func (b *bins[K]) divide(l *lane[K], list []interval[K]) {
	b.heavy = b.heavy[:0]
	l.counted.reset(0)
	clear(b.inBin[:])
	list = list[:min(len(list), kernel.BinCount/8)] // evenly into six parts or more; the others wait
	sampled := 0
	for _, v := range list {
		from, to := l.sample.between(v.lo, v.hi)
		sampled += to - from
	}
	even := !l.trusting() || sampled < fewSampled*len(list)
	if even && len(list) == 1 {
		b.of.Within(list[0].lo, list[0].hi)
		return
	}
	room := kernel.BinCount - 1 - 2*len(list) // splitters, but for the ends
	keys := b.splitters.Memory()
	for _, v := range list {
		if even {
			keys = bracket.AppendEven(keys, v.lo, v.hi, room/len(list))
		} else {
			keys = l.sample.appendSplitters(keys, v, (2*sampled+room-1)/room)
		}
		keys = bracket.AppendEnd(keys, v.hi)
	}
	b.split(keys)
}

func (b *bins[K]) prepare(w *worker[K], s *crew.Scratch) {
	w.keys, w.bins = crew.Alloc[K](s, w.block), crew.Alloc[uint16](s, w.block)
	w.tables = crew.Alloc[uint32](s, 2*kernel.BinCount)
	clear(w.tables)
}

// find finds the bins of elements, as which the keys of these are compared.
func (b *bins[K]) find(w *worker[K], elements []K) (compared []K, found []uint16) {
	if !b.of.ByValue {
		elements = w.encode(elements)
	}
	found = w.bins[:len(elements)]
	kernel.FindBins(found, elements, &b.of)
	return elements, found
}

func (b *bins[K]) add(w *worker[K], elements []K) {
	compared, found := b.find(w, elements)
	for i := range b.heavy {
		_, equal := kernel.CountBelow(compared, b.heavy[i].element)
		w.counts[i] += int64(equal)
	}
	kernel.CountBins((*[2 * kernel.BinCount]uint32)(w.tables), found, elements)
}

// finish adds up the bins.
func (b *bins[K]) finish(w *worker[K]) {
	even, odd := (*[kernel.BinCount]uint32)(w.tables), (*[kernel.BinCount]uint32)(w.tables[kernel.BinCount:])
	if b.of.ByValue {
		const nan = kernel.BinCount - 1
		w.nan += int(even[nan] + odd[nan])
		even[nan], odd[nan] = 0, 0
	}
	mu := &w.lane.counted.mu
	mu.Lock()
	for i := range b.inBin {
		b.inBin[i] += int64(even[i] + odd[i])
	}
	mu.Unlock()
}

// settle narrows the targets to their bins, of which they keep the count: that of
// the part of a bin to which a target was known to belong is not.
func (b *bins[K]) settle(l *lane[K]) {
	of, e := &b.of, l.call.Encoding
	if !of.ByValue && e.Code == kernel.Float {
		b.inBin[of.BinOf(kernel.MaxKey[K]())] -= int64(l.counted.nan)
	}
	for i := range b.heavy {
		b.heavy[i].copies = l.counted.counts[i]
	}
	bin, known := 0, -1
	var below int64           // keys before the bin
	var lo, hi, first, last K // the interval of the target before, and the part in its bin, known
	for i := range l.targets {
		t := &l.targets[i]
		if t.done {
			continue
		}
		for ; bin < kernel.BinCount-1 && below+b.inBin[bin] <= t.k; bin++ {
			below += b.inBin[bin]
		}
		if bin != known || t.lo != lo || t.hi != hi {
			known, lo, hi = bin, t.lo, t.hi
			first, last = of.FirstIn(bin, lo, hi, e), hi
			if bin+1 < kernel.BinCount {
				if next := of.FirstIn(bin+1, lo, hi, e); of.BinOfKey(next, e) > bin {
					last = next - 1
				}
			}
		}
		t.lo, t.hi = first, last
		t.below, t.inside, t.bin = below, b.inBin[bin], bin
		if h := b.heavyIn(bin); h != nil {
			// A copy of the heavy value wherever the others of the bin lie, before it or after it.
			if at := t.k - below; at >= t.inside-h.copies && at < h.copies {
				t.found(h.key)
			}
		}
	}
}

// sampled returns the part of the sample in a bin.
func (b *bins[K]) sampled(l *lane[K], bin int) (from, to int) {
	keys := l.sample.keys
	before := func(key K, bin int) int { return b.of.BinOfKey(key, l.call.Encoding) - bin }
	from, _ = slices.BinarySearchFunc(keys, bin, before)
	n, _ := slices.BinarySearchFunc(keys[from:], bin+1, before)
	return from, from + n
}

// heavyIn returns the heavy value of a bin, nil if it has none.
func (b *bins[K]) heavyIn(bin int) *heavy[K] {
	for i := range b.heavy {
		if h := &b.heavy[i]; h.bin == bin {
			return h
		}
	}
	return nil
}
