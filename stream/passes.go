package stream

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/interpolate"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/rank"
)

// finder is the part of a State that depends on the width of the keys.
type finder interface {
	// fork returns a finder of the same pass that has seen nothing.
	fork() finder
	// add adds the elements of the only lane of x, with weights of the same
	// numbering, or nil.
	add(x *lane.Lanes, weights func(dst []uint64, from int)) (nan, valid int64)
	// same reports whether another finder is of the same pass.
	same(o finder) bool
	// merge adds what a finder of the same pass has seen.
	merge(o finder)
	// next ends a pass over data of which the first counted so much. ranks are the
	// order statistics that are wanted. It reports whether another pass is needed to
	// find them.
	next(ranks []int64, all tally) (again bool, err error)
	// write writes the values to out, NaN if nothing was wanted.
	write(of *spec, out *nd.Array, w *rank.Wants)
	// bytes returns the memory that what has been seen takes.
	bytes() int
	// mostPasses returns how many passes find so many order statistics at most.
	mostPasses(ranks int) int
	encoder
}

// passes is the finder of keys of one width.
type passes[K kernel.Key] struct {
	enc    kernel.Encoding[K]
	budget int

	answers []K           // for each order statistic that is wanted
	parts   []part[K]     // of this pass, ascending and disjoint
	later   []interval[K] // left to the passes after it
	whole   bool          // the only part is that of all keys
	table   table[K]      // of many parts

	blocks *blocks[K] // while add runs
}

// blocks is memory that add works in. Those of all states are shared, so that there may be
// many small ones.
type blocks[K kernel.Key] struct {
	keys, picked, scratch [kernel.CacheKeys]K
	bins                  [kernel.CacheKeys]uint32
	weights               [kernel.CacheKeys]uint64
}

// pools hold the blocks that no state uses, by the size of keys.
var pools [9]sync.Pool

// few is the number of parts up to which a block is filtered for each: beyond, a key's
// part is looked up.
const few = 8

// newPasses returns the finder of a first pass.
func newPasses[K kernel.Key](enc kernel.Encoding[K], budget int) *passes[K] {
	all := part[K]{interval: interval[K]{lo: kernel.MinKey[K](), hi: kernel.MaxKey[K]()}, memory: listBytes(budget), bins: binsOf(budget - listBytes(budget))}
	if enc.Code == kernel.Float {
		all.lo, all.hi = ^enc.Inf, enc.Inf
	}
	if unsafe.Sizeof(K(0)) <= 2 {
		all.memory = 0 // a bin for each key takes no more than the least budget, and is an answer
	}
	return &passes[K]{enc: enc, budget: budget, parts: []part[K]{all}, whole: true}
}

// listBytes returns how much of a budget is for lists. The rest, a bit more than half, is
// for histograms: it has a bin for each 16 bytes of a budget.
func listBytes(budget int) int { return budget / 16 * 7 }

// binsOf returns how many bins take so much memory.
func binsOf(bytes int) int {
	return min(1<<(bits.Len(uint(bytes/binBytes))-1), binsMost)
}

func (p *passes[K]) fork() finder {
	f := *p
	f.parts, f.answers = slices.Clone(p.parts), slices.Clone(p.answers)
	for i := range f.parts {
		a := &f.parts[i]
		a.keys, a.weights, a.hist = nil, nil, nil
	}
	return &f
}

func (p *passes[K]) same(other finder) bool {
	o, ok := other.(*passes[K])
	return ok && p.enc == o.enc && p.whole == o.whole && slices.Equal(p.later, o.later) && slices.Equal(p.answers, o.answers) &&
		slices.EqualFunc(p.parts, o.parts, func(a, b part[K]) bool {
			return a.interval == b.interval && a.memory == b.memory && a.bins == b.bins
		})
}

func (p *passes[K]) merge(other finder) {
	o := other.(*passes[K])
	for i := range p.parts {
		p.parts[i].merge(&o.parts[i], p.enc)
	}
}

