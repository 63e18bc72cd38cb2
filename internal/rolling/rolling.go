// Package rolling finds order statistics of windows that move along a lane of keys, an
// element at a time.
//
// The elements of a stretch of the lane are sorted once, so that each has a rank among
// them, and those in the window are a set of ranks. For every order statistic a cursor
// stands on its rank, and knows how many of the set are below. An element that enters or
// leaves moves it to a neighbour in the set at most, which is found in a few steps. So
// an element costs its share of the sort, and a constant for each quantile, whatever the
// window.
package rolling

import (
	"math/bits"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection"
	"github.com/ogive-go/ogive/rank"
)

// MaxStretch is the most elements of a stretch.
const MaxStretch = 1<<32 - 1

// Windows says what is asked of every window.
type Windows struct {
	Want  *selection.Want
	Width int  // elements of a full window
	Least int  // values that an answer needs, at least 1
	Skip  bool // NaNs are dropped; otherwise one makes the window's answers NaN
	Float bool // the largest key is NaN's
}

// Stretch are the windows over a piece of a lane, which end at one element after the
// other.
type Stretch[K kernel.Key] struct {
	w     *Windows
	order []K      // the keys that are not NaN, ascending
	ranks []uint32 // of each element in order; nan of NaNs
	set   bitset   // of the ranks of those in the window
	at    int      // the element that enters next
	nans  int      // in the window

	whole     bool            // the windows are full
	values    int             // for which positions is worked out
	positions []rank.Position // of each quantile
	cursors   []cursor
}

// cursor stands at a rank of which it knows how many of the set are below.
type cursor struct {
	rank  uint32
	below int64
}

// Memory returns about how many bytes of scratch memory a stretch of n elements takes.
func Memory(n, size int) int { return n * (2*8 + 4 + size + 1) }

// Start begins a stretch over the keys, which keep their memory. The first windows are
// those of the lane's first elements: they end before they are full, and elements before
// the one numbered first are taken in without an answer. The arrays of st are s's.
func (st *Stretch[K]) Start(w *Windows, keys []K, first int, s *crew.Scratch) {
	st.w = w
	st.order, st.ranks = crew.Alloc[K](s, len(keys)), crew.Alloc[uint32](s, len(keys))
	st.set.init(crew.Alloc[uint64](s, words(max(len(keys), 1))), max(len(keys), 1))
	st.cursors, st.positions = crew.Alloc[cursor](s, w.Want.Len()), crew.Alloc[rank.Position](s, w.Want.Len())
	clear(st.cursors)
	st.at, st.nans, st.values, st.whole = 0, 0, 0, false
	n := arrange(keys, st.order, st.ranks, w.Float, kernel.MaxKey[K](), s)
	st.order = st.order[:n]
	for st.at < first {
		st.enter()
	}
	st.seek(int64(first-st.nans) / 2)
}

// seek sets all cursors a word before the rank that has so many of the set below.
func (st *Stretch[K]) seek(below int64) {
	var c cursor
	for i, w := range st.set.level[0] {
		c.rank = uint32(64 * i)
		n := int64(bits.OnesCount64(w))
		if c.below+n >= below {
			break
		}
		c.below += n
	}
	for i := range st.cursors {
		st.cursors[i] = c
	}
}

// enter moves the window by an element.
func (st *Stretch[K]) enter() {
	e := st.at
	st.at++
	in, out := st.ranks[e], nan
	if e >= st.w.Width {
		if out = st.ranks[e-st.w.Width]; out != nan {
			st.set.remove(out)
		} else {
			st.nans--
		}
	}
	if in != nan {
		st.set.add(in)
	} else {
		st.nans++
	}
	for i := range st.cursors {
		c := &st.cursors[i]
		// A rank below the cursor's makes the difference negative; NaN's never does.
		c.below += (int64(out)-int64(c.rank))>>63 - (int64(in)-int64(c.rank))>>63
	}
}

