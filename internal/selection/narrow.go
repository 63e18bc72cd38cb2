package selection

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
)

// Narrowing finds the answers of one long lane by passes over it. A pass
// counts the keys in the cells between splitters, and collects those of the
// cells in which the wanted order statistics are expected. The counts are
// exact, so an expectation that fails costs another pass and never the answer;
// from the fourth pass on the splitters divide the range of the keys evenly,
// which ends after at most 64/6 more passes whatever the data.
//
//	nw.Start(…); for nw.Next() { for each block { p.Add(block) }; nw.Merge(p) }; nw.Finish(…)
//
// Between Next and Merge, passes of several workers may add to one Narrowing.
type Narrowing[K kernel.Key] struct {
	want   *Want
	n      int // elements of the lane
	valid  int // those that are not NaN; estimated until counted is true
	float  bool
	sample []K // sorted, without NaN
	pass   int

	counted bool
	isNaN   bool // the answer is NaN
	ranks   ranks
	targets []target[K]

	cells     kernel.Cells[K]
	splitters []K // of the cells; the first distinct ones are not padding
	distinct  int
	pairs     int // brackets, if they are few and their ends are splitters; else 0
	keep      []uint8
	collects  bool
	counts    []int64 // of the pass, a cell each
	nan       int

	collected []K // keys of the cells to keep, in any order
	cursor    atomic.Int64
	capacity  int
	spare     []K // for what is kept of them

	brackets []bracket[K] // of the pass
	picks    []int64      // order statistics wanted of collected
	picked   []int        // the targets that they are
}

// target is an order statistic, known to lie among the keys lo … hi.
type target[K kernel.Key] struct {
	k             int64
	lo, hi        K
	below, inside int64 // how many keys are less than lo, and how many from lo to hi
	done          bool  // the order statistic is lo
}

const (
	// classifyMax is the number of targets from which the first pass only
	// counts, in cells of equal size: brackets for each would cover most keys.
	classifyMax = 12

	// equalCells is the number of such cells, less one for the padding.
	equalCells = 510

	// evenCells is how many parts of its range an interval is divided into
	// once sampling has failed.
	evenCells = 64

	// narrowPairs is the most brackets that are counted one after the other:
	// each takes a look at a block in the first-level cache, which is cheaper
	// than classifying its keys.
	narrowPairs = 4

	// collectWhole is the size of an interval that is collected whole rather
	// than bracketed again: few enough to select from in no time.
	collectWhole = 1 << 15

	// sampledPasses is how many passes trust the sample.
	sampledPasses = 3
)

// SampleSize returns how many of n elements a Narrowing should see first.
// More narrow the brackets, as 1/sqrt; fewer take less time to sort.
func (w *Want) SampleSize(n int) int {
	m := int(math.Pow(float64(n), 0.55))
	if w.Len() >= classifyMax {
		m = max(m, 16*equalCells)
	}
	return min(max(m, 32), n)
}

// Start prepares to narrow a lane of n elements, n > 0, of which sample are the keys
// of some, drawn at random. It sorts the sample and keeps it. At most
// capacity keys are collected at a time; it must be at least evenCells.
func (nw *Narrowing[K]) Start(w *Want, float bool, n int, sample []K, capacity int) {
	slices.Sort(sample)
	drawn := len(sample)
	if float {
		for len(sample) > 0 && sample[len(sample)-1] == kernel.MaxKey[K]() {
			sample = sample[:len(sample)-1]
		}
	}
	nw.want, nw.n, nw.float, nw.sample = w, n, float, sample
	nw.valid = max(1, int(float64(n)*(float64(len(sample))/float64(drawn))))
	nw.pass, nw.counted, nw.nan = 0, false, 0
	nw.isNaN = !w.skip && len(sample) < drawn
	nw.capacity = capacity
	nw.aim()
}

// aim sets the targets to the wanted order statistics of valid values.
func (nw *Narrowing[K]) aim() {
	nw.want.resolve(&nw.ranks, nw.valid)
	nw.targets = nw.targets[:0]
	for _, k := range nw.ranks.wanted {
		nw.targets = append(nw.targets, target[K]{
			k: k, lo: kernel.MinKey[K](), hi: kernel.MaxKey[K](), inside: int64(nw.valid),
		})
	}
}

