package selection

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/kernel"
)

// patterns are inputs that have broken or slowed selection somewhere.
func patterns[K kernel.Key](n int, rng *rand.Rand) map[string][]K {
	make := func(f func(i int) int64) []K {
		keys := make([]K, n)
		for i := range keys {
			keys[i] = K(f(i))
		}
		return keys
	}
	killer := make(func(i int) int64 { // median of three
		if i%2 == 0 {
			return int64(i + 1)
		}
		return int64(n + i)
	})
	return map[string][]K{
		"random":     make(func(int) int64 { return int64(rng.Uint64()) }),
		"narrow":     make(func(int) int64 { return rng.Int64N(1000) }),
		"few":        make(func(int) int64 { return rng.Int64N(5) }),
		"two":        make(func(int) int64 { return rng.Int64N(2) }),
		"constant":   make(func(int) int64 { return 7 }),
		"sorted":     make(func(i int) int64 { return int64(i) }),
		"reversed":   make(func(i int) int64 { return int64(-i) }),
		"organ pipe": make(func(i int) int64 { return int64(min(i, n-i)) }),
		"killer":     killer,
		"one off": make(func(i int) int64 {
			if i == n/2 {
				return -3
			}
			return 7
		}),
		"ends": make(func(int) int64 {
			if rng.Int64N(2) == 0 {
				return int64(kernel.MinKey[K]())
			}
			return int64(kernel.MaxKey[K]())
		}),
	}
}

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
		for name, keys := range patterns[K](n, rng) {
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
		s := selector[int64]{}
		s.run(keys, wanted, 0)
	})
	testSelect(t, func(keys []int8, wanted []int64) {
		s := selector[int8]{}
		s.run(keys, wanted, 0)
	})
}

// Lanes of any length fit a task, whatever the width of an int.
func TestPackedLanes(t *testing.T) {
	for shift := range 31 {
		for _, size := range []int{1, 2, 4, 8} {
			for _, neighbours := range []bool{false, true} {
				if n := 1<<shift - 1; n > 0 && PackedLanes(n, size, neighbours) < 1 {
					t.Errorf("no lanes of %d keys of %d bytes", n, size)
				}
			}
		}
	}
}
