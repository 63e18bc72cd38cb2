package kernel

import "unsafe"

// Few is a set of a few patterns of 32 or 64 bits, which fits registers: two
// tables of 128 bytes, in each of which a pattern has a slot by a hash. Free
// slots hold a member.
type Few[P Pattern] struct {
	slots [2 * fewBytes / 4]P // those in use are fewer if P is wider
	seed  uint64              // odd: a hash is the product with it
}

// fewBytes is the size of a table.
const fewBytes = 128

// FewMost is the number of patterns of a size in bytes of which there is a set:
// half of the slots. With more, hardly any hash has room for all.
func FewMost(size int) int { return fewBytes / size }

// Make makes f the set of the patterns, at most FewMost, which may repeat. It
// reports whether each has found a slot. With another seed, which is made odd,
// it may.
func (f *Few[P]) Make(patterns []P, seed uint64) bool {
	f.seed = seed | 1
	for i := range f.slots {
		f.slots[i] = patterns[0]
	}
	var taken uint64 // a bit for each slot
	for _, p := range patterns {
		if !f.insert(p, &taken) {
			return false
		}
	}
	return true
}

// insert inserts a pattern; those that are in its way move to their other
// slots.
func (f *Few[P]) insert(p P, taken *uint64) bool {
	h := f.hash(&p)
	at := f.first(h)
	for _, i := range [2]int{at, f.second(h)} {
		if f.slots[i] == p && *taken>>i&1 != 0 {
			return true
		}
	}
	for range 2 * len(f.slots) {
		p, f.slots[at] = f.slots[at], p
		if *taken>>at&1 == 0 {
			*taken |= 1 << at
			return true
		}
		h := f.hash(&p)
		if first := f.first(h); first != at {
			at = first
		} else {
			at = f.second(h)
		}
	}
	return false
}

// hash returns the hash of a pattern, in the upper bits.
func (f *Few[P]) hash(p *P) uint64 {
	switch at := unsafe.Pointer(p); {
	case unsafe.Sizeof(*p) == 4:
		return uint64(*(*uint32)(at)) * f.seed << 32
	case unsafe.Alignof(*p) == 8:
		return *(*uint64)(at) * f.seed
	default:
		q := (*Pair32)(at)
		return (uint64(q[0]) | uint64(q[1])<<32) * f.seed
	}
}

// first and second return the slots of a hash: its highest bits, as many as
// number the slots of a table, and those after them.
func (f *Few[P]) first(h uint64) int {
	if unsafe.Sizeof(f.slots[0]) == 4 {
		return int(h >> 59)
	}
	return int(h >> 60)
}

func (f *Few[P]) second(h uint64) int {
	if unsafe.Sizeof(f.slots[0]) == 4 {
		return fewBytes/4 + int(h>>54&31)
	}
	return fewBytes/8 + int(h>>56&15)
}

// Contains writes 1 to dst[i] if src[i] is a member, else 0.
func (f *Few[P]) Contains(dst []uint8, src []P) {
	src = src[:len(dst)]
	done := f.containsVector(dst, src)
	f.containsGeneric(dst[done:], src[done:])
}

// containsGeneric is Contains.
func (f *Few[P]) containsGeneric(dst []uint8, src []P) {
	src = src[:len(dst)]
	for i := range dst {
		h := f.hash(&src[i])
		dst[i] = bit(f.slots[f.first(h)] == src[i]) | bit(f.slots[f.second(h)] == src[i])
	}
}
