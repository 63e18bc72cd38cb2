package kernel

import (
	"math"
	"math/bits"
	"unsafe"
)

// Buckets is a hash set of patterns in buckets of eight slots. A member is in
// the bucket that its hash chooses, its home, or in the nearest after it with a
// free slot; buckets are filled in order, so that one with a free slot ends the
// search, and most searches read one bucket. With seeds that nobody can guess,
// no choice of patterns fills long runs of buckets.
//
// A free slot holds the first member, which may therefore be found anywhere:
// no pattern needs a slot marked as free.
//
// A table may have a filter, much smaller, that is read first and stops most
// patterns that are no members.
type Buckets[P Pattern] struct {
	Slots []P       // those of a bucket lie side by side; a power of two of buckets, at least 2
	Used  int       // members
	Seeds [2]uint64 // odd

	// Filter is empty or has a word for each bucket, with two bits for each
	// member at home there.
	Filter []uint64

	free P // the first member
	lost bool
	// stray is a pattern that found no slot, if lost is set.
	stray P
}

const (
	// BucketSlots is the number of slots of a bucket: those of 64-bit patterns
	// are a cache line.
	BucketSlots = 8
	// maxRun bounds the full buckets in a row. In a table that is at most half
	// full a bucket is full with a probability of one in twenty; far longer
	// runs break up under other seeds.
	maxRun = 24
)

// NewBuckets returns a set of one member, with a filter or without.
func NewBuckets[P Pattern](first P, buckets int, seeds [2]uint64, filter bool) Buckets[P] {
	t := Buckets[P]{Slots: make([]P, BucketSlots*buckets), Used: 1, Seeds: [2]uint64{seeds[0] | 1, seeds[1] | 1}, free: first}
	if filter {
		t.Filter = make([]uint64, buckets)
		t.mark(t.hash(&first))
	}
	var zero P
	if first != zero {
		fill(t.Slots, first)
	}
	return t
}

// fill writes p to all slots.
func fill[P Pattern](slots []P, p P) {
	slots[0] = p
	for n := 1; n < len(slots); n *= 2 {
		copy(slots[n:], slots[:n])
	}
}

// First returns a member.
func (t *Buckets[P]) First() P { return t.free }

// hash returns 64 bits of which the upper ones depend on all bits of the
// pattern.
func (t *Buckets[P]) hash(p *P) uint64 { return hashPattern(p, t.Seeds[0], t.Seeds[1]) }

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
		a = q[0] * s0
		a = (a^a>>32)*s1 ^ bits.RotateLeft64(q[1], 32)
	}
	a *= s0
	return (a ^ a>>32) * s1
}

// shift returns the distance by which a hash is shifted to give one of n
// buckets, a power of two.
func shift(n int) uint { return uint(64-bits.TrailingZeros(uint(n))) & 63 }

// Buckets returns the number of buckets.
func (t *Buckets[P]) Buckets() int { return len(t.Slots) / BucketSlots }

// filterBits returns the bits of a hash in the word of its bucket. They come
// from the middle: the upper bits choose the bucket, the lower depend on few.
func filterBits(h uint64) uint64 { return 1<<(h>>26&63) | 1<<(h>>32&63) }

// mark sets the bits of a hash in the filter.
func (t *Buckets[P]) mark(h uint64) { t.Filter[h>>shift(len(t.Filter))] |= filterBits(h) }

// Crowded reports whether another insertion would fill more than half of the
// slots.
func (t *Buckets[P]) Crowded() bool { return 2*(t.Used+1) > len(t.Slots) }

// Lost reports whether a pattern has found no slot: the table is of no use but
// to Rebuild another from it.
func (t *Buckets[P]) Lost() bool { return t.lost }

// Insert inserts patterns until the table is Crowded or one is Lost, and
// returns how many of them it has taken. Patterns may repeat.
func (t *Buckets[P]) Insert(patterns []P) (done int) {
	var hashes [insertBlock]uint64
	for done < len(patterns) {
		block := patterns[done:min(done+insertBlock, len(patterns))]
		h := hashes[:len(block)]
		t.hashes(h, block, fetchAhead)
		t.fetchVector(h)
		t.markAll(h)
		for len(block) > 0 {
			if 2*(t.Used+len(block)) <= len(t.Slots) {
				n, added := t.insertVector(block, h)
				t.Used += added
				block, h, done = block[n:], h[n:], done+n
			}
			if len(block) == 0 {
				break
			}
			if t.lost || t.Crowded() {
				return done
			}
			added, ok := t.insert(&block[0], h[0], math.MaxInt)
			t.Used += added
			if !ok {
				t.stray, t.lost = block[0], true
			}
			block, h, done = block[1:], h[1:], done+1
		}
	}
	return done
}

// insertBlock is the number of patterns whose homes are fetched together:
// insertions, which branch on what they find, would take misses in turn.
const insertBlock = 64

// fetchAhead is the number of patterns after those being read that are fetched.
const fetchAhead = 1024

