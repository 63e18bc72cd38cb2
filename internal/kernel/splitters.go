package kernel

import "slices"

// Splitters are keys that divide others into bins, where these are not evenly spaced: a
// key belongs to the bin numbered like the splitters that are not greater.
type Splitters[K Key] struct {
	keys   []K // ascending, distinct
	padded []K // and MaxKey up to one less than a power of two
	tree   []K // of findBinsTree
}

// Set makes c divide by keys, fewer than BinCount, which it sorts. It keeps their memory
// and what follows them.
func (c *Splitters[K]) Set(keys []K) {
	slices.Sort(keys)
	c.keys = slices.Compact(keys)
	c.padded = c.keys
	for len(c.padded)&(len(c.padded)+1) != 0 {
		c.padded = append(c.padded, MaxKey[K]())
	}
	c.tree = plantTree(c.tree, c.keys)
}

// Memory returns that of the keys, without them, to collect others in.
func (c *Splitters[K]) Memory() []K { return c.padded[:0] }

// binOf returns the bin of a key.
func (c *Splitters[K]) binOf(key K) int {
	bin := 0
	for step := (len(c.padded) + 1) / 2; step > 0; step /= 2 {
		above := 0 // a number: a branch would be mispredicted half the time
		if c.padded[bin+step-1] <= key {
			above = 1
		}
		bin += step & -above
	}
	return min(bin, len(c.keys))
}

// find sets the bins of keys.
func (c *Splitters[K]) find(bins []uint16, keys []K) {
	bins = bins[:len(keys)]
	done := findBinsTree(bins, keys, c.tree, len(c.keys))
	for i, key := range keys[done:] {
		bins[done+i] = uint16(c.binOf(key))
	}
}

// firstIn returns the first key from lo to hi whose bin is at least c, or hi.
func (c *Splitters[K]) firstIn(bin int, lo, hi K) K {
	switch {
	case bin == 0:
		return lo
	case bin > len(c.keys):
		return hi
	}
	return min(max(c.keys[bin-1], lo), hi)
}
