package grad

import (
	"sync/atomic"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
)

// evenly is the pullback of a median without index.
func (c *call) evenly(dy *ogive.Tensor) (*ogive.Tensor, error) {
	return c.pull(dy, evenRule[int16](c), evenRule[int32](c), evenRule[int64](c))
}

// evenRule returns the even rule for elements of one width.
func evenRule[K kernel.Key](c *call) rule {
	return func(dx *nd.Array, dy upstream, rows bool) error {
		e := even[K]{scan: newScan[K](c), dy: dy, to: newGradient[K](c, dx), byRows: rows}
		var err error
		switch {
		case c.plan.Weights() != nil:
			err = e.weighted()
		case e.x.N >= sizes.Long:
			err = e.long()
		default:
			err = e.tasks(e.short)
		}
		if err == nil && e.changed.Load() {
			err = c.fail(ErrChanged, "%v", ErrChanged)
		}
		return err
	}
}

// even shares the gradient of medians among the elements of two classes: those
// equal to the lower middle value, and those equal to the upper one. They are
// one class where both are equal.
type even[K kernel.Key] struct {
	*scan[K]
	dy      upstream
	to      gradient[K]
	byRows  bool
	changed atomic.Bool
}

// share is what a class of equal elements gets of the gradient.
type share[K kernel.Key] struct {
	lo, hi K       // their keys
	part   float64 // of the gradient
}

// nan reports whether the class is that of NaNs.
func (c *share[K]) nan() bool { return c.lo == kernel.MaxKey[K]() }

// has reports whether an element is in the class.
func (f *even[K]) has(c *share[K], v K) bool {
	k := f.key(v)
	return c.lo <= k && k <= c.hi
}

// equals returns the keys of the elements equal to one with the key k: zeros of
// both signs are equal, and so are NaNs.
func equals[K kernel.Key](k K) (lo, hi K) {
	switch k {
	case -1:
		return -1, 0
	case 0:
		return -1, 0
	}
	return k, k
}

// shares appends the classes among which the gradient of a lane is shared.
func (f *even[K]) shares(dst []share[K], lane int) []share[K] {
	a, b := f.keys(0, lane)
	lower, upper := share[K]{part: 1}, share[K]{part: 0.5}
	lower.lo, lower.hi = equals(a)
	upper.lo, upper.hi = equals(b)
	if lower.lo == upper.lo {
		return append(dst, lower)
	}
	lower.part = 0.5
	return append(dst, lower, upper)
}

// short shares the gradient of lanes that a task takes whole.
func (f *even[K]) short(first, lanes int, s *crew.Scratch) {
	if !f.x.SideBySide() {
		lo, hi := crew.Alloc[int](s, lanes), crew.Alloc[int](s, lanes)
		for j := range lanes {
			mark := s.Mark()
			lo[j], hi[j], _ = f.lane(first+j, s) // fails only where there are tasks
			s.Release(mark)
		}
		pairs(f, first, lo, hi, s)
		return
	}
	if f.byRows && f.singles(&f.to, &f.dy, first, lanes, s) {
		return
	}
	b := f.stack(first, lanes, 0, f.x.N, s)
	classes := f.classes(b, 0)
	if lower, upper := b.bits(), b.bits(); b.once(classes[0], lower) && (!f.paired || b.once(classes[1], upper)) {
		if !f.paired {
			upper = nil
		}
		if f.byRows {
			f.to.clear(first, lanes)
		}
		pairs(f, first, lower, upper, s)
		return
	}
	n, last := [2][]int{b.ints()}, b.ints()
	b.tally(classes[0], nil, n[0], last)
	if n[1] = n[0]; f.paired {
		n[1] = b.ints()
		b.tally(classes[1], nil, n[1], last)
	}
	f.rows(b, classes, f.bits(first, classes, n, s))
}

// classes returns the classes of both middle values in the lanes of a stack.
func (f *even[K]) classes(b *stack[K], _ int) (c [2]kernel.Class[K]) {
	c[0] = f.equals(b, f.lo)
	if c[1] = c[0]; !f.paired {
		return c
	}
	c[1] = f.equals(b, f.hi)
	if len(f.g) != len(f.lo) {
		return c
	}
	for j, g := range f.g[b.first : b.first+b.lanes] {
		if g == 0 {
			c[1].Lo[j], c[1].Hi[j] = c[0].Lo[j], c[0].Hi[j]
		}
	}
	return c
}

// equals returns the classes of what is equal to the values of the lanes of a
// stack.
func (f *even[K]) equals(b *stack[K], values []K) kernel.Class[K] {
	c := kernel.Class[K]{Lo: b.bits(), Hi: b.bits()}
	kernel.Encode(c.Lo, values[b.first:b.first+b.lanes], f.enc)
	copy(c.Hi, c.Lo)
	for j, k := range c.Lo {
		if k == 0 || k == -1 {
			c.Lo[j], c.Hi[j] = equals(k)
		}
	}
	return c
}

// pairs writes the gradient of the middle elements of neighbouring lanes at the
// positions lo and hi, where they have no equals; hi may be nil where it equals
// lo.
func pairs[K kernel.Key, P kernel.Key | int](f *even[K], first int, lo, hi []P, s *crew.Scratch) {
	bits, sums := crew.Alloc[K](s, len(lo)), f.dy.part(first, len(lo), s)
	for j, e := range hi {
		if e != lo[j] {
			sums[j] *= 0.5
		}
	}
	f.to.round(bits, sums)
	scatter(&f.to, first, lo, bits)
	scatter(&f.to, first, hi, bits)
}

