package grad

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/rank"
)

// stackLanes is the fewest lanes side by side that a task takes: whole cache
// lines of each row. It takes an odd multiple of them, so that rows do not meet
// in the same places of the caches.
const stackLanes = 64

// stack is a block of evenly spaced lanes, best side by side, as rows of keys:
// row i has element i of each. It is read in parts of whole rows.
type stack[K kernel.Key] struct {
	f            *scan[K]
	s            *crew.Scratch
	first, lanes int
	from, to     int // rows
	keys         []K // of the part that was read last
	row          int // its first row, -1 if there is none
	n, at, limit []K // for tally
	most         []K // a limit that is none
}

func (f *scan[K]) stack(first, lanes, from, to int, s *crew.Scratch) *stack[K] {
	rows := min(max(sizes.Stack/(lanes*int(unsafe.Sizeof(K(0)))), 1), kernel.LocateRows, to-from)
	b := &stack[K]{f: f, s: s, first: first, lanes: lanes, from: from, to: to, row: -1}
	b.keys, b.n, b.at, b.limit = crew.Alloc[K](s, rows*lanes), b.bits(), b.bits(), b.bits()
	b.most = b.same(kernel.MaxKey[K]())
	return b
}

// bits returns room for an element of each lane.
func (b *stack[K]) bits() []K { return crew.Alloc[K](b.s, b.lanes) }

// ints returns room for an int of each lane.
func (b *stack[K]) ints() []int { return crew.Alloc[int](b.s, b.lanes) }

// same returns a key for each lane.
func (b *stack[K]) same(k K) []K {
	keys := b.bits()
	for j := range keys {
		keys[j] = k
	}
	return keys
}

// parts calls fn for the keys of the parts, with the number of their first row.
func (b *stack[K]) parts(fn func(row int, keys []K)) {
	_, step := b.f.x.Pitch()
	rows := len(b.keys) / b.lanes
	for row := b.from; row < b.to; row += rows {
		keys := b.keys[:min(rows, b.to-row)*b.lanes]
		if row != b.row {
			for i := 0; i < len(keys); i += b.lanes {
				kernel.EncodeStrided(unsafe.Pointer(&keys[i]), 1, b.f.x.Pointer(b.first, row+i/b.lanes), step, b.lanes, b.f.enc)
			}
			b.row = row
		}
		fn(row, keys)
	}
}

// tally counts in n[j] the elements of lane j that are in its class. at[j] is the
// number of the one numbered limit[j] among them, counted from 0, or of the last
// if there are fewer or limit is nil; if there is none, it says nothing.
func (b *stack[K]) tally(c kernel.Class[K], limit, n, at []int) {
	clear(n)
	most := b.most
	b.parts(func(row int, keys []K) {
		if limit != nil {
			most = b.limit
			for j, l := range limit {
				most[j] = K(min(max(l-n[j], -1), kernel.LocateRows))
			}
		}
		kernel.CountAndLocate(b.n, b.at, keys, c, most)
		if row == b.from {
			for j, m := range b.n {
				n[j], at[j] = int(m), row+int(b.at[j])
			}
			return
		}
		for j, m := range b.n {
			if m > 0 && most[j] >= 0 {
				at[j] = row + int(b.at[j])
			}
			n[j] += int(m)
		}
	})
}

// once reports whether each lane has one element in its class and the stack is
// read in one part; then at has their positions.
func (b *stack[K]) once(c kernel.Class[K], at []K) bool {
	if len(b.keys) < (b.to-b.from)*b.lanes {
		return false
	}
	b.parts(func(_ int, keys []K) { kernel.CountAndLocate(b.n, at, keys, c, b.most) })
	return kernel.AllOne(b.n)
}

// class returns the class of each lane that has what is equal to its value bit
// for bit, or all NaNs.
func (b *stack[K]) class(values []K) kernel.Class[K] {
	keys := b.bits()
	kernel.Encode(keys, values, b.f.enc)
	return kernel.Class[K]{Lo: keys, Hi: keys}
}

// positions finds the positions of quantile q, of which the first lane's has the
// number i, and reports whether there are any in each lane; only lower ones if hi
// is nil.
func (b *stack[K]) positions(q, i int, lo, hi []int) bool {
	f := b.f
	mark := b.s.Mark()
	defer b.s.Release(mark)
	low := b.class(f.lo[i : i+b.lanes])
	high, upper := low, []int(nil)
	if hi != nil && f.weighs(q) {
		high, upper = b.class(f.hi[i:i+b.lanes]), hi
	}
	alone := b.alone(low, lo) && (upper == nil || b.alone(high, upper))
	if !alone {
		b.numbered(q, low, high, lo, upper)
	}
	switch {
	case hi == nil:
	case !f.weighs(q):
		copy(hi, lo)
	case len(f.g) == len(f.lo):
		for j, g := range f.g[i : i+b.lanes] {
			if g == 0 {
				hi[j] = lo[j]
			}
		}
	}
	return alone || !negative(lo) && !negative(hi)
}

// negative reports whether there is a negative number.
func negative(at []int) bool {
	signs := 0
	for _, e := range at {
		signs |= e
	}
	return signs < 0
}

// alone sets the positions, and reports whether that is done: it is where once is
// true.
func (b *stack[K]) alone(c kernel.Class[K], at []int) bool {
	if !b.once(c, b.at) {
		return false
	}
	for j, e := range b.at[:len(at)] {
		at[j] = int(e)
	}
	return true
}

// numbered is positions where elements may have equals, -1 where there is none.
// The rank decides: the order statistic of rank k with b smaller elements is the
// one numbered k-b.
func (b *stack[K]) numbered(q int, low, high kernel.Class[K], lo, hi []int) {
	f := b.f
	n := b.ints()
	b.tally(low, nil, n, lo)
	m := n
	if hi != nil {
		m = b.ints()
		b.tally(high, nil, m, hi)
	}
	if kernel.AllOne(n) && kernel.AllOne(m) {
		return
	}
	below, nans, none := b.ints(), b.ints(), b.ints()
	smaller := kernel.Class[K]{Lo: b.same(kernel.MinKey[K]()), Hi: b.bits()}
	for j, k := range low.Lo {
		smaller.Hi[j] = k - 1
	}
	b.tally(smaller, nil, below, none)
	clear(nans)
	if f.c.skipNaN {
		every := kernel.Class[K]{Lo: b.most, Hi: b.most}
		b.tally(every, nil, nans, none)
	}
	first, second := b.ints(), b.ints() // numbers among the equals
	known := 0
	var p rank.Position
	for j, k := range low.Lo {
		valid := f.x.N - nans[j]
		switch {
		case k == kernel.MaxKey[K]() && !f.c.skipNaN: // the last NaN
			first[j] = n[j] - 1
			second[j] = first[j]
			continue
		case k == kernel.MaxKey[K](): // the first of nothing but NaN
			first[j], second[j] = 0, 0
			continue
		case valid == 0:
			first[j], second[j] = -1, -1
			continue
		case valid != known:
			p, known = f.plan.Position(q, int64(valid)), valid
		}
		first[j], second[j] = int(p.Lo)-below[j], int(p.Hi)-below[j]
		if high.Lo[j] != k {
			second[j] = 0
		}
	}
	b.choose(low, first, n, lo)
	if hi != nil {
		b.choose(high, second, m, hi)
	}
}

// choose finds the elements of a class of n that have the given numbers.
func (b *stack[K]) choose(c kernel.Class[K], numbers, n, at []int) {
	b.tally(c, numbers, b.ints(), at)
	for j, k := range numbers {
		if k < 0 || k >= n[j] {
			at[j] = -1
		}
	}
}
