package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/testkit"
)

func testNth[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	for n := 1; n <= 130; n++ {
		for range 4 {
			keys := testkit.FencedCopy(t, keysOf[K](n, rng), testkit.Sides[rng.IntN(2)])
			sorted := slices.Clone(keys)
			slices.Sort(sorted)
			k := rng.IntN(n)
			at, next := Nth(keys, k)
			if want := sorted[k]; at != want {
				t.Fatalf("n=%d: order statistic %d is %d, want %d", n, k, at, want)
			}
			if want := sorted[min(k+1, n-1)]; next != want {
				t.Fatalf("n=%d: order statistic %d is %d, want %d", n, k+1, next, want)
			}
		}
	}
}

// Nth finds two neighbouring order statistics.
func TestNth(t *testing.T) {
	eachImpl(t, "Nth", func(t *testing.T) {
		forKeys(t, testNth[int8], testNth[int16], testNth[int32], testNth[int64])
	})
}
