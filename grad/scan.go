package grad

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
)

// sizes are those of the work of a task. Results do not depend on them; tests
// lower them.
var sizes = struct {
	Task   int // elements of a task
	Long   int // elements of a lane from which its chunks are tasks
	Stack  int // bytes of the keys of lanes side by side that are in hand at a time
	Stream int // bytes of a gradient from which rows are written past the caches
	Rows   int // elements of a lane up to which even a second gradient by rank is written by rows
}{
	Task: 1 << 15,
	Long: 1 << 17,

	// A quarter of a second-level cache: 13 KiB of each row of 20×500k, whose median
	// takes 13 ms of processor time from dy to dx; 15 with half as much, 20 with
	// twice or a quarter.
	Stack: 1 << 18,

	// Well beyond what a core's own caches hold: 20×500k is written in 1.7 ms past
	// the caches, in 2.3 through them.
	Stream: 1 << 23,

	// In longer lanes reading the input again takes longer than writing to known
	// positions: 4.5 ms and not 6.8 of 20×500k, 6.3 both ways of 40×250k, 6.1 and not
	// 5.0 of 64×156k. Finding the positions takes thrice as long as a first pullback
	// by rows.
	Rows: 32,
}

const (
	// countBlock is the number of elements that are counted at a time before one
	// of them is looked for: a few vectors' worth, so that the search in a block
	// that has it does not show.
	countBlock = 256

	// writeBlock is the number of elements of a lane that are written at a time:
	// their keys stay in the first-level cache.
	writeBlock = 2048
)

// scan reads the lanes of the input of a call: their elements as bits, numbered
// as indices are, and the order statistics that are looked for among them.
type scan[K kernel.Key] struct {
	c      *call
	plan   *engine.Plan
	x      lane.Lanes
	enc    kernel.Encoding[K]
	nan    K   // the canonical one
	lo, hi []K // elements, of each quantile and lane
	g      []float64
	paired bool // a weight is not 0
}

func newScan[K kernel.Key](c *call) *scan[K] {
	dt := c.x.DType()
	f := &scan[K]{c: c, plan: c.plan, enc: kernel.EncodingOf[K](dt), nan: K(dtype.CanonicalNaN(dt))}
	f.x.Init(tensors.Array(c.x), c.plan.Reduced(), true)
	if e := c.ends; e != nil {
		f.lo, f.hi, f.g = nd.Slice[K](&e.Lo), nd.Slice[K](&e.Hi), e.G
		for _, g := range e.G {
			f.paired = f.paired || g != 0
		}
	}
	return f
}

// weight returns the weight of element i of hi, which is quantile q's.
func (f *scan[K]) weight(q, i int) float64 {
	if len(f.g) == len(f.lo) {
		return f.g[i]
	}
	return f.g[q]
}

// weighs reports whether an upper order statistic of quantile q has a weight.
func (f *scan[K]) weighs(q int) bool { return len(f.g) == len(f.lo) || f.g[q] != 0 }

// isNaN reports whether an element is NaN.
func (f *scan[K]) isNaN(v K) bool { return v&kernel.MaxKey[K]() > f.enc.Inf }

// key returns the key of an element.
func (f *scan[K]) key(v K) K {
	switch {
	case f.isNaN(v):
		return kernel.MaxKey[K]()
	case v < 0:
		return v ^ kernel.MaxKey[K]()
	}
	return v
}

// width returns how many lanes a task takes.
func (f *scan[K]) width() int {
	n := max(f.x.N, 1)
	if f.x.SideBySide() {
		return min(stackLanes*(sizes.Stack/stackLanes/int(unsafe.Sizeof(K(0)))/n|1), f.x.Count)
	}
	return min(max(sizes.Task/n, 1), f.x.Count)
}

// tasks calls fn for lanes that a task takes whole, evenly spaced ones at a time.
func (f *scan[K]) tasks(fn func(first, lanes int, s *crew.Scratch)) error {
	l, width := &f.x, f.width()
	return f.plan.Each((l.Count+width-1)/width, l.N*l.Count, func(task int, s *crew.Scratch) {
		end := min((task+1)*width, l.Count)
		for first := task * width; first < end; {
			lanes := l.Neighbours(first, end-first)
			mark := s.Mark()
			fn(first, lanes, s)
			s.Release(mark)
			first += lanes
		}
	})
}

// eachLane calls fn for each lane.
func (f *scan[K]) eachLane(fn func(lane int, s *crew.Scratch)) error {
	return f.tasks(func(first, lanes int, s *crew.Scratch) {
		for lane := first; lane < first+lanes; lane++ {
			fn(lane, s)
		}
	})
}

// blocks calls fn for the elements from … to-1 of a lane, at most size at a time
// and with the number of the first, until it returns false.
func (f *scan[K]) blocks(lane, from, to, size int, s *crew.Scratch, fn func(block []K, first int) bool) {
	mark := s.Mark()
	defer s.Release(mark)
	var copied []K
	more := true
	f.x.Runs(lane, from, to, func(p unsafe.Pointer, stride, n int) {
		for i := 0; i < n && more; i += size {
			m := min(size, n-i)
			at := unsafe.Add(p, i*stride*int(unsafe.Sizeof(K(0))))
			if stride == 1 {
				more = fn(unsafe.Slice((*K)(at), m), from+i)
				continue
			}
			if copied == nil {
				copied = crew.Alloc[K](s, min(size, to-from))
			}
			nd.CopyRun(unsafe.Pointer(unsafe.SliceData(copied)), 1, at, stride, m, int(unsafe.Sizeof(K(0))))
			more = fn(copied[:m], from+i)
		}
		from += n
	})
}

