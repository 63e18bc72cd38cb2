package narrow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// TestCraftedSample: data made by one who knows where the first sample looks cost a few
// passes more, which collect a bounded number of keys, whatever the rest of them is.
func TestCraftedSample(t *testing.T) {
	t.Run("int32", testCraftedSample[int32])
	t.Run("int64", testCraftedSample[int64])
}

func testCraftedSample[K kernel.Key](t *testing.T) {
	defer bracket.Seed(42)()
	const n = 100_000
	source := rand.NewPCG(5, 6)
	rng := rand.New(source)
	rests := map[string]func() K{
		"all over":      func() K { return K(rng.Uint64()) },
		"two clusters":  func() K { return K(1<<30+rng.IntN(n)) * K(2*rng.IntN(2)-1) },
		"one cluster":   func() K { return K(1<<30 + rng.IntN(n)) },
		"a few values":  func() K { return K(1<<30 + rng.IntN(10)) },
		"nested powers": func() K { return K(1) << rng.IntN(8*int(unsafe.Sizeof(K(0)))-2) },
	}
	var hundredths []rank.Q
	for i := range 101 {
		hundredths = append(hundredths, rank.At(float64(i)/100))
	}
	sets := []rank.Set{
		rank.NewSet(rank.Linear, []rank.Q{rank.At(0.5)}),
		rank.NewSet(rank.Linear, []rank.Q{rank.At(0.25), rank.At(0.5), rank.At(0.9)}),
		rank.NewSet(rank.Linear, hundredths),
	}
	for rest, draw := range rests {
		for seen, shown := range map[string]K{"high": kernel.MaxKey[K]() - 1, "low": kernel.MinKey[K]() + 1} {
			for _, set := range sets {
				source.Seed(5, 6) // as cases come in any order
				elements := make([]K, n)
				for i := range elements {
					elements[i] = draw()
				}
				call := Call[K]{Set: set, Thresholds: &tuning.Default, Input: &Tile[K]{kernel.Tile{Base: unsafe.Pointer(&elements[0]), N: n, Stride: 1, Lanes: 1}},
					Lanes: 1, N: n, Chunk: n / 3, Capacity: n, Adjacent: true}
				size := call.sampleSize()
				for at := bracket.NewPositions(size, n); size > 0; size-- {
					elements[at.Next()] = shown
				}
				g := collecting[K]{}
				g.Start(call)
				crew.Alone(&g, new(crew.Scratch))
				sorted := slices.Sorted(slices.Values(elements))
				what := fmt.Sprintf("%d q of %s, sample %s", set.Len(), rest, seen)
				for q := range set.Len() {
					lo, hi, _ := g.Answer(0, q)
					if p := set.Position(q, n); lo != sorted[p.Lo] || hi != sorted[p.Hi] {
						t.Errorf("%s: q[%d] between %d and %d, want %d and %d", what, q, lo, hi, sorted[p.Lo], sorted[p.Hi])
					}
				}
				if passes := g.lanes[0].lane.passes; passes > 5 {
					t.Errorf("%s: %d passes", what, passes)
				}
				if g.collected > 2*n {
					t.Errorf("%s: %d keys of %d are collected", what, g.collected, n)
				}
			}
		}
	}
}

// collecting are Lanes of one lane that count the keys that are collected.
type collecting[K kernel.Key] struct {
	Lanes[K]
	collected int
}

func (g *collecting[K]) Next() (tasks, elements int) {
	tasks, elements = g.Lanes.Next()
	if g.stage == looking && tasks > 0 {
		list := g.lanes[0].lane.buckets.list
		for i := range list {
			g.collected += len(list[i].keys)
		}
	}
	return tasks, elements
}

// TestEvenEnds: an even division ends after as many passes as a key has elevens of bits,
// whatever the data, and its answers are right at both ends of the keys.
func TestEvenEnds(t *testing.T) {
	t.Run("int32", testEvenEnds[int32])
	t.Run("int64", testEvenEnds[int64])
}

func testEvenEnds[K kernel.Key](t *testing.T) {
	width := 8 * int(unsafe.Sizeof(K(0)))
	for _, end := range []K{kernel.MinKey[K](), -1, 0, kernel.MaxKey[K]()} {
		// Half of the keys within a range that halves again and again towards one key.
		const n = 60_000
		elements := make([]K, n)
		for i := range elements {
			distance := uint64(1) << (uint(i) % uint(width-1))
			if elements[i] = K(int64(end) + int64(distance)); end > 0 {
				elements[i] = K(int64(end) - int64(distance))
			}
		}
		set := rank.NewSet(rank.Lower, []rank.Q{rank.At(0), rank.At(0.01), rank.At(0.5), rank.At(1)})
		for i := range set.Len() {
			one := rank.NewSet(rank.Lower, []rank.Q{set.Q(i)})
			tuned := tuning.Default
			tuned.CollectWhole = 0
			r, passes := narrowed(Call[K]{Set: one, Thresholds: &tuned, Input: &woven[K]{elements}, Lanes: 1, N: n, Chunk: n, Capacity: 2}, nil)
			sorted := slices.Sorted(slices.Values(elements))
			if want := sorted[one.Position(0, n).Lo]; r.Lo[0] != want {
				t.Errorf("around %d: q %v is %d, want %d", end, set.Q(i), r.Lo[0], want)
			}
			if most := sampledPasses + (width+10)/11 + 1; passes > most {
				t.Errorf("around %d: q %v takes %d passes, at most %d", end, set.Q(i), passes, most)
			}
		}
	}
}

// TestDividedEnds: several intervals are divided at a time up to the ends of the keys.
func TestDividedEnds(t *testing.T) {
	t.Run("int16", testDividedEnds[int16])
	t.Run("int32", testDividedEnds[int32])
	t.Run("int64", testDividedEnds[int64])
}

func testDividedEnds[K kernel.Key](t *testing.T) {
	const n = 30_000
	elements, drawn := make([]K, n), []K(nil)
	for i := range elements {
		distance := K(i / 3)
		switch i % 3 {
		case 0:
			elements[i] = kernel.MinKey[K]() + distance
		case 1:
			elements[i] = kernel.MaxKey[K]() - distance
		default:
			elements[i] = distance
		}
		if i%97 == 0 {
			drawn = append(drawn, elements[i])
		}
	}
	sorted := slices.Sorted(slices.Values(elements))
	set := rank.NewSet(rank.Lower, []rank.Q{rank.At(0), rank.At(0.1), rank.At(0.32), rank.At(0.5), rank.At(0.68), rank.At(0.9), rank.At(1)})
	tuned := tuning.Default
	tuned.CollectWhole = 0
	for name, sample := range map[string][]K{"none": nil, "one": sorted[:1], "some": sorted[n-200:], "good": drawn} {
		r, passes := narrowed(Call[K]{Set: set, Thresholds: &tuned, Input: &woven[K]{elements}, Lanes: 1, N: n, Chunk: n, Capacity: 2}, sample)
		for q := range set.Len() {
			if want := sorted[set.Position(q, n).Lo]; r.Lo[q] != want {
				t.Errorf("sample %s: q %v is %d, want %d", name, set.Q(q), r.Lo[q], want)
			}
		}
		if most := sampledPasses + vainMost + 8*int(unsafe.Sizeof(K(0)))/6; passes > most {
			t.Errorf("sample %s: %d passes, at most %d", name, passes, most)
		}
	}
}
