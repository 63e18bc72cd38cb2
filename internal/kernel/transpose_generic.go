package kernel

import "unsafe"

// transposeGeneric is Transpose.
func transposeGeneric[K Key](dst []K, stride int, t Tile) {
	for j := range t.Lanes {
		lane := unsafe.Slice((*K)(unsafe.Add(t.Base, j*t.LaneStride*int(unsafe.Sizeof(K(0))))), t.N)
		for i, k := range lane {
			dst[i*stride+j] = k
		}
	}
}
