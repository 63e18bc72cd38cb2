package rolling

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

const (
	// digits are the passes of the radix sort, each over some bits of a prefix of the keys.
	// The prefix has 32 bits at most, as it stands beside an element's place.
	digits = 3

	// wideDigit and narrowDigit are how many bits a pass looks at: the wide one's counters
	// fit the first-level cache, but take longer to add up than few elements to sort.
	wideDigit, narrowDigit = 11, 8

	// wideMin and radixMin are the numbers of elements from which digits are wide, and from
	// which they are sorted by radix at all.
	wideMin, radixMin = 1 << 13, 128

	// insertMax is the longest run that is sorted by insertion.
	insertMax = 24
)

// nan is the rank of every NaN.
const nan = ^uint32(0)

// arrange sets order to the keys in ascending order and ranks to where each key stands
// there, equal keys in the order of their places. Keys from limit on are left out: their
// rank is nan. It returns how many keys order has.
//
// Elements are sorted by the upper bits of their distance from the smallest key, which
// tell most of them apart; those that have them in common are then compared.
func arrange[K kernel.Key](keys, order []K, ranks []uint32, limited bool, limit K, s *crew.Scratch) int {
	mark := s.Mark()
	defer s.Release(mark)
	lo, hi := kernel.MaxKey[K](), kernel.MinKey[K]()
	for _, k := range keys {
		if limited && k >= limit {
			continue
		}
		lo, hi = min(lo, k), max(hi, k)
	}
	if lo > hi { // nothing is left
		for i := range keys {
			ranks[i] = nan
		}
		return 0
	}
	span := bits.Len64(uint64(int64(hi)) - uint64(int64(lo)))
	digit := wideDigit
	if len(keys) < wideMin {
		digit = narrowDigit
	}
	shift := max(span-min(digits*digit, 32), 0)
	places := crew.Alloc[uint64](s, len(keys))[:0]
	base := uint64(int64(lo))
	for i, k := range keys {
		if limited && k >= limit {
			ranks[i] = nan
			continue
		}
		places = append(places, (uint64(int64(k))-base)>>shift<<32|uint64(i))
	}
	if len(places) < radixMin {
		slices.Sort(places)
	} else {
		places = byRadix(places, crew.Alloc[uint64](s, len(places)), span-shift, digit, s)
	}
	if shift > 0 {
		compareTies(places, keys)
	}
	for j, p := range places {
		i := uint32(p)
		order[j] = keys[i]
		ranks[i] = uint32(j)
	}
	return len(places)
}

// byRadix sorts places by their upper halves, of which so many bits are not zero, digit by
// digit. It returns the sorted ones, in its memory or that of other.
func byRadix(places, other []uint64, width, digit int, s *crew.Scratch) []uint64 {
	passes, mask := (width+digit-1)/digit, uint64(1)<<digit-1
	counts := crew.Alloc[uint32](s, digits<<digit)
	clear(counts)
	c0, c1, c2 := counts[:1<<digit], counts[1<<digit:][:1<<digit], counts[2<<digit:]
	for _, p := range places {
		p >>= 32
		c0[p&mask]++
		c1[p>>digit&mask]++
		c2[p>>(2*digit)&mask]++
	}
	for d := range passes {
		by, at := counts[d<<digit:][:1<<digit], uint32(0)
		for i, n := range by {
			by[i] = at
			at += n
		}
		shift := uint(32 + d*digit)
		for _, p := range places {
			i := p >> shift & mask
			other[by[i]] = p
			by[i]++
		}
		places, other = other, places
	}
	return places
}

// compareTies sorts places with the same upper half by their keys.
func compareTies[K kernel.Key](places []uint64, keys []K) {
	for i := 1; i < len(places); i++ {
		if places[i]>>32 != places[i-1]>>32 {
			continue
		}
		from := i - 1
		for i++; i < len(places) && places[i]>>32 == places[from]>>32; i++ {
		}
		run := places[from:i]
		if len(run) > insertMax {
			slices.SortFunc(run, func(a, b uint64) int {
				if c := cmp.Compare(keys[uint32(a)], keys[uint32(b)]); c != 0 {
					return c
				}
				return cmp.Compare(a, b)
			})
			continue
		}
		for j := 1; j < len(run); j++ {
			p := run[j]
			k := j
			for ; k > 0 && keys[uint32(run[k-1])] > keys[uint32(p)]; k-- {
				run[k] = run[k-1]
			}
			run[k] = p
		}
	}
}
