package selection

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/partition"
	"github.com/ogive-go/ogive/internal/selection/weighted"
	"github.com/ogive-go/ogive/internal/tuning"
)

// How work is done for so many elements, lanes and quantiles, which lie here or there, is
// decided in this file, and nowhere else.

// Way is how order statistics are selected: one of the ideas that the package's comment
// tells, or a kind of it.
type Way uint8

// The ways.
const (
	Count     Way = iota // keys are counted by value
	Network              // short lanes
	Search               // medium lanes side by side
	Squeeze              // the same, in rows of which most is left out first
	BlockSort            // the same, sorted: for many quantiles
	Sort                 // lane by lane, for many quantiles
	Narrow               // brackets or bins
	Partition            // lane by lane
)

// Shape is what the way depends on, besides what is asked.
type Shape struct {
	N, Lanes   int
	Adjacent   bool // the elements of a lane follow each other
	Gathered   bool // they are not evenly spaced, and copied to follow each other
	SideBySide bool // neighbouring lanes are closer together than the elements of one
	Workers    int
}

// Choice is how a call is selected.
type Choice struct {
	Way    Way
	Shared bool // all workers look at a lane, or at some side by side, together
	Width  int  // lanes of a task, unless shared
}

const (
	// networkRow is how many bytes of a row of short lanes are worth a task: long
	// enough that few of the fetches ahead of its end are for another worker, and
	// what is kept of the rows stays in a core's cache. 8x1000000 float32 take 0.65
	// ms on two cores by this, 0.81 by half of it and 0.79 by twice as much.
	networkRow = 16 << 10

	// packBytes is how much of a tile is packed at a time, so that it is still in the
	// second-level cache when its lanes are selected.
	packBytes = 256 << 10

	// sortRowMax is the most bytes of a row of a block that is sorted. The longer the rows,
	// the less often a step of the network begins, as long as a block stays in the
	// second-level cache: 101 quantiles of rows of 1000 float32 take 0.6 of the time that
	// they take by cache lines, of rows of 4000 2.4 times as long.
	sortRowMax = 256
)

// Choose decides how the lanes of a call are selected.
func Choose[K kernel.Key](w *Want, sh Shape) Choice {
	t, size := w.tuned, int(unsafe.Sizeof(K(0)))
	c := Choice{Width: sh.Lanes}
	if big := (t.BigBytes + size - 1) / size; sh.N*sh.Lanes >= t.SoloWork || sh.N >= big {
		c.Width = width[K](w, sh)
		fits := sh.N < (t.BigBytes+c.Width*size-1)/(c.Width*size)
		// Lanes of adjacent elements need not fit a cache if there are enough of them to
		// keep all workers busy: each is narrowed where it lies.
		many := sh.Adjacent && sh.Lanes >= 4*sh.Workers && sh.N/8 < big
		c.Shared = !fits && !many
		c.Width = max(c.Width, min(sh.Lanes, t.TaskElements/sh.N))
	}
	c.Way = chooseWay[K](w, sh, c.Shared)
	return c
}

// chooseWay is Choose when it is known whether workers share lanes.
func chooseWay[K kernel.Key](w *Want, sh Shape, shared bool) Way {
	t, n, quantiles, size := w.tuned, sh.N, w.Len(), int(unsafe.Sizeof(K(0)))
	if !shared && networks(n, w) && sh.Lanes >= t.NetworkLanes {
		return Network
	}
	if way, ok := sideBySide[K](w, sh); ok && !shared {
		return way
	}
	many := quantiles*size >= t.HistogramQuantiles
	switch {
	case shared && sh.SideBySide && sh.Lanes > 1: // each lane would need a histogram
	case size == 1 && (many || !shared && n >= t.HistogramMin):
		return Count
	case size == 2 && many && n >= t.WideHistogramMin:
		return Count
	case size == 2 && many && !shared && partition.ByRadix[K](n, t):
		return Sort
	}
	switch {
	case shared:
		return Narrow
	case quantiles >= t.SortQuantiles && partition.ByRadix[K](n, t) && n*size <= quantiles*t.SortBytes:
		return Sort
	case n >= t.NarrowMin*min(quantiles, 4):
		return Narrow
	}
	return Partition
}

// sideBySide returns the way in which lanes are selected side by side, if they are.
func sideBySide[K kernel.Key](w *Want, sh Shape) (Way, bool) {
	t, n, size := w.tuned, sh.N, int(unsafe.Sizeof(K(0)))
	if !kernel.Searches() || 2*sh.Lanes < kernel.BlockLanes[K]() {
		return 0, false
	}
	if n <= t.BlockSortMax && w.Len() >= t.BlockSortMin(n, size) {
		return BlockSort, true
	}
	// Each quantile takes a search. A rank must fit a key. Columns are packed, which is
	// to leave them in the second-level cache; rows are searched, or squeezed, as they
	// come from memory.
	if n > t.SearchWork/max(w.Len(), 1) || int(K(n)) != n || sh.SideBySide && n*kernel.BlockBytes() > t.BigBytes/2 {
		return 0, false
	}
	if (sh.Adjacent || sh.Gathered) && squeezes[K](w, n) {
		return Squeeze, true
	}
	return Search, true
}

// squeezeSample is how many keys are sampled of a row that is squeezed: as many as a network
// sorts.
const squeezeSample = kernel.NetworkMax

