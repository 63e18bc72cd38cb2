package selection

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/kernel"
)

func testSortKeys[K kernel.Key](t *testing.T) {
	defer func(saved int) { Thresholds.RadixMin = saved }(Thresholds.RadixMin)
	rng := rand.New(rand.NewPCG(5, 1))
	for _, Thresholds.RadixMin = range []int{0, 128} {
		for _, n := range []int{0, 1, 2, 3, 100, 1500} {
			for _, span := range []uint64{1, 2, 3000, 1 << 40, 0} {
				keys, other := make([]K, n), make([]K, n+1)
				for i := range keys {
					if keys[i] = K(rng.Uint64()); span > 0 {
						keys[i] = K(rng.Uint64N(span)) + kernel.MaxKey[K]() - K(span/2)
					}
				}
				want := slices.Sorted(slices.Values(keys))
				sortKeys(keys, other)
				if !slices.Equal(keys, want) {
					t.Fatalf("%d keys of a span of %d, radix from %d: not sorted", n, span, Thresholds.RadixMin)
				}
			}
		}
	}
}

// Keys of every width are sorted, by comparing and by radix, however many
// digits they share.
func TestSortKeys(t *testing.T) {
	t.Run("int8", testSortKeys[int8])
	t.Run("int16", testSortKeys[int16])
	t.Run("int32", testSortKeys[int32])
	t.Run("int64", testSortKeys[int64])
}

// sortBlock sorts every lane of a block, of any number of rows.
func TestSortBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	const lanes = 16
	for n := range 300 {
		keys := make([]int32, n*lanes)
		for i := range keys {
			keys[i] = int32(rng.IntN(2 * n))
		}
		sorted := slices.Clone(keys)
		sortBlock(sorted, n, lanes)
		for j := range lanes {
			var got, want []int32
			for i := range n {
				got, want = append(got, sorted[i*lanes+j]), append(want, keys[i*lanes+j])
			}
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("lane %d of %d rows: %v, want %v", j, n, got, want)
			}
		}
	}
}

func testPickFew[K kernel.Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	var s Scratch
	for i, values := range []int{1, 2, 3, 7, 9, 9, 30, 100, 1 << 30} {
		least := K(-1)
		if i%2 == 0 {
			least = kernel.MinKey[K]()
		}
		for _, n := range []int{300, 2048, 5000, 60_000} {
			keys := make([]K, n)
			for i := range keys {
				keys[i] = least + K(rng.IntN(values))
			}
			sorted := slices.Sorted(slices.Values(keys))
			for range 20 {
				k := int64(rng.IntN(n - 1))
				wanted := []int64{k, k + 1}[:1+rng.IntN(2)]
				answers := make([]K, len(wanted))
				want := sorted[k : k+int64(len(wanted))]
				s.Reset()
				pick(answers, slices.Clone(keys), slices.Clone(wanted), &s)
				if !slices.Equal(answers, want) {
					t.Fatalf("%d values, %d keys: order statistics %v are %v, want %v", values, n, wanted, answers, want)
				}
			}
			for i := 1; i < n; i++ { // exactly where a value begins
				if sorted[i] == sorted[i-1] || values > 100 {
					continue
				}
				answers := make([]K, 2)
				s.Reset()
				pick(answers, slices.Clone(keys), []int64{int64(i - 1), int64(i)}, &s)
				if !slices.Equal(answers, sorted[i-1:i+1]) {
					t.Fatalf("%d values, %d keys: around %d: %v, want %v", values, n, i, answers, sorted[i-1:i+1])
				}
			}
		}
	}
}

// pick finds order statistics among few values, and where one ends and another
// begins.
func TestPickFew(t *testing.T) {
	t.Run("int8", testPickFew[int8])
	t.Run("int16", testPickFew[int16])
	t.Run("int32", testPickFew[int32])
	t.Run("int64", testPickFew[int64])
}
