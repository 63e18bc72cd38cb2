package kernel

import "unsafe"

// hashesGeneric writes the hashes of the patterns.
func (t *Buckets[P]) hashesGeneric(dst []uint64, src []P) {
	src = src[:len(dst)]
	s0, s1 := t.Seeds[0], t.Seeds[1]
	switch s := any(src).(type) {
	case []uint32:
		for i, v := range s {
			a := uint64(v) * s0
			dst[i] = (a ^ a>>32) * s1
		}
	case []uint64:
		for i, v := range s {
			a := v * s0
			dst[i] = (a ^ a>>32) * s1
		}
	default:
		for i := range dst {
			dst[i] = hashPattern(&src[i], s0, s1)
		}
	}
}

// probeGeneric is Contains with the hashes known.
func (t *Buckets[P]) probeGeneric(dst []uint8, src []P, hashes []uint64) {
	src, hashes = src[:len(dst)], hashes[:len(dst)]
	shift := shift(t.Buckets()) & 63
	for i := range dst {
		dst[i] = t.probe(src[i], hashes[i]>>shift)
	}
}

// probeAtGeneric is probeGeneric for the patterns of the indices.
func (t *Buckets[P]) probeAtGeneric(dst []uint8, src []P, indices []uint32, hashes []uint64) {
	hashes = hashes[:len(indices)]
	shift := shift(t.Buckets()) & 63
	for j, i := range indices {
		dst[i] = t.probe(src[i], hashes[j]>>shift)
	}
}

// probe returns 1 if p, at home in a bucket, is a member, else 0.
func (t *Buckets[P]) probe(p P, home uint64) uint8 {
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

// screenGeneric is screen from hashes[done] on, after n that pass.
func screenGeneric(pass []uint32, hashes, filter []uint64, shift uint, done, n int) int {
	words, at := unsafe.Pointer(unsafe.SliceData(filter)), unsafe.Pointer(unsafe.SliceData(pass))
	for i := done; i < len(hashes); i++ {
		h := hashes[i]
		w := *(*uint64)(unsafe.Add(words, h>>(shift&63)*8))
		*(*uint32)(unsafe.Add(at, n*4)) = uint32(i)
		n += int(w >> (h >> 26 & 63) & (w >> (h >> 32 & 63)) & 1)
	}
	return n
}
