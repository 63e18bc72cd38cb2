package grad

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
)

// sizes are those of the work of a task. Results do not depend on them; tests
// lower them.
var sizes = struct {
	Task int // elements of a task
	Long int // elements of a lane from which its chunks are tasks
}{
	Task: 1 << 15,
	Long: 1 << 17,
}

// blockSize is the number of elements that are compared at a time before one of
// them is looked for: a few vectors' worth, so that the search in a block that
// has it does not show.
const blockSize = 256

const (
	// rowsMin is the fewest lanes side by side that are walked row by row.
	rowsMin = 8

	// rowsMax is the most that are walked together: their values and words stay
	// in the first-level cache.
	rowsMax = 512

	// segmentMax is the most rows whose matches and positions fit a word, all of
	// them together.
	segmentMax = 1 << 15
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
	f.x.Init(c.x.Array(), c.plan.Reduced(), true)
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

// isNaN reports whether an element is NaN.
func (f *scan[K]) isNaN(v K) bool { return v&kernel.MaxKey[K]() > f.enc.Inf }

// key returns the key of an element that is no NaN.
func (f *scan[K]) key(v K) K {
	if v < 0 {
		return v ^ kernel.MaxKey[K]()
	}
	return v
}

// blocks calls fn for the elements from … to-1 of a lane, block by block and
// with the number of the first, until it returns false.
func (f *scan[K]) blocks(lane, from, to int, s *selection.Scratch, fn func(block []K, first int) bool) {
	mark := s.Mark()
	defer s.Release(mark)
	var copied []K
	more := true
	f.x.Runs(lane, from, to, func(p unsafe.Pointer, stride, n int) {
		for i := 0; i < n && more; i += blockSize {
			m := min(blockSize, n-i)
			at := unsafe.Add(p, i*stride*int(unsafe.Sizeof(K(0))))
			if stride == 1 {
				more = fn(unsafe.Slice((*K)(at), m), from+i)
				continue
			}
			if copied == nil {
				copied = selection.Alloc[K](s, blockSize)
			}
			nd.CopyRun(unsafe.Pointer(unsafe.SliceData(copied)), 1, at, stride, m, int(unsafe.Sizeof(K(0))))
			more = fn(copied[:m], from+i)
		}
		from += n
	})
}

// A tally says where a value was met, or that it was met nowhere or in several
// places. Positions are not negative.
type tally = int

const (
	none    tally = -1
	several tally = -2
)

// merge adds two tallies.
func merge(a, b tally) tally {
	switch {
	case a == none:
		return b
	case b == none:
		return a
	}
	return several
}

// met returns the tally of n > 0 elements v of a block, given the number of its
// first.
func met[K kernel.Key](n int, v K, block []K, first int) tally {
	if n > 1 {
		return several
	}
	return first + kernel.IndexOf(block, v, 0)
}

// count tallies the elements from … to-1 of neighbouring lanes by lo and hi of
// the quantile: one tally for each lane. If nothing is paired, hi is nil. The
// tallies of an answer that is NaN mean nothing.
func (f *scan[K]) count(q, first, from, to int, lo, hi []tally, s *selection.Scratch) {
	for i := range lo {
		lo[i] = none
	}
	for i := range hi {
		hi[i] = none
	}
	rows := f.x.SideBySide() && f.x.Even()
	for j := 0; j < len(lo); {
		at := q*f.x.Count + first + j
		if near := f.x.Neighbours(first+j, len(lo)-j); rows && near >= rowsMin {
			near = min(near, rowsMax)
			values, tallies := [2][]K{f.lo[at : at+near]}, [2][]tally{lo[j : j+near]}
			if hi != nil {
				values[1], tallies[1] = f.hi[at:at+near], hi[j:j+near]
			}
			for row := from; row < to; row += segmentMax {
				f.countRows(values, first+j, row, min(row+segmentMax, to), tallies)
			}
			j += near
			continue
		}
		a, b := f.countLane(at, first+j, from, to, hi != nil, s)
		if lo[j] = a; hi != nil {
			hi[j] = b
		}
		j++
	}
}

// countRows adds the elements from … to-1, at most segmentMax, of at most
// rowsMax lanes side by side to their tallies, row by row. Matches are added up
// in words, without branches: their number above their positions.
func (f *scan[K]) countRows(values [2][]K, first, from, to int, t [2][]tally) {
	var words [2][rowsMax]uint32
	var copied [rowsMax]K
	n := len(values[0])
	_, step := f.x.Pitch()
	for i := from; i < to; i++ {
		p := f.x.Pointer(first, i)
		row := copied[:n]
		if step == 1 {
			row = unsafe.Slice((*K)(p), n)
		} else {
			nd.CopyRun(unsafe.Pointer(&copied), 1, p, step, n, int(unsafe.Sizeof(K(0))))
		}
		one := 1<<16 | uint32(i-from)
		if values[1] == nil {
			matchOne(row, values[0], words[0][:n], one)
		} else {
			matchBoth(row, values[0], values[1], words[0][:n], words[1][:n], one)
		}
	}
	for k, all := range t {
		for j := range all {
			switch w := words[k][j]; w >> 16 {
			case 0:
			case 1:
				all[j] = merge(all[j], from+int(w&0xFFFF))
			default:
				all[j] = several
			}
		}
	}
}

// matchOne adds one to the words of the elements of a row that are the values.
func matchOne[K kernel.Key](row, lo []K, words []uint32, one uint32) {
	lo, words = lo[:len(row)], words[:len(row)]
	for j, v := range row {
		var m uint32
		if v == lo[j] {
			m = one
		}
		words[j] += m
	}
}

// matchBoth is matchOne for two values and two words each.
func matchBoth[K kernel.Key](row, lo, hi []K, low, high []uint32, one uint32) {
	lo, hi, low, high = lo[:len(row)], hi[:len(row)], low[:len(row)], high[:len(row)]
	for j, v := range row {
		var m, n uint32
		if v == lo[j] {
			m = one
		}
		if v == hi[j] {
			n = one
		}
		low[j] += m
		high[j] += n
	}
}

// countLane tallies a lane by lo and, if it is asked for, by hi.
func (f *scan[K]) countLane(at, lane, from, to int, paired bool, s *selection.Scratch) (lo, hi tally) {
	lo, hi = none, none
	a, b := f.lo[at], f.lo[at]
	if a == f.nan {
		return lo, hi
	}
	if paired {
		b = f.hi[at]
	}
	mark := s.Mark()
	kept := selection.Alloc[K](s, blockSize)
	f.blocks(lane, from, to, s, func(block []K, first int) bool {
		m, n := f.equals(kept, block, a, b)
		if m > 0 {
			lo = merge(lo, met(m, a, block, first))
		}
		if n > 0 && paired {
			hi = merge(hi, met(n, b, block, first))
		}
		return true
	})
	s.Release(mark)
	return lo, hi
}

// equals returns how many elements of a block are a, and how many b; neither is
// NaN, and a is not the larger. kept is scratch memory for a block.
func (f *scan[K]) equals(kept, block []K, a, b K) (m, n int) {
	if unsafe.Sizeof(a) > 2 {
		c := kernel.Narrow(kept[:len(block)], block, f.enc, f.key(a), f.key(b))
		if a == b {
			return c.AtLo, c.AtLo
		}
		return c.AtLo, c.AtHi
	}
	for _, v := range block {
		if v == a {
			m++
		}
		if v == b {
			n++
		}
	}
	return m, n
}
