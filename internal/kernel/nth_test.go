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
			i, j := rng.IntN(n), rng.IntN(n)
			a, b := Nth(keys, i, j)
			if a != sorted[i] || b != sorted[j] {
				t.Fatalf("n=%d: order statistics %d and %d are %d and %d, want %d and %d", n, i, j, a, b, sorted[i], sorted[j])
			}
		}
	}
}

// Nth finds two order statistics.
func TestNth(t *testing.T) {
	eachImpl(t, "Nth", func(t *testing.T) {
		forKeys(t, testNth[int8], testNth[int16], testNth[int32], testNth[int64])
	})
}
