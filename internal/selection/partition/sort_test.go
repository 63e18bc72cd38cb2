package partition

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
)

func testSort[K kernel.Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, least := range []int{0, 128} {
		for _, n := range []int{0, 1, 2, 3, 100, 1500} {
			for _, span := range []uint64{1, 2, 3000, 1 << 40, 0} {
				keys, other := make([]K, n), make([]K, n+1)
				for i := range keys {
					if keys[i] = K(rng.Uint64()); span > 0 {
						keys[i] = K(rng.Uint64N(span)) + kernel.MaxKey[K]() - K(span/2)
					}
				}
				want := slices.Sorted(slices.Values(keys))
				Sort(keys, other, &tuning.Thresholds{RadixMin: least})
				if !slices.Equal(keys, want) {
					t.Fatalf("%d keys of a span of %d, radix from %d: not sorted", n, span, least)
				}
			}
		}
	}
}

// Keys of every width are sorted, by comparing and by radix, however many
// digits they share.
func TestSort(t *testing.T) {
	t.Run("int8", testSort[int8])
	t.Run("int16", testSort[int16])
	t.Run("int32", testSort[int32])
	t.Run("int64", testSort[int64])
}
