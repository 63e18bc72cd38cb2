package kernel

import (
	"math/bits"
	"unsafe"
)

// Cuckoo is a hash set of patterns: each is in one of two slots, so that a
// lookup reads two slots, whatever the data, and branches on nothing. The
// caller gives the memory and the seeds; with seeds that nobody can guess, no
// choice of patterns is slow to insert.
//
// A table too large for the caches has a filter, much smaller, that is read
// first and stops most patterns that are no members.
//
// A slot that holds no pattern is zero. If the pattern zero is a member, its
// first slot stays free of others.
type Cuckoo[P Pattern] struct {
	Slots []P       // a power of two, at least 2
	Used  int       // patterns inserted, zero included
	Seeds [2]uint64 // the second is odd

	// Filter has two bits for each member, in the word that the upper end of
	// its hash chooses. It is empty, or a power of two and at least 2.
	Filter []uint64

	pinned bool // zero is a member
	stray  P    // a pattern that found no slot, if lost is set
	lost   bool

	fetched int // what fetch found, so that it reads
}

// maxMoves bounds the patterns that an insertion moves. In a table that is at
// most half full it is about the logarithm of its size; far longer chains are
// circles, which other seeds break.
const maxMoves = 256

// hash returns 64 bits that depend on all bits of the pattern: the product
// with a seed, folded, so that its ends are two hashes.
func (c *Cuckoo[P]) hash(p *P) uint64 { return hashPattern(p, c.Seeds[0], c.Seeds[1]) }

// hashPattern is hash with the seeds at hand.
func hashPattern[P Pattern](p *P, s0, s1 uint64) uint64 {
	var a uint64
	switch at := unsafe.Pointer(p); unsafe.Sizeof(*p) {
	case 1:
		a = uint64(*(*uint8)(at))
	case 2:
		a = uint64(*(*uint16)(at))
	case 4:
		a = uint64(*(*uint32)(at))
	case 8:
		if unsafe.Alignof(*p) == 8 {
			a = *(*uint64)(at)
			break
		}
		q := (*Pair32)(at)
		a = uint64(q[0]) | uint64(q[1])<<32
	default:
		q := (*Pair64)(at)
		hi, lo := bits.Mul64(q[0]^s0, s1)
		a = hi ^ lo ^ q[1]
	}
	hi, lo := bits.Mul64(a^s0, s1)
	return hi ^ lo
}

// shift returns the distance by which a hash is shifted to give the first of n
// slots, a power of two.
func shift(n int) uint { return uint(64-bits.TrailingZeros(uint(n))) & 63 }

// Crowded reports whether another insertion would fill more than half of the
// slots.
func (c *Cuckoo[P]) Crowded() bool { return 2*(c.Used+1) > len(c.Slots) }

// Lost reports whether a pattern has found no slot: the table is of no use but
// to Rebuild another from it.
func (c *Cuckoo[P]) Lost() bool { return c.lost }

// Insert inserts patterns until the table is Crowded or one is Lost, and
// returns how many of them it has taken. Patterns may repeat.
func (c *Cuckoo[P]) Insert(patterns []P) (done int) {
	var zero P
	for i, p := range patterns {
		if i%fetchAhead == 0 {
			c.fetch(patterns[i:min(i+fetchAhead, len(patterns))])
		}
		if c.lost || c.Crowded() {
			return i
		}
		if p == zero {
			c.pin()
		} else {
			c.insert(p)
		}
	}
	return len(patterns)
}

// fetchAhead is how many patterns' slots are fetched together: with two misses
// each, about what a core keeps in flight.
const fetchAhead = 16

// fetch reads the slots of the patterns, so that the misses of a large table
// overlap: insertions, which branch on what they find, take theirs in turn.
func (c *Cuckoo[P]) fetch(patterns []P) {
	shift, mask := shift(len(c.Slots)), uint64(len(c.Slots)-1)
	var zero P
	taken := 0
	for i := range patterns {
		h := c.hash(&patterns[i])
		taken += int(bit(c.Slots[h>>shift] != zero) + bit(c.Slots[h&mask] != zero))
	}
	c.fetched = taken
}

// mark sets the bits of a hash in the filter.
func (c *Cuckoo[P]) mark(h uint64) {
	if len(c.Filter) > 0 {
		c.Filter[h>>shift(len(c.Filter))] |= 1<<(h&63) | 1<<(h>>6&63)
	}
}

// pin makes zero a member: its first slot is kept free.
func (c *Cuckoo[P]) pin() {
	if c.pinned {
		return
	}
	var zero P
	c.pinned = true
	c.Used++
	h := c.hash(&zero)
	c.mark(h)
	slot := &c.Slots[h>>shift(len(c.Slots))]
	if evicted := *slot; evicted != zero {
		*slot = zero
		c.Used--
		c.insert(evicted)
	}
}

