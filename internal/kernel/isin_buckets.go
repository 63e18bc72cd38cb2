package kernel

import (
	"math/bits"
	"unsafe"
)

// Buckets is a hash set of patterns in buckets of eight slots. A member is in
// the bucket that its hash chooses, its home, or in the nearest after it with a
// free slot; buckets are filled in order, so that one with a free slot ends the
// search, and most searches read one bucket. With seeds that nobody can guess,
// no choice of patterns fills long runs of buckets.
//
// A free slot holds a member, which may therefore be found anywhere and takes
// no slot: no pattern needs to be marked as free.
type Buckets[P Pattern] struct {
	Slots []P       // those of a bucket lie side by side; a power of two of buckets, at least 2
	Free  P         // what free slots hold
	Seeds [2]uint64 // odd

	// Filter, much smaller than the slots, is read before them and stops most
	// patterns that are no members. It is empty or has a word for each bucket,
	// with two bits for each member at home there.
	Filter []uint64
}

const (
	// BucketSlots is the number of slots of a bucket: those of 64-bit patterns
	// are a cache line.
	BucketSlots = 8
	// BucketParts is the number of parts of a table: runs of buckets, chosen by
	// the upper bits of hashes, that may be filled apart from each other. The
	// parts of a large table fit a near cache.
	BucketParts = 1 << partBits

	partBits = 5
	// maxRun bounds the full buckets in a row. In a table that is at most half
	// full a bucket is full with a probability of one in twenty; far longer
	// runs break up under other seeds.
	maxRun = 24
	// hashBlock is the number of patterns whose hashes are found together, and
	// whose homes are fetched together: insertions, which branch on what they
	// find, would take misses in turn.
	hashBlock = 256
	// screenBlock is that of those that are screened together: enough for some
	// that pass, whose homes are fetched together.
	screenBlock = 512
	// fetchAhead is the number of patterns after those being read that are
	// fetched.
	fetchAhead = 1024
	// nearBytes is the size of a table up to which homes are not fetched before
	// the search, which the core does well alone.
	nearBytes = 1 << 20
)

// Count returns the number of buckets.
func (t *Buckets[P]) Count() int { return len(t.Slots) / BucketSlots }

// shift returns the distance by which a hash is shifted to give one of n
// buckets, a power of two.
func shift(n int) uint { return uint(64-bits.TrailingZeros(uint(n))) & 63 }

// far reports whether the table is too large for the near caches.
func (t *Buckets[P]) far() bool { return len(t.Slots)*int(unsafe.Sizeof(t.Free)) > nearBytes }

// hashes writes the hashes of the patterns, 64 bits of which the upper ones
// depend on all bits of the pattern. Meanwhile it fetches patterns that are so
// many ahead, if any.
func (t *Buckets[P]) hashes(dst []uint64, patterns []P, ahead int) {
	done := t.hashesVector(dst, patterns, ahead)
	t.hashesGeneric(dst[done:], patterns[done:])
}

// CountParts adds to counts the numbers of patterns at home in each part.
func (t *Buckets[P]) CountParts(counts *[BucketParts]int, src []P) {
	var room [hashBlock]uint64
	for len(src) > 0 {
		n := min(len(src), hashBlock)
		hashes := room[:n]
		t.hashes(hashes, src[:n], fetchAhead)
		for _, h := range hashes {
			counts[h>>(64-partBits)]++
		}
		src = src[n:]
	}
}

// Scatter copies each pattern to dst[at[i]] of its part i and moves that on, as far as dst
// has room: patterns may have changed since they were counted.
func (t *Buckets[P]) Scatter(dst []P, at *[BucketParts]int, src []P) {
	var room [hashBlock]uint64
	for len(src) > 0 {
		n := min(len(src), hashBlock)
		block, hashes := src[:n], room[:n]
		t.hashes(hashes, block, fetchAhead)
		for j, p := range block {
			if i := &at[hashes[j]>>(64-partBits)]; uint(*i) < uint(len(dst)) {
				dst[*i] = p
				*i++
			}
		}
		src = src[n:]
	}
}

// Insert inserts patterns, which may repeat, up to the first that finds no slot
// in a short run of buckets, or none before the bucket end; the buckets go on
// after the last with the first. added of the first done patterns have taken a
// slot. At most half of the slots are taken in the end.
func (t *Buckets[P]) Insert(src []P, end int) (done, added int) {
	var room [hashBlock]uint64
	for done < len(src) {
		block := src[done:min(done+hashBlock, len(src))]
		h := room[:len(block)]
		t.hashes(h, block, fetchAhead)
		if end > t.Count() { // the homes are not those of a part
			t.fetchVector(h)
		}
		t.mark(h)
		for len(block) > 0 {
			n, taken := t.insertVector(block, h)
			added += taken
			if n < len(block) {
				one, ok := t.insert(&block[n], h[n], end)
				if !ok {
					return done + n, added
				}
				added += one
				n++
			}
			block, h, done = block[n:], h[n:], done+n
		}
	}
	return done, added
}

// filterBits returns the bits of a hash in the word of its bucket. They come
// from the middle: the upper bits choose the bucket, the lower depend on few.
func filterBits(h uint64) uint64 { return 1<<(h>>26&63) | 1<<(h>>32&63) }

// mark sets the bits of the hashes in the filter, which may have more than
// those of the members.
func (t *Buckets[P]) mark(hashes []uint64) {
	if len(t.Filter) == 0 {
		return
	}
	shift := shift(len(t.Filter))
	words := unsafe.Pointer(unsafe.SliceData(t.Filter))
	for _, h := range hashes {
		*(*uint64)(unsafe.Add(words, h>>(shift&63)*8)) |= filterBits(h)
	}
}

// insert is Insert for a pattern with its hash.
func (t *Buckets[P]) insert(p *P, h uint64, end int) (added int, ok bool) {
	if *p == t.Free {
		return 0, true
	}
	mask := t.Count() - 1
	home := int(h >> shift(t.Count()))
	for at := home; at < min(home+maxRun, end); at++ {
		bucket := (*[BucketSlots]P)(t.Slots[at&mask*BucketSlots:])
		for i, q := range bucket {
			if q == *p {
				return 0, true
			}
			if q == t.Free {
				bucket[i] = *p
				return 1, true
			}
		}
	}
	return 0, false
}

// Contains writes 1 to dst[i] if src[i] is a member, else 0.
func (t *Buckets[P]) Contains(dst []uint8, src []P) {
	src = src[:len(dst)]
	var room [hashBlock]uint64
	far := t.far()
	for len(dst) > 0 {
		n := min(len(dst), hashBlock)
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
	done, n := screenVector(room.pass[:], hashes, t.Filter, shift, unsafe.Pointer(unsafe.SliceData(src)), int(unsafe.Sizeof(t.Free)))
	return screenGeneric(room.pass[:], hashes, t.Filter, shift, done, n)
}
