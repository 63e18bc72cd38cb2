package kernel

// Splitters are keys by which others are classified. They are ascending and
// distinct, followed by MaxKey up to a length of one less than a power of two.
// Cell 2i+1 holds the keys equal to splitter i, cell 2i those between splitter
// i-1 and splitter i; MaxKey itself is in the last cell but one.
type Splitters[K Key] struct {
	Keys  []K
	tree  []K // the splitters as a search tree: the children of i are 2i and 2i+1
	lower []K // splitter i-1 at i; MaxKey at 0, which no key below all splitters is
}

// Plant prepares the cells for Classify after a change of the splitters.
func (c *Splitters[K]) Plant() {
	size := len(c.Keys) + 1
	c.lower = append(append(c.lower[:0], MaxKey[K]()), c.Keys...)
	c.tree = append(c.tree[:0], c.lower...)
	for level, first := size/2, 1; level > 0; level, first = level/2, 2*first {
		for i := range first {
			c.tree[first+i] = c.Keys[level-1+2*level*i]
		}
	}
}

// Classify counts keys by cell.
func Classify[K Key](src []K, c *Splitters[K], counts []int64) {
	tree, lower := c.tree, c.lower[:len(c.tree)]
	for _, k := range src {
		node := 1
		for node < len(tree) {
			right := 0
			if tree[node] <= k {
				right = 1
			}
			node = 2*node + right
		}
		at := node - len(tree) // the number of splitters <= k
		equal := 0
		if lower[at] == k {
			equal = 1
		}
		counts[2*at-equal]++
	}
}

// CountBelow returns how many keys are less than k, and how many are equal.
func CountBelow[K Key](src []K, k K) (below, equal int) {
	below, equal, done := countVector(src, k)
	for _, v := range src[done:] {
		if v < k {
			below++
		}
		if v == k {
			equal++
		}
	}
	return below, equal
}

// indexBlock is how many keys are counted on vectors before one of them is looked for.
const indexBlock = 256

// IndexOf returns the position of the nth key equal to k, counted from 0, and nth; or,
// if there are no more than nth, -1 and how many there are.
func IndexOf[K Key](src []K, k K, nth int) (at, equal int) {
	for from := 0; from < len(src); from += indexBlock {
		block := src[from:min(from+indexBlock, len(src))]
		if CountsOnVectors[K]() {
			if _, more := CountBelow(block, k); equal+more <= nth {
				equal += more
				continue
			}
		}
		for i, v := range block {
			if v != k {
				continue
			}
			if equal == nth {
				return from + i, equal
			}
			equal++
		}
	}
	return -1, equal
}