// begin lends blocks, which end gives back.
func (p *passes[K]) begin() (end func()) {
	pool := &pools[unsafe.Sizeof(K(0))]
	p.blocks, _ = pool.Get().(*blocks[K])
	if p.blocks == nil {
		p.blocks = new(blocks[K])
	}
	for _, m := range [][]K{p.blocks.keys[:], p.blocks.picked[:], p.blocks.scratch[:]} {
		crew.Resize(m, len(m)) // which another state has used
	}
	crew.Resize(p.blocks.weights[:], len(p.blocks.weights))
	if len(p.parts) > few && p.table.partOf == nil {
		p.table.init(p.parts)
	}
	return func() {
		pool.Put(p.blocks)
		p.blocks = nil
	}
}

func (p *passes[K]) add(x *lane.Lanes, weights func([]uint64, int)) (nan, valid int64) {
	defer p.begin()()
	if weights != nil {
		return p.addWeighted(x, weights)
	}
	picked, scratch := p.blocks.picked[:], p.blocks.scratch[:]
	direct := len(p.parts) == 1 && !p.whole && x.Adjacent()
	for from := 0; from < x.N; from += kernel.CacheKeys {
		n := min(kernel.CacheKeys, x.N-from)
		if direct {
			a := &p.parts[0]
			src := unsafe.Slice((*K)(x.Pointer(0, from)), n)
			c := kernel.Collect(picked, src, p.enc, a.lo, a.hi)
			nan += int64(c.NaN)
			a.add(picked[:c.Inside], scratch, p.enc)
			continue
		}
		keys := p.blocks.keys[:n]
		bad := lane.Encode(keys, x, 0, from, from+n, p.enc)
		nan += int64(bad)
		if p.whole {
			if bad > 0 {
				keys = keys[:kernel.Collect(keys, keys, kernel.Encoding[K]{}, kernel.MinKey[K](), kernel.MaxKey[K]()-1).Inside]
			}
			p.parts[0].add(keys, scratch, p.enc)
		} else {
			p.distribute(keys)
		}
	}
	return nan, int64(x.N) - nan
}

// distribute adds keys to the parts that they are in.
func (p *passes[K]) distribute(keys []K) {
	picked, scratch := p.blocks.picked[:], p.blocks.scratch[:]
	if len(p.parts) <= few {
		for i := range p.parts {
			a := &p.parts[i]
			c := kernel.Collect(picked, keys, kernel.Encoding[K]{}, a.lo, a.hi)
			a.add(picked[:c.Inside], scratch, p.enc)
		}
		return
	}
	c := kernel.Collect(picked, keys, kernel.Encoding[K]{}, p.parts[0].lo, p.parts[len(p.parts)-1].hi)
	bins := p.blocks.bins[:c.Inside]
	p.table.splitters.Find(bins, picked[:c.Inside])
	for i, bin := range bins {
		if at := p.table.partOf[bin]; at >= 0 {
			p.parts[at].add(picked[i:i+1], scratch, p.enc)
		}
	}
}

// addWeighted is add with weights.
func (p *passes[K]) addWeighted(x *lane.Lanes, weights func([]uint64, int)) (nan, valid int64) {
	for from := 0; from < x.N; from += kernel.CacheKeys {
		n := min(kernel.CacheKeys, x.N-from)
		keys, w := p.blocks.keys[:n], p.blocks.weights[:n]
		nan += int64(lane.Encode(keys, x, 0, from, from+n, p.enc))
		weights(w, from)
		for i, k := range keys {
			if w[i] == 0 || p.enc.Code == kernel.Float && k > p.enc.Inf {
				continue
			}
			valid += int64(w[i])
			if at := p.find(k); at >= 0 {
				p.parts[at].addWeighted(k, int64(w[i]), p.enc)
			}
		}
	}
	return nan, valid
}

// find returns the part that a key is in, or -1.
func (p *passes[K]) find(k K) int {
	if len(p.parts) > few {
		return int(p.table.partOf[p.table.splitters.BinOf(k)])
	}
	for i := range p.parts {
		if a := &p.parts[i]; a.lo <= k && k <= a.hi {
			return i
		}
	}
	return -1
}

func (p *passes[K]) next(ranks []int64, all tally) (again bool, err error) {
	if p.whole {
		p.answers = make([]K, len(ranks))
		a := &p.parts[0]
		a.from, a.to = 0, len(ranks)
		a.interval.count = all.valid
	}
	var open []interval[K]
	for i := range p.parts {
		more, err := p.parts[i].resolve(ranks, p.answers)
		if err != nil {
			return false, err
		}
		open = append(open, more...)
	}
	p.whole = false
	p.allot(append(open, p.later...), all.weighted)
	return len(p.parts) > 0, nil
}

