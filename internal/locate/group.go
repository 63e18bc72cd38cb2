package locate

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
)

// Group are neighbouring lanes, taken in blocks of some elements of each. What it
// looks for are targets: an end of a quantile in every lane.
type Group[K kernel.Key] struct {
	First, Count int           // lanes
	Scratch      *crew.Scratch // for what lives as long as the visit

	search *Search[K]
	length int  // elements of each lane in a block
	blocks int  // of the group
	memory []K  // of a block, if it stays
	loaded int  // the number of the block in memory, -1 for none
	hasNaN bool // the block in memory has NaNs
	most   []K  // with rows: a limit of each lane that is none
	step   step // what is done in blocks
	visit  func(j, from int, keys []K, s *crew.Scratch)

	// The quantiles from … to-1, and what is known of their targets. Target t in
	// lane j is number t*Count+j, in block b number (t*blocks+b)*Count+j.
	from, to int
	lo, hi   []K     // the bounds of what is equal to a target
	known    []bool  // its positions have been found in all lanes
	equal    []int   // counts of what is equal to targets …
	upTo     []int   // … and of what is not larger, in blocks
	nan      []int   // counts of NaNs in blocks
	last     []int   // with rows: the last that is equal in a block
	block    []int   // where a target is, -1 for nowhere or known …
	number   []int   // … and which of its equals there
	local    []int64 // positions, where nobody gave memory for them
}

// step is what is done in each block of a group.
type step uint8

const (
	counting step = iota // what is equal to targets; without rows, what is smaller too
	ranking              // with rows, what is smaller than targets that have equals
	choosing             // the targets among their equals
	visiting             // see Blocks
)

// block are the keys of some elements of the lanes of a group: row after row, or
// lane after lane.
type block[K kernel.Key] struct {
	index   int
	from, n int // elements of each lane
	keys    []K // nil where lanes are encoded part by part
}

// groups are groups out of use, by half the size of their keys.
var groups [5]sync.Pool

// newGroup returns a group to be initialised, and freed in the end.
func newGroup[K kernel.Key]() *Group[K] {
	if g, ok := groups[unsafe.Sizeof(K(0))/2].Get().(*Group[K]); ok {
		return g
	}
	return new(Group[K])
}

// free gives g up.
func (g *Group[K]) free() {
	*g = Group[K]{}
	groups[unsafe.Sizeof(K(0))/2].Put(g)
}

// init makes g a group of s.
func (g *Group[K]) init(s *Search[K], first, count int, scratch *crew.Scratch) {
	*g = Group[K]{First: first, Count: count, Scratch: scratch, search: s, loaded: -1}
	n := s.Lanes.N
	g.length = min(max(s.layout.Elements/count, 1), n)
	if s.layout.Rows {
		g.length = min(g.length, kernel.LocateRows)
	}
	g.blocks = (n + g.length - 1) / g.length
}

// prepare gives g the memory that it works with.
func (g *Group[K]) prepare() {
	s := g.search
	if s.layout.Rows {
		g.most = repeat(kernel.MaxKey[K](), g.Count, g.Scratch)
	}
	if !s.layout.Shared && !s.direct && (s.layout.Rows || g.blocks == 1) {
		g.memory = crew.Alloc[K](g.Scratch, g.length*g.Count)
	}
}

// repeat returns n times the key.
func repeat[K kernel.Key](k K, n int, s *crew.Scratch) []K {
	keys := crew.Alloc[K](s, n)
	for j := range keys {
		keys[j] = k
	}
	return keys
}

// Rows reports whether blocks are rows of lanes.
func (g *Group[K]) Rows() bool { return g.search.layout.Rows }

// end returns the target that is the lower or the upper end of the only quantile:
// the lower one if there is no upper one.
func (g *Group[K]) end(number int) int { return min(number, g.search.ends()-1) }

// Position returns where the lower or the upper end of the only quantile is in
// each lane, nil if there is no upper one.
func (g *Group[K]) Position(end int) []int64 {
	if end == g.search.ends() {
		return nil
	}
	return g.positions(end)
}

// Class returns the bounds of what is equal to an end of the only quantile.
func (g *Group[K]) Class(end int) kernel.Class[K] { return g.class(g.end(end)) }

// Equal returns how many elements of each lane are equal to an end of the only
// quantile.
func (g *Group[K]) Equal(end int) []int { return g.totals(g.equal, g.end(end)) }

// Blocks calls fn for keys of all elements that may be equal to an end of the only
// quantile, which fn may overwrite: with rows those of whole rows, otherwise those
// of lane j of the group; from is the first element's number.
func (g *Group[K]) Blocks(fn func(j, from int, keys []K, s *crew.Scratch)) error {
	g.visit = fn
	err := g.run(visiting)
	g.loaded = -1
	return err
}

// targets returns how many there are.
func (g *Group[K]) targets() int { return (g.to - g.from) * g.search.ends() }

// target returns the quantile and the end that target t is.
func (g *Group[K]) target(t int) (q, end int) {
	ends := g.search.ends()
	return g.from + t/ends, t % ends
}

// positions returns where the positions of a target go.
func (g *Group[K]) positions(t int) []int64 {
	q, end := g.target(t)
	if g.local != nil {
		return g.local[t*g.Count:][:g.Count]
	}
	return g.search.Positions[end][q*g.search.Lanes.Count+g.First:][:g.Count]
}

// class returns the bounds of what is equal to a target.
func (g *Group[K]) class(t int) kernel.Class[K] {
	return kernel.Class[K]{Lo: g.lo[t*g.Count:][:g.Count], Hi: g.hi[t*g.Count:][:g.Count]}
}