// hashes writes the hashes of the patterns. Meanwhile it fetches those that are
// so many ahead, if any.
func (t *Buckets[P]) hashes(dst []uint64, patterns []P, ahead int) {
	done := t.hashesVector(dst, patterns, ahead)
	t.hashesGeneric(dst[done:], patterns[done:])
}

// markAll sets the bits of the hashes in the filter, which may have more than
// those of the members.
func (t *Buckets[P]) markAll(hashes []uint64) {
	if len(t.Filter) == 0 {
		return
	}
	shift := shift(len(t.Filter))
	words := unsafe.Pointer(unsafe.SliceData(t.Filter))
	for _, h := range hashes {
		*(*uint64)(unsafe.Add(words, h>>(shift&63)*8)) |= filterBits(h)
	}
}

// insert inserts a pattern with its hash, unless it is in already: added is 1
// or 0. It is not ok if that takes too long a run of buckets, or one at end; the
// buckets go on after the last with the first.
func (t *Buckets[P]) insert(p *P, h uint64, end int) (added int, ok bool) {
	if *p == t.free {
		return 0, true
	}
	mask := t.Buckets() - 1
	home := int(h >> shift(t.Buckets()))
	for at := home; at < min(home+maxRun, end); at++ {
		bucket := (*[BucketSlots]P)(t.Slots[at&mask*BucketSlots:])
		for i, q := range bucket {
			if q == *p {
				return 0, true
			}
			if q == t.free {
				bucket[i] = *p
				return 1, true
			}
		}
	}
	return 0, false
}

// Rebuild inserts the members of old, its stray one included, into t, which
// has one of them and room for all. It reports whether all found a slot; if not
// t is of no use.
func (t *Buckets[P]) Rebuild(old *Buckets[P]) bool {
	if old.lost {
		t.Insert([]P{old.stray})
	}
	t.Insert([]P{old.free})
	var members [insertBlock]P
	n := 0
	for _, p := range old.Slots {
		if p == old.free {
			continue
		}
		members[n] = p
		if n++; n == len(members) {
			t.Insert(members[:])
			n = 0
		}
	}
	t.Insert(members[:n])
	return !t.lost
}

const (
	// probeBlock is the number of patterns whose hashes are found together;
	// meanwhile as many more are fetched.
	probeBlock = 256
	// screenBlock is that of those that are screened together: enough for some
	// that pass, whose homes are fetched together.
	screenBlock = 512
	// nearBytes is the size of a table up to which homes are not fetched before
	// the search, which the core does well alone.
	nearBytes = 1 << 20
)

// far reports whether the table is too large for the near caches.
func (t *Buckets[P]) far() bool { return len(t.Slots)*int(unsafe.Sizeof(t.free)) > nearBytes }

// Contains writes 1 to dst[i] if src[i] is a member, else 0.
func (t *Buckets[P]) Contains(dst []uint8, src []P) {
	src = src[:len(dst)]
	var room [probeBlock]uint64
	far := t.far()
	for len(dst) > 0 {
		n := min(len(dst), probeBlock)
		d, s, hashes := dst[:n], src[:n], room[:n]
		t.hashes(hashes, s, fetchAhead)
		if far {
			t.fetchVector(hashes)
		}
		done := t.probeVector(d, s, hashes)
		t.probeGeneric(d[done:], s[done:], hashes[done:])
		dst, src = dst[n:], src[n:]
	}
}

// screened is room for a block of patterns that are screened.
type screened struct {
	pass   [screenBlock]uint32 // the indices of those that pass
	hashes [screenBlock]uint64 // of all, and then of those that pass
}

// ContainsScreened is Contains for a table with a filter, faster if few are
// members.
func (t *Buckets[P]) ContainsScreened(dst []uint8, src []P) {
	src = src[:len(dst)]
	var room screened
	clear(dst)
	far := t.far()
	for len(dst) > 0 {
		n := min(len(dst), screenBlock)
		d, s := dst[:n], src[:n]
		pass := room.pass[:t.screen(&room, s)]
		hashes := room.hashes[:len(pass)]
		for j, i := range pass {
			hashes[j] = room.hashes[i]
		}
		if far && len(pass) > 0 {
			t.fetchVector(hashes)
		}
		done := t.probeAtVector(d, s, pass, hashes)
		t.probeAtGeneric(d, s, pass[done:], hashes[done:])
		dst, src = dst[n:], src[n:]
	}
}

// Passes returns the number of patterns, at most screenBlock, that the filter,
// which there is, lets pass: all members and few others.
func (t *Buckets[P]) Passes(src []P) int {
	var room screened
	return t.screen(&room, src)
}

// screen finds the hashes of the patterns and which of them the filter lets
// pass, and returns their number. Patterns ahead are fetched while the filter is
// read: all at once they would wait for each other.
func (t *Buckets[P]) screen(room *screened, src []P) (n int) {
	hashes, shift := room.hashes[:len(src)], shift(len(t.Filter))
	t.hashes(hashes, src, 0)
	done, n := screenVector(room.pass[:], hashes, t.Filter, shift, unsafe.Pointer(unsafe.SliceData(src)), int(unsafe.Sizeof(t.free)))
	return screenGeneric(room.pass[:], hashes, t.Filter, shift, done, n)
}
