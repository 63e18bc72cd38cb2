package stream

import (
	"math/bits"

	"github.com/ogive-go/ogive/internal/kernel"
)

// binsMost bounds the bins of a histogram: of more, the bytes that are counted in do not
// fit into a core's cache, and fewer leave more keys of a float64 in a bin.
const binsMost = 1 << 20

// binBytes is the memory of a bin.
const binBytes = 9

// histogram counts keys by bins of 2^shift neighbouring keys. The shift is the smallest
// with which the bins between that of the smallest key and that of the largest are no
// more than most, so that the counts are those of the multiset of the keys: in which
// order these came, and from how many histograms, does not show.
//
// Zeros and infinities are counted apart: a few of them do not stretch the range.
type histogram[K kernel.Key] struct {
	enc     kernel.Encoding[K]
	most    int  // a power of two
	used    bool // there is a bin
	shift   uint
	lo, hi  int64   // the first and the last bin: keys >> shift
	first   uint64  // where the counts of bin lo are
	counts  []int64 // in a circle, whose length is a power of two
	recent  []uint8 // to be added to counts
	special [4]int64
}

// specials returns the keys that are counted apart, ascending.
func (h *histogram[K]) specials() [4]K { return [4]K{^h.enc.Inf, -1, 0, h.enc.Inf} }

// isSpecial returns which of the specials a key is, or -1.
func (h *histogram[K]) isSpecial(k K) int {
	switch {
	case h.enc.Code != kernel.Float:
		return -1
	case k == ^h.enc.Inf:
		return 0
	case k == -1:
		return 1
	case k == 0:
		return 2
	case k == h.enc.Inf:
		return 3
	}
	return -1
}

// bins returns how many bins there are. It is what loops over them count by: the last
// one may be the largest int64.
func (h *histogram[K]) bins() int64 {
	if !h.used {
		return 0
	}
	return h.hi - h.lo + 1
}

// at returns where the count of a bin is.
func (h *histogram[K]) at(bin int64) int {
	return int((uint64(bin-h.lo) + h.first) & uint64(len(h.counts)-1))
}

// in returns the count of a bin.
func (h *histogram[K]) in(bin int64) int64 {
	i := h.at(bin)
	return h.counts[i] + int64(h.recent[i])
}

// has reports whether a bin is between the first and the last.
func (h *histogram[K]) has(bin int64) bool { return h.used && h.lo <= bin && bin <= h.hi }

// add counts keys. scratch is memory for as many. Where bins hold all of them the special
// ones are counted along and then taken out of their bins; else they are left out first, so
// that infinities and zeros do not extend the range.
func (h *histogram[K]) add(keys, scratch []K) {
	if h.holds(keys) {
		h.increment(keys)
		if h.enc.Code == kernel.Float {
			for i, s := range h.specials() {
				if bin := int64(s) >> h.shift; h.has(bin) {
					h.counts[h.at(bin)] -= h.setApart(keys, i)
				}
			}
		}
		return
	}
	if h.enc.Code == kernel.Float {
		for i := range h.special {
			h.setApart(keys, i)
		}
		keys = scratch[:h.ordinary(scratch, keys)]
	}
	if len(keys) == 0 {
		return
	}
	if !h.holds(keys) {
		lo, hi := keys[0], keys[0]
		for _, k := range keys {
			lo, hi = min(lo, k), max(hi, k)
		}
		h.extend(int64(lo), int64(hi), 0)
	}
	h.increment(keys)
}

// holds reports whether keys are in bins that there are.
func (h *histogram[K]) holds(keys []K) bool {
	if !h.used {
		return false
	}
	below, _ := kernel.CountBelow(keys, K(h.lo<<h.shift))
	least, equal := kernel.CountBelow(keys, K(h.hi<<h.shift+(1<<h.shift-1)))
	return below == 0 && least+equal == len(keys)
}

// increment counts keys in the bins that hold them, special or not. The loop is most of the
// cost of a pass: it does not look whether there are such bins, and touches a byte of
// each, so that those of all bins fit into a core's cache. With counts of 8 bytes keys
// from the whole range of int64 take two to four times as long in two workers.
func (h *histogram[K]) increment(keys []K) {
	recent := h.recent
	mask := uint64(len(recent) - 1)
	shift, from := h.shift&63, h.first-uint64(h.lo)
	for _, k := range keys {
		at := (uint64(int64(k)>>shift) + from) & mask
		n := recent[at] + 1
		recent[at] = n
		if n == 0 {
			h.counts[at] += 1 << 8
		}
	}
}

// setApart counts the copies of a special key among keys, and returns their number.
func (h *histogram[K]) setApart(keys []K, special int) int64 {
	_, n := kernel.CountBelow(keys, h.specials()[special])
	h.special[special] += int64(n)
	return int64(n)
}

