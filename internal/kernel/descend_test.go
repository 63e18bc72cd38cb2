package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/testkit"
)

func testDescend[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	lanes := BlockLanes[K]()
	for _, n := range []int{1, 2, 3, 4, 5, 15, 16, 17, 33, 64, 100, 127, 500} {
		if K(n) <= 0 || int(K(n)) != n {
			continue // more than a rank of this width counts
		}
		for round := range 20 {
			float := round%2 == 1
			side := testkit.Sides[rng.IntN(2)]
			keys := testkit.FencedCopy(t, keysOf[K](n*lanes, rng), side)
			ranks := testkit.Fenced[K](t, lanes, side)
			out, next := testkit.Fenced[K](t, lanes, side), testkit.Fenced[K](t, lanes, side)
			for j := range ranks {
				ranks[j] = K(rng.IntN(n))
			}
			Descend(keys, n, ranks, float, out, next)
			for j := range lanes {
				var lane []K
				for i := range n {
					lane = append(lane, keys[i*lanes+j])
				}
				slices.Sort(lane)
				k := int(ranks[j])
				if out[j] != lane[k] {
					t.Fatalf("n=%d, lane %d: order statistic %d is %d, want %d", n, j, k, out[j], lane[k])
				}
				if k+1 < n && next[j] != lane[k+1] {
					t.Fatalf("n=%d, lane %d: order statistic %d is %d, want %d", n, j, k+1, next[j], lane[k+1])
				}
			}
		}
	}
}

// Descend finds the order statistics of every lane.
func TestDescend(t *testing.T) {
	eachImpl(t, "Descend", func(t *testing.T) {
		forKeys(t, testDescend[int8], testDescend[int16], testDescend[int32], testDescend[int64])
	})
}
