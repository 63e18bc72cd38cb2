package kernel

// Pack writes the keys of a tile to a block of as many lanes as nans has, which are no
// fewer, and reports whether any is NaN's; then nans tells how many of each lane are.
// Lanes that the tile lacks hold unspecified keys. ahead is the distance in
// bytes from an element to one that is wanted soon, which is prefetched.
func Pack[K Key](block []K, t Tile, e Encoding[K], ahead int, nans []K) (nan bool) {
	lanes := len(nans)
	block = block[:t.N*lanes] // what follows is no part of it
	clear(nans)
	if t.Lanes == lanes && t.N > 0 {
		if done, nan := packVector(block, t, e, ahead, nans); done {
			return nan
		}
	}
	return packGeneric(block, t, e, nans)
}