// Next sets the answers of the next windows, as many as r has lanes.
func (st *Stretch[K]) Next(r *selection.Result[K]) {
	done := 0
	if st.at >= st.w.Width && st.whole && len(st.cursors) == 1 && len(st.order) == len(st.ranks) {
		done = r.Lanes
		st.slide(r)
	}
	for j := done; j < r.Lanes; j++ {
		st.enter()
		values := min(st.at, st.w.Width) - st.nans
		if st.nans > 0 && !st.w.Skip || values < st.w.Least {
			for at := j; at < len(r.Lo); at += r.Lanes {
				r.Lo[at], r.Hi[at] = kernel.MaxKey[K](), kernel.MaxKey[K]()
				if len(r.G) == len(r.Lo) {
					r.Weigh(at, at+1, &rank.Position{}) // an integer's key is no NaN's
				}
			}
			continue
		}
		if values != st.values {
			st.values, st.whole = values, values == st.w.Width
			for q := range st.positions {
				st.positions[q] = st.w.Want.Position(q, int64(values))
			}
		}
		for q := range st.cursors {
			p := &st.positions[q]
			at := q*r.Lanes + j
			rank := st.find(&st.cursors[q], p.Lo)
			lo := st.order[rank]
			r.Lo[at], r.Hi[at] = lo, lo
			if p.Hi != p.Lo {
				r.Hi[at] = st.order[st.set.from(rank+1)]
			}
			if len(r.G) == len(r.Lo) {
				r.Weigh(at, at+1, p)
			}
		}
	}
	if len(r.G) != len(r.Lo) { // every answer is that of a full window
		for q := range r.G {
			p := st.w.Want.Position(q, int64(st.w.Width))
			r.Weigh(q, q+1, &p)
		}
	}
}

// find moves a cursor to the rank that has so many of the set below, and returns it.
func (st *Stretch[K]) find(c *cursor, below int64) uint32 {
	for c.below > below {
		c.rank = st.set.before(c.rank)
		c.below--
	}
	c.rank = st.set.from(c.rank)
	for c.below < below {
		c.rank = st.set.from(c.rank + 1)
		c.below++
	}
	return c.rank
}

// slide is Next for one quantile of full windows without NaNs, of which one has been
// answered. The cursor takes one step at most: up where fewer are below than there
// should be, or where its own rank has left, and otherwise down.
func (st *Stretch[K]) slide(r *selection.Result[K]) {
	p, c, low := st.positions[0], st.cursors[0], st.set.level[0]
	lo, hi := r.Lo, r.Hi[:len(r.Lo)]
	entering := st.ranks[st.at:][:len(lo)]
	leaving := st.ranks[st.at-st.w.Width:][:len(lo)]
	st.at += len(lo)
	for j, in := range entering {
		out := leaving[j]
		i := out >> 6
		left := low[i] &^ (1 << (out & 63))
		if low[i] = left; left == 0 {
			st.set.unmark(i)
		}
		i = in >> 6
		old := low[i]
		if low[i] = old | 1<<(in&63); old == 0 {
			st.set.mark(i)
		}
		at := int64(c.rank)
		below := p.Lo + (int64(out)-at)>>63 - (int64(in)-at)>>63
		if below > p.Lo {
			if w := low[c.rank>>6] & (1<<(c.rank&63) - 1); w != 0 {
				c.rank = c.rank&^63 + uint32(63-bits.LeadingZeros64(w))
			} else {
				c.rank = st.set.before(c.rank)
			}
		} else {
			c.rank += uint32(p.Lo - below)
			if w := low[c.rank>>6] >> (c.rank & 63); w != 0 {
				c.rank += uint32(bits.TrailingZeros64(w))
			} else {
				c.rank = st.set.from(c.rank)
			}
		}
		lo[j] = st.order[c.rank]
		if p.Hi == p.Lo {
			hi[j] = lo[j]
		} else {
			hi[j] = st.order[st.set.from(c.rank+1)]
		}
	}
	st.cursors[0] = c
	if len(r.G) == len(r.Lo) {
		r.Weigh(0, len(r.G), &p)
	}
}
