package ogive_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive"
)

// BenchmarkMedianBy takes medians of 10M float64 in groups with keys of a narrow range,
// and of a wide one.
func BenchmarkMedianBy(b *testing.B) {
	const n = 10_000_000
	v, k := make([]float64, n), make([]int64, n)
	for _, groups := range []int64{1, 1000, 1_000_000} {
		for _, spread := range []int64{1, 1 << 40} {
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range v {
				v[i], k[i] = rng.Float64(), rng.Int64N(groups)*spread
			}
			b.Run(fmt.Sprintf("groups=%d/spread=%d", groups, spread), func(b *testing.B) {
				x, keys := vec(v...), vec(k...)
				b.SetBytes(16 * n)
				for b.Loop() {
					if _, _, err := ogive.MedianBy(x, keys); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