// Next prepares a pass and reports whether one is needed.
func (nw *Narrowing[K]) Next() bool {
	if nw.isNaN {
		return false
	}
	open := 0
	for i := range nw.targets {
		t := &nw.targets[i]
		if !t.done && t.lo == t.hi {
			t.done = true
		}
		if !t.done {
			open++
		}
	}
	if open == 0 && nw.counted {
		return false
	}
	nw.pass++
	nw.divide(open)
	nw.counts = resize(nw.counts, 2*len(nw.splitters)+1)
	clear(nw.counts)
	nw.nan = 0
	nw.cursor.Store(0)
	return true
}

// bracket is an interval of keys that a pass collects: those strictly between
// its ends, as far as they are expected to be many.
type bracket[K kernel.Key] struct {
	lo, hi   K
	expected int64
}

// divide chooses the splitters of a pass, and the cells to keep.
func (nw *Narrowing[K]) divide(open int) {
	nw.splitters, nw.keep, nw.pairs = nw.splitters[:0], nw.keep[:0], 0
	nw.collects = true
	if nw.pass == 1 && open >= classifyMax && len(nw.sample) >= equalCells {
		nw.collects = false
		for i := 1; i <= equalCells; i++ {
			nw.splitters = append(nw.splitters, nw.sample[(len(nw.sample)-1)*i/(equalCells+1)])
		}
		nw.seal()
		return
	}
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
				prev.hi = max(prev.hi, b.hi)
			}
			continue
		}
		brackets = append(brackets, b)
	}
	nw.brackets = brackets
	var total int64
	for _, b := range brackets {
		total += b.expected
	}
	if total > int64(nw.capacity) && nw.counted {
		// Too many to collect: divide each interval evenly and only count.
		nw.collects = false
		parts := max(2, min(evenCells, 4094/max(1, len(brackets))))
		for _, b := range brackets {
			nw.splitters = appendEven(nw.splitters, b.lo, b.hi, parts)
		}
		nw.seal()
		return
	}
	for _, b := range brackets {
		nw.splitters = append(nw.splitters, b.lo, b.hi)
	}
	nw.seal()
	for _, b := range brackets {
		for c := nw.cell(b.lo) + 1; c < nw.cell(b.hi); c += 2 {
			nw.keep[c] = 1
		}
	}
	if m := len(brackets); m > 0 && m <= narrowPairs && brackets[m-1].hi != kernel.MaxKey[K]() {
		nw.pairs = m
	}
	if !nw.float {
		// The largest key belongs to the cell above the last splitter.
		nw.keep[nw.maxCell()] = nw.keep[2*nw.distinct]
	}
	nw.reserve(total)
}

// reserve makes room for the keys that a pass is expected to collect.
func (nw *Narrowing[K]) reserve(expected int64) {
	room := int64(nw.n)
	if !nw.counted {
		expected += expected/4 + 1024
	}
	room = min(room, expected, int64(nw.capacity))
	nw.collected = resize(nw.collected, int(room))
}

// bracket returns the keys among which t is expected: its whole interval if
// that is small enough to collect or there is no sample of it to tell more.
func (nw *Narrowing[K]) bracket(t *target[K]) bracket[K] {
	whole := bracket[K]{t.lo, t.hi, t.inside}
	if nw.counted && t.inside <= collectWhole {
		return whole
	}
	from, _ := slices.BinarySearch(nw.sample, t.lo)
	to, _ := slices.BinarySearchFunc(nw.sample, t.hi, func(s, hi K) int {
		if s <= hi {
			return -1
		}
		return 1
	})
	m := to - from
	if m < 8 || nw.pass > sampledPasses {
		return whole
	}
	// The rank of the target within the sample has a standard deviation of
	// sqrt(m p (1-p)); three of them miss once in 400 lanes.
	p := (float64(t.k-t.below) + 0.5) / float64(t.inside)
	slack := 3*float64(nw.pass)*math.Sqrt(float64(m)*float64(p*(1-p))) + 2
	lo, hi := int(p*float64(m)-slack), int(p*float64(m)+slack)
	b := whole
	if lo >= 0 {
		b.lo = nw.sample[from+lo]
	}
	if hi < m {
		b.hi = nw.sample[from+hi]
	}
	b.expected = int64(float64(min(hi, m)-max(lo, 0)) / float64(m) * float64(t.inside))
	return b
}

// appendEven appends the ends of the range lo … hi and points that divide it
// evenly into at most so many parts.
func appendEven[K kernel.Key](dst []K, lo, hi K, parts int) []K {
	width := uint64(int64(hi)) - uint64(int64(lo))
	dst = append(dst, lo)
	for i := 1; i < parts; i++ {
		h, l := bits.Mul64(width, uint64(i))
		step, _ := bits.Div64(h, l, uint64(parts))
		dst = append(dst, K(int64(uint64(int64(lo))+step)))
	}
	return append(dst, hi)
}

