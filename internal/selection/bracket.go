package selection

import (
	"math"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/partition"
	"github.com/ogive-go/ogive/internal/tuning"
)

// bracket is an interval of keys that a pass counts, and collects unless it is
// of one key.
type interval[K kernel.Key] struct {
	lo, hi   K
	expected int64
	exact    bool // so many keys are inside
}

// bracketAll sets the brackets to intervals in which the open targets are
// expected, disjoint and ascending, and returns how many keys to expect.
func (nw *Narrowing[K]) bracketAll() (total int64) {
	brackets := nw.brackets[:0]
	for i := range nw.targets {
		t := &nw.targets[i]
		if t.done {
			continue
		}
		b := nw.bracket(t)
		if last := len(brackets) - 1; last >= 0 && b.lo <= brackets[last].hi {
			prev := &brackets[last]
			if b.lo != prev.lo || b.hi != prev.hi { // not two targets in one interval
				prev.expected += b.expected
				prev.hi, prev.exact = max(prev.hi, b.hi), false
			}
			continue
		}
		brackets = append(brackets, b)
	}
	if nw.pass <= sampledPasses && unsafe.Sizeof(K(0)) > 1 {
		nw.merged, brackets = brackets, nw.merged[:0]
		for _, b := range nw.merged {
			brackets = nw.setHeavyApart(brackets, b)
		}
	}
	nw.brackets = brackets
	for _, b := range brackets {
		if b.lo < b.hi {
			total += b.expected
		}
	}
	return total
}

// setHeavyApart appends a bracket, and for its ends, if they are values with many
// copies, brackets of their own; nothing between them if the sample has nothing.
func (nw *Narrowing[K]) setHeavyApart(dst []interval[K], b interval[K]) []interval[K] {
	from, to := nw.sampled(b.lo, b.hi)
	if b.lo == b.hi || from == to {
		return append(dst, b)
	}
	low, high := b.lo, b.hi
	_, end := nw.sampled(low, low)
	if nw.isHeavy(end - from) {
		dst = append(dst, interval[K]{lo: low, hi: low})
		from, b.lo = end, low+1
	}
	first, _ := nw.sampled(high, high)
	apart := nw.isHeavy(to - first)
	if apart {
		to, b.hi = first, high-1
	}
	if b.lo <= b.hi && from < to {
		if b.lo > low || b.hi < high {
			b.expected, b.exact = int64(float64(to-from)/float64(len(nw.sample))*float64(nw.valid)), false
		}
		dst = append(dst, b)
	}
	if apart {
		dst = append(dst, interval[K]{lo: high, hi: high})
	}
	return dst
}

// order sorts the sample, or finds in a large one only the few places at which
// brackets around targets of unknown place begin and end.
func (nw *Narrowing[K]) order(open int) {
	m := len(nw.sample)
	nw.spare = crew.Resize(nw.spare, m+2*BlockMax)
	nw.places = nw.places[:0]
	if nw.pass == 1 && open < scaleMin[K]() && m >= fewSampled && unsafe.Sizeof(K(0)) > 1 && kernel.NthOnVectors[int32]() {
		for i := range nw.targets {
			lo, hi := nw.around(&nw.targets[i], m)
			nw.places = append(nw.places, int64(max(lo, 0)), int64(min(hi, m-1)))
		}
		slices.Sort(nw.places)
		nw.places = slices.Compact(nw.places)
	}
	n := len(nw.places)
	if nw.sorted = n == 0 || m < placesMin[K]()*n*n; nw.sorted {
		partition.Sort(nw.sample, nw.spare, &tuning.Default)
		return
	}
	nw.placed, nw.wanted = crew.Resize(nw.placed, n), append(nw.wanted[:0], nw.places...)
	pickNear(nw.placed, nw.sample, nw.spare, nw.wanted)
}

