//go:build (amd64 || arm64) && !noasm

package kernel

// toFront sets order to the permutation that moves a set of a vector's lanes to the front,
// of as many parts as order has.
func toFront[T uint8 | uint32](order []T, set, lanes int) {
	size, at := len(order)/lanes, 0
	for lane := range lanes {
		for part := range size * (set >> lane & 1) {
			order[at] = T(lane*size + part)
			at++
		}
	}
}
