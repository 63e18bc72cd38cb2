package narrow

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// bytes counts the keys up to each of some bounds and collects none, as bytes
// take few values: eight bounds at a time, which tell one value from the next
// where an order statistic is expected.
type bytes[K kernel.Key] struct {
	ends [][kernel.Bounds]int8
}

// begin prepares a pass: the bounds are next to each other in the middle of an
// interval, as far as it is trusted, and evenly spaced in it otherwise.
func (b *bytes[K]) begin(l *lane[K], list []interval[K]) {
	b.ends = b.ends[:0]
	for _, v := range list {
		lo, hi := int(v.lo), int(v.hi)
		var eight [kernel.Bounds]int8
		if l.trusting() || hi-lo < kernel.Bounds {
			// The first bound is the last value before those told apart.
			first := (lo+hi-kernel.Bounds)>>1 + 1
			first = min(max(first, -128), 127-kernel.Bounds+1)
			for i := range eight {
				eight[i] = int8(first + i)
			}
		} else {
			for i := range eight {
				eight[i] = int8(lo + (hi-lo)*(i+1)/(kernel.Bounds+1))
			}
		}
		b.ends = append(b.ends, eight)
	}
	l.counted.reset(kernel.Bounds * len(b.ends))
}

func (b *bytes[K]) prepare(w *worker[K], _ *crew.Scratch) { w.block = singleBlock }

func (b *bytes[K]) add(w *worker[K], elements []K) {
	of := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(elements))), len(elements))
	e := kernel.Encoding[int8]{Code: w.lane.call.Encoding.Code}
	for i := range b.ends {
		kernel.CountAtMost((*[kernel.Bounds]int64)(w.counts[i*kernel.Bounds:]), of, e, &b.ends[i])
	}
}

func (b *bytes[K]) finish(*worker[K]) {}

// settle narrows the targets to what lies between two bounds.
func (b *bytes[K]) settle(l *lane[K]) {
	for i := range l.targets {
		t := &l.targets[i]
		if t.done {
			continue
		}
		above := t.below + t.inside
		for j, n := range l.counted.counts {
			bound := K(b.ends[j/kernel.Bounds][j%kernel.Bounds])
			if n <= t.k && bound >= t.lo {
				t.lo, t.below = bound+1, n
			}
			if n > t.k && bound <= t.hi {
				t.hi, above = bound, n
			}
		}
		t.inside = above - t.below
	}
}
