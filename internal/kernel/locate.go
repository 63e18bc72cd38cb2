package kernel

// Class is a set of keys, of each lane its own: those of lane j lie from Lo[j]
// to Hi[j]. A value is a class of one key, zero of both signs one of two.
type Class[K Key] struct{ Lo, Hi []K }

// LocateRows is the most rows that CountAndLocate takes: their numbers and counts fit
// keys of the shortest width that has vectors.
const LocateRows = 1<<15 - 1

// CountAndLocate counts in n[j] the keys of lane j that are in its class. at[j] is the
// row of the one numbered limit[j], counted from 0, or of the last if there are
// fewer; 0 if there is none, or the limit is negative. keys has whole rows of
// len(n) lanes, at most LocateRows of them (127 of 8-bit keys).
func CountAndLocate[K Key](n, at, keys []K, c Class[K], limit []K) {
	lanes := len(n)
	if lanes == 0 {
		return
	}
	rows := len(keys) / lanes
	keys, at, limit = keys[:rows*lanes], at[:lanes], limit[:lanes]
	c.Lo, c.Hi = c.Lo[:lanes], c.Hi[:lanes]
	countAndLocateGeneric(n, at, keys, rows, countAndLocateVector(n, at, keys, rows, c, limit), c, limit)
}

// AllOne reports whether all counts of CountAndLocate are 1.
func AllOne[T Key | int](n []T) bool {
	var others T
	for _, m := range n {
		others |= m ^ 1
	}
	return others == 0
}

// GradEqual writes to dst[j] the bits of the second class if keys[j] is in it, those
// of the first if it is in that, and zero otherwise. dst may be keys.
func GradEqual[K Key](dst, keys []K, classes [2]Class[K], bits [2][]K) {
	keys = keys[:len(dst)]
	for i, c := range classes {
		classes[i] = Class[K]{c.Lo[:len(dst)], c.Hi[:len(dst)]}
		bits[i] = bits[i][:len(dst)]
	}
	done := gradEqualVector(dst, keys, classes, bits)
	gradEqualGeneric(dst[done:], keys[done:], done, classes, bits)
}

// GradEqualLane is GradEqual of keys that have the same two classes, lo[i] to hi[i],
// with the same bits.
func GradEqualLane[K Key](dst, keys []K, lo, hi, bits [2]K) {
	keys = keys[:len(dst)]
	done := gradEqualLaneVector(dst, keys, lo, hi, bits)
	gradEqualLaneGeneric(dst[done:], keys[done:], lo, hi, bits)
}

// Stream copies src to dst, which is as long and does not overlap it, past the
// caches where that can be done: for results that are too large to stay there.
func Stream[K Key](dst, src []K) {
	src = src[:len(dst)]
	head, done := streamVector(dst, src)
	copy(dst[:head], src)
	copy(dst[done:], src[done:])
}

// LocatesOnVectors reports whether the functions of this file have vectors for keys of the
// width.
func LocatesOnVectors[K Key]() bool { return locateVectors[K](64) > 0 }

// GradUnique writes the gradient of lanes side by side in which two values, which may
// be one, have no equals. In rows of x and dst that lie pitch elements apart, lane j
// of dst gets bits[1][j] where that of x equals values[1][j], bits[0][j] where it
// equals only values[0][j], and zero elsewhere. GradUnique reports whether each value
// is there once; if not, dst has anything in these lanes. If stream is true, it
// writes past the caches where rows are aligned to them.
func GradUnique(dst, x []float32, pitch int, values, bits [2][]float32, stream bool) bool {
	lanes := len(values[0])
	dst = dst[:len(x)]
	for i := range 2 {
		values[i], bits[i] = values[i][:lanes], bits[i][:lanes]
	}
	done, ok := gradUniqueVector(dst, x, pitch, values, bits, stream)
	return ok && gradUniqueGeneric(dst, x, pitch, done, values, bits)
}
