package ogive_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// BenchmarkScaling is the same calls with 1, 2, 4 … workers, up to GOMAXPROCS.
func BenchmarkScaling(b *testing.B) {
	for _, c := range []benchCase{
		{dtype.Float32, []int{10_000_000}, -1, 0, 0},
		{dtype.Float32, []int{100_000_000}, -1, 0, 0},
		{dtype.Float32, []int{20, 500_000}, 0, 0, 0},
		{dtype.Float32, []int{10_000, 1000}, 1, 0, 0},
	} {
		var x, out *ogive.Tensor // made for the first benchmark that runs
		opts := []ogive.Option{}
		if c.axis >= 0 {
			opts = append(opts, ogive.Axis(c.axis))
		}
		most := runtime.GOMAXPROCS(0)
		for workers := 1; ; workers = min(2*workers, most) {
			b.Run(fmt.Sprintf("%s/workers=%d", c.name(), workers), func(b *testing.B) {
				if x == nil {
					x = c.data()
					out = ogive.Must(ogive.Median(x, opts...))
				}
				b.SetBytes(int64(x.Len() * x.DType().Size()))
				for b.Loop() {
					if _, err := ogive.Median(x, append(opts, ogive.Workers(workers), ogive.Out(out))...); err != nil {
						b.Fatal(err)
					}
				}
			})
			if workers == most {
				break
			}
		}
	}
}
