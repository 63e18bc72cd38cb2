package narrow

import (
	"math"
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// Input is where lanes lie.
type Input interface {
	// Pointer returns the address of an element of a lane.
	Pointer(lane, element int) unsafe.Pointer
	// Run returns the address of element from of a lane, and how many of those
	// from it on, up to to-1, are how far apart, in elements.
	Run(lane, from, to int) (first unsafe.Pointer, stride, n int)
}

// Call is what is asked of lanes, and how they are gone through.
type Call[K kernel.Key] struct {
	Set        rank.Set
	Skip       bool // NaNs are dropped; otherwise one makes the lane's answers NaN
	Encoding   kernel.Encoding[K]
	Thresholds *tuning.Thresholds

	Input Input
	First int // the first lane
	Lanes int // so many side by side, or one
	N     int // elements of a lane, not 0

	Chunk    int  // elements of a lane in one task
	Capacity int  // keys of a lane that may be collected at a time, best a hundred or more
	Far      bool // the lanes do not fit a core's cache
	Adjacent bool // the elements of a lane follow each other
}

// sampleSize returns how many elements of a lane are sampled. More narrow the
// brackets, as 1/sqrt; fewer take less time to draw. Of lanes that do not fit a
// cache collecting costs more, so that a few brackets are worth a larger sample:
// three quantiles of 10M float32 or float64 take 0.93 of the time, one or two
// and narrower elements no less.
func (c *Call[K]) sampleSize() int {
	m := max(int(math.Pow(float64(c.N), 0.55)), 32)
	if q := c.Set.Len(); c.Far && unsafe.Sizeof(K(0)) >= 4 && q > 2 && 2*q < c.Thresholds.BinsMin {
		m *= 2
	}
	return min(m, c.N)
}

// Tile is an Input: the lanes of a tile.
type Tile[K kernel.Key] struct{ kernel.Tile }

// Pointer is [Input].
func (t *Tile[K]) Pointer(lane, element int) unsafe.Pointer {
	return unsafe.Add(t.Base, (lane*t.LaneStride+element*t.Stride)*int(unsafe.Sizeof(K(0))))
}

// Run is [Input].
func (t *Tile[K]) Run(lane, from, to int) (first unsafe.Pointer, stride, n int) {
	return t.Pointer(lane, from), t.Stride, to - from
}

// target is an order statistic, known to lie among the keys lo … hi.
type target[K kernel.Key] struct {
	k             int64
	lo, hi        K
	below, inside int64 // how many keys are less than lo, and how many from lo to hi
	bin           int   // that holds it, once bins are counted
	done          bool  // the order statistic is lo
}

// found sets the order statistic.
func (t *target[K]) found(key K) { t.lo, t.done = key, true }

// isSound reports whether a target is among the keys that have been counted, as all are
// unless elements change between passes.
func (t *target[K]) isSound() bool {
	return t.lo <= t.hi && t.below <= t.k && t.k-t.below < t.inside
}

// interval is a range of keys.
type interval[K kernel.Key] struct {
	lo, hi   K
	expected int64 // keys inside
	exact    bool  // so many there are
}

// expected returns how many keys to expect in the intervals of more than one
// key, which are collected.
func expected[K kernel.Key](list []interval[K]) (total int64) {
	for _, v := range list {
		if v.lo < v.hi {
			total += v.expected
		}
	}
	return total
}