// bits returns what an element of either class gets in lanes where they have n
// elements.
func (f *even[K]) bits(first int, classes [2]kernel.Class[K], n [2][]int, s *crew.Scratch) (bits [2][]K) {
	lanes := len(n[0])
	var sums [2][]float64
	for i := range bits {
		bits[i], sums[i] = crew.Alloc[K](s, lanes), crew.Alloc[float64](s, lanes)
	}
	for j, up := range f.dy.part(first, lanes, s) {
		part := 1.0
		if classes[0].Lo[j] != classes[1].Lo[j] {
			part = 0.5
		}
		lower, upper := n[0][j], n[1][j]
		if lower == 0 || upper == 0 {
			f.changed.Store(true)
		}
		sums[0][j] = part / float64(lower) * up
		sums[1][j] = part / float64(upper) * up
	}
	f.to.round(bits[0], sums[0])
	f.to.round(bits[1], sums[1])
	return bits
}

// rows writes the gradient of the elements of a stack row by row.
func (f *even[K]) rows(b *stack[K], classes [2]kernel.Class[K], bits [2][]K) {
	row := b.bits()
	b.parts(func(first int, keys []K) {
		for i := range len(keys) / b.lanes {
			kernel.GradEqual(row, keys[i*b.lanes:][:b.lanes], classes, bits)
			f.to.putRow(b.first, first+i, row)
		}
	})
}

// counted counts a lane by two keys, with all workers if it is a long one.
func (f *even[K]) counted(lane int, lo, hi K, s *crew.Scratch) (pieces, error) {
	if f.x.N >= sizes.Long {
		return f.inChunks(lane, lo, hi)
	}
	return f.inPieces(lane, lo, hi, s), nil
}

// lane shares the gradient of a lane, but where the middle elements have no
// equals: there it returns their positions, and -1 elsewhere.
func (f *even[K]) lane(lane int, s *crew.Scratch) (lo, hi int, err error) {
	classes := f.shares(make([]share[K], 0, 2), lane)
	lower, upper := &classes[0], &classes[len(classes)-1]
	var found [2]pieces
	var n [2]int
	if one := len(classes) == 1; lower.lo == lower.hi && upper.lo == upper.hi && !lower.nan() {
		// Each has a key of its own, and often one element.
		if found[0], err = f.counted(lane, lower.lo, upper.lo, s); err != nil {
			return -1, -1, err
		}
		n = [2]int{found[0].all.atLo, found[0].all.atHi}
		if one {
			n[1] = n[0]
		}
		if n[0] == 1 && n[1] == 1 {
			lo = f.find(&found[0], f.lo[lane], false, 0, s)
			if hi = lo; !one {
				hi = f.find(&found[0], f.hi[lane], true, 0, s)
			}
			return lo, hi, nil
		}
	} else {
		for i, c := range classes {
			if c.nan() {
				c.lo, c.hi = 0, 0 // NaNs are counted at any keys
			}
			if found[i], err = f.counted(lane, c.lo, c.hi, s); err != nil {
				return -1, -1, err
			}
			if n[i] = found[i].all.atLo + found[i].all.atHi; classes[i].nan() {
				n[i] = found[i].all.nan
			}
		}
		if one {
			n[1] = n[0]
		}
	}
	bits := [2]K{f.part(lower, lane, n[0]), f.part(upper, lane, n[1])}
	return -1, -1, f.write(lane, found, [2]K{lower.lo, upper.lo}, [2]K{lower.hi, upper.hi}, bits, s)
}

// part returns what an element of a class of n gets of the gradient of a lane.
func (f *even[K]) part(c *share[K], lane, n int) K {
	if n == 0 {
		f.changed.Store(true)
		return 0
	}
	return f.to.one(c.part / float64(n) * f.dy.at(lane))
}

// write writes bits to the gradient of the elements of two classes, in the pieces
// where some were found.
func (f *even[K]) write(lane int, found [2]pieces, lo, hi, bits [2]K, s *crew.Scratch) error {
	piece := func(i int, s *crew.Scratch) {
		hits := 0
		for _, p := range found {
			if p.counts != nil {
				hits += p.counts[i].atLo + p.counts[i].atHi + p.counts[i].nan
			}
		}
		if hits == 0 {
			return
		}
		from := i * found[0].length
		mark := s.Mark()
		keys := crew.Alloc[K](s, writeBlock)
		f.blocks(lane, from, min(from+found[0].length, f.x.N), writeBlock, s, func(block []K, first int) bool {
			kernel.Encode(keys[:len(block)], block, f.enc)
			if to := f.to.part(lane, first, len(block)); to != nil {
				kernel.GradEqualLane(to, keys, lo, hi, bits)
				return true
			}
			kernel.GradEqualLane(keys[:len(block)], keys, lo, hi, bits)
			f.to.putPart(lane, first, keys[:len(block)])
			return true
		})
		s.Release(mark)
	}
	if f.x.N >= sizes.Long {
		return f.pass(f.chunked(lane, 1), func(chunk, _, _ int, s *crew.Scratch) { piece(chunk, s) })
	}
	for i := range found[0].counts {
		piece(i, s)
	}
	return nil
}

// long shares the gradient of lanes of which each chunk is a task.
func (f *even[K]) long() error {
	var s crew.Scratch
	return f.groups(func(g chunks) error {
		if g.lanes == 1 {
			lo, hi, err := f.lane(g.first, &s)
			if err == nil {
				pairs(f, g.first, []int{lo}, []int{hi}, &s)
			}
			return err
		}
		t, err := f.tallied(g, f.classes)
		if err != nil {
			return err
		}
		b := f.stack(g.first, g.lanes, 0, 0, &s)
		bits := f.bits(g.first, f.classes(b, 0), t.n, &s)
		return f.pass(g, func(_, from, to int, s *crew.Scratch) {
			b := f.stack(g.first, g.lanes, from, to, s)
			f.rows(b, f.classes(b, 0), bits)
		})
	})
}
