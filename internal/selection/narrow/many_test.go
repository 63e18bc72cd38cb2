package narrow

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// manyValues are values among which many order statistics are wanted, and in how
// many passes a good sample is to find them.
var manyValues = map[string]struct {
	passes int
	value  func(rng *rand.Rand) float64
}{
	"uniform":         {2, func(rng *rand.Rand) float64 { return rng.Float64() }},
	"normal":          {2, func(rng *rand.Rand) float64 { return rng.NormFloat64() }},
	"exponential":     {2, func(rng *rand.Rand) float64 { return rng.ExpFloat64() }},
	"constant":        {1, func(rng *rand.Rand) float64 { return -3 }},
	"ten":             {1, func(rng *rand.Rand) float64 { return float64(rng.IntN(10)) }},
	"thirty":          {2, func(rng *rand.Rand) float64 { return float64(rng.IntN(30)) }},
	"thousand":        {2, func(rng *rand.Rand) float64 { return float64(rng.IntN(1000)) - 500 }},
	"ten thousand":    {2, func(rng *rand.Rand) float64 { return float64(rng.IntN(10_000)) }},
	"thirty and more": {2, func(rng *rand.Rand) float64 { return float64(rng.IntN(30)) + float64(rng.IntN(8)/7)*rng.Float64()/64 }},
	"heavy tail":      {2, func(rng *rand.Rand) float64 { return math.Floor(1 / (rng.Float64() + 1e-6)) }},
	"zeros": {3, func(rng *rand.Rand) float64 {
		if rng.IntN(20) == 0 {
			return math.Copysign(0, rng.Float64()-0.5)
		}
		return rng.Float64() - 0.5
	}},
	"infinities": {2, func(rng *rand.Rand) float64 {
		if r := rng.IntN(4); r < 2 {
			return math.Inf(2*r - 1)
		}
		return rng.NormFloat64()
	}},
	"half zero": {2, func(rng *rand.Rand) float64 { return max(0, rng.NormFloat64()) }},
	"third zero": {2, func(rng *rand.Rand) float64 {
		if rng.IntN(3) == 0 {
			return 0
		}
		return rng.NormFloat64()
	}},
	"two in a bin": {2, func(rng *rand.Rand) float64 {
		switch rng.IntN(5) {
		case 0:
			return 1
		case 1, 2:
			return 1.000001
		}
		return 100 * rng.Float64()
	}},
	"one in a lump": {2, func(rng *rand.Rand) float64 {
		switch rng.IntN(5) {
		case 0:
			return 1000
		case 1:
			return 999.99 + rng.Float64()/50
		}
		return 10_000 * rng.Float64()
	}},
	// A bin holds one lump, in a small part of it.
	"lumps": {3, func(rng *rand.Rand) float64 { return float64(rng.IntN(2000)*4096 + rng.IntN(200)) }},
	"half NaN": {2, func(rng *rand.Rand) float64 {
		if rng.IntN(2) == 0 {
			return math.NaN()
		}
		return rng.NormFloat64()
	}},
	"little but NaN": {2, func(rng *rand.Rand) float64 {
		if rng.IntN(200) > 0 {
			return math.NaN()
		}
		return rng.NormFloat64()
	}},
	"NaN, far apart": {2, func(rng *rand.Rand) float64 {
		if rng.IntN(2) == 0 {
			return math.NaN()
		}
		return math.Exp(40 * rng.NormFloat64())
	}},
	"few NaN, powers of two": {2, func(rng *rand.Rand) float64 {
		if rng.IntN(200) == 0 {
			return math.NaN()
		}
		return math.Ldexp(1, rng.IntN(200)-100)
	}},
}

func testMany[K kernel.Key](t *testing.T, dt dtype.DType) {
	const n = 200_000
	var qs []rank.Q
	for i := range 101 {
		qs = append(qs, rank.At(float64(i)/100))
	}
	set := rank.NewSet(rank.Linear, qs)
	e := kernel.EncodingOf[K](dt)
	for name, c := range manyValues {
		rng := rand.New(rand.NewPCG(21, 22))
		elements, keys := make([]K, n), make([]K, n)
		for i := range elements {
			v := c.value(rng)
			if unsafe.Sizeof(K(0)) == 4 {
				elements[i] = K(int32(math.Float32bits(float32(v))))
			} else {
				elements[i] = K(int64(math.Float64bits(v)))
			}
		}
		kernel.Encode(keys, elements, e)
		valid := slices.DeleteFunc(slices.Clone(keys), func(k K) bool { return k == kernel.MaxKey[K]() })
		slices.Sort(valid)
		tuned := tuning.Default
		tuned.GuessMin = 16
		call := callFor(set, true, e, elements, 0)
		call.Thresholds = &tuned
		for sampleName, sample := range samples(call, keys) {
			for _, call.Capacity = range []int{n / 2, n / 50} {
				r, passes := narrowed(call, sample)
				for q := range set.Len() {
					p := set.Position(q, int64(len(valid)))
					if r.Lo[q] != valid[p.Lo] || r.Hi[q] != valid[p.Hi] {
						t.Fatalf("%s, sample %s, capacity %d: q[%d] between %d and %d, want %d and %d",
							name, sampleName, call.Capacity, q, r.Lo[q], r.Hi[q], valid[p.Lo], valid[p.Hi])
					}
				}
				if sampleName == "good" && call.Capacity == n/2 && passes > c.passes {
					t.Errorf("%s: %d passes, want at most %d", name, passes, c.passes)
				}
			}
		}
	}
}

// Many order statistics are found whatever the values are, in as few passes with
// copies of them as without.
func TestNarrowMany(t *testing.T) {
	t.Run("float32", func(t *testing.T) { t.Parallel(); testMany[int32](t, dtype.Float32) })
	t.Run("float64", func(t *testing.T) { t.Parallel(); testMany[int64](t, dtype.Float64) })
}

// Of bins filled evenly a pass collects a small part.
func TestNarrowGuesses(t *testing.T) {
	const n = 1 << 20
	var qs []rank.Q
	for i := range 101 {
		qs = append(qs, rank.At(float64(i)/100))
	}
	set := rank.NewSet(rank.Linear, qs)
	rng := rand.New(rand.NewPCG(23, 24))
	keys := make([]int32, n)
	for i := range keys {
		keys[i] = int32(rng.Uint32())
	}
	var s crew.Scratch
	var g Lanes[int32]
	c := callFor(set, false, kernel.Encoding[int32]{}, keys, n/8)
	startWith(&g, c, samples(c, keys)["good"])
	for {
		tasks, _ := g.Next()
		if tasks == 0 {
			break
		}
		if g.stage == selecting {
			collected := 0
			list := g.lanes[0].lane.buckets.list
			for i := range list {
				collected += int(list[i].cursor.Load())
			}
			if collected > n/50 {
				t.Errorf("pass %d collects %d of %d keys", g.lanes[0].lane.passes, collected, n)
			}
		}
		for i := range tasks {
			g.Task(i, &s)
		}
	}
	if pass := g.lanes[0].lane.passes; pass != 2 {
		t.Errorf("%d passes, want 2", pass)
	}
}
