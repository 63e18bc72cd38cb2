package kernel

import "unsafe"

// Transpose writes the elements of a tile of adjacent elements (its Stride is
// 1) to dst, element i of lane j to dst[i*stride+j].
func Transpose[K Key](dst []K, stride int, t Tile) {
	if t.N == 0 || t.Lanes == 0 {
		return
	}
	_ = dst[(t.N-1)*stride+t.Lanes-1]
	lanes, columns := transposeVector(dst, stride, t)
	// The lanes and, of the others, the elements that are left.
	if columns < t.N {
		transposeGeneric(dst[columns*stride:], stride, t.part(columns, 0, t.N-columns, lanes, unsafe.Sizeof(K(0))))
	}
	if lanes < t.Lanes {
		transposeGeneric(dst[lanes:], stride, t.part(0, lanes, t.N, t.Lanes-lanes, unsafe.Sizeof(K(0))))
	}
}

// part returns a part of the tile: n elements from the given one on, of so many
// lanes.
func (t Tile) part(element, lane, n, lanes int, size uintptr) Tile {
	if n > 0 && lanes > 0 {
		t.Base = unsafe.Add(t.Base, (element*t.Stride+lane*t.LaneStride)*int(size))
	}
	t.N, t.Lanes = n, lanes
	return t
}
