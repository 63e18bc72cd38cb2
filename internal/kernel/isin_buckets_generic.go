package kernel

import "unsafe"

// homesGeneric writes the homes of the patterns.
func (t *Buckets[P]) homesGeneric(homes []uint32, src []P) {
	src = src[:len(homes)]
	s0, s1, shift := t.Seeds[0], t.Seeds[1], shift(t.Buckets())
	for i := range homes {
		homes[i] = uint32(hashPattern(&src[i], s0, s1) >> (shift & 63))
	}
}

// probeGeneric is Contains with the homes known.
func (t *Buckets[P]) probeGeneric(dst []uint8, src []P, homes []uint32) {
	src, homes = src[:len(dst)], homes[:len(dst)]
	for i := range dst {
		dst[i] = t.probe(src[i], homes[i])
	}
}

// probeAtGeneric is ContainsAt.
func (t *Buckets[P]) probeAtGeneric(dst []uint8, src []P, indices, homes []uint32) {
	homes = homes[:len(indices)]
	for j, i := range indices {
		dst[i] = t.probe(src[i], homes[j])
	}
}

// probe returns 1 if p, at home in a bucket, is a member, else 0.
func (t *Buckets[P]) probe(p P, home uint32) uint8 {
	b := (*[BucketSlots]P)(t.Slots[int(home)*BucketSlots:])
	found := bit(b[0] == p) | bit(b[1] == p) | bit(b[2] == p) | bit(b[3] == p) |
		bit(b[4] == p) | bit(b[5] == p) | bit(b[6] == p) | bit(b[7] == p)
	if b[BucketSlots-1] == t.free {
		return found
	}
	return found | t.probeOn(p, int(home)+1)
}

// probeOn is probe from the bucket after a full one on.
func (t *Buckets[P]) probeOn(p P, at int) uint8 {
	for mask := t.Buckets() - 1; ; at++ {
		b := (*[BucketSlots]P)(t.Slots[at&mask*BucketSlots:])
		for _, q := range b {
			if q == p {
				return 1
			}
		}
		if b[BucketSlots-1] == t.free {
			return 0
		}
	}
}

// screenGeneric is Screen from src[done] on, after n that pass.
func (t *Buckets[P]) screenGeneric(pass, homes []uint32, src []P, done, n int) int {
	s0, s1, shift := t.Seeds[0], t.Seeds[1], shift(len(t.Filter))
	words := unsafe.Pointer(unsafe.SliceData(t.Filter))
	at, home := unsafe.Pointer(unsafe.SliceData(pass)), unsafe.Pointer(unsafe.SliceData(homes))
	for i := done; i < len(src); i++ {
		h := hashPattern(&src[i], s0, s1)
		b := h >> (shift & 63)
		w := *(*uint64)(unsafe.Add(words, b*8))
		*(*uint32)(unsafe.Add(at, n*4)) = uint32(i)
		*(*uint32)(unsafe.Add(home, n*4)) = uint32(b)
		n += int(w >> (h >> 26 & 63) & (w >> (h >> 32 & 63)) & 1)
	}
	return n
}
