package ogive_test

import (
	"fmt"
	"testing"

	"github.com/ogive-go/ogive"
)

// BenchmarkSlice is the cost of the functions on plain slices.
func BenchmarkSlice(b *testing.B) {
	for _, n := range []int{5, 100, 10_000, 1_000_000} {
		narrow := noise(n, 0)
		wide, whole := make([]float64, n), make([]int64, n)
		for i, v := range narrow {
			wide[i], whole[i] = float64(v), int64(v)
		}
		qs := []float64{0.1, 0.5, 0.9}
		for _, c := range []struct {
			call string
			size int
			run  func() error
		}{
			{"median/dtype=float64", 8, func() error { _, err := ogive.MedianOf(wide); return err }},
			{"median/dtype=float32", 4, func() error { _, err := ogive.MedianOf(narrow); return err }},
			{"median/dtype=int64", 8, func() error { _, err := ogive.MedianOf(whole); return err }},
			{"lower/dtype=int64", 8, func() error { _, err := ogive.MedianOf(whole, ogive.Mode(ogive.ModeLower)); return err }},
			{"quantiles3/dtype=float64", 8, func() error { _, err := ogive.QuantilesOf(wide, qs); return err }},
		} {
			b.Run(fmt.Sprintf("op=%s/n=%d", c.call, n), func(b *testing.B) {
				b.SetBytes(int64(n * c.size))
				b.ReportAllocs()
				for b.Loop() {
					if err := c.run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