// placesMin returns placesLeast for keys of type K: fewer digits are sorted, and
// there is no kernel.Nth, of 16-bit ones.
func placesMin[K kernel.Key]() int {
	if unsafe.Sizeof(K(0)) == 2 {
		return 4 * placesLeast
	}
	return placesLeast
}

// sampledAt returns order statistic i of the sample, one of the places if it is not
// sorted.
func (nw *Narrowing[K]) sampledAt(i int) K {
	if nw.sorted {
		return nw.sample[i]
	}
	at, _ := slices.BinarySearch(nw.places, int64(i))
	return nw.placed[at]
}

// sampled returns the part of the sample from lo to hi, by its places in order.
func (nw *Narrowing[K]) sampled(lo, hi K) (from, to int) {
	if !nw.sorted {
		c := kernel.Collect(nw.spare[:len(nw.sample)], nw.sample, kernel.Encoding[K]{}, lo, hi)
		return c.Below, c.Below + c.Inside
	}
	from, _ = slices.BinarySearch(nw.sample, lo)
	n, _ := slices.BinarySearchFunc(nw.sample[from:], hi, func(s, hi K) int {
		if s <= hi {
			return -1
		}
		return 1
	})
	return from, from + n
}

// around returns between which places t is expected in m keys of the sample that lie in
// its interval, less than 0 or m and more if beyond all.
func (nw *Narrowing[K]) around(t *target[K], m int) (lo, hi int) {
	// The rank of the target within the sample has a standard deviation of
	// sqrt(m p (1-p)); three of them miss once in 400 lanes.
	p := (float64(t.k-t.below) + 0.5) / float64(t.inside)
	slack := 3*float64(nw.pass)*math.Sqrt(float64(m)*float64(p*(1-p))) + 2
	middle := p * float64(m)
	return int(middle - slack), int(middle + slack)
}

// bracket returns the keys among which t is expected: its whole interval if
// that is small enough to collect or there is no sample of it to tell more.
func (nw *Narrowing[K]) bracket(t *target[K]) interval[K] {
	whole := interval[K]{t.lo, t.hi, t.inside, nw.counted}
	if nw.counted && t.inside <= int64(tuning.Default.CollectWhole) {
		return whole
	}
	from, to := 0, len(nw.sample)
	if nw.sorted {
		from, to = nw.sampled(t.lo, t.hi)
	}
	m := to - from
	if m < fewSampled || nw.pass > sampledPasses {
		return whole
	}
	lo, hi := nw.around(t, m)
	b := whole
	if lo >= 0 {
		b.lo = nw.sampledAt(from + lo)
	}
	if hi < m {
		b.hi = nw.sampledAt(from + hi)
	}
	first, last := nw.sampled(b.lo, b.hi) // the ends may have copies beyond
	b.exact = false
	b.expected = int64(float64(last-first) / float64(m) * float64(t.inside))
	return b
}

// collects reports whether one of the brackets is of more than one key.
func (nw *Narrowing[K]) collects() bool {
	for _, b := range nw.brackets {
		if b.lo < b.hi {
			return true
		}
	}
	return false
}

// prepareBrackets prepares a pass by the brackets: it makes a group, with room for
// what is expected, of each.
func (nw *Narrowing[K]) prepareBrackets() {
	nw.way = byBrackets
	nw.counts = crew.Resize(nw.counts, 2*len(nw.brackets))
	nw.chooseSteps()
	nw.onKeys = nw.comparesKeys()
	room := func(b *interval[K]) int64 {
		if b.lo == b.hi {
			return 0
		}
		if b.exact {
			return b.expected
		}
		return min(b.expected+b.expected/4+1024, int64(nw.n))
	}
	var total int64
	for i := range nw.brackets {
		total += room(&nw.brackets[i])
	}
	nw.collected = crew.Resize(nw.collected, int(min(total, int64(nw.capacity))))
	memory := nw.collected
	for i := range nw.brackets {
		memory = nw.newGroup(memory, room(&nw.brackets[i]))
	}
}

