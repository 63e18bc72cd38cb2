package narrow

import (
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// bins counts keys by bins, and along with them the values with many copies: the first
// of the two passes that many targets take. The second is kept. Bins are evenly spaced
// first; if too many keys are in some, these are divided.
type bins[K kernel.Key] struct {
	*lane[K]
	of        kernel.Bins[K]
	splitters kernel.Splitters[K] // of them, if they are not even
	inBin     [kernel.BinCount]int64
	counted   bool       // a pass has counted them
	heavy     []heavy[K] // whose copies are the counts of the lane
	allHeavy  bool
}

// begin prepares a pass, unless all targets are expected to be heavy values.
func (b *bins[K]) begin() bool {
	b.heavy, b.allHeavy = b.heavy[:0], false
	if b.pass == 1 {
		if b.findHeavy(); b.allHeavy {
			return false
		}
	}
	b.counted = true
	b.choose()
	b.oneHeavyEach()
	b.counts = crew.Resize(b.counts, len(b.heavy))
	clear(b.inBin[:])
	return true
}

// choose sets the bins to those that are expected to hold the fewest other keys
// along with the targets: spread evenly over the values or over the keys, which
// are the logarithms of the values, with or without the tails.
func (b *bins[K]) choose() {
	sample, e := b.sample, b.call.Encoding
	if e.Code == kernel.Float {
		if from, to := b.sampled(^e.Inf+1, e.Inf-1); from < to {
			sample = sample[from:to]
		}
	}
	byValues := []bool{false, true}
	if e.Code != kernel.Float || kernel.BlockLanes[K]() > kernel.BlockLanes[int32]() {
		byValues = byValues[:1]
	}
	least := len(b.sample) + 1
	for _, tail := range [4]int{len(sample) + 1, 1024, 64, 16} {
		cut := len(sample) / tail
		for _, byValue := range byValues {
			var of kernel.Bins[K]
			if !of.Between(sample[cut], sample[len(sample)-1-cut], e, byValue) {
				continue
			}
			if n := b.alongside(&of, least); n < least {
				least, b.of = n, of
			}
		}
	}
	if len(b.sample) > kernel.BinCount/8 && least > len(b.sample)/alongsideShare {
		b.bySample()
	}
}

// alongsideShare is the part of the sample, 1/alongsideShare, up to which even bins with
// targets hold other keys: beyond, the bins are divided by the sample, which takes longer
// to count in and leaves few.
const alongsideShare = 4

// bySample sets the bins to those that keys of the sample divide.
func (b *bins[K]) bySample() {
	all := interval[K]{lo: b.targets[0].lo, hi: b.targets[0].hi}
	step := (len(b.sample) + kernel.BinCount - 4) / (kernel.BinCount - 3)
	b.splitters.Set(b.appendSampled(b.splitters.Memory(), all, step))
	b.of = kernel.Bins[K]{Splitters: &b.splitters}
}

// binOf returns the bin of a key.
func (b *bins[K]) binOf(of *kernel.Bins[K], key K) int {
	return of.BinOf(of.Element(key, b.call.Encoding))
}

// alongside returns how many keys of the sample are in bins with open targets, but
// for the copies of what seem to be the targets; it stops counting at the given number.
func (b *bins[K]) alongside(of *kernel.Bins[K], most int) (n int) {
	m := len(b.sample)
	end := 0 // of the bin before
	for i := range b.targets {
		if n >= most {
			break
		}
		at := b.expectedAt(&b.targets[i])
		if at < end || b.targets[i].done {
			continue
		}
		key := b.sample[at]
		bin := b.binOf(of, key)
		for i := at - 1; i >= end && b.binOf(of, b.sample[i]) == bin; i-- {
			if b.sample[i] != key {
				n++
			}
		}
		for end = at + 1; end < m && b.binOf(of, b.sample[end]) == bin; end++ {
			if b.sample[end] != key {
				n++
			}
		}
	}
	return n
}

func (b *bins[K]) prepare(p *part[K], s *crew.Scratch) {
	p.keys, p.bins = crew.Alloc[K](s, p.block), crew.Alloc[uint16](s, p.block)
	p.tables = crew.Alloc[uint32](s, 2*kernel.BinCount)
	clear(p.tables)
}

// find finds the bins of elements, as which the keys of these are compared.
func (b *bins[K]) find(p *part[K], elements []K) (compared []K, found []uint16) {
	if !b.of.ByValue {
		elements = p.encode(elements, b.call.Encoding)
	}
	found = p.bins[:len(elements)]
	kernel.FindBins(found, elements, &b.of)
	return elements, found
}

func (b *bins[K]) add(p *part[K], elements []K) {
	compared, found := b.find(p, elements)
	for i := range b.heavy {
		_, equal := kernel.CountBelow(compared, b.heavy[i].element)
		p.counts[i] += int64(equal)
	}
	kernel.CountBins((*[2 * kernel.BinCount]uint32)(p.tables), found, elements)
}

func (b *bins[K]) merge(p *part[K]) {
	even, odd := (*[kernel.BinCount]uint32)(p.tables), (*[kernel.BinCount]uint32)(p.tables[kernel.BinCount:])
	if b.of.ByValue {
		const nan = kernel.BinCount - 1
		b.nan += int(even[nan] + odd[nan])
		even[nan], odd[nan] = 0, 0
	}
	for i := range b.inBin {
		b.inBin[i] += int64(even[i] + odd[i])
	}
}

// settle narrows the targets to their bins, of which they keep the count: that of
// the part of a bin to which a target was known to belong is not.
func (b *bins[K]) settle() {
	of, e := &b.of, b.call.Encoding
	if !of.ByValue && e.Code == kernel.Float {
		b.inBin[of.BinOf(kernel.MaxKey[K]())] -= int64(b.nan)
	}
	for i := range b.heavy {
		b.heavy[i].copies = b.counts[i]
	}
	bin, known := 0, -1
	var below int64           // keys before the bin
	var lo, hi, first, last K // the interval of the target before, and the part in its bin, known
	for i := range b.targets {
		t := &b.targets[i]
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
				if next := of.FirstIn(bin+1, lo, hi, e); b.binOf(of, next) > bin {
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

// findHeavy finds the heavy values before the first pass, ascending, and whether all
// targets are expected to be among them.
func (b *bins[K]) findHeavy() {
	b.allHeavy = true
	end := 0 // of the copies of the last one
	for i := range b.targets {
		at := b.expectedAt(&b.targets[i])
		if at < end {
			continue
		}
		key := b.sample[at]
		from, to := b.sampled(key, key)
		if !b.isHeavy(to - from) {
			b.allHeavy = false
			continue
		}
		b.heavy = append(b.heavy, heavy[K]{key: key, sampled: to - from})
		end = to
	}
}

// heavyAlone returns the heavy values as intervals.
func (b *bins[K]) heavyAlone() []interval[K] {
	list := b.brackets.list[:0]
	for _, h := range b.heavy {
		list = append(list, interval[K]{lo: h.key, hi: h.key})
	}
	return list
}

// oneHeavyEach finds the bins of the heavy values; of several in a bin it keeps that
// of which there seem to be most.
func (b *bins[K]) oneHeavyEach() {
	kept := b.heavy[:0]
	for _, h := range b.heavy {
		h.element, h.bin = b.of.Element(h.key, b.call.Encoding), b.binOf(&b.of, h.key)
		if last := len(kept) - 1; last < 0 || kept[last].bin != h.bin {
			kept = append(kept, h)
		} else if kept[last].sampled < h.sampled {
			kept[last] = h
		}
	}
	b.heavy = kept
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
