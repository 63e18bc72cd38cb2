package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// eachImpl runs body for every implementation of a kernel.
func eachImpl(t *testing.T, kernel string, body func(t *testing.T)) {
	t.Helper()
	testkit.EachImpl(t, kernel, body)
}

// lengths are the lengths a kernel is tested with: all small ones, and those
// around powers of two.
func lengths() []int {
	all, small := []int(nil), 300
	if testing.Short() {
		small = 130
	}
	for n := range small {
		all = append(all, n)
	}
	for p := 256; p <= 4096; p *= 2 {
		all = append(all, p-1, p, p+1)
	}
	return all
}

// keysOf returns n keys among which equal ones and the extremes are common, and
// as floats both zeros, both infinities, denormal numbers, and NaNs of both
// signs, quiet and signalling.
func keysOf[K Key](n int, rng *rand.Rand) []K {
	edges := []K{MinKey[K](), MaxKey[K](), 0, -1, 1}
	for _, e := range encodings[K]() {
		if e.Code == Float {
			edges = append(edges, e.Inf, e.Inf|MinKey[K](), e.Inf-1, e.Inf+1, (e.Inf+1)|MinKey[K](), MaxKey[K]()-1, 1|MinKey[K]())
		}
	}
	keys := make([]K, n)
	for i := range keys {
		switch rng.IntN(4) {
		case 0:
			keys[i] = K(rng.Uint64())
		case 1:
			keys[i] = edges[rng.IntN(len(edges))]
		default:
			keys[i] = K(rng.IntN(40) - 20)
		}
	}
	return keys
}

func forKeys(t *testing.T, f8, f16, f32, f64 func(t *testing.T)) {
	t.Run("int8", f8)
	t.Run("int16", f16)
	t.Run("int32", f32)
	t.Run("int64", f64)
}

// encodings are those that a key of type K can have.
func encodings[K Key]() []Encoding[K] {
	list := []Encoding[K]{{}, {Code: Unsigned}}
	for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		if dt.Size() == BlockBytes()/BlockLanes[K]() {
			list = append(list, EncodingOf[K](dt))
		}
	}
	return list
}

func testCollect[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range append(lengths(), 2047, 2048, 2049, 3001) { // from some length on there are two calls
		side := testkit.Sides[rng.IntN(2)]
		src := testkit.FencedCopy(t, keysOf[K](n, rng), side)
		dst, same := testkit.Roomy[K](t, n, side), testkit.Roomy[K](t, n, side)
		keys := make([]K, n)
		for _, e := range encodings[K]() {
			infinities := [][2]K{{MinKey[K](), ^e.Inf}, {e.Inf, MaxKey[K]()}}
			for _, bounds := range append(infinities, [][2]K{{-5, 5}, {0, 0}, {MinKey[K](), MaxKey[K]()}, {MinKey[K](), MinKey[K]()}, {-1, MaxKey[K]() - 1}, {7, 8}, {-9, -1}, {0, 9}, {-1, 0}, {MaxKey[K](), MaxKey[K]()}}...) {
				lo, hi := bounds[0], bounds[1]
				var want Collected
				want.NaN = encodeGeneric(keys, src, e)
				var inside []K
				for _, k := range keys {
					switch {
					case e.Code == Float && k == MaxKey[K]():
					case k < lo:
						want.Below++
					case k <= hi:
						want.Inside++
						inside = append(inside, k)
					}
				}
				got := Collect(dst, src, e, lo, hi)
				if got != want || lo != hi && !slices.Equal(dst[:got.Inside], inside) {
					t.Fatalf("n=%d, code %d, bounds %v: %+v, want %+v", n, e.Code, bounds, got, want)
				}
				copy(same, src)
				got = Collect(same, same[:n], e, lo, hi)
				if got != want || lo != hi && !slices.Equal(same[:got.Inside], inside) {
					t.Fatalf("in place, n=%d, code %d, bounds %v: %+v, want %+v", n, e.Code, bounds, got, want)
				}
			}
		}
	}
}

// Collect counts each element once and writes exactly the keys inside the bounds.
func TestCollect(t *testing.T) {
	eachImpl(t, "Collect", func(t *testing.T) {
		forKeys(t, testCollect[int8], testCollect[int16], testCollect[int32], testCollect[int64])
	})
}

func testCountAndIndex[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range lengths() {
		side := testkit.Sides[rng.IntN(2)]
		src := testkit.FencedCopy(t, keysOf[K](n, rng), side)
		for _, k := range []K{0, 5, MinKey[K](), MaxKey[K]()} {
			var at []int
			less := 0
			for i, v := range src {
				if v < k {
					less++
				}
				if v == k {
					at = append(at, i)
				}
			}
			if below, equal := CountBelow(src, k); below != less || equal != len(at) {
				t.Fatalf("n=%d: CountBelow(%d) is %d, %d, want %d, %d", n, k, below, equal, less, len(at))
			}
			for nth, want := range append(at, -1) {
				if got, equal := IndexOf(src, k, nth); got != want || equal != nth {
					t.Fatalf("n=%d: IndexOf(%d, %d) is %d after %d, want %d after %d", n, k, nth, got, equal, want, nth)
				}
			}
		}
	}
}

// CountBelow and IndexOf agree with a walk over the keys.
func TestCountBelowAndIndexOf(t *testing.T) {
	eachImpl(t, "CountBelow", func(t *testing.T) {
		forKeys(t, testCountAndIndex[int8], testCountAndIndex[int16], testCountAndIndex[int32], testCountAndIndex[int64])
	})
}

func testPairs[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, n := range lengths() {
		side := testkit.Sides[rng.IntN(2)]
		a, b := keysOf[K](n, rng), keysOf[K](n, rng)
		lower, upper := make([]K, n), make([]K, n)
		for i := range a {
			lower[i], upper[i] = min(a[i], b[i]), max(a[i], b[i])
		}
		x, y := testkit.FencedCopy(t, a, side), testkit.FencedCopy(t, b, side)
		SortPairs(x, y)
		if !slices.Equal(x, lower) || !slices.Equal(y, upper) {
			t.Fatalf("n=%d: %v and %v", n, x, y)
		}
	}
}

// The steps of a network order pairs.
func TestPairs(t *testing.T) {
	eachImpl(t, "Pairs", func(t *testing.T) {
		forKeys(t, testPairs[int8], testPairs[int16], testPairs[int32], testPairs[int64])
	})
}

func testHistogram[K Key](t *testing.T, width int) {
	for _, n := range []int{0, 9, tablesMin - 1, tablesMin, 5003} {
		keys := keysOf[K](n, rand.New(rand.NewPCG(5, 1)))
		counts := make([]uint32, 1<<width)
		Histogram(counts, keys)
		for i, n := range counts {
			if _, want := CountBelow(keys, MinKey[K]()+K(i)); int(n) != want {
				t.Errorf("of %d keys %d number %d, want %d", len(keys), n, i, want)
			}
		}
	}
}

// A histogram counts every key at its place.
func TestHistogram(t *testing.T) {
	t.Run("int8", func(t *testing.T) { testHistogram[int8](t, 8) })
	t.Run("int16", func(t *testing.T) { testHistogram[int16](t, 16) })
}
