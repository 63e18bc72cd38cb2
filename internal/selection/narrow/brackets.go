package narrow

import (
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
)

const (
	// singleBlock is how many elements are looked at at a time for one bracket, or
	// several together: a block is looked at once, and only the calls count.
	singleBlock = 8 * kernel.CacheKeys

	// repeatedBytes is the size of a part that is looked at for one bracket
	// after the other: half of a first-level cache.
	repeatedBytes = 16 << 10

	// encodedBytes is repeatedBytes where the keys of a part are made first. While they
	// are looked at, the next part comes from memory, as far ahead as kernel.Encode
	// asks for it: the median of two values in 10M float32 takes 1.9 ms, 2.0 to 2.8
	// with twice and 3.4 with four times as much.
	encodedBytes = 4 << 10

	// togetherMin is the size of a block for which looking at several brackets together
	// should make up for setting that up and reading its counts: an estimate, from
	// 0.2 us for those and 1 ns saved for 16 float32 and three brackets.
	togetherMin = 2 * kernel.CacheKeys

	// splitMin is how many keys of several brackets wait to be split among them:
	// from a quarter to twice as many, 3 quantiles of 10M float32 take as long.
	splitMin = kernel.CacheKeys

	// bracketsMost is how many brackets a pass looks at after the first at most: more are
	// slower, one after the other, than bins.
	bracketsMost = 2 * kernel.BracketsMax

	// sigma is how many standard deviations brackets reach in the first pass: one in
	// 400 targets lies beyond. After a miss they are as much wider again.
	sigma = 3
)

// interval is a range of keys.
type interval[K kernel.Key] struct {
	lo, hi   K
	expected int64 // keys inside
	exact    bool  // so many there are
}

// expected returns how many keys to expect in the intervals of more than one
// key, which are collected.
func expected[K kernel.Key](list []interval[K]) (total int64) {
	for _, v := range list {
		if v.lo < v.hi {
			total += v.expected
		}
	}
	return total
}

// brackets counts the keys below and inside a few intervals, and collects those
// inside, unless the interval is of one key.
type brackets[K kernel.Key] struct {
	*lane[K]
	list     []interval[K] // disjoint, ascending
	merged   []interval[K] // before heavy values are set apart
	together []kernel.Bracket[K]
	onKeys   bool // elements are encoded before they are compared
}

// around returns intervals in which the open targets are expected, disjoint and
// ascending.
func (b *brackets[K]) around() []interval[K] {
	list := b.list[:0]
	for i := range b.targets {
		t := &b.targets[i]
		if t.done {
			continue
		}
		v := b.of(t)
		if last := len(list) - 1; last >= 0 && v.lo <= list[last].hi {
			prev := &list[last]
			if v.lo != prev.lo || v.hi != prev.hi { // not two targets in one interval
				prev.expected += v.expected
				prev.hi, prev.exact = max(prev.hi, v.hi), false
			}
			continue
		}
		list = append(list, v)
	}
	if b.pass <= sampledPasses && unsafe.Sizeof(K(0)) > 1 {
		b.merged, list = list, b.merged[:0]
		for _, v := range b.merged {
			list = b.setHeavyApart(list, v)
		}
	}
	b.list = list
	return list
}

// of returns the interval in which a target is expected: all that it is known to
// lie in if that is small enough to collect or there is no sample of it to tell
// more.
func (b *brackets[K]) of(t *target[K]) interval[K] {
	v := interval[K]{t.lo, t.hi, t.inside, b.counted}
	if b.counted && t.inside <= int64(b.call.Thresholds.CollectWhole) {
		return v
	}
	from, end := b.sampled(t.lo, t.hi)
	m := end - from
	if m < fewSampled || b.pass > sampledPasses {
		return v
	}
	lo, hi := bracket.Around(t.k-t.below, t.k-t.below, t.inside, m, sigma*float64(b.pass))
	if lo >= 0 {
		v.lo = b.sampledAt(from + lo)
	}
	if hi < m {
		v.hi = b.sampledAt(from + hi)
	}
	first, last := b.sampled(v.lo, v.hi) // the ends may have copies beyond
	v.exact = false
	v.expected = int64(float64(last-first) / float64(m) * float64(t.inside))
	return v
}

