package partition

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/testkit"
)

// wantedOf returns order statistics to ask for among n.
func wantedOf(n int, rng *rand.Rand) [][]int64 {
	several := []int64{0, int64(n / 4), int64(n / 2), int64(n - 1)}
	for range 20 {
		several = append(several, rng.Int64N(int64(n)))
	}
	slices.Sort(several)
	return [][]int64{{0}, {int64(n / 2)}, {int64(n - 1)}, slices.Compact(several)}
}

func testSelect[K kernel.Key](t *testing.T, choose func([]K, []int64)) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 7, 20, 21, 22, 33, 100, 257, 1000, 5000} {
		for name, keys := range testkit.Keys[K](n, rng) {
			sorted := slices.Clone(keys)
			slices.Sort(sorted)
			for _, wanted := range wantedOf(n, rng) {
				got := slices.Clone(keys)
				choose(got, wanted)
				for _, k := range wanted {
					if got[k] != sorted[k] {
						t.Fatalf("%s, n=%d: order statistic %d of %v is %d, want %d", name, n, k, wanted, got[k], sorted[k])
					}
				}
				slices.Sort(got)
				if !slices.Equal(got, sorted) {
					t.Fatalf("%s, n=%d: the keys are no permutation of what they were", name, n)
				}
			}
		}
	}
}

// Select finds the order statistics of every input, and loses no key.
func TestSelect(t *testing.T) {
	t.Run("int8", func(t *testing.T) { testSelect(t, Select[int8]) })
	t.Run("int16", func(t *testing.T) { testSelect(t, Select[int16]) })
	t.Run("int32", func(t *testing.T) { testSelect(t, Select[int32]) })
	t.Run("int64", func(t *testing.T) { testSelect(t, Select[int64]) })
}

// Without a budget for sampled pivots, halving the range of the keys ends too:
// the bound of the worst case.
func TestSelectByBisection(t *testing.T) {
	testSelect(t, func(keys []int64, wanted []int64) {
		run(new(Pivots[int64]), keys, wanted, 0)
	})
	testSelect(t, func(keys []int8, wanted []int64) {
		run(new(Pivots[int8]), keys, wanted, 0)
	})
}
