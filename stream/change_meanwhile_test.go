//go:build !race

package stream

import (
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// TestChangedMeanwhile: a State comes to an end, with an error or without, if chunks and
// their weights are written to while it takes them in.
func TestChangedMeanwhile(t *testing.T) {
	x, w := slices.Clone(testkit.Fill("normal", dtype.Float32, 20_000, 7)), make([]int64, 20_000)
	chunk, weights := ogive.Must(ogive.FromBytes(dtype.Float32, x, 20_000)), ogive.Must(ogive.FromSlice(w))
	write := func(i int) {
		for j := range w {
			w[j] = int64(i%2) << (i % 13 * 5) // some are too large
			if i%4 == 0 {
				w[j] = -3 // and these no weights
			}
		}
	}
	calls := 40
	if testkit.Whole() {
		calls = 2000
	}
	testkit.ChangeMeanwhile(x, dtype.Float32, write, func() {
		for i := range calls {
			s, err := New(ogive.OpNaNQuantile, dtype.Float32, 1<<12, ogive.Ratios([]int64{0, 1, 2, 3}, 3))
			if err != nil {
				t.Fatal(err)
			}
			for again, passes := true, 0; again; passes++ {
				if passes > s.MaxPasses() {
					t.Fatalf("call %d: more than %d passes", i, s.MaxPasses())
				}
				if i%2 == 0 {
					err = s.Add(chunk, nil)
				} else {
					err = s.Add(chunk, weights)
				}
				if err != nil {
					break
				}
				if again, err = s.Next(); err != nil {
					break
				}
			}
		}
	})
}
