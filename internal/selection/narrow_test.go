package selection

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/selection/bracket"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// narrowed runs a Narrowing over elements, given a sample of keys and a
// capacity, and returns the lower values of the answers and the number of passes.
func narrowed[K kernel.Key](w *Want, e kernel.Encoding[K], elements, sample []K, capacity int) (Result[K], int) {
	var s crew.Scratch
	var nw Narrowing[K]
	nw.Start(w, e, len(elements), slices.Clone(sample), capacity)
	passes := 0
	block := make([]K, BlockMax)
	for nw.Next() {
		passes++
		n := len(elements)
		for _, part := range [][3]int{{0, n / 2, 1}, {n / 2, n, 2}, {n/2 + 1, n, 2}} { // three workers
			if from, to, stride := part[0], part[1], part[2]; from < to {
				p := nw.NewPass(&s)
				p.AddStrided(unsafe.Pointer(&elements[from]), stride, (to-from+stride-1)/stride, block)
				nw.Merge(&p)
			}
		}
		nw.Settle()
		for i := range nw.Groups() {
			nw.Select(i, &s)
		}
	}
	r := NewResult[K](w, 1, &s)
	nw.Finish(&r, 0)
	return r, passes
}

// samples are samples of keys from good to useless: a Narrowing must not
// depend on them for its answer.
func samples[K kernel.Key](w *Want, keys []K) map[string][]K {
	good := make([]K, w.SampleSize(len(keys)))
	at := bracket.NewPositions(len(good), len(keys))
	for i := range good {
		good[i] = keys[at.Next()]
	}
	tiny := good[:1]
	one := slices.Repeat([]K{keys[0]}, len(good))
	top := slices.Clone(keys)
	slices.Sort(top)
	return map[string][]K{
		"good":        good,
		"tiny":        tiny,
		"one value":   one,
		"the largest": top[len(top)-len(good):],
	}
}

func testNarrow[K kernel.Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var qs []rank.Q
	for i := range 30 {
		qs = append(qs, rank.At(float64(i)/29))
	}
	sets := map[string]rank.Set{
		"median":  rank.NewSet(rank.Midpoint, []rank.Q{rank.At(0.5)}),
		"ends":    rank.NewSet(rank.Linear, []rank.Q{rank.At(1), rank.At(0)}),
		"three":   rank.NewSet(rank.Linear, []rank.Q{rank.At(0.25), rank.At(0.5), rank.At(0.999)}),
		"many":    rank.NewSet(rank.Linear, qs),
		"lowest2": rank.NewSet(rank.Lower, []rank.Q{rank.At(0), rank.At(1e-4)}),
	}
	for _, n := range []int{1, 2, 50, 4096, 40_000} {
		for name, keys := range testkit.Keys[K](n, rng) {
			sorted := slices.Clone(keys)
			slices.Sort(sorted)
			for setName, set := range sets {
				w := NewWant(set, false)
				for sampleName, sample := range samples(&w, keys) {
					for _, capacity := range []int{n + BlockMax, n/8 + 100, evenCells} {
						r, passes := narrowed(&w, kernel.Encoding[K]{}, keys, sample, capacity)
						for q := range set.Len() {
							p := set.Position(q, int64(n))
							if r.Lo[q] != sorted[p.Lo] || r.Hi[q] != sorted[p.Hi] {
								t.Fatalf("%s, n=%d, %s, sample %s, capacity %d: q[%d] between %d and %d, want %d and %d",
									name, n, setName, sampleName, capacity, q, r.Lo[q], r.Hi[q], sorted[p.Lo], sorted[p.Hi])
							}
						}
						if passes > 3+64/5 {
							t.Errorf("%s, n=%d, %s, sample %s, capacity %d: %d passes", name, n, setName, sampleName, capacity, passes)
						}
					}
				}
			}
		}
	}
}

// A Narrowing finds the order statistics of every input whatever its sample
// and its memory are, in a bounded number of passes.
func TestNarrowing(t *testing.T) {
	eachOrder(t, func(t *testing.T) {
		t.Run("int8", testNarrow[int8])
		t.Run("int16", testNarrow[int16])
		t.Run("int32", testNarrow[int32])
		t.Run("int64", testNarrow[int64])
	})
}

// eachOrder runs a test with samples that are sorted, and with samples in which only
// the places of brackets are known.
func eachOrder(t *testing.T, test func(t *testing.T)) {
	defer func(saved int) { placesLeast = saved }(placesLeast)
	for name, least := range map[string]int{"sorted": 1 << 16, "places": 0} {
		placesLeast = least
		t.Run(name, test)
	}
}

