package kernel

// A large table is made in parts: runs of buckets, so small that one stays in
// a near cache, that are filled apart from each other, each with the patterns
// that are at home in it. The upper bits of a hash choose the part.

// Parts is the number of parts of a table.
const Parts = 1 << partBits

const partBits = 5

// partBlock is the number of patterns whose hashes are found together.
const partBlock = 256

// NewParts returns a set of one member whose parts are to be filled, in slots
// and with a filter that hold anything. It has a bucket for each word of the
// filter, of which there is a power of two, at least Parts.
func NewParts[P Pattern](first P, slots []P, filter []uint64, seeds [2]uint64) Buckets[P] {
	return Buckets[P]{Slots: slots, Used: 1, Seeds: [2]uint64{seeds[0] | 1, seeds[1] | 1}, Filter: filter, free: first}
}

// CountParts adds to counts the numbers of patterns at home in each part.
func (t *Buckets[P]) CountParts(counts *[Parts]int, src []P) {
	var room [partBlock]uint64
	for len(src) > 0 {
		n := min(len(src), partBlock)
		hashes := room[:n]
		t.hashes(hashes, src[:n], fetchAhead)
		for _, h := range hashes {
			counts[h>>(64-partBits)]++
		}
		src = src[n:]
	}
}

// Scatter copies each pattern to dst[at[i]] of its part i and moves that on.
func (t *Buckets[P]) Scatter(dst []P, at *[Parts]int, src []P) {
	var room [partBlock]uint64
	for len(src) > 0 {
		n := min(len(src), partBlock)
		block, hashes := src[:n], room[:n]
		t.hashes(hashes, block, fetchAhead)
		for j, p := range block {
			i := &at[hashes[j]>>(64-partBits)]
			dst[*i] = p
			*i++
		}
		src = src[n:]
	}
}

// FillPart makes a part that of all patterns at home in it, and returns how
// many different ones there are, the first member excluded, and how many do
// not fit in, which it moves to the beginning of patterns.
func (t *Buckets[P]) FillPart(part int, patterns []P) (used, left int) {
	n := t.Buckets() >> partBits
	end := (part + 1) * n
	fill(t.Slots[part*n*BucketSlots:end*BucketSlots], t.free)
	clear(t.Filter[part*n : end])
	var hashes [partBlock]uint64
	for first := 0; first < len(patterns); first += partBlock {
		block := patterns[first:min(first+partBlock, len(patterns))]
		h := hashes[:len(block)]
		t.hashes(h, block, fetchAhead)
		t.markAll(h)
		for {
			done, added := t.insertVector(block, h)
			used += added
			if done == len(block) {
				break
			}
			added, ok := t.insert(&block[done], h[done], end)
			used += added
			if !ok {
				patterns[left] = block[done]
				left++
			}
			if block, h = block[done+1:], h[done+1:]; len(block) == 0 {
				break
			}
		}
	}
	return used, left
}
