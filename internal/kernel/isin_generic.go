package kernel

import "unsafe"

// containsGeneric is Contains.
func (f *Few[P]) containsGeneric(dst []uint8, src []P) {
	src = src[:len(dst)]
	for i := range dst {
		first, second := f.Homes(&src[i])
		dst[i] = bit(f.Slots[first] == src[i]) | bit(f.Slots[second] == src[i])
	}
}

// containsGeneric is Contains.
func (s *ByteSet) containsGeneric(dst, src []uint8) {
	src = src[:len(dst)]
	for i, b := range src {
		row, bit := s.place(b)
		dst[i] = *row >> bit & 1
	}
}

// inBitmapGeneric is InBitmap.
func inBitmapGeneric[B Bits](dst []uint8, src []B, bitmap []uint64, low, span B) {
	src = src[:len(dst)]
	beyond := uint64(span) + 1
	_ = bitmap[beyond/64]
	words := unsafe.Pointer(unsafe.SliceData(bitmap))
	for i := range dst {
		d := clip(uint64(src[i]-low), beyond)
		dst[i] = bit(*(*uint64)(unsafe.Add(words, d/64*8))&(1<<(d%64)) != 0)
	}
}