// comparesKeys reports whether elements are encoded before they are compared with the
// brackets: floats at zero, where they compare equal, and those of 16 bits for more
// than one bracket. Copies of a single value are counted as keys, unless it is the
// only bracket of wide elements, which take as long as they are.
func (nw *Narrowing[K]) comparesKeys() bool {
	if nw.enc.Code == kernel.Signed {
		return false
	}
	wide := unsafe.Sizeof(K(0)) >= 4
	float, several := nw.enc.Code == kernel.Float, len(nw.brackets) > 1
	if float && !wide && several {
		return true
	}
	for _, b := range nw.brackets {
		if float && wide && (b.lo == 0 || b.hi == -1) {
			return true
		}
		if b.lo == b.hi && (several || !wide) && kernel.CountsOnVectors[K]() {
			return true
		}
	}
	return false
}

// chooseSteps sets the steps to the ends of several brackets. A step at a single key
// collects nothing, and another one after it ends its count. There are none without
// vectors, and where there is nothing to collect.
func (nw *Narrowing[K]) chooseSteps() {
	nw.steps = nw.steps[:0]
	if len(nw.brackets) < 2 || !nw.collects() || !kernel.BracketsOnVectors[K]() {
		return
	}
	for _, b := range nw.brackets {
		if last := len(nw.steps) - 1; last >= 0 && nw.steps[last].From == b.lo {
			nw.steps = nw.steps[:last]
		}
		switch {
		case b.lo < b.hi:
			nw.steps = append(nw.steps, kernel.Bracket[K]{From: b.lo, To: b.hi})
			continue
		case b.lo > kernel.MinKey[K]():
			nw.steps = append(nw.steps, kernel.Bracket[K]{From: b.lo, To: b.lo - 1})
		}
		if b.hi < kernel.MaxKey[K]() {
			nw.steps = append(nw.steps, kernel.Bracket[K]{From: b.hi + 1, To: b.hi})
		}
	}
	if len(nw.steps) > kernel.BracketsMax {
		nw.steps = nw.steps[:0]
	}
}

// countSteps adds to the counts of the brackets those of the steps, but for what
// split has counted.
func (p *Pass[K]) countSteps() {
	nw := p.nw
	p.nan += p.steps.NaN()
	at := 0 // the step
	for i, b := range nw.brackets {
		for at < len(nw.steps) && nw.steps[at].From < b.lo {
			at++
		}
		below, next := 0, at // none are below the smallest key, at which no count begins
		if b.lo < b.hi || b.lo > kernel.MinKey[K]() {
			below, next = p.steps.Below(at), at+1
		}
		p.counts[2*i] += int64(below)
		if b.lo == b.hi {
			p.counts[2*i+1] += int64(p.steps.Below(next) - below)
		}
	}
}

// settleBrackets narrows the targets by the counts of the brackets.
func (nw *Narrowing[K]) settleBrackets() {
	i := 0
	var upTo int64 // keys up to the end of the bracket before
	for j := range nw.targets {
		t := &nw.targets[j]
		if t.done {
			continue
		}
		for i < len(nw.brackets) && nw.counts[2*i]+nw.counts[2*i+1] <= t.k {
			upTo = nw.counts[2*i] + nw.counts[2*i+1]
			i++
		}
		if i < len(nw.brackets) && nw.counts[2*i] <= t.k {
			b, g := nw.brackets[i], &nw.groups[i]
			t.lo, t.hi, t.below, t.inside = b.lo, b.hi, nw.counts[2*i], nw.counts[2*i+1]
			if g.from == g.to {
				g.below, g.from = t.below, j
			}
			g.to = j + 1
			continue
		}
		if i > 0 {
			t.lo = max(t.lo, nw.brackets[i-1].hi+1)
		}
		above := int64(nw.valid)
		if i < len(nw.brackets) {
			t.hi, above = min(t.hi, nw.brackets[i].lo-1), nw.counts[2*i]
		}
		t.below, t.inside = upTo, above-upTo
	}
}