// setHeavyApart appends an interval, and for its ends, if they are values with many
// copies, intervals of their own; nothing between them if the sample has nothing.
func (b *brackets[K]) setHeavyApart(dst []interval[K], v interval[K]) []interval[K] {
	from, to := b.sampled(v.lo, v.hi)
	if v.lo == v.hi || from == to {
		return append(dst, v)
	}
	low, high := v.lo, v.hi
	_, end := b.sampled(low, low)
	if b.isHeavy(end - from) {
		dst = append(dst, interval[K]{lo: low, hi: low})
		from, v.lo = end, low+1
	}
	first, _ := b.sampled(high, high)
	apart := b.isHeavy(to - first)
	if apart {
		to, v.hi = first, high-1
	}
	if v.lo <= v.hi && from < to {
		if v.lo > low || v.hi < high {
			v.expected, v.exact = int64(float64(to-from)/float64(len(b.sample))*float64(b.valid)), false
		}
		dst = append(dst, v)
	}
	if apart {
		dst = append(dst, interval[K]{lo: high, hi: high})
	}
	return dst
}

// begin prepares a pass by the intervals: each has a group, with room for what is
// expected, and two counts: of the keys below it, and inside.
func (b *brackets[K]) begin(list []interval[K]) {
	b.list = list
	b.counts = crew.Resize(b.counts, 2*len(list))
	b.chooseTogether()
	b.onKeys = b.comparesKeys()
	for _, v := range list {
		g := b.newGroup()
		switch {
		case v.lo == v.hi:
		case v.exact:
			g.room = v.expected
		default:
			g.room = min(v.expected+v.expected/4+1024, int64(b.call.N))
		}
	}
	b.reserve()
}

// comparesKeys reports whether elements are encoded before they are compared with the
// brackets: floats at zero, where they compare equal, and those of 16 bits for more
// than one bracket. Copies of a single value are counted as keys, unless it is the
// only bracket of wide elements, which take as long as they are.
func (b *brackets[K]) comparesKeys() bool {
	code, wide, several := b.call.Encoding.Code, unsafe.Sizeof(K(0)) >= 4, len(b.list) > 1
	if code == kernel.Signed {
		return false
	}
	if code == kernel.Float && !wide && several {
		return true
	}
	for _, v := range b.list {
		if code == kernel.Float && wide && (v.lo == 0 || v.hi == -1) {
			return true
		}
		if v.lo == v.hi && (several || !wide) && kernel.CountsOnVectors[K]() {
			return true
		}
	}
	return false
}

// chooseTogether sets what several brackets are looked at by at once: their ends. One
// of a single key collects nothing, and another one after it ends its count. There
// are none without vectors, and where there is nothing to collect.
func (b *brackets[K]) chooseTogether() {
	all := b.together[:0]
	if len(b.list) >= 2 && expected(b.list) > 0 && kernel.BracketsOnVectors[K]() {
		for _, v := range b.list {
			if last := len(all) - 1; last >= 0 && all[last].From == v.lo {
				all = all[:last]
			}
			switch {
			case v.lo < v.hi:
				all = append(all, kernel.Bracket[K]{From: v.lo, To: v.hi})
				continue
			case v.lo > kernel.MinKey[K]():
				all = append(all, kernel.Bracket[K]{From: v.lo, To: v.lo - 1})
			}
			if v.hi < kernel.MaxKey[K]() {
				all = append(all, kernel.Bracket[K]{From: v.hi + 1, To: v.hi})
			}
		}
	}
	if b.together = all; len(all) > kernel.BracketsMax {
		b.together = all[:0]
	}
}

func (b *brackets[K]) prepare(p *part[K], s *crew.Scratch) {
	p.block = singleBlock
	if len(b.together) > 0 {
		p.brackets = &crew.Alloc[kernel.Brackets[K]](s, 1)[0]
		p.kept, p.keys = crew.Alloc[K](s, splitMin+singleBlock), crew.Alloc[K](s, splitMin+singleBlock)
		return
	}
	p.kept, p.keys = crew.Alloc[K](s, singleBlock), crew.Alloc[K](s, encodedBytes/int(unsafe.Sizeof(K(0))))
}

