package selection

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
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

// Lanes of any length fit a task, whatever the width of an int.
func TestWidth(t *testing.T) {
	t.Run("8", testWidth[int8])
	t.Run("16", testWidth[int16])
	t.Run("32", testWidth[int32])
	t.Run("64", testWidth[int64])
}

func testWidth[K kernel.Key](t *testing.T) {
	w := NewWant(rank.Set{}, false, &tuning.Default)
	for shift := range 31 {
		for _, neighbours := range []bool{false, true} {
			if n := 1<<shift - 1; n > 0 && width[K](&w, Shape{N: n, Lanes: 100, SideBySide: neighbours}) < 1 {
				t.Errorf("no lanes of %d keys", n)
			}
		}
	}
}
