package rolling

import "math/bits"

// levels is the most levels that a set of 2^32 numbers has.
const levels = 6

// bitset is a set of small numbers, a bit each. A bit of a level above says whether a
// word of the one below has any, so that the next number and the one before are found in
// a few steps however far they are.
type bitset struct {
	level [levels][]uint64
	depth int
}

// words returns how many words a set of the numbers below n takes.
func words(n int) (total int) {
	for {
		n = (n + 63) / 64
		total += n
		if n <= 1 {
			return total
		}
	}
}

// init makes b the empty set of numbers below n in memory of so many words.
func (b *bitset) init(memory []uint64, n int) {
	clear(memory)
	for b.depth = 0; ; {
		n = (n + 63) / 64
		b.level[b.depth], memory = memory[:n:n], memory[n:]
		b.depth++
		if n <= 1 {
			return
		}
	}
}

// add adds a number that is not in b.
func (b *bitset) add(i uint32) {
	word := &b.level[0][i>>6]
	old := *word
	*word = old | 1<<(i&63)
	if old == 0 {
		b.mark(i >> 6)
	}
}

// mark says that a word of the lowest level has bits.
func (b *bitset) mark(i uint32) {
	for k := 1; k < b.depth; k++ {
		word := &b.level[k][i>>6]
		old := *word
		*word = old | 1<<(i&63)
		if old != 0 {
			return
		}
		i >>= 6
	}
}

// remove removes a number that is in b.
func (b *bitset) remove(i uint32) {
	word := &b.level[0][i>>6]
	left := *word &^ (1 << (i & 63))
	*word = left
	if left == 0 {
		b.unmark(i >> 6)
	}
}

// unmark says that a word of the lowest level has no bits.
func (b *bitset) unmark(i uint32) {
	for k := 1; k < b.depth; k++ {
		word := &b.level[k][i>>6]
		left := *word &^ (1 << (i & 63))
		*word = left
		if left != 0 {
			return
		}
		i >>= 6
	}
}

// from returns the smallest number of b that is i or larger. There must be one.
func (b *bitset) from(i uint32) uint32 {
	if w := b.level[0][i>>6] >> (i & 63); w != 0 {
		return i + uint32(bits.TrailingZeros64(w))
	}
	k := 0
	for {
		i = i>>6 + 1
		k++
		level := b.level[k]
		if int(i>>6) < len(level) {
			if w := level[i>>6] >> (i & 63); w != 0 {
				i += uint32(bits.TrailingZeros64(w))
				break
			}
		}
	}
	for ; k > 0; k-- {
		i = i<<6 + uint32(bits.TrailingZeros64(b.level[k-1][i]))
	}
	return i
}

// before returns the largest number of b that is smaller than i. There must be one.
func (b *bitset) before(i uint32) uint32 {
	k := 0
	for {
		if w := b.level[k][min(int(i>>6), len(b.level[k])-1)]; i&63 != 0 {
			if w &= 1<<(i&63) - 1; w != 0 {
				i = i&^63 + uint32(63-bits.LeadingZeros64(w))
				break
			}
		}
		i >>= 6
		k++
	}
	for ; k > 0; k-- {
		i = i<<6 + uint32(63-bits.LeadingZeros64(b.level[k-1][i]))
	}
	return i
}
