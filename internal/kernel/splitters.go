package kernel

import "slices"

// Splitters are keys that divide others into bins, where these are not evenly spaced: a
// key belongs to the bin numbered like the splitters that are not greater.
type Splitters[K Key] struct {
	keys   []K // ascending, distinct
	padded []K // and MaxKey up to one less than a power of two
	tree   []K // of findBinsTree
}

// Set makes c divide by keys, which it sorts. It keeps their memory and what follows them.
func (c *Splitters[K]) Set(keys []K) {
	slices.Sort(keys)
	c.keys = slices.Compact(keys)
	c.padded = c.keys
	for len(c.padded)&(len(c.padded)+1) != 0 {
		c.padded = append(c.padded, MaxKey[K]())
	}
	if c.tree = c.tree[:0]; len(c.keys) < BinCount {
		c.tree = plantTree(c.tree, c.keys)
	}
}

// Memory returns that of the keys, without them, to collect others in.
func (c *Splitters[K]) Memory() []K { return c.padded[:0] }

// Count returns the number of bins.
func (c *Splitters[K]) Count() int { return len(c.keys) + 1 }

// BinOf returns the bin of a key.
func (c *Splitters[K]) BinOf(key K) int {
	var bin [1]uint32
	findAmong(bin[:], []K{key}, c.padded, len(c.keys))
	return int(bin[0])
}

// Ends returns the smallest and the largest key of a bin that has any.
func (c *Splitters[K]) Ends(bin int) (lo, hi K) {
	lo, hi = MinKey[K](), MaxKey[K]()
	if bin > 0 {
		lo = c.keys[bin-1]
	}
	if bin < len(c.keys) {
		hi = c.keys[bin] - 1
	}
	return lo, hi
}

// Find sets the bins of keys.
func (c *Splitters[K]) Find(bins []uint32, keys []K) {
	if len(c.tree) == 0 {
		findAmong(bins, keys, c.padded, len(c.keys))
		return
	}
	var block [256]uint16
	for len(keys) > 0 {
		n := min(len(block), len(keys))
		c.find(block[:], keys[:n])
		for i, bin := range block[:n] {
			bins[i] = uint32(bin)
		}
		bins, keys = bins[n:], keys[n:]
	}
}

// find is Find where there are fewer than BinCount splitters.
func (c *Splitters[K]) find(bins []uint16, keys []K) {
	done := findBinsTree(bins[:len(keys)], keys, c.tree, len(c.keys))
	findAmong(bins[done:], keys[done:], c.padded, len(c.keys))
}

// findAmong sets the bins of keys, of which last is that of the largest.
func findAmong[K Key, B uint16 | uint32](bins []B, keys, padded []K, last int) {
	bins = bins[:len(keys)]
	half := (len(padded) + 1) / 2
	for i, key := range keys {
		bin := 0
		for step := half; step > 0; step >>= 1 {
			above := 0 // a number: a branch would be mispredicted half the time
			if padded[bin+step-1] <= key {
				above = 1
			}
			bin += step & -above
		}
		bins[i] = B(min(bin, last))
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