// insert inserts a pattern other than zero.
func (c *Cuckoo[P]) insert(p P) {
	var zero P
	slots := c.Slots
	shift, mask := shift(len(slots)), uint64(len(slots)-1)
	h := c.hash(&p)
	first, second := h>>shift, h&mask
	if slots[first] == p || slots[second] == p {
		return
	}
	pinned := ^uint64(0)
	if c.pinned {
		pinned = c.hash(&zero) >> shift
	}
	c.Used++
	c.mark(h)
	at := first
	if at == pinned || slots[at] != zero && second != pinned && slots[second] == zero {
		at = second
	}
	if at == pinned {
		c.stray, c.lost = p, true
		return
	}
	for range maxMoves {
		p, slots[at] = slots[at], p
		if p == zero {
			return
		}
		h := c.hash(&p)
		next := h >> shift
		if next == at {
			next = h & mask
		}
		if next == pinned {
			break
		}
		at = next
	}
	c.stray, c.lost = p, true
}

// Rebuild inserts the members of old, its stray one included, into c, which is
// empty. It reports whether all found a slot; if not c is of no use.
func (c *Cuckoo[P]) Rebuild(old *Cuckoo[P]) bool {
	var zero P
	if old.pinned {
		c.pin()
	}
	if old.lost {
		c.insert(old.stray)
	}
	for _, p := range old.Slots {
		if p != zero {
			c.insert(p)
			if c.lost {
				return false
			}
		}
	}
	return !c.lost
}

// Seal makes a table with at least one member ready for Contains: where zero
// is not a member, its slots get another pattern.
func (c *Cuckoo[P]) Seal() {
	if c.pinned {
		return
	}
	var zero, member P
	for _, member = range c.Slots {
		if member != zero {
			break
		}
	}
	h := c.hash(&zero)
	for _, at := range [2]uint64{h >> shift(len(c.Slots)), h & uint64(len(c.Slots)-1)} {
		if c.Slots[at] == zero {
			c.Slots[at] = member
		}
	}
}

// Contains writes 1 to dst[i] if src[i] is a member, else 0.
func (c *Cuckoo[P]) Contains(dst []uint8, src []P) {
	src = src[:len(dst)]
	s0, s1 := c.Seeds[0], c.Seeds[1]
	shift, mask := shift(len(c.Slots)), uint64(len(c.Slots)-1)
	slots, size := unsafe.Pointer(unsafe.SliceData(c.Slots)), uint64(unsafe.Sizeof(*new(P)))
	for i := range dst {
		h := hashPattern(&src[i], s0, s1)
		x := src[i]
		first := *(*P)(unsafe.Add(slots, h>>(shift&63)*size))
		second := *(*P)(unsafe.Add(slots, h&mask*size))
		dst[i] = bit(first == x) | bit(second == x)
	}
}

// Screen writes the indices of the patterns that the filter, which there is,
// lets pass, all members and few others, to pass and returns their number.
func (c *Cuckoo[P]) Screen(pass []uint32, src []P) (n int) {
	pass = pass[:len(src)]
	s0, s1 := c.Seeds[0], c.Seeds[1]
	shift := shift(len(c.Filter))
	words, indices := unsafe.Pointer(unsafe.SliceData(c.Filter)), unsafe.Pointer(unsafe.SliceData(pass))
	for i := range src {
		h := hashPattern(&src[i], s0, s1)
		w := *(*uint64)(unsafe.Add(words, h>>(shift&63)*8))
		*(*uint32)(unsafe.Add(indices, n*4)) = uint32(i)
		n += int(w >> (h & 63) & (w >> (h >> 6 & 63)) & 1)
	}
	return n
}

// ContainsAt writes 1 to dst[i] if src[i] is a member, else 0, for the indices
// i given.
func (c *Cuckoo[P]) ContainsAt(dst []uint8, src []P, indices []uint32) {
	src = src[:len(dst)]
	s0, s1 := c.Seeds[0], c.Seeds[1]
	shift, mask := shift(len(c.Slots)), uint64(len(c.Slots)-1)
	slots, size := unsafe.Pointer(unsafe.SliceData(c.Slots)), uint64(unsafe.Sizeof(*new(P)))
	for _, i := range indices {
		h := hashPattern(&src[i], s0, s1)
		x := src[i]
		first := *(*P)(unsafe.Add(slots, h>>(shift&63)*size))
		second := *(*P)(unsafe.Add(slots, h&mask*size))
		dst[i] = bit(first == x) | bit(second == x)
	}
}
