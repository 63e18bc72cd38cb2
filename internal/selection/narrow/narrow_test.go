package narrow

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
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// TestMain fixes where samples are taken: tests count passes, which depend on it.
func TestMain(m *testing.M) {
	defer bracket.Seed(1)()
	m.Run()
}

// woven is an Input: a lane of which the first half lies together, and the second
// half in two interleaved runs.
type woven[K kernel.Key] struct{ elements []K }

func (w *woven[K]) Run(_, from, to int) (first unsafe.Pointer, stride, n int) {
	half := len(w.elements) / 2
	odd := half + (len(w.elements)-half+1)/2
	switch {
	case from < half:
		return w.Pointer(0, from), 1, min(to, half) - from
	case from < odd:
		return w.Pointer(0, half+2*(from-half)), 2, min(to, odd) - from
	default:
		return w.Pointer(0, half+1+2*(from-odd)), 2, to - from
	}
}

func (w *woven[K]) Pointer(_, element int) unsafe.Pointer {
	return unsafe.Pointer(&w.elements[element])
}

// callFor returns a call for elements in which three tasks make a pass.
func callFor[K kernel.Key](set rank.Set, skip bool, e kernel.Encoding[K], elements []K, capacity int) Call[K] {
	return Call[K]{
		Set: set, Skip: skip, Encoding: e, Thresholds: &tuning.Default,
		Input: &woven[K]{elements}, Lanes: 1, N: len(elements), Chunk: (len(elements) + 2) / 3, Capacity: capacity,
	}
}

// result are the two ends of each quantile, NaN the largest key.
type result[K kernel.Key] struct{ Lo, Hi []K }

// narrowed narrows a lane, given a sample of keys, and returns its answers and the
// number of passes.
func narrowed[K kernel.Key](c Call[K], sample []K) (r result[K], passes int) {
	var g Lanes[K]
	startWith(&g, c, sample)
	crew.Alone(&g, new(crew.Scratch))
	for q := range c.Set.Len() {
		lo, hi := kernel.MaxKey[K](), kernel.MaxKey[K]()
		if !g.IsNaN(0) {
			lo, hi, _ = g.Answer(0, q)
		}
		r.Lo, r.Hi = append(r.Lo, lo), append(r.Hi, hi)
	}
	return r, g.lanes[0].lane.passes
}

// startWith starts lanes of which the given sample has been drawn.
func startWith[K kernel.Key](g *Lanes[K], c Call[K], keys []K) {
	g.Start(c)
	g.stage, g.drawn = drawing, drawn[K]{keys: slices.Clone(keys), each: len(keys), run: 1}
}

// samples are samples of keys from good to useless: narrowing must not depend on
// them for its answer.
func samples[K kernel.Key](c Call[K], keys []K) map[string][]K {
	good := make([]K, c.sampleSize())
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
	for _, n := range []int{1, 2, 50, 4096, 20_000} {
		for name, keys := range testkit.Keys[K](n, rng) {
			sorted := slices.Clone(keys)
			slices.Sort(sorted)
			for setName, set := range sets {
				for sampleName, sample := range samples(callFor(set, false, kernel.Encoding[K]{}, keys, 0), keys) {
					for _, capacity := range []int{n + kernel.CacheKeys, n/8 + 100, 64} {
						r, passes := narrowed(callFor(set, false, kernel.Encoding[K]{}, keys, capacity), sample)
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

// Narrowing finds the order statistics of every input whatever its sample
// and its memory are, in a bounded number of passes.
func TestNarrow(t *testing.T) {
	t.Run("int8", testNarrow[int8])
	t.Run("int16", testNarrow[int16])
	t.Run("int32", testNarrow[int32])
	t.Run("int64", testNarrow[int64])
}

// With a good sample one pass is enough for a few quantiles of random data.
func TestNarrowTakesOnePass(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	set := rank.NewSet(rank.Linear, []rank.Q{rank.At(0.3), rank.At(0.5)})
	again := 0
	for range 200 {
		keys := make([]int32, 20_000)
		for i := range keys {
			keys[i] = int32(rng.Uint32())
		}
		c := callFor(set, false, kernel.Encoding[int32]{}, keys, len(keys))
		if _, passes := narrowed(c, samples(c, keys)["good"]); passes > 1 {
			again++
		}
	}
	if again > 20 {
		t.Errorf("%d of 200 lanes took more than one pass", again)
	}
}

func testNarrowHeavyEnds[K kernel.Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	set := rank.NewSet(rank.Lower, []rank.Q{rank.At(0.1), rank.At(0.25), rank.At(0.5), rank.At(0.55), rank.At(0.6), rank.At(0.9)})
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
		c := callFor(set, false, kernel.Encoding[K]{}, keys, len(keys))
		for name, sample := range samples(c, keys) {
			r, _ := narrowed(c, sample)
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
func TestNarrowHeavyEnds(t *testing.T) {
	t.Run("int16", testNarrowHeavyEnds[int16])
	t.Run("int32", testNarrowHeavyEnds[int32])
	t.Run("int64", testNarrowHeavyEnds[int64])
}

// NaNs, whose key is the largest, are dropped or make the answer NaN.
func TestNarrowNaN(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	set := rank.NewSet(rank.Linear, []rank.Q{rank.At(0), rank.At(0.3), rank.At(1)})
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
		skip, keep := callFor(set, true, float, elements, 5000), callFor(set, false, float, elements, 5000)
		for name, sample := range samples(skip, keys) {
			if r, _ := narrowed(keep, sample); r.Lo[1] != nan {
				t.Errorf("share %v, sample %s: a NaN did not make the answer NaN", share, name)
			}
			r, _ := narrowed(skip, sample)
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
