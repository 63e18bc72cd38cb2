package selection

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// Pass is one worker's part of a pass over a lane.
type Pass[K kernel.Key] struct {
	nw     *Narrowing[K]
	counts []int64 // as those of nw; by scale of the heavy values alone
	nan    int
	keys   []K // of the block at hand

	cells  []uint16 // of the block at hand
	tables []uint32 // counts of cells: two, as equal cells often follow each other; or of keys below those kept

	steps   *kernel.Brackets[K] // of the brackets, if they can be looked at together
	stepped bool                // a block has been

	kept      []K // elements or keys to collect, or keys of one bracket
	keptCells []uint16
	waiting   int     // of kept, not in their groups yet
	places    []int64 // of the groups
}

// NewPass returns a worker's part of the pass, with memory from s.
func (nw *Narrowing[K]) NewPass(s *crew.Scratch) Pass[K] {
	p := Pass[K]{nw: nw}
	counts := len(nw.counts)
	if nw.way == byScale {
		counts = len(nw.heavy)
	}
	p.counts = crew.Alloc[int64](s, counts)
	clear(p.counts)
	switch nw.way {
	case byBrackets:
		if len(nw.steps) > 0 {
			p.steps = &crew.Alloc[kernel.Brackets[K]](s, 1)[0]
			p.kept, p.keys = crew.Alloc[K](s, stepsWait+singleBlock), crew.Alloc[K](s, stepsWait+singleBlock)
			break
		}
		p.kept = crew.Alloc[K](s, p.block())
		if nw.onKeys {
			p.keys = crew.Alloc[K](s, p.block())
		}
	case byTree:
		p.keys = crew.Alloc[K](s, BlockMax)
	case byScale:
		p.keys, p.cells = crew.Alloc[K](s, BlockMax), crew.Alloc[uint16](s, BlockMax)
		p.tables = crew.Alloc[uint32](s, 2*kernel.BinCount)
		clear(p.tables)
	case byKeeping:
		p.keys, p.cells = crew.Alloc[K](s, BlockMax), crew.Alloc[uint16](s, BlockMax)
		p.kept, p.keptCells = crew.Alloc[K](s, keptMax+BlockMax), crew.Alloc[uint16](s, keptMax+BlockMax)
		p.places = crew.Alloc[int64](s, len(nw.groups))
		if nw.guessing {
			p.tables = crew.Alloc[uint32](s, kernel.BinCount)
			clear(p.tables)
		}
	}
	return p
}

// block returns how many elements are looked at at a time.
func (p *Pass[K]) block() int {
	nw, size := p.nw, int(unsafe.Sizeof(K(0)))
	switch {
	case nw.way != byBrackets && nw.way != byBounds:
		return BlockMax
	case nw.way == byBrackets && (p.steps != nil || len(nw.brackets) == 1 && !nw.onKeys):
		return singleBlock
	case nw.onKeys:
		return encodedBytes / size
	}
	return repeatedBytes / size
}

// AddStrided adds n elements with the lane's encoding that lie stride elements
// apart, by way of block, of BlockMax elements, where they are not adjacent; where
// they are, block may be nil.
func (p *Pass[K]) AddStrided(elements unsafe.Pointer, stride, n int, block []K) {
	size := int(unsafe.Sizeof(K(0)))
	most := p.block()
	if stride != 1 {
		most = min(most, BlockMax)
	}
	for first := 0; first < n; first += most {
		m := min(most, n-first)
		from := unsafe.Add(elements, first*stride*size)
		if stride == 1 {
			p.add(unsafe.Slice((*K)(from), m))
			continue
		}
		kernel.EncodeStrided(unsafe.Pointer(unsafe.SliceData(block)), 1, from, stride, m, kernel.Encoding[K]{})
		p.add(block[:m])
	}
	switch {
	case p.waiting == 0:
	case p.nw.way == byBrackets:
		p.split()
	default:
		p.deliver()
	}
}