// seal makes the splitters distinct and pads them, and keeps no cell.
func (nw *Narrowing[K]) seal() {
	slices.Sort(nw.splitters)
	nw.splitters = slices.Compact(nw.splitters)
	if last := len(nw.splitters) - 1; last >= 0 && nw.splitters[last] == kernel.MaxKey[K]() {
		nw.splitters = nw.splitters[:last]
	}
	nw.distinct = len(nw.splitters)
	full := 1<<bits.Len(uint(nw.distinct+1)) - 1
	for len(nw.splitters) < full {
		nw.splitters = append(nw.splitters, kernel.MaxKey[K]())
	}
	nw.cells.Splitters = nw.splitters
	nw.cells.Plant()
	nw.keep = resize(nw.keep, 2*full+1)
	clear(nw.keep)
}

// cell returns the cell of a splitter's own value. The largest key, which is
// no splitter, stands for the end of the cells.
func (nw *Narrowing[K]) cell(k K) int {
	if k == kernel.MaxKey[K]() {
		return 2*nw.distinct + 1
	}
	at, _ := slices.BinarySearch(nw.splitters[:nw.distinct], k)
	return 2*at + 1
}

// maxCell returns the cell in which Classify counts the largest key: that of
// NaN, or of the largest integer.
func (nw *Narrowing[K]) maxCell() int { return 2*len(nw.splitters) - 1 }

// Pass is one worker's part of a pass over a lane.
type Pass[K kernel.Key] struct {
	nw     *Narrowing[K]
	counts []int64
	nan    int
	keys   []K // of the block at hand
	kept   []K // of those, the ones to collect
}

// BlockMax is the most keys that one call of Add takes: they and those
// collected of them stay in the first-level cache.
const BlockMax = 2048

// NewPass returns a worker's part of the pass, with memory from s.
func (nw *Narrowing[K]) NewPass(s *Scratch) Pass[K] {
	p := Pass[K]{nw: nw, counts: Alloc[int64](s, len(nw.counts)), keys: Alloc[K](s, BlockMax), kept: Alloc[K](s, 2*BlockMax)}
	clear(p.counts)
	return p
}

// Add counts and collects a block of at most BlockMax elements.
func (p *Pass[K]) Add(elements []K, e kernel.Encoding[K]) {
	nw := p.nw
	kept := 0
	if nw.pairs == 1 {
		kept = p.narrow(elements, e)
	} else {
		if e.Code != kernel.Signed {
			keys := p.keys[:len(elements)]
			p.nan += kernel.Encode(keys, elements, e)
			elements = keys
		}
		if nw.pairs > 0 {
			kept = p.narrow(elements, kernel.Encoding[K]{})
		} else {
			kept = kernel.Classify(p.kept, elements, &nw.cells, p.counts, nw.keep)
		}
	}
	if kept > 0 {
		// What does not fit is counted and lost; the cursor tells.
		end := nw.cursor.Add(int64(kept))
		if end <= int64(len(nw.collected)) {
			copy(nw.collected[end-int64(kept):end], p.kept[:kept])
		}
	}
}

// narrow counts and collects a block bracket by bracket, and returns how many
// keys it kept. Those above all brackets are not counted.
func (p *Pass[K]) narrow(elements []K, e kernel.Encoding[K]) (kept int) {
	nw := p.nw
	under := 0 // keys up to the bracket before
	cell := 0  // below the bracket
	for _, b := range nw.brackets[:nw.pairs] {
		c := kernel.Narrow(p.kept[kept:], elements, e, b.lo, b.hi)
		p.counts[cell] += int64(c.Below - under)
		p.counts[cell+1] += int64(c.AtLo)
		cell += 2
		if b.hi != b.lo {
			p.counts[cell] += int64(c.Between)
			p.counts[cell+1] += int64(c.AtHi)
			cell += 2
		}
		under = c.Below + c.AtLo + c.Between + c.AtHi
		kept += c.Between
		p.nan += c.NaN
	}
	return kept
}

