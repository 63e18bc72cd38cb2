package weighted

import (
	"slices"

	"github.com/ogive-go/ogive/internal/kernel"
)

// cells are ranges of keys between splitters: cell 2i+1 holds the keys equal to
// splitter i, cell 2i those between splitter i-1 and splitter i.
type cells[K kernel.Key] struct {
	splitters []K // ascending, distinct
	padded    []K // and MaxKey up to one less than a power of two
}

// set sets the splitters, which ascend; c keeps their memory.
func (c *cells[K]) set(splitters []K) {
	c.splitters = slices.Compact(splitters)
	c.padded = c.splitters
	for len(c.padded)&(len(c.padded)+1) != 0 {
		c.padded = append(c.padded, kernel.MaxKey[K]())
	}
}

// count returns the number of cells.
func (c *cells[K]) count() int { return 2*len(c.splitters) + 1 }

// of returns the cell of a splitter.
func (c *cells[K]) of(splitter K) int {
	i, _ := slices.BinarySearch(c.splitters, splitter)
	return 2*i + 1
}

// ends returns the smallest and the largest key of a cell that lies between the
// first splitter and the last.
func (c *cells[K]) ends(cell int) (lo, hi K) {
	i := cell / 2
	if cell&1 == 1 {
		return c.splitters[i], c.splitters[i]
	}
	return c.splitters[i-1] + 1, c.splitters[i] - 1
}

// find sets dst to the cells of keys.
func (c *cells[K]) find(dst []uint32, keys []K) {
	padded := c.padded
	half := (len(padded) + 1) / 2
	distinct := len(c.splitters)
	dst = dst[:len(keys)]
	for i, k := range keys {
		at := 0 // the number of splitters less than k
		for step := half; step > 0; step >>= 1 {
			less := 0 // a number: a branch would be mispredicted half the time
			if padded[at+step-1] < k {
				less = 1
			}
			at += step & -less
		}
		cell := 2 * at
		if at < distinct && padded[at] == k {
			cell++
		}
		dst[i] = uint32(cell)
	}
}
