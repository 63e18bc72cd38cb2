package narrow

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// way is what a pass looks for, and what is made of it.
type way[K kernel.Key] interface {
	// prepare gives a part of the pass what it needs besides counts.
	prepare(p *part[K], s *crew.Scratch)
	// add counts and collects a block of elements that lie together.
	add(p *part[K], elements []K)
	// flush does what add has put off.
	flush(p *part[K])
	// merge adds to the lane what a part knows besides its counts.
	merge(p *part[K])
	// settle narrows the targets by the counts.
	settle()
}

// A way that puts nothing off and knows no more than counts has these from its lane.
func (*lane[K]) flush(*part[K]) {}
func (*lane[K]) merge(*part[K]) {}

// part is one worker's part of a pass over a lane.
type part[K kernel.Key] struct {
	way    way[K]
	block  int     // elements that are looked at at a time
	counts []int64 // as those of the lane
	nan    int
	keys   []K // of the block at hand

	bins   []uint16 // of the block at hand
	tables []uint32 // counts of bins: two, as equal bins often follow each other; or of keys below those kept

	brackets *kernel.Brackets[K] // if they are looked at together
	begun    bool                // they are set

	kept     []K // elements or keys to collect
	keptBins []uint16
	waiting  int     // of kept, not in their groups yet
	places   []int64 // of the groups
}

// begin makes p a part of the pass over a lane, with memory from s.
func (p *part[K]) begin(l *lane[K], s *crew.Scratch) {
	*p = part[K]{way: l.way, counts: crew.Alloc[int64](s, len(l.counts)), block: kernel.CacheKeys}
	clear(p.counts)
	l.way.prepare(p, s)
}

// merge adds what the part knows to the lane.
func (p *part[K]) merge(l *lane[K]) {
	l.nan += p.nan
	for i, n := range p.counts {
		l.counts[i] += n
	}
	l.way.merge(p)
}

// addStrided adds n elements that lie stride elements apart, by way of the block
// copied, of kernel.CacheKeys, where they are not adjacent.
func (p *part[K]) addStrided(first unsafe.Pointer, stride, n int, copied []K) {
	size := int(unsafe.Sizeof(K(0)))
	if stride == 1 {
		all := unsafe.Slice((*K)(first), n)
		for from := 0; from < n; from += p.block {
			p.way.add(p, all[from:min(from+p.block, n)])
		}
		return
	}
	most := min(p.block, len(copied))
	for from := 0; from < n; from += most {
		block := copied[:min(most, n-from)]
		kernel.EncodeStrided(unsafe.Pointer(unsafe.SliceData(block)), 1, unsafe.Add(first, from*stride*size), stride, len(block), kernel.Encoding[K]{})
		p.way.add(p, block)
	}
}

// encode returns the keys of elements, and counts NaNs.
func (p *part[K]) encode(elements []K, e kernel.Encoding[K]) []K {
	if e.Code == kernel.Signed {
		return elements
	}
	keys := p.keys[:len(elements)]
	p.nan += kernel.Encode(keys, elements, e)
	return keys
}