// lastNaN returns the number of the last NaN of a lane, -1 if there is none.
func (f *scan[K]) lastNaN(lane int, s *crew.Scratch) int {
	for end := f.x.N; end > 0; end -= countBlock {
		last := -1
		f.blocks(lane, max(end-countBlock, 0), end, countBlock, s, func(block []K, first int) bool {
			for i, v := range block {
				if f.isNaN(v) {
					last = first + i
				}
			}
			return true
		})
		if last >= 0 {
			return last
		}
	}
	return -1
}

// chunks are the tasks of a pass over a group of long lanes.
type chunks struct{ first, lanes, length, count int }

// chunked returns the tasks of a pass over neighbouring lanes.
func (f *scan[K]) chunked(first, lanes int) chunks {
	g := chunks{first: first, lanes: lanes, length: max(sizes.Task/lanes, 1)}
	g.count = (f.x.N + g.length - 1) / g.length
	return g
}

// groups calls fn for groups of lanes that are best walked together.
func (f *scan[K]) groups(fn func(g chunks) error) error {
	for first := 0; first < f.x.Count; {
		g := f.chunked(first, f.x.Group(first))
		if err := fn(g); err != nil {
			return err
		}
		first += g.lanes
	}
	return nil
}

// pass calls fn for each chunk of a group, from … to-1.
func (f *scan[K]) pass(g chunks, fn func(chunk, from, to int, s *crew.Scratch)) error {
	return f.plan.Each(g.count, f.x.N*g.lanes, func(chunk int, s *crew.Scratch) {
		from := chunk * g.length
		fn(chunk, from, min(from+g.length, f.x.N), s)
	})
}

// pieces are the counts of a lane by two keys, lo <= hi, of so many elements at
// a time.
type pieces struct {
	lane, length int
	counts       []piece
	all          piece // their sum
}

// piece are the counts of some elements by two keys, lo <= hi. Those equal to
// both count as equal to lo.
type piece struct{ below, atLo, atHi, nan int }

// add adds counts up.
func (p *piece) add(o piece) {
	p.below += o.below
	p.atLo += o.atLo
	p.atHi += o.atHi
	p.nan += o.nan
}

// countPiece returns the counts of a block. kept is scratch memory as long as it.
func countPiece[K kernel.Key](kept, block []K, e kernel.Encoding[K], lo, hi K) piece {
	c := kernel.Collect(kept, block, e, lo, hi)
	p := piece{below: c.Below, atLo: c.Inside, nan: c.NaN}
	if lo != hi {
		_, p.atLo = kernel.CountBelow(kept[:c.Inside], lo)
		_, p.atHi = kernel.CountBelow(kept[:c.Inside], hi)
	}
	return p
}

// sum adds the counts up.
func (p *pieces) sum() {
	p.all = piece{}
	for _, c := range p.counts {
		p.all.add(c)
	}
}

// narrow counts the elements from … to-1 of a lane.
func (f *scan[K]) narrow(lane, from, to int, lo, hi K, s *crew.Scratch) (p piece) {
	mark := s.Mark()
	kept := crew.Alloc[K](s, min(writeBlock, to-from))
	f.blocks(lane, from, to, writeBlock, s, func(block []K, _ int) bool {
		p.add(countPiece(kept[:len(block)], block, f.enc, lo, hi))
		return true
	})
	s.Release(mark)
	return p
}

// inPieces counts a lane that a task takes whole.
func (f *scan[K]) inPieces(lane int, lo, hi K, s *crew.Scratch) pieces {
	p := pieces{lane: lane, length: countBlock, counts: crew.Alloc[piece](s, (f.x.N+countBlock-1)/countBlock)}
	clear(p.counts)
	mark := s.Mark()
	kept := crew.Alloc[K](s, countBlock)
	f.blocks(lane, 0, f.x.N, countBlock, s, func(block []K, first int) bool {
		// Blocks of a lane that is not even may end within a piece, and begin.
		for len(block) > 0 {
			i := first / countBlock
			n := min((i+1)*countBlock-first, len(block))
			p.counts[i].add(countPiece(kept[:n], block[:n], f.enc, lo, hi))
			block, first = block[n:], first+n
		}
		return true
	})
	s.Release(mark)
	p.sum()
	return p
}

// inChunks counts a long lane.
func (f *scan[K]) inChunks(lane int, lo, hi K) (pieces, error) {
	g := f.chunked(lane, 1)
	p := pieces{lane: lane, length: g.length, counts: make([]piece, g.count)}
	err := f.pass(g, func(chunk, from, to int, s *crew.Scratch) {
		p.counts[chunk] = f.narrow(lane, from, to, lo, hi, s)
	})
	p.sum()
	return p, err
}

// find returns the number of the nth element equal to the lower of the two keys,
// or to the upper one, counted from 0 and given as an element; -1 if there is
// none.
func (f *scan[K]) find(p *pieces, v K, upper bool, nth int, s *crew.Scratch) int {
	if nth < 0 {
		return -1
	}
	for i, c := range p.counts {
		n := c.atLo
		if upper {
			n = c.atHi
		}
		if nth >= n {
			nth -= n
			continue
		}
		found := -1
		from := i * p.length
		f.blocks(p.lane, from, min(from+p.length, f.x.N), writeBlock, s, func(block []K, first int) bool {
			at, equal := kernel.IndexOf(block, v, nth)
			if at >= 0 {
				found = first + at
			}
			nth -= equal
			return at < 0
		})
		return found
	}
	return -1
}
