package bracket

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	_ "github.com/ogive-go/ogive/internal/testkit" // poison in scratch memory
	"github.com/ogive-go/ogive/internal/tuning"
)

func testSelectFew[K kernel.Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	var s crew.Scratch
	for i, values := range []int{1, 2, 3, 7, 9, 9, 30, 100, 1 << 30} {
		least := K(-1)
		if i%2 == 0 {
			least = kernel.MinKey[K]()
		}
		for _, n := range []int{50, 300, 2048, 5000, 60_000} {
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
				Select(answers, slices.Clone(keys), slices.Clone(wanted), &s, &tuning.Default)
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
				Select(answers, slices.Clone(keys), []int64{int64(i - 1), int64(i)}, &s, &tuning.Default)
				if !slices.Equal(answers, sorted[i-1:i+1]) {
					t.Fatalf("%d values, %d keys: around %d: %v, want %v", values, n, i, answers, sorted[i-1:i+1])
				}
			}
		}
	}
}

// Select finds order statistics among few values, and where one ends and another
// begins.
func TestSelectFew(t *testing.T) {
	t.Run("int8", testSelectFew[int8])
	t.Run("int16", testSelectFew[int16])
	t.Run("int32", testSelectFew[int32])
	t.Run("int64", testSelectFew[int64])
}