// ordinary writes the keys that are not special to dst, and returns how many there are.
// dst must hold all.
func (h *histogram[K]) ordinary(dst, keys []K) (n int) {
	dst = dst[:len(keys)]
	inf := uint64(h.enc.Inf)
	for _, k := range keys {
		v := int64(k)
		dst[n] = k
		if uint64(v^v>>63)-1 < inf-1 { // neither 0 nor inf, of either sign
			n++
		}
	}
	return n
}

// count counts n copies of a key.
func (h *histogram[K]) count(k K, n int64) {
	if i := h.isSpecial(k); i >= 0 {
		h.special[i] += n
		return
	}
	if bin := int64(k) >> h.shift; !h.has(bin) {
		h.extend(int64(k), int64(k), 0)
	}
	h.counts[h.at(int64(k)>>h.shift)] += n
}

// extend extends the range to bins lo … hi of 2^shift keys each.
func (h *histogram[K]) extend(lo, hi int64, shift uint) {
	s := max(h.shift, shift)
	if h.used {
		lo, hi = min(lo>>(s-shift), h.lo>>(s-h.shift)), max(hi>>(s-shift), h.hi>>(s-h.shift))
	} else {
		lo, hi = lo>>(s-shift), hi>>(s-shift)
	}
	for uint64(hi)-uint64(lo) >= uint64(h.most) {
		lo, hi = lo>>1, hi>>1
		s++
	}
	h.coarsen(s)
	if !h.used {
		h.lo, h.hi, h.used = lo, lo, true
	}
	h.grow(int(hi - lo + 1))
	h.first -= uint64(h.lo - lo)
	h.lo, h.hi = lo, hi
}

// coarsen raises the shift. The counts of the new bins come to lie from where those of
// the first old one were: never beyond the old ones that they are made of.
func (h *histogram[K]) coarsen(shift uint) {
	by := shift - h.shift
	h.shift = shift
	if !h.used || by == 0 {
		return
	}
	h.fold()
	mask := uint64(len(h.counts) - 1)
	lo := h.lo >> by
	for i := range h.bins() {
		bin := h.lo + i
		from := &h.counts[(uint64(bin-h.lo)+h.first)&mask]
		n := *from
		*from = 0
		h.counts[(uint64(bin>>by-lo)+h.first)&mask] += n
	}
	h.lo, h.hi = lo, h.hi>>by
}

// fold adds what is recent to the counts.
func (h *histogram[K]) fold() {
	for i, n := range h.recent {
		h.counts[i] += int64(n)
	}
	clear(h.recent)
}

// grow makes room for so many bins.
func (h *histogram[K]) grow(bins int) {
	if bins <= len(h.counts) {
		return
	}
	h.fold()
	counts := make([]int64, 1<<bits.Len(uint(bins-1)))
	for i := range h.counts {
		counts[i] = h.counts[(uint64(i)+h.first)&uint64(len(h.counts)-1)]
	}
	h.counts, h.recent, h.first = counts, make([]uint8, len(counts)), 0
}

// merge adds the counts of another histogram.
func (h *histogram[K]) merge(o *histogram[K]) {
	for i, n := range o.special {
		h.special[i] += n
	}
	if !o.used {
		return
	}
	h.extend(o.lo, o.hi, o.shift)
	for i := range o.bins() {
		bin := o.lo + i
		h.counts[h.at(bin>>(h.shift-o.shift))] += o.in(bin)
	}
}

// cell is a run of keys with the number of those counted in it.
type cell[K kernel.Key] struct {
	lo, hi K
	n      int64
}

// cells calls yield for the cells that hold keys, ascending: the bins, without the
// special keys, and these.
func (h *histogram[K]) cells(yield func(cell[K])) {
	apart := func(i int) {
		if h.special[i] > 0 {
			k := h.specials()[i]
			yield(cell[K]{k, k, h.special[i]})
		}
	}
	apart(0)
	zeros := false
	for i := range h.bins() {
		bin := h.lo + i
		if bin >= 0 && !zeros {
			apart(1)
			apart(2)
			zeros = true
		}
		n := h.in(bin)
		if n == 0 {
			continue
		}
		lo := bin << h.shift
		c := cell[K]{K(lo), K(lo + (1<<h.shift - 1)), n}
		if h.enc.Code == kernel.Float {
			c.lo, c.hi = max(c.lo, ^h.enc.Inf+1), min(c.hi, h.enc.Inf-1)
			if c.hi == -1 {
				c.hi--
			}
			if c.lo == 0 {
				c.lo++
			}
		}
		yield(c)
	}
	if !zeros {
		apart(1)
		apart(2)
	}
	apart(3)
}
