//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
)

var findBinsShort = hasShort

func init() { cpu.Register("FindBins", shortLevel, &findBinsShort) }

// findBinsVector sets the bins of the first done elements.
func findBinsVector[K Key](bins []uint16, src []K, s *Bins[K]) (done int) {
	size := int(unsafe.Sizeof(K(0)))
	vector := shortBytes
	if findsBinsLong() {
		vector = 64
	}
	n := len(src) &^ (vector/size - 1)
	switch {
	case n == 0 || size < 4:
		return 0
	case findsBinsLong():
		findBinsLong(bins, src[:n], s)
	case findBinsShort:
		findBinsOf(bins, src[:n], s)
	default:
		return 0
	}
	return n
}

// findBinsOf sets the bins of elements, a positive multiple of a vector.
func findBinsOf[K Key](bins []uint16, src []K, s *Bins[K]) {
	dst, p, n := unsafe.SliceData(bins), unsafe.Pointer(unsafe.SliceData(src)), len(src)
	switch size := unsafe.Sizeof(K(0)); {
	case size == 4 && s.ByValue:
		findBinsFloat32Short(dst, (*int32)(p), n, float32(s.From), float32(s.Factor), BinCount-1)
	case size == 4:
		findBins32Short(dst, (*int32)(p), n, int32(s.Lo), int32(s.Hi), s.Shift)
	case s.ByValue:
		findBinsFloat64Short(dst, (*int64)(p), n, s.From, s.Factor, BinCount-1)
	default:
		findBins64Short(dst, (*int64)(p), n, int64(s.Lo), int64(s.Hi), s.Shift)
	}
}

// The trees that findBinsTree… search: a node has a cache line of splitters.
const treeNode = 64

// treeLevels returns how many levels the trees have, 0 without vectors.
func treeLevels[K Key]() int {
	if !findBinsShort && !findsBinsLong() {
		return 0
	}
	return [9]int{4: 3, 8: 4}[unsafe.Sizeof(K(0))]
}

// plantTree sets the tree to that of sorted keys, if there is vector code for it.
func plantTree[K Key](tree, keys []K) []K {
	tree = tree[:0]
	size := treeNode / int(unsafe.Sizeof(K(0)))
	below := 1 // keys of a node of the level, and of the levels below it up to the next one
	for range treeLevels[K]() {
		below *= size + 1
	}
	for nodes := 1; below > 1; nodes *= size + 1 {
		below /= size + 1
		for i := range nodes * size {
			key := MaxKey[K]()
			if at := (i+i/size+1)*below - 1; at < len(keys) {
				key = keys[at]
			}
			tree = append(tree, key)
		}
	}
	return tree
}

// findBinsTree sets the bins of the first done keys.
func findBinsTree[K Key](bins []uint16, keys, tree []K, last int) (done int) {
	if len(keys) == 0 || len(tree) == 0 {
		return 0
	}
	dst, src, n, t := &bins[0], unsafe.Pointer(&keys[0]), len(keys), unsafe.Pointer(&tree[0])
	switch wide := unsafe.Sizeof(K(0)) == 8; {
	case findsBinsLong():
		findBinsTreeLong(bins, keys, tree, last)
	case !findBinsShort:
		return 0
	case wide:
		findBinsTree64Short(dst, (*int64)(src), n, (*int64)(t), last)
	default:
		findBinsTree32Short(dst, (*int32)(src), n, (*int32)(t), last)
	}
	return n
}

// The functions findBins… are
//
//	for i, v := range src[:n] { bins[i] = uint16((min(max(v, lo), hi) - lo) >> shift) }
//
// or, of the floats with the bits of src,
//
//	for i, x := range src[:n] { bins[i] = uint16(max(min((x-from)*factor, nan-1), 0)), or nan for NaN }
//
// n is a positive multiple of a vector.

//go:noescape
func findBins32Short(bins *uint16, src *int32, n int, lo, hi int32, shift int)

//go:noescape
func findBins64Short(bins *uint16, src *int64, n int, lo, hi int64, shift int)

//go:noescape
func findBinsFloat32Short(bins *uint16, src *int32, n int, from, factor, nan float32)

//go:noescape
func findBinsFloat64Short(bins *uint16, src *int64, n int, from, factor, nan float64)

// The functions findBinsTree… are
//
//	for i, key := range src[:n] { bins[i] = uint16(min(last, number of splitters <= key)) }
//
// n is positive. Splitter j of node i in the level l, counted from below, has the rank
// (i*(s+1) + j + 1) * (s+1)^l - 1 among all, s being the number in a node; in tree level
// follows level, from the root on.

//go:noescape
func findBinsTree32Short(bins *uint16, src *int32, n int, tree *int32, last int)

//go:noescape
func findBinsTree64Short(bins *uint16, src *int64, n int, tree *int64, last int)
