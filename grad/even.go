package grad

import (
	"sync/atomic"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/selection"
)

// evenly is the pullback of a median without index.
func (c *call) evenly(dy *ogive.Tensor) (*ogive.Tensor, error) {
	return c.pull(dy, evenRule[int16](c), evenRule[int32](c), evenRule[int64](c))
}

// evenRule returns the even rule for elements of one width.
func evenRule[K kernel.Key](c *call) func(dx *nd.Array, dy []float64) error {
	return func(dx *nd.Array, dy []float64) error {
		e := even[K]{scan: newScan[K](c), dy: dy, to: newGradient[K](c, dx)}
		var err error
		switch {
		case c.plan.Weights() != nil:
			err = e.weighted()
		case e.x.N >= sizes.Long:
			err = e.long()
		default:
			err = e.short()
		}
		if err == nil && e.changed.Load() {
			err = c.fail(ErrChanged, "%v", ErrChanged)
		}
		return err
	}
}

// even shares the gradient of medians. It looks for the middle values bit by
// bit first: mostly nothing else is equal to them. Lanes where something is,
// zeros that may come with two signs, and NaNs are looked at again.
type even[K kernel.Key] struct {
	*scan[K]
	dy      []float64
	to      gradient[K]
	changed atomic.Bool
}

// share is what a class of equal elements gets of the gradient.
type share[K kernel.Key] struct {
	nan  bool    // the class is that of NaNs, otherwise
	mask K       // that of elements which under the mask
	like K       // are like this one
	part float64 // of the gradient
}

// has reports whether an element is in the class.
func (f *even[K]) has(c *share[K], v K) bool {
	if c.nan {
		return f.isNaN(v)
	}
	return v&c.mask == c.like
}

// size counts the elements of a block in a class.
func (f *even[K]) size(c *share[K], block []K) (n int) {
	if c.nan {
		for _, v := range block {
			if f.isNaN(v) {
				n++
			}
		}
		return n
	}
	for _, v := range block {
		if v&c.mask == c.like {
			n++
		}
	}
	return n
}

// write writes bits to the gradient of the elements of a block in a class; first
// is the number of the block's first element.
func (f *even[K]) write(c *share[K], lane, first int, block []K, bits K) {
	if !f.to.lanes.Even() {
		for i, v := range block {
			if f.has(c, v) {
				f.to.put(lane, first+i, bits)
			}
		}
		return
	}
	element, _ := f.to.lanes.Pitch()
	p := f.to.lanes.Pointer(lane, first)
	for i, v := range block {
		if f.has(c, v) {
			*(*K)(unsafe.Add(p, i*element*int(unsafe.Sizeof(v)))) = bits
		}
	}
}

// class returns the class of a number: of both zeros if it is one.
func class[K kernel.Key](v K, part float64) share[K] {
	if v&kernel.MaxKey[K]() == 0 {
		return share[K]{mask: kernel.MaxKey[K](), part: part}
	}
	return share[K]{mask: ^K(0), like: v, part: part}
}

// shares appends the classes among which the gradient of a lane is shared.
func (f *even[K]) shares(dst []share[K], lane int) []share[K] {
	a := f.lo[lane]
	if a == f.nan {
		return append(dst, share[K]{nan: true, part: 1})
	}
	if f.weight(0, lane) == 0 {
		return append(dst, class(a, 1))
	}
	lower, upper := class(a, 0.5), class(f.hi[lane], 0.5)
	if lower == upper {
		return append(dst, class(a, 1))
	}
	return append(dst, lower, upper)
}

// single reports whether the middle elements of a lane are no zeros and were met
// once each.
func (f *even[K]) single(lane int, lo, hi tally) bool {
	a := f.lo[lane]
	if a == f.nan || a&kernel.MaxKey[K]() == 0 || lo < 0 {
		return false
	}
	return f.weight(0, lane) == 0 || f.hi[lane]&kernel.MaxKey[K]() != 0 && hi >= 0
}

// singles writes the gradient of neighbouring lanes whose middle elements have
// no equals, and calls rest for the others. It overwrites the tallies.
func (f *even[K]) singles(first int, lo, hi []tally, s *selection.Scratch, rest func(lane int)) {
	mark := s.Mark()
	bits, parts := selection.Alloc[K](s, len(lo)), selection.Alloc[float64](s, len(lo))
	for j := range parts {
		lane, upper := first+j, none
		if hi != nil {
			upper = hi[j]
		}
		parts[j] = f.dy[lane]
		switch {
		case !f.single(lane, lo[j], upper):
			rest(lane)
			lo[j], upper = none, none
		case f.weight(0, lane) == 0:
			upper = none
		default:
			parts[j] *= 0.5
		}
		if hi != nil {
			hi[j] = upper
		}
	}
	f.to.round(bits, parts)
	f.to.scatter(first, lo, bits)
	f.to.scatter(first, hi, bits)
	s.Release(mark)
}

// short shares the gradient of lanes that a task takes whole.
func (f *even[K]) short() error {
	l, width := &f.x, f.width()
	return f.plan.Each((l.Count+width-1)/width, l.N*l.Count, func(task int, s *selection.Scratch) {
		first := task * width
		lo, hi := selection.Alloc[tally](s, min(width, l.Count-first)), []tally(nil)
		if f.paired {
			hi = selection.Alloc[tally](s, len(lo))
		}
		f.count(0, first, 0, l.N, lo, hi, s)
		copied := selection.Alloc[K](s, l.N)
		f.singles(first, lo, hi, s, func(lane int) {
			l.Gather(unsafe.Pointer(unsafe.SliceData(copied)), lane, 1, 0, l.N)
			for _, c := range f.shares(make([]share[K], 0, 2), lane) {
				f.write(&c, lane, 0, copied, f.part(&c, lane, f.size(&c, copied)))
			}
		})
	})
}

// part returns what an element of a class of n gets of the gradient of a lane.
func (f *even[K]) part(c *share[K], lane, n int) K {
	if n == 0 {
		f.changed.Store(true)
		return 0
	}
	return f.to.one(c.part / float64(n) * f.dy[lane])
}

// long shares the gradient of lanes of which each chunk is a task.
func (f *even[K]) long() error {
	var s selection.Scratch
	return f.groups(func(g chunks) error {
		lo, hi, err := f.tallies(g)
		if err == nil {
			f.singles(g.first, lo, hi, &s, func(lane int) {
				if err == nil {
					err = f.among(lane)
				}
			})
		}
		return err
	})
}

// among shares the gradient of a long lane in two passes: one counts, one
// writes, where there is something to write.
func (f *even[K]) among(lane int) error {
	g := chunks{first: lane, lanes: 1, length: sizes.Task, count: (f.x.N + sizes.Task - 1) / sizes.Task}
	found := make([]int, g.count)
	for _, c := range f.shares(nil, lane) {
		err := f.pass(g, func(chunk, from, to int, s *selection.Scratch) {
			found[chunk] = 0
			f.blocks(lane, from, to, s, func(block []K, _ int) bool {
				found[chunk] += f.size(&c, block)
				return true
			})
		})
		if err != nil {
			return err
		}
		n := 0
		for _, m := range found {
			n += m
		}
		bits := f.part(&c, lane, n)
		err = f.pass(g, func(chunk, from, to int, s *selection.Scratch) {
			if found[chunk] == 0 {
				return
			}
			f.blocks(lane, from, to, s, func(block []K, first int) bool {
				f.write(&c, lane, first, block, bits)
				return true
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
