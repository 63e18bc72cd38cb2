package selection

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
)

// Bytes take few values, so a pass over them counts the keys up to each of some
// bounds and collects none: eight at a time, which tell one value from the next
// where an order statistic is expected.

// chooseBounds sets the bounds of a pass over 8-bit keys: next to each other in
// the middle of a bracket, as far as it is trusted, and evenly spaced in it
// otherwise.
func (nw *Narrowing[K]) chooseBounds() {
	nw.bounds = nw.bounds[:0]
	for _, b := range nw.brackets {
		lo, hi := int(b.lo), int(b.hi)
		var eight [kernel.Bounds]int8
		if trusted := nw.pass <= sampledPasses; trusted || hi-lo < kernel.Bounds {
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
		nw.bounds = append(nw.bounds, eight)
	}
}

// countAtMost counts a block of bytes.
func (p *Pass[K]) countAtMost(elements []K) {
	nw := p.nw
	bytes := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(elements))), len(elements))
	e := kernel.Encoding[int8]{Code: nw.enc.Code}
	for i := range nw.bounds {
		counts := (*[kernel.Bounds]int64)(p.counts[i*kernel.Bounds:])
		kernel.CountAtMost(counts, bytes, e, &nw.bounds[i])
	}
}

// settleBounds narrows the targets by the counts up to the bounds.
func (nw *Narrowing[K]) settleBounds() {
	for i := range nw.targets {
		t := &nw.targets[i]
		if t.done {
			continue
		}
		above := t.below + t.inside
		for j, n := range nw.counts {
			bound := K(nw.bounds[j/kernel.Bounds][j%kernel.Bounds])
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
