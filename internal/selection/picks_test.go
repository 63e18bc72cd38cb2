package selection

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/kernel"
)

// TestPicksAgain: picks that are used again are those that were set last, in whichever of
// the two elements they differ, and so are the networks that lead to them.
func TestPicksAgain(t *testing.T) {
	const lanes = 40
	rng := rand.New(rand.NewPCG(6, 6))
	var p picks
	for _, c := range []struct{ n, lo, hi int }{{6, 1, 1}, {6, 3, 3}, {6, 3, 4}, {6, 2, 3}, {6, 2, 2}, {6, 0, 1}, {6, 5, 5}, {7, 5, 5}, {5, 2, 3}, {6, 5, 5}} {
		src := make([]int32, c.n*lanes)
		for i := range src {
			src[i] = int32(rng.Uint32())
		}
		p.start(c.n, 1)
		for m := 1; m < c.n; m++ {
			p.set(0, m, c.n-1, c.n-1)
		}
		p.set(0, c.n, c.lo, c.hi)
		to := kernel.Picked[int32]{Lo: make([]int32, lanes), Hi: make([]int32, lanes), Stride: lanes}
		tile := kernel.Tile{Base: unsafe.Pointer(&src[0]), N: c.n, Stride: lanes, Lanes: lanes, LaneStride: 1}
		kernel.Network(p.finish(), tile, kernel.Encoding[int32]{}, to, make([]int32, kernel.NetworkMemory[int32]()))
		for j := range lanes {
			lane := make([]int32, c.n)
			for i := range lane {
				lane[i] = src[i*lanes+j]
			}
			slices.Sort(lane)
			if to.Lo[j] != lane[c.lo] || to.Hi[j] != lane[c.hi] {
				t.Fatalf("%+v: lane %d of %v has %d and %d", c, j, lane, to.Lo[j], to.Hi[j])
			}
		}
	}
}
