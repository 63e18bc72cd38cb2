package selection

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// testRows compares the medians and quartiles of rows with those of the sorted
// rows.
func testRows[K kernel.Key](t *testing.T, name string, rows [][]K, n int, e kernel.Encoding[K]) {
	t.Helper()
	pitch := n + 3
	all := make([]K, len(rows)*pitch)
	for j, row := range rows {
		copy(all[j*pitch:], row)
	}
	tile := kernel.Tile{Base: unsafe.Pointer(&all[0]), N: n, Stride: 1, Lanes: len(rows), LaneStride: pitch}
	for _, qs := range [][]rank.Q{{rank.At(0.25)}, {rank.At(0.5)}, {rank.At(0.25), rank.At(0.5)}} {
		for _, skip := range []bool{true, false} {
			testTile(t, name, rank.NewSet(rank.Linear, qs), skip, rows, tile, e)
		}
	}
}

// testTile compares the answers in a tile of rows, NaNs dropped or kept.
func testTile[K kernel.Key](t *testing.T, name string, set rank.Set, skip bool, rows [][]K, tile kernel.Tile, e kernel.Encoding[K]) {
	t.Helper()
	n := tile.N
	w := NewWant(set, skip, &squeezed)
	var s crew.Scratch
	r := NewResult[K](&w, len(rows), &s)
	bySqueeze(&w, e, tile, &r, &s)
	for j, row := range rows {
		keys := make([]K, n)
		nan := kernel.Encode(keys, row[:n], e)
		slices.Sort(keys)
		for q := range w.Len() {
			lo, hi, g := kernel.MaxKey[K](), kernel.MaxKey[K](), r.G[q]
			if skip {
				g = r.G[q*len(rows)+j]
			}
			if nan < n && (skip || nan == 0) {
				p := set.Position(q, int64(n-nan))
				lo, hi = keys[p.Lo], keys[p.Hi]
				if g != p.G {
					t.Fatalf("%s, row %d of %d: weight %v, want %v", name, j, n, g, p.G)
				}
			}
			if at := q*len(rows) + j; r.Lo[at] != lo || r.Hi[at] != hi {
				t.Fatalf("%s, row %d of %d: quantile %d lies between %d and %d, want %d and %d", name, j, n, q, r.Lo[at], r.Hi[at], lo, hi)
			}
		}
	}
}

func testSqueeze[K kernel.Key](t *testing.T, inf K) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, n := range []int{32, 33, 100, 127, 300, 1000, 5000} {
		byName := map[string][][]K{}
		for range 19 {
			for name, keys := range testkit.Keys[K](n, rng) {
				byName[name] = append(byName[name], keys)
				byName["one of each"] = append(byName["one of each"], keys)
			}
		}
		for name, rows := range byName {
			testRows(t, name, rows, n, kernel.Encoding[K]{})
			testRows(t, name, rows, n, kernel.Encoding[K]{Code: kernel.Unsigned})
			testRows(t, name, rows, n, kernel.Encoding[K]{Code: kernel.Float, Inf: inf})
		}
	}
}

// squeezed has rows squeezed as short as can be.
var squeezed = func() tuning.Thresholds {
	t := tuning.Default
	t.SqueezeMin, t.SqueezeBytes, t.SqueezeAgain = 0, 0, 0
	return t
}()

// Squeezed rows have the answers of sorted ones, whatever they hold, NaNs too.
func TestSqueeze(t *testing.T) {
	t.Run("int32", func(t *testing.T) { testSqueeze[int32](t, 0x7F800000) })
	t.Run("int64", func(t *testing.T) { testSqueeze[int64](t, 0x7FF0000000000000) })
}

// A sample that misleads costs time alone: where what it sees is larger than
// the rest, the answer is not among what is kept.
func TestSqueezeMisled(t *testing.T) {
	const n, lanes = 1000, 16
	seen := map[int32]bool{}
	for at, i := places(n), 0; i < squeezeSample; i += bracket.SampleRun {
		first := int32(at.Next() * bracket.SampleRun)
		for g := range int32(bracket.SampleRun) {
			seen[first+g] = true
		}
	}
	if len(seen) != squeezeSample {
		t.Fatalf("%d places are sampled, want %d", len(seen), squeezeSample)
	}
	rng := rand.New(rand.NewPCG(11, 2))
	rows := make([][]int32, lanes)
	for j := range rows {
		rows[j] = make([]int32, n)
		for i := range rows[j] {
			rows[j][i] = rng.Int32N(1000)
			if seen[int32(i)] {
				rows[j][i] += 5000
			}
		}
	}
	testRows(t, "misled", rows, n, kernel.Encoding[int32]{})
}
