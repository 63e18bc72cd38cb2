//go:build (amd64 || arm64) && !noasm

package kernel

import "unsafe"

// countVector counts the first done keys.
func countVector[K Key](src []K, k K) (below, equal, done int) {
	if !CountsOnVectors[K]() {
		return 0, 0, 0
	}
	size := int(unsafe.Sizeof(k))
	round := 64 / size
	for len(src)-done >= round {
		n := min(len(src)-done, countVectorBytes/size) &^ (round - 1)
		b, e := countPart(unsafe.Pointer(&src[done]), n, k)
		below, equal, done = below+b, equal+e, done+n
	}
	return below, equal, done
}

// The functions count… of a machine are
//
//	for _, v := range src[:n] {
//		if v < k { below++ }
//		if v == k { equal++ }
//	}
//
// for a positive multiple of the keys in 64 bytes, at most countVectorBytes.