// least is the least memory that a part has for its list, and for its histogram: 128
// bins, which narrow a 64-bit interval to a key in ten passes.
const least = 1 << 10

// allot makes intervals, ascending, the parts of the next pass, as many as there is
// memory for. The lists share theirs so that the most keys possible are listed; the
// histograms are of those that are not.
func (p *passes[K]) allot(open []interval[K], weighted bool) {
	now := min(len(open), max(p.budget/2/least, 1))
	p.parts, p.later, p.table = make([]part[K], now), open[now:], table[K]{}
	size := int64(unsafe.Sizeof(K(0)))
	if weighted {
		size += weightBytes
	}
	order := make([]int, now)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(open[i].count, open[j].count), i-j) })
	left, counted := int64(listBytes(p.budget)), 0
	for i, at := range order {
		share := left / int64(now-i)
		need := open[at].count * size
		if need > share {
			need = share
			counted++
		}
		left -= need
		p.parts[at] = part[K]{interval: open[at], memory: int(need)}
	}
	bins := binsOf((p.budget - listBytes(p.budget)) / max(counted, 1))
	for i := range p.parts {
		p.parts[i].bins = bins
	}
}

// mostPasses follows allot: intervals are narrowed side by side, as many as there is
// memory for, each by its bins, and then those that wait.
func (p *passes[K]) mostPasses(ranks int) int {
	width := 8 * int(unsafe.Sizeof(K(0)))
	memory := p.budget - listBytes(p.budget)
	left := max(width-bits.Len(uint(binsOf(memory)))+1, 0) // bits of a bin after the first pass
	now := min(ranks, max(p.budget/2/least, 1))
	each := bits.Len(uint(binsOf(memory/max(now, 1)))) - 1
	rounds := (ranks + max(now, 1) - 1) / max(now, 1)
	return 1 + rounds*((left+each-1)/each)
}

func (p *passes[K]) write(of *spec, out *nd.Array, w *rank.Wants) {
	n := out.Len()
	lo, hi, g, low := make([]K, n), make([]K, n), make([]float64, n), make([]float64, n)
	for i := range n {
		if len(p.answers) == 0 {
			lo[i], hi[i] = kernel.MaxKey[K](), kernel.MaxKey[K]()
		} else {
			lo[i], hi[i] = p.answers[w.Lo[i]], p.answers[w.Hi[i]]
			g[i], low[i] = w.Positions[i].G, w.Positions[i].Low
		}
	}
	interpolate.Lane(out.Pointer(0), of.dt, of.set, interpolate.CodingOf[K](of.dt), lo, hi, g, low)
}

func (p *passes[K]) bytes() int {
	size := int(unsafe.Sizeof(K(0)))
	n := size*cap(p.answers) + (4+2*size)*cap(p.table.partOf)
	for i := range p.parts {
		a := &p.parts[i]
		n += size*cap(a.keys) + weightBytes*cap(a.weights)
		if a.hist != nil {
			n += binBytes * cap(a.hist.counts)
		}
	}
	return n
}

// table says in which of many parts keys are.
type table[K kernel.Key] struct {
	splitters kernel.Splitters[K] // the ends of the parts
	partOf    []int32             // by bin between them, -1 for none
}

// init sets the table to that of disjoint parts.
func (t *table[K]) init(parts []part[K]) {
	keys := make([]K, 0, 4*len(parts)) // twice as many as there are, which the splitters fill up
	for i := range parts {
		keys = append(keys, parts[i].lo)
		if hi := parts[i].hi; hi < kernel.MaxKey[K]() {
			keys = append(keys, hi+1)
		}
	}
	t.splitters.Set(keys)
	t.partOf = slices.Repeat([]int32{-1}, t.splitters.Count())
	for i := range parts {
		t.partOf[t.splitters.BinOf(parts[i].lo)] = int32(i)
	}
}

var errOtherPass = errs.New(errs.ErrOption, "the states are not of the same pass of the same operation, options and budget over the same data")