// add counts and collects a block, for all brackets together or one after the
// other.
func (b *brackets[K]) add(p *part[K], elements []K) {
	e, size := b.call.Encoding, int(unsafe.Sizeof(K(0)))
	if p.brackets != nil && len(elements) >= togetherMin {
		if !p.begun {
			p.brackets.Set(e, b.together)
			p.begun = true
		}
		p.waiting += p.brackets.Collect(p.kept[p.waiting:], elements)
		if p.waiting > splitMin {
			b.flush(p)
		}
		return
	}
	switch {
	case b.onKeys:
		for block := range slices.Chunk(elements, encodedBytes/size) {
			b.each(p, p.encode(block, e), kernel.Encoding[K]{})
		}
	case len(b.list) == 1:
		b.each(p, elements, e)
	default:
		for block := range slices.Chunk(elements, repeatedBytes/size) {
			b.each(p, block, e)
		}
	}
}

// each counts and collects elements for one bracket after the other.
func (b *brackets[K]) each(p *part[K], elements []K, e kernel.Encoding[K]) {
	kept := p.kept[p.waiting:]
	for i, v := range b.list {
		var c kernel.Collected
		if v.lo == v.hi && e.Code == kernel.Signed && kernel.CountsOnVectors[K]() {
			c.Below, c.Inside = kernel.CountBelow(elements, v.lo)
		} else {
			c = kernel.Collect(kept, elements, e, v.lo, v.hi)
		}
		p.counts[2*i] += int64(c.Below)
		p.counts[2*i+1] += int64(c.Inside)
		if i == 0 {
			p.nan += c.NaN
		}
		if c.Inside > 0 && v.lo < v.hi {
			b.groups[i].add(kept[:c.Inside])
		}
	}
}

// flush moves the keys that wait to the groups of their brackets.
func (b *brackets[K]) flush(p *part[K]) {
	if p.waiting == 0 {
		return
	}
	keys := p.kept[:p.waiting]
	p.waiting = 0
	for i, v := range b.list {
		if v.lo < v.hi {
			c := kernel.Collect(p.keys, keys, kernel.Encoding[K]{}, v.lo, v.hi)
			p.counts[2*i+1] += int64(c.Inside)
			b.groups[i].add(p.keys[:c.Inside])
		}
	}
}

// merge adds to the counts those of the brackets that were looked at together,
// but for what flush has counted.
func (b *brackets[K]) merge(p *part[K]) {
	if !p.begun {
		return
	}
	b.nan += p.brackets.NaN()
	at := 0 // of the brackets together
	for i, v := range b.list {
		for at < len(b.together) && b.together[at].From < v.lo {
			at++
		}
		below, next := 0, at // none are below the smallest key, at which no count begins
		if v.lo < v.hi || v.lo > kernel.MinKey[K]() {
			below, next = p.brackets.Below(at), at+1
		}
		b.counts[2*i] += int64(below)
		if v.lo == v.hi {
			b.counts[2*i+1] += int64(p.brackets.Below(next) - below)
		}
	}
}

// settle narrows the targets to the brackets that hold them, or to what lies
// between two of them.
func (b *brackets[K]) settle() {
	i := 0
	var upTo int64 // keys up to the end of the bracket before
	for j := range b.targets {
		t := &b.targets[j]
		if t.done {
			continue
		}
		for i < len(b.list) && b.counts[2*i]+b.counts[2*i+1] <= t.k {
			upTo = b.counts[2*i] + b.counts[2*i+1]
			i++
		}
		if i < len(b.list) && b.counts[2*i] <= t.k {
			v, g := b.list[i], &b.groups[i]
			t.lo, t.hi, t.below, t.inside = v.lo, v.hi, b.counts[2*i], b.counts[2*i+1]
			if g.from == g.to {
				g.below, g.from = t.below, j
			}
			g.to = j + 1
			continue
		}
		if i > 0 {
			t.lo = max(t.lo, b.list[i-1].hi+1)
		}
		above := int64(b.valid)
		if i < len(b.list) {
			t.hi, above = min(t.hi, b.list[i].lo-1), b.counts[2*i]
		}
		t.below, t.inside = upTo, above-upTo
	}
}