// squeezes reports whether rows of n elements are best squeezed. Where a search looks
// at cells that it makes once for all quantiles, that is for a single one: two
// quantiles of rows of 2000 float32 take 1.36 times as long squeezed, three of 10 000
// 1.29 times, and one of 10 000 0.66 of the time. Elsewhere rows of 10 000 take 0.47 to
// 0.63 of the time for one quantile to six.
func squeezes[K kernel.Key](w *Want, n int) bool {
	size := int(unsafe.Sizeof(K(0)))
	if size < 4 || n < squeezeSample {
		return false
	}
	if kernel.SearchesInCells[K]() {
		return w.Len() == 1 && n >= w.tuned.SqueezeMin
	}
	return n*size >= w.tuned.SqueezeBytes
}

// networks reports whether lanes of n elements are short enough for a network.
func networks(n int, w *Want) bool { return n <= min(w.tuned.NetworkMax, kernel.NetworkMax) }

// width returns how many lanes are worth a task: few enough to stay in cache
// and, if neighbours share cache lines or vectors search them together, enough
// for that.
func width[K kernel.Key](w *Want, sh Shape) int {
	size := int(unsafe.Sizeof(K(0)))
	if networks(sh.N, w) {
		return networkRow / size
	}
	_, together := sideBySide[K](w, sh)
	return packWidth(sh.N, size, sh.SideBySide || together)
}

// packWidth returns the lanes that are packed at a time: whole cache lines together, and
// whole rows of blocks that are sorted.
func packWidth(n, size int, together bool) int {
	if !together {
		return max(packBytes/size/n, 1)
	}
	lines := max(packBytes/kernel.LineBytes/n, 1)
	if most := sortRowMax / kernel.LineBytes; lines > most {
		lines -= lines % most
	}
	return lines * kernel.LineBytes / size
}

// sortRow returns the bytes of a row of a block of lanes of n keys that is sorted.
func sortRow(n int) int {
	row := sortRowMax
	for row > kernel.LineBytes && n*row > packBytes {
		row /= 2
	}
	return row
}

const (
	// shortMax is the longest lane for Short, and shortQuantiles are the most quantiles.
	shortMax       = 128
	shortQuantiles = 4

	// insertedMax is the most keys that are sorted by insertion where all can be compared
	// with all on vectors: 16 float64 take 1.15 to 1.3 times as long so, and 5 0.9.
	insertedMax = 8
)

// IsShort reports whether a single lane of n elements, of which so many quantiles are
// asked, is for Short.
func IsShort(n, quantiles int) bool {
	return 0 < n && n <= shortMax && quantiles <= shortQuantiles
}

// sortsShort reports whether so many keys of a short lane are sorted.
func sortsShort[K kernel.Key](n int) bool {
	return n <= insertedMax || partition.Few(n) && !kernel.NthOnVectors[K]()
}

// plainWindow is the widest window whose elements are looked at anew for each without
// vectors.
const plainWindow = 8

// WindowsAreLanes reports whether windows of so many elements are lanes of their own, whose
// elements are looked at anew for each: a network is faster than keeping them in order.
func WindowsAreLanes(w *Want, width int) bool {
	if !kernel.Searches() {
		return width <= plainWindow
	}
	return networks(width, w)
}

// ChooseWeighted decides whether workers share weighted lanes. The width is the lanes of a
// task, or those that are passed over together: few enough for each to have a chunk in cache
// that is large against its sums.
func ChooseWeighted[K kernel.Key](t *tuning.Thresholds, sh Shape) Choice {
	size, least := int(unsafe.Sizeof(K(0))), 1
	if sh.SideBySide { // use the cache lines that are read
		least = min(sh.Lanes, kernel.LineBytes/size)
	}
	switch {
	case sh.N > t.BigBytes/(least*weighted.PairBytes):
		if sh.SideBySide {
			least = min(kernel.LineBytes, 2*kernel.LineBytes/size)
		}
		return Choice{Shared: true, Width: least}
	case sh.Lanes*sh.N < 4*sh.Workers*t.TaskElements:
		return Choice{Width: max(least, min(sh.Lanes, t.TaskElements/sh.N))}
	}
	return Choice{Width: max(least, packBytes/(sh.N*weighted.PairBytes))}
}

// Layout is how lanes are taken of which order statistics are located.
type Layout struct {
	Rows     bool // blocks are rows of lanes
	Shared   bool // blocks are tasks; otherwise lanes are
	Elements int  // of a block
	Width    int  // lanes of a task
}

const (
	// rowLanes is the fewest lanes in rows that are worth a task: whole cache lines of
	// each row. A task has an odd multiple of them, so that rows do not meet in the
	// same places of the caches. Where only positions are wanted it has at most
	// rowLanesMax: side by side, a lane with equals makes work for all.
	rowLanes    = 64
	rowLanesMax = 31 * rowLanes

	// transposeMax is the longest lane that is laid out in rows for the vectors'
	// sake alone.
	transposeMax = 128
)

// ChooseLayout decides how lanes are taken of which order statistics are located, and
// whether only their positions are wanted.
func ChooseLayout[K kernel.Key](t *tuning.Thresholds, sh Shape, positions bool) (y Layout) {
	y.Rows = kernel.LocatesOnVectors[K]() && (sh.SideBySide || !sh.Gathered && sh.N <= transposeMax)
	y.Elements = max(t.ChunkBytes/int(unsafe.Sizeof(K(0))), 1)
	y.Width = min(y.Elements, t.TaskElements) / sh.N
	if y.Rows {
		y.Width = y.Elements / sh.N
		y.Width = rowLanes * max((y.Width/rowLanes-1)|1, 1)
	}
	y.Width = min(max(y.Width, 1), sh.Lanes)
	y.Shared = y.Width*sh.N > y.Elements && sh.Lanes < 4*sh.Workers*y.Width
	if positions && y.Rows && !y.Shared {
		y.Width = min(y.Width, rowLanesMax)
	}
	return y
}
