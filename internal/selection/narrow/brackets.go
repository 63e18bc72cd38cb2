package narrow

import (
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

const (
	// singleBlock is how many elements are looked at at a time for one bracket, or
	// several together: a block is looked at once, and only the calls count.
	singleBlock = 8 * kernel.CacheKeys

	// encodedBytes is the size of a part whose keys are made first. While they are looked
	// at, the next part comes from memory, as far ahead as kernel.Encode asks for it: the
	// median of two values in 10M float32 takes 1.9 ms, 2.0 to 2.8
	// with twice and 3.4 with four times as much.
	encodedBytes = 4 << 10
)

// brackets counts the keys below and inside a few intervals, and collects those
// inside, unless the interval is of one key.
type brackets[K kernel.Key] struct {
	list     []interval[K] // disjoint, ascending; each has a bucket, and two counts
	together []kernel.Bracket[K]
	onKeys   bool // elements are encoded before they are compared
}

// begin prepares a pass by the intervals: each has a bucket, with room for what is
// expected, and two counts: of the keys below it, and inside.
func (b *brackets[K]) begin(l *lane[K], list []interval[K]) {
	b.list = list
	l.counted.reset(2 * len(list))
	b.chooseTogether()
	b.onKeys = b.comparesKeys(l.call.Encoding.Code)
	for _, v := range list {
		bucket := l.buckets.more()
		switch {
		case v.lo == v.hi:
		case v.exact:
			bucket.room = v.expected
		default:
			bucket.room = min(v.expected+v.expected/4+1024, int64(l.call.N))
		}
	}
	l.buckets.reserve(l.call.Capacity)
}

// comparesKeys reports whether elements are encoded before they are compared with the
// brackets: floats at zero, where they compare equal, and those of 16 bits for more
// than one bracket. Copies of a single value are counted as keys, unless it is the
// only bracket of wide elements, which take as long as they are.
func (b *brackets[K]) comparesKeys(code kernel.Code) bool {
	wide, several := unsafe.Sizeof(K(0)) >= 4, len(b.list) > 1
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

func (b *brackets[K]) prepare(w *worker[K], s *crew.Scratch) {
	w.block = singleBlock
	if len(b.together) > 0 {
		w.brackets = &crew.Alloc[kernel.Brackets[K]](s, 1)[0]
		w.brackets.Set(w.lane.call.Encoding, b.together)
		w.kept, w.keys = crew.Alloc[K](s, kernel.CacheKeys+singleBlock)[:0], crew.Alloc[K](s, kernel.CacheKeys+singleBlock)
		return
	}
	w.kept, w.keys = crew.Alloc[K](s, singleBlock)[:0], crew.Alloc[K](s, encodedBytes/int(unsafe.Sizeof(K(0))))
}

// add counts and collects a block, for all brackets together or one after the
// other.
func (b *brackets[K]) add(w *worker[K], elements []K) {
	e, size := w.lane.call.Encoding, int(unsafe.Sizeof(K(0)))
	switch {
	case w.brackets != nil:
		n := len(w.kept)
		w.kept = w.kept[:n+w.brackets.Collect(w.kept[n:cap(w.kept)], elements)]
		if len(w.kept) > kernel.CacheKeys {
			b.split(w)
		}
	case b.onKeys:
		for block := range slices.Chunk(elements, encodedBytes/size) {
			b.each(w, w.encode(block), kernel.Encoding[K]{})
		}
	case len(b.list) == 1:
		b.each(w, elements, e)
	default: // 16-bit keys, or no vectors: half of a block stays in the first-level cache
		for block := range slices.Chunk(elements, singleBlock/2) {
			b.each(w, block, e)
		}
	}
}

// each counts and collects elements for one bracket after the other.
func (b *brackets[K]) each(w *worker[K], elements []K, e kernel.Encoding[K]) {
	kept := w.kept[:cap(w.kept)]
	for i, v := range b.list {
		var c kernel.Collected
		if v.lo == v.hi && e.Code == kernel.Signed && kernel.CountsOnVectors[K]() {
			c.Below, c.Inside = kernel.CountBelow(elements, v.lo)
		} else {
			c = kernel.Collect(kept, elements, e, v.lo, v.hi)
		}
		w.counts[2*i] += int64(c.Below)
		w.counts[2*i+1] += int64(c.Inside)
		if i == 0 {
			w.nan += c.NaN
		}
		if c.Inside > 0 && v.lo < v.hi {
			w.lane.buckets.list[i].add(kept[:c.Inside])
		}
	}
}

// split moves the keys that wait to the buckets of their brackets, and counts them.
func (b *brackets[K]) split(w *worker[K]) {
	if len(w.kept) == 0 {
		return
	}
	for i, v := range b.list {
		if v.lo < v.hi {
			c := kernel.Collect(w.keys, w.kept, kernel.Encoding[K]{}, v.lo, v.hi)
			w.counts[2*i+1] += int64(c.Inside)
			w.lane.buckets.list[i].add(w.keys[:c.Inside])
		}
	}
	w.kept = w.kept[:0]
}

// finish adds to the counts those of the brackets that were looked at together,
// but for what split has counted.
func (b *brackets[K]) finish(w *worker[K]) {
	if w.brackets == nil {
		return
	}
	b.split(w)
	w.nan += w.brackets.NaN()
	at := 0 // of the brackets together
	for i, v := range b.list {
		for at < len(b.together) && b.together[at].From < v.lo {
			at++
		}
		below, next := 0, at // none are below the smallest key, at which no count begins
		if v.lo < v.hi || v.lo > kernel.MinKey[K]() {
			below, next = w.brackets.Below(at), at+1
		}
		w.counts[2*i] += int64(below)
		if v.lo == v.hi {
			w.counts[2*i+1] += int64(w.brackets.Below(next) - below)
		}
	}
}

// settle narrows the targets to the brackets that hold them, or to what lies
// between two of them.
func (b *brackets[K]) settle(l *lane[K]) {
	i, counts := 0, l.counted.counts
	var upTo int64 // keys up to the end of the bracket before
	for j := range l.targets {
		t := &l.targets[j]
		if t.done {
			continue
		}
		for i < len(b.list) && counts[2*i]+counts[2*i+1] <= t.k {
			upTo = counts[2*i] + counts[2*i+1]
			i++
		}
		if i < len(b.list) && counts[2*i] <= t.k {
			v, bucket := b.list[i], &l.buckets.list[i]
			t.lo, t.hi, t.below, t.inside = v.lo, v.hi, counts[2*i], counts[2*i+1]
			if bucket.from == bucket.to {
				bucket.below, bucket.from = t.below, j
			}
			bucket.to = j + 1
			continue
		}
		if i > 0 {
			t.lo = max(t.lo, b.list[i-1].hi+1)
		}
		above := int64(l.values)
		if i < len(b.list) {
			t.hi, above = min(t.hi, b.list[i].lo-1), counts[2*i]
		}
		t.below, t.inside = upTo, above-upTo
	}
}
