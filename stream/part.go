package stream

import (
	"cmp"
	"slices"
	"sort"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/partition"
)

// interval is a run of keys lo … hi in which order statistics are wanted: those numbered
// from … to-1 of all that are.
type interval[K kernel.Key] struct {
	lo, hi   K
	below    int64 // values with smaller keys
	count    int64 // values inside
	from, to int
}

// part is an interval with what a pass finds of it: the keys, as long as their memory
// suffices, and then a histogram of them.
type part[K kernel.Key] struct {
	interval[K]
	memory int // bytes for the list
	bins   int // of the histogram, a power of two

	keys    []K
	weights []int64 // of keys; nil if all are 1
	hist    *histogram[K]
}

// room returns how many keys the list takes, with weights or without.
func (p *part[K]) room(weighted bool) int {
	size := int(unsafe.Sizeof(K(0)))
	if weighted {
		size += weightBytes
	}
	return p.memory / size
}

// weightBytes is the size of a weight in memory.
const weightBytes = 8

// add adds keys of the interval. scratch is memory for as many.
func (p *part[K]) add(keys, scratch []K, enc kernel.Encoding[K]) {
	if p.hist == nil {
		if len(keys) <= p.room(p.weights != nil)-len(p.keys) {
			p.keys = appendWithin(p.keys, keys, p.room(p.weights != nil))
			if p.weights != nil {
				p.weights = appendWithin(p.weights, ones(len(keys)), p.room(true))
			}
			return
		}
		p.count(enc)
	}
	p.hist.add(keys, scratch)
}

// addWeighted adds a key of the interval that counts as w.
func (p *part[K]) addWeighted(k K, w int64, enc kernel.Encoding[K]) {
	if p.hist == nil {
		room := p.room(true)
		if len(p.keys) < room {
			if p.weights == nil {
				p.weights = ones(len(p.keys))
			}
			p.keys = appendWithin(p.keys, []K{k}, room)
			p.weights = appendWithin(p.weights, []int64{w}, room)
			return
		}
		p.count(enc)
	}
	p.hist.count(k, w)
}

// appendWithin appends to a slice that never takes memory for more than most elements.
func appendWithin[T any](s, more []T, most int) []T {
	if n := len(s) + len(more); n > cap(s) {
		grown := make([]T, len(s), min(max(2*cap(s), n, 64), most))
		copy(grown, s)
		s = grown
	}
	return append(s, more...)
}

// ones returns n weights of 1, not nil.
func ones(n int) []int64 { return slices.Repeat([]int64{1}, n) }

// count makes the list a histogram.
func (p *part[K]) count(enc kernel.Encoding[K]) {
	p.hist = &histogram[K]{enc: enc, most: p.bins}
	if p.weights == nil {
		scratch := crew.Resize([]K(nil), min(len(p.keys), kernel.CacheKeys))
		for from := 0; from < len(p.keys); from += kernel.CacheKeys {
			p.hist.add(p.keys[from:min(from+kernel.CacheKeys, len(p.keys))], scratch)
		}
	} else {
		for i, k := range p.keys {
			p.hist.count(k, p.weights[i])
		}
	}
	p.keys, p.weights = nil, nil
}

// merge adds what another part of the same interval has found.
func (p *part[K]) merge(o *part[K], enc kernel.Encoding[K]) {
	weighted := p.weights != nil || o.weights != nil
	if p.hist == nil && (o.hist != nil || len(p.keys)+len(o.keys) > p.room(weighted)) {
		p.count(enc)
	}
	switch {
	case o.hist != nil:
		p.hist.merge(o.hist)
	case o.weights != nil || p.weights != nil:
		for i, k := range o.keys {
			w := int64(1)
			if o.weights != nil {
				w = o.weights[i]
			}
			p.addWeighted(k, w, enc)
		}
	default:
		scratch := crew.Resize([]K(nil), min(len(o.keys), kernel.CacheKeys))
		for from := 0; from < len(o.keys); from += kernel.CacheKeys {
			p.add(o.keys[from:min(from+kernel.CacheKeys, len(o.keys))], scratch, enc)
		}
	}
}

// total returns how many values have been added.
func (p *part[K]) total() int64 {
	n := int64(0)
	switch {
	case p.hist != nil:
		p.hist.cells(func(c cell[K]) { n += c.n })
	case p.weights != nil:
		for _, w := range p.weights {
			n += w
		}
	default:
		n = int64(len(p.keys))
	}
	return n
}

// resolve sets the answers that the pass has found, and returns the intervals in which
// the others are. ranks are all order statistics that are wanted, ascending.
func (p *part[K]) resolve(ranks []int64, answers []K) ([]interval[K], error) {
	if p.total() != p.interval.count {
		return nil, errChanged
	}
	if p.hist == nil && p.weights == nil {
		local := make([]int64, p.to-p.from)
		for i := range local {
			local[i] = ranks[p.from+i] - p.below
		}
		partition.Select(p.keys, local)
		for i, r := range local {
			answers[p.from+i] = p.keys[r]
		}
		return nil, nil
	}
	var open []interval[K]
	next, below := p.from, p.below
	visit := func(c cell[K]) {
		from, lo, hi := next, max(c.lo, p.lo), min(c.hi, p.hi)
		for next < p.to && ranks[next] < below+c.n {
			answers[next] = lo
			next++
		}
		if from < next && lo < hi {
			open = append(open, interval[K]{lo, hi, below, c.n, from, next})
		}
		below += c.n
	}
	if p.hist != nil {
		p.hist.cells(visit)
		return open, nil
	}
	p.sort()
	for i, k := range p.keys {
		visit(cell[K]{k, k, p.weights[i]})
	}
	return nil, nil
}

// sort sorts the list.
func (p *part[K]) sort() {
	if p.weights == nil {
		slices.Sort(p.keys)
		return
	}
	sort.Sort((*byKey[K])(p))
}

// byKey orders the list of a part with weights, by these where keys are equal.
type byKey[K kernel.Key] part[K]

func (p *byKey[K]) Len() int { return len(p.keys) }
func (p *byKey[K]) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(p.keys[i], p.keys[j]), cmp.Compare(p.weights[i], p.weights[j])) < 0
}
func (p *byKey[K]) Swap(i, j int) {
	p.keys[i], p.keys[j] = p.keys[j], p.keys[i]
	p.weights[i], p.weights[j] = p.weights[j], p.weights[i]
}

// errChanged is the error of a pass that met other data than the first.
var errChanged = errs.New(errs.ErrFormat, "the data changed between passes")