// With a good sample one pass is enough for a few quantiles of random data.
func TestNarrowingTakesOnePass(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	w := NewWant(rank.NewSet(rank.Linear, []rank.Q{rank.At(0.3), rank.At(0.5)}), false)
	again := 0
	for range 200 {
		keys := make([]int32, 20_000)
		for i := range keys {
			keys[i] = int32(rng.Uint32())
		}
		if _, passes := narrowed(&w, kernel.Encoding[int32]{}, keys, samples(&w, keys)["good"], len(keys)); passes > 1 {
			again++
		}
	}
	if again > 20 {
		t.Errorf("%d of 200 lanes took more than one pass", again)
	}
}

func testNarrowHeavyEnds[K kernel.Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	w := NewWant(rank.NewSet(rank.Lower, []rank.Q{rank.At(0.1), rank.At(0.25), rank.At(0.5), rank.At(0.55), rank.At(0.6), rank.At(0.9)}), false)
	for _, adjacent := range []bool{false, true} {
		keys := make([]K, 30_000)
		for i := range keys {
			switch keys[i] = K(rng.Uint64()); rng.IntN(10) {
			case 0, 1:
				keys[i] = kernel.MinKey[K]()
			case 2, 3:
				keys[i] = kernel.MaxKey[K]()
			case 4:
				if adjacent {
					keys[i] = kernel.MinKey[K]() + 1
				}
			}
		}
		sorted := slices.Clone(keys)
		slices.Sort(sorted)
		for name, sample := range samples(&w, keys) {
			r, _ := narrowed(&w, kernel.Encoding[K]{}, keys, sample, len(keys))
			for q, share := range []float64{0.1, 0.25, 0.5, 0.55, 0.6, 0.9} {
				if want := sorted[int(share*float64(len(keys)-1))]; r.Lo[q] != want {
					t.Errorf("sample %s: quantile %v is %d, want %d", name, share, r.Lo[q], want)
				}
			}
		}
	}
}

// Brackets that are counted alone, and collected, may lie at the ends of all keys
// and side by side.
func TestNarrowingHeavyEnds(t *testing.T) {
	eachOrder(t, func(t *testing.T) {
		t.Run("int16", testNarrowHeavyEnds[int16])
		t.Run("int32", testNarrowHeavyEnds[int32])
		t.Run("int64", testNarrowHeavyEnds[int64])
	})
}

// NaNs, whose key is the largest, are dropped or make the answer NaN.
func TestNarrowingNaN(t *testing.T) { eachOrder(t, testNarrowNaN) }

func testNarrowNaN(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	set := rank.NewSet(rank.Linear, []rank.Q{rank.At(0), rank.At(0.3), rank.At(1)})
	skip, keep := NewWant(set, true), NewWant(set, false)
	const nan = 1<<31 - 1
	float := kernel.EncodingOf[int32](dtype.Float32)
	for _, share := range []float64{1e-4, 0.5, 0.999, 1} {
		keys := make([]int32, 30_000)
		var valid []int32
		for i := range keys {
			keys[i] = int32(rng.Uint32()>>2) - 1<<29
			if i == 77 || rng.Float64() < share {
				keys[i] = nan
			} else {
				valid = append(valid, keys[i])
			}
		}
		slices.Sort(valid)
		elements := make([]int32, len(keys))
		kernel.Decode(elements, keys, float, int32(dtype.CanonicalNaN(dtype.Float32)))
		for name, sample := range samples(&skip, keys) {
			if r, _ := narrowed(&keep, float, elements, sample, 5000); r.Lo[1] != nan {
				t.Errorf("share %v, sample %s: a NaN did not make the answer NaN", share, name)
			}
			r, _ := narrowed(&skip, float, elements, sample, 5000)
			for q := range set.Len() {
				want := int32(nan)
				if len(valid) > 0 {
					want = valid[set.Position(q, int64(len(valid))).Lo]
				}
				if r.Lo[q] != want {
					t.Errorf("share %v, sample %s: q[%d] is %d, want %d", share, name, q, r.Lo[q], want)
				}
			}
		}
	}
}

// Workers that skip to their part of a sample draw what one alone does.
func TestPositionsSkip(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {7, 7}, {7, 100}, {128, 1000}, {509, 123_457}} {
		all := bracket.NewPositions(size[0], size[1])
		for i := range size[0] {
			part := bracket.NewPositions(size[0], size[1])
			part.Skip(i)
			if got, want := part.Next(), all.Next(); got != want {
				t.Fatalf("position %d of %v is %d after Skip, want %d", i, size, got, want)
			}
		}
	}
}
