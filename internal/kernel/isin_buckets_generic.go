package kernel

import (
	"math/bits"
	"unsafe"
)

// hashesGeneric writes the hashes of the patterns.
func (t *Buckets[P]) hashesGeneric(dst []uint64, src []P) {
	s0, s1 := t.Seeds[0], t.Seeds[1]
	switch src := any(src[:len(dst)]).(type) {
	case []uint8:
		hashBits(dst, src, s0, s1)
	case []uint16:
		hashBits(dst, src, s0, s1)
	case []uint32:
		hashBits(dst, src, s0, s1)
	case []uint64:
		hashBits(dst, src, s0, s1)
	case []Pair32:
		for i, q := range src {
			dst[i] = hash(uint64(q[0])|uint64(q[1])<<32, s0, s1)
		}
	case []Pair64:
		for i, q := range src {
			dst[i] = hash(hash(q[0], s0, s1)^bits.RotateLeft64(q[1], 32), s0, s1)
		}
	}
}

// hashBits writes the hashes of patterns that are integers.
func hashBits[B Bits](dst []uint64, src []B, s0, s1 uint64) {
	for i, b := range src {
		dst[i] = hash(uint64(b), s0, s1)
	}
}

// hash returns the hash of 64 bits.
func hash(a, s0, s1 uint64) uint64 {
	a *= s0
	return (a ^ a>>32) * s1
}

// probeGeneric is Contains with the hashes known.
func (t *Buckets[P]) probeGeneric(dst []uint8, src []P, hashes []uint64) {
	src, hashes = src[:len(dst)], hashes[:len(dst)]
	shift := shift(t.Count()) & 63
	for i := range dst {
		dst[i] = t.probe(src[i], hashes[i]>>shift)
	}
}

// probeAtGeneric is probeGeneric for the patterns of the indices.
func (t *Buckets[P]) probeAtGeneric(dst []uint8, src []P, indices []uint32, hashes []uint64) {
	hashes = hashes[:len(indices)]
	shift := shift(t.Count()) & 63
	for j, i := range indices {
		dst[i] = t.probe(src[i], hashes[j]>>shift)
	}
}

// probe returns 1 if p, at home in a bucket, is a member, else 0.
func (t *Buckets[P]) probe(p P, home uint64) uint8 {
	b := (*[BucketSlots]P)(t.Slots[int(home)*BucketSlots:])
	found := bit(b[0] == p) | bit(b[1] == p) | bit(b[2] == p) | bit(b[3] == p) |
		bit(b[4] == p) | bit(b[5] == p) | bit(b[6] == p) | bit(b[7] == p)
	if b[BucketSlots-1] == t.Free {
		return found
	}
	return found | t.probeOn(p, int(home)+1)
}

// probeOn is probe from the bucket after a full one on.
func (t *Buckets[P]) probeOn(p P, at int) uint8 {
	for mask := t.Count() - 1; ; at++ {
		b := (*[BucketSlots]P)(t.Slots[at&mask*BucketSlots:])
		for _, q := range b {
			if q == p {
				return 1
			}
		}
		if b[BucketSlots-1] == t.Free {
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