// AddStrided adds n elements that lie stride elements apart, by way of block,
// of BlockMax elements, where they are not adjacent.
func (p *Pass[K]) AddStrided(e kernel.Encoding[K], elements unsafe.Pointer, stride, n int, block []K) {
	size := int(unsafe.Sizeof(K(0)))
	for first := 0; first < n; first += BlockMax {
		m := min(BlockMax, n-first)
		from := unsafe.Add(elements, first*stride*size)
		if stride == 1 {
			p.Add(unsafe.Slice((*K)(from), m), e)
			continue
		}
		p.nan += kernel.EncodeStrided(unsafe.Pointer(unsafe.SliceData(block)), 1, from, stride, m, e)
		p.Add(block[:m], kernel.Encoding[K]{})
	}
}

// Merge adds a worker's part to the pass. The caller merges one at a time.
func (nw *Narrowing[K]) Merge(p *Pass[K]) {
	for i, c := range p.counts {
		nw.counts[i] += c
	}
	nw.nan += p.nan
}

// Settle ends a pass when all parts are merged: it fixes the ranks after the
// first, and narrows the targets.
func (nw *Narrowing[K]) Settle() {
	if !nw.counted {
		nw.counted = true
		nw.valid = nw.n - nw.nan
		if nw.isNaN = nw.valid == 0 || nw.nan > 0 && !nw.want.skip; nw.isNaN {
			return
		}
		nw.aim()
	}
	if top := &nw.counts[2*nw.distinct]; nw.pairs > 0 {
		*top = int64(nw.n - nw.nan)
		for _, c := range nw.counts[:2*nw.distinct] {
			*top -= c
		}
	} else if !nw.float {
		*top += nw.counts[nw.maxCell()]
	}
	have := nw.cursor.Load()
	whole := nw.collects && have <= int64(len(nw.collected))
	nw.picks, nw.picked = nw.picks[:0], nw.picked[:0]
	cell := 0
	var below, absent int64 // keys before the cell, and those of them not collected
	for i := range nw.targets {
		t := &nw.targets[i]
		if t.done {
			continue
		}
		for ; below+nw.counts[cell] <= t.k; cell++ {
			below += nw.counts[cell]
			if nw.keep[cell] == 0 {
				absent += nw.counts[cell]
			}
		}
		switch {
		case cell&1 == 1:
			t.lo, t.done = nw.splitters[cell/2], true
		case whole && nw.keep[cell] == 1:
			nw.picks, nw.picked = append(nw.picks, t.k-absent), append(nw.picked, i)
		default:
			if cell > 0 {
				t.lo = max(t.lo, nw.splitters[cell/2-1]+1)
			}
			if cell < 2*nw.distinct {
				t.hi = min(t.hi, nw.splitters[cell/2]-1)
			}
			t.below, t.inside = below, nw.counts[cell]
		}
	}
	if len(nw.picks) > 0 {
		nw.pick(nw.collected[:have])
	}
}

// pick selects the picked targets among the keys collected, a cluster of close
// ones at a time.
func (nw *Narrowing[K]) pick(keys []K) {
	nw.spare = resize(nw.spare, len(keys)/3+BlockMax)
	for from := 0; from < len(nw.picks); {
		to := from + 1
		for to < len(nw.picks) && nw.picks[to]-nw.picks[from] <= closeSpread(len(keys)) {
			to++
		}
		cluster := nw.picks[from:to]
		fewer, spare := keys, nw.spare
		for {
			closer, first := closeIn(fewer, spare, cluster)
			if len(closer) == len(fewer) {
				break
			}
			for j := range cluster {
				cluster[j] -= first
			}
			fewer, spare = closer, spare[len(closer):]
		}
		if len(fewer) == len(keys) && from == 0 {
			to, cluster = len(nw.picks), nw.picks // all in one go
		}
		Select(fewer, cluster)
		for j, i := range nw.picked[from:to] {
			nw.targets[i].lo, nw.targets[i].done = fewer[cluster[j]], true
		}
		from = to
	}
}

// Finish sets the answers of a lane of the result, as keys. Next must have
// returned false.
func (nw *Narrowing[K]) Finish(r *Result[K], lane int) {
	if nw.isNaN {
		r.fillNaN(lane, lane+1)
		return
	}
	for q := range nw.ranks.pos {
		at := q*r.Lanes + lane
		r.Lo[at], r.Hi[at] = nw.targets[nw.ranks.lo[q]].lo, nw.targets[nw.ranks.hi[q]].lo
	}
	r.weigh(&nw.ranks, lane, lane+1)
}

// resize returns a slice of length n, reusing the memory of s; its contents
// are unspecified.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
