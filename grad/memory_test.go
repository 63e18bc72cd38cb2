package grad_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// TestScratchAsDocumented holds pullbacks to the bound on memory that the package's
// documentation gives: what is kept of the values, and scratch memory for each worker.
func TestScratchAsDocumented(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some 100 MB")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const n = 1_000_000
	data := testkit.Fill("normal", dtype.Float32, n, 3)
	for _, shape := range [][]int{{n}, {1000, n / 1000}, {10, n / 10}, {n / 10, 10}} {
		x := ogive.Must(ogive.FromBytes(dtype.Float32, data, shape...))
		for axis := range shape {
			for name, call := range differentiated {
				for _, workers := range []int{1, 8} {
					what := fmt.Sprintf("%s of %v along axis %d, %d workers", name, shape, axis, workers)
					y, pull, err := call(x, ogive.Axis(axis), ogive.Workers(workers))
					if err != nil {
						t.Fatal(what, err)
					}
					dy := ogive.Must(ogive.Zeros(dtype.Float32, y.Shape()...))
					for range 2 {
						runtime.GC()
						runtime.GC() // nothing comes from pools
						var before, after runtime.MemStats
						runtime.ReadMemStats(&before)
						dx := ogive.Must(pull(dy))
						runtime.ReadMemStats(&after)
						have, bound := int(after.TotalAlloc-before.TotalAlloc)-4*dx.Len(), 16*y.Len()+workers*4<<20
						if have > bound {
							t.Errorf("%s: %d kB beside the gradient, at most %d kB", what, have>>10, bound>>10)
						}
					}
				}
			}
		}
	}
}