// add counts and collects a block.
func (p *Pass[K]) add(elements []K) {
	nw := p.nw
	if nw.way == byBrackets {
		p.narrow(elements)
		return
	}
	if nw.way == byBounds {
		p.countAtMost(elements)
		return
	}
	e, raw := nw.enc, elements
	if e.Code != kernel.Signed && (nw.way == byTree || !nw.scale.ByValue) {
		keys := p.keys[:len(elements)]
		p.nan += kernel.Encode(keys, elements, e)
		elements = keys
	}
	switch nw.way {
	case byTree:
		kernel.Classify(elements, &nw.tree.of, p.counts)
	case byScale:
		cells := p.cells[:len(elements)]
		kernel.FindBins(cells, elements, &nw.scale)
		p.countHeavy(elements)
		kernel.CountBins((*[2 * kernel.BinCount]uint32)(p.tables), cells, raw)
	case byKeeping:
		cells := p.cells[:len(elements)]
		kernel.FindBins(cells, elements, &nw.scale)
		p.waiting += p.keep(elements, cells, raw)
		if p.waiting > keptMax {
			p.deliver()
		}
	}
}

// narrow counts and collects a block, for all brackets together or one after the
// other.
func (p *Pass[K]) narrow(elements []K) {
	nw := p.nw
	if p.steps != nil && len(elements) >= stepsMin {
		if !p.stepped {
			p.steps.Set(nw.enc, nw.steps)
			p.stepped = true
		}
		p.waiting += p.steps.Collect(p.kept[p.waiting:], elements)
		if p.waiting > stepsWait {
			p.split()
		}
		return
	}
	e := nw.enc
	if nw.onKeys {
		keys := p.keys[:len(elements)]
		p.nan += kernel.Encode(keys, elements, e)
		elements, e = keys, kernel.Encoding[K]{}
	}
	kept := p.kept[p.waiting:]
	for i, b := range nw.brackets {
		var c kernel.Collected
		if b.lo == b.hi && e.Code == kernel.Signed && kernel.CountsOnVectors[K]() {
			c.Below, c.Inside = kernel.CountBelow(elements, b.lo)
		} else {
			c = kernel.Collect(kept, elements, e, b.lo, b.hi)
		}
		p.counts[2*i] += int64(c.Below)
		p.counts[2*i+1] += int64(c.Inside)
		if i == 0 {
			p.nan += c.NaN
		}
		if c.Inside > 0 && b.lo < b.hi {
			nw.groups[i].add(kept[:c.Inside])
		}
	}
}

// split moves the keys that wait to the groups of their brackets.
func (p *Pass[K]) split() {
	nw := p.nw
	keys := p.kept[:p.waiting]
	p.waiting = 0
	for i, b := range nw.brackets {
		if b.lo < b.hi {
			c := kernel.Collect(p.keys, keys, kernel.Encoding[K]{}, b.lo, b.hi)
			p.counts[2*i+1] += int64(c.Inside)
			nw.groups[i].add(p.keys[:c.Inside])
		}
	}
}

// Merge adds a worker's part to the pass. The caller merges one at a time.
func (nw *Narrowing[K]) Merge(p *Pass[K]) {
	if nw.way == byScale {
		tables := (*[2 * kernel.BinCount]uint32)(p.tables)
		if nw.scale.ByValue {
			nan := kernel.BinCount - 1
			p.nan = int(tables[nan] + tables[kernel.BinCount+nan])
			tables[nan], tables[kernel.BinCount+nan] = 0, 0
		}
		counts := (*[kernel.BinCount]int64)(nw.counts)
		for i := range counts {
			counts[i] += int64(tables[i] + tables[kernel.BinCount+i])
		}
		for i, c := range p.counts {
			nw.counts[kernel.BinCount+i] += c
		}
		nw.nan += p.nan
		return
	}
	if nw.way == byKeeping && nw.guessing {
		for i := range nw.groups {
			g := &nw.groups[i]
			g.under += int64(p.tables[nw.cellWith(g)])
		}
	}
	if p.stepped {
		p.countSteps()
	}
	for i, c := range p.counts {
		nw.counts[i] += c
	}
	nw.nan += p.nan
}
