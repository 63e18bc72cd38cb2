package selection

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

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
	var s crew.Scratch
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