// counts returns those of a target in a block, one for each lane.
func (g *Group[K]) counts(of []int, t, block int) []int {
	return of[(t*g.blocks+block)*g.Count:][:g.Count]
}

// totals returns the sums of a target's counts over all blocks.
func (g *Group[K]) totals(of []int, t int) []int {
	first := g.counts(of, t, 0)
	if g.blocks == 1 {
		return first
	}
	sums := crew.Alloc[int](g.Scratch, g.Count)
	copy(sums, first)
	for b := 1; b < g.blocks; b++ {
		for j, n := range g.counts(of, t, b) {
			sums[j] += n
		}
	}
	return sums
}

// Locate finds the positions of all targets. Where blocks are read more than once
// it counts for as many quantiles at a time as there is room for counts.
func (g *Group[K]) Locate() error {
	s := g.search
	quantiles, batch := s.Want.Len(), 1
	if !s.layout.Rows || g.blocks > 1 {
		batch = max(s.crew.Config.Thresholds().LocateCounts/(g.Count*g.blocks*s.ends()), 1)
	}
	g.prepare()
	mark := g.Scratch.Mark()
	for from := 0; from < quantiles; from = g.to {
		g.Scratch.Release(mark)
		g.aim(from, min(from+batch, quantiles))
		if err := g.locate(); err != nil {
			return err
		}
	}
	return nil
}

// locate finds the positions of the targets.
func (g *Group[K]) locate() error {
	if g.search.layout.Rows && g.blocks == 1 {
		g.locateRows(g.load(0, g.Scratch))
		return nil
	}
	if err := g.run(counting); err != nil {
		return err
	}
	if g.search.layout.Rows {
		if g.settle() {
			return nil
		}
		if err := g.run(ranking); err != nil {
			return err
		}
	}
	for t := range g.known {
		g.resolve(t)
	}
	return g.run(choosing)
}

// aim sets the targets.
func (g *Group[K]) aim(from, to int) {
	g.from, g.to = from, to
	s, targets, scratch := g.search, g.targets(), g.Scratch
	size := targets * g.Count
	g.lo = crew.Alloc[K](scratch, size)
	g.hi = g.lo
	for t := range targets {
		q, end := g.target(t)
		i := q*s.Lanes.Count + g.First
		keys := g.class(t).Lo
		kernel.Encode(keys, s.Values[end][i:][:g.Count], s.Encoding)
		if end == 1 {
			for j := range keys {
				if s.Weight(q, i+j) == 0 {
					keys[j] = g.lo[(t-1)*g.Count+j]
				}
			}
		}
	}
	if s.ZerosEqual {
		g.hi = crew.Alloc[K](scratch, size)
		for i, k := range g.lo {
			g.lo[i], g.hi[i] = kernel.EqualKeys(k)
		}
	}
	g.known = crew.Alloc[bool](scratch, targets)
	clear(g.known)
	g.equal, g.upTo = crew.Alloc[int](scratch, size*g.blocks), crew.Alloc[int](scratch, size*g.blocks)
	g.nan = crew.Alloc[int](scratch, g.Count*g.blocks)
	if s.layout.Rows {
		g.last = crew.Alloc[int](scratch, size*g.blocks)
	} else {
		clear(g.equal)
		clear(g.upTo)
		clear(g.nan)
	}
	g.block, g.number = crew.Alloc[int](scratch, size), crew.Alloc[int](scratch, size)
	if s.Positions[0] == nil {
		g.local = crew.Alloc[int64](scratch, size)
	}
}

// run does a step in all blocks.
func (g *Group[K]) run(st step) error {
	g.step = st
	if g.search.layout.Shared {
		elements := g.search.Lanes.N * g.Count
		if st == choosing {
			elements = min(elements, len(g.known)*g.Count*g.length/4) // a search is cheap, and ends
		}
		return g.search.crew.Run(g, g.blocks, elements)
	}
	for b := range g.blocks {
		g.Task(b, g.Scratch)
	}
	return nil
}

// Task does the step in a block.
func (g *Group[K]) Task(number int, s *crew.Scratch) {
	if g.step == choosing && !slices.Contains(g.block, number) {
		return
	}
	mark := s.Mark()
	b := g.load(number, s)
	rows := g.search.layout.Rows
	switch {
	case g.step == counting && rows:
		g.countRows(b, s)
	case g.step == counting:
		g.countLanes(b, s)
	case g.step == ranking:
		g.rankRows(b, s)
	case g.step == choosing && rows:
		g.chooseRows(b, s)
	case g.step == choosing:
		g.chooseLanes(b, s)
	case rows:
		g.visit(0, b.from, b.keys, s)
	default:
		g.visitLanes(b, s)
	}
	s.Release(mark)
}

// load returns a block.
func (g *Group[K]) load(number int, s *crew.Scratch) block[K] {
	f := g.search
	b := block[K]{index: number, from: number * g.length}
	b.n = min(g.length, f.Lanes.N-b.from)
	switch size := b.n * g.Count; {
	case g.memory != nil:
		b.keys = g.memory[:size]
	case f.layout.Rows:
		b.keys = crew.Alloc[K](s, size)
	default:
		return b
	}
	switch to := b.from + b.n; {
	case g.loaded == number:
	case f.layout.Rows:
		lane.EncodeRows(b.keys, &f.Lanes, g.First, b.from, to, f.Encoding)
	default:
		g.hasNaN = lane.Encode(b.keys, &f.Lanes, g.First, b.from, to, f.Encoding) > 0
	}
	if g.memory != nil {
		g.loaded = number
	}
	return b
}
