package selection

import "github.com/ogive-go/ogive/internal/kernel"

// chooseScale sets the scale to the one whose cells are expected to hold the
// fewest other keys along with the targets: spread evenly over the values or over the
// keys, which are the logarithms of the values, with or without the tails.
func (nw *Narrowing[K]) chooseScale() {
	sample := nw.sample
	if e := nw.enc; e.Code == kernel.Float {
		if from, to := nw.sampled(^e.Inf+1, e.Inf-1); from < to {
			sample = sample[from:to]
		}
	}
	least := len(nw.sample) + 1
	for _, tail := range [4]int{len(sample), 1024, 64, 16} {
		cut := len(sample) / tail
		if tail == len(sample) {
			cut = 0
		}
		lo, hi := sample[cut], sample[len(sample)-1-cut]
		for _, byValue := range [2]bool{false, true} {
			var s kernel.Bins[K]
			if byValue && !canScaleValues(nw.enc) || !s.Between(lo, hi, nw.enc, byValue) {
				continue
			}
			if n := nw.alongside(&s, least); n < least {
				least, nw.scale = n, s
			}
		}
	}
}

// canScaleValues reports whether a scale by value is known for the elements.
func canScaleValues[K kernel.Key](e kernel.Encoding[K]) bool {
	return e.Code == kernel.Float && kernel.BlockLanes[K]() <= kernel.BlockLanes[int32]()
}

// cellOf returns the cell of a key.
func (nw *Narrowing[K]) cellOf(s *kernel.Bins[K], key K) int {
	return s.BinOf(s.Element(key, nw.enc))
}

// alongside returns how many keys of the sample are in cells with open targets, but
// for the copies of what seem to be the targets; it stops counting at the given number.
func (nw *Narrowing[K]) alongside(s *kernel.Bins[K], most int) (n int) {
	m := len(nw.sample)
	end := 0 // of the cell before
	for i := range nw.targets {
		if n >= most {
			break
		}
		at := nw.expectedAt(&nw.targets[i])
		if at < end || nw.targets[i].done {
			continue
		}
		key := nw.sample[at]
		c := nw.cellOf(s, key)
		for i := at - 1; i >= end && nw.cellOf(s, nw.sample[i]) == c; i-- {
			if nw.sample[i] != key {
				n++
			}
		}
		for end = at + 1; end < m && nw.cellOf(s, nw.sample[end]) == c; end++ {
			if nw.sample[end] != key {
				n++
			}
		}
	}
	return n
}

// settleScale narrows the targets to their cells, of which they keep the count:
// that of the part of a cell to which a target was known to belong is not.
func (nw *Narrowing[K]) settleScale() {
	s := &nw.scale
	if !s.ByValue && nw.enc.Code == kernel.Float {
		nw.counts[s.BinOf(kernel.MaxKey[K]())] -= int64(nw.nan)
	}
	for i := range nw.heavy {
		nw.heavy[i].copies = nw.counts[kernel.BinCount+i]
	}
	cell, known := 0, -1
	var below int64           // keys before the cell
	var lo, hi, first, last K // the interval of the target before, and the part in its cell, known
	for i := range nw.targets {
		t := &nw.targets[i]
		if t.done {
			continue
		}
		for ; below+nw.counts[cell] <= t.k; cell++ {
			below += nw.counts[cell]
		}
		if cell != known || t.lo != lo || t.hi != hi {
			known, lo, hi = cell, t.lo, t.hi
			first, last = s.FirstIn(cell, lo, hi, nw.enc), hi
			if cell+1 < kernel.BinCount {
				if next := s.FirstIn(cell+1, lo, hi, nw.enc); nw.cellOf(s, next) > cell {
					last = next - 1
				}
			}
		}
		t.lo, t.hi = first, last
		t.below, t.inside, t.cell = below, nw.counts[cell], cell
		nw.settleHeavy(t)
	}
}
