package rolling

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/partition"
)

// Elements are sorted by radix in so many passes, each by a digit of so many bits of a prefix
// of their keys, which stands beside an element's place.
const digits, digitBits = 4, 8

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
	shift := max(span-digits*digitBits, 0)
	places := crew.Alloc[uint64](s, len(keys))[:0]
	base := uint64(int64(lo))
	for i, k := range keys {
		if limited && k >= limit {
			ranks[i] = nan
			continue
		}
		places = append(places, (uint64(int64(k))-base)>>shift<<32|uint64(i))
	}
	places = byRadix(places, crew.Alloc[uint64](s, len(places)), span-shift)
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
func byRadix(places, other []uint64, width int) []uint64 {
	const mask = 1<<digitBits - 1
	var memory [digits][1 << digitBits]uint32
	counts := memory[:(width+digitBits-1)/digitBits]
	for _, p := range places {
		for d := range counts {
			counts[d][p>>(32+d*digitBits)&mask]++
		}
	}
	for d := range counts {
		by, at := &counts[d], uint32(0)
		for i, n := range by {
			by[i] = at
			at += n
		}
		shift := 32 + d*digitBits
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
		if !partition.Few(len(run)) {
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
