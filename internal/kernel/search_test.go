package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/testkit"
)

// laneKinds are ways to fill a lane: what a search by counts or by values may
// stumble over.
func laneKinds[K Key](rng *rand.Rand) []func(i, n int) K {
	float := func(x float64) K {
		bits := int64(math.Float64bits(x))
		switch unsafe.Sizeof(K(0)) {
		case 4:
			bits = int64(int32(math.Float32bits(float32(x))))
		case 2:
			bits >>= 48
		case 1:
			bits >>= 56
		}
		if k := K(bits); k >= 0 {
			return k
		}
		return K(bits) ^ MaxKey[K]()
	}
	constant, largest := K(rng.Uint64()), float64(math.MaxFloat32)
	if unsafe.Sizeof(K(0)) == 8 {
		largest = math.MaxFloat64
	}
	// rare is a number that differs much from others in four rows of a sample of
	// eight.
	rare := func(i, n int, x float64) K {
		if n >= 8 && i%(n/8) == n/16 && i < n/2 {
			return float(x)
		}
		return float(rng.Float64() - 0.5)
	}
	return []func(i, n int) K{
		func(int, int) K { return K(rng.Uint64()) },
		func(int, int) K { return constant },
		func(int, int) K { return constant + K(rng.IntN(2)) },
		func(int, int) K { return K(rng.IntN(10)) },
		func(int, int) K { return []K{MinKey[K](), MaxKey[K]()}[rng.IntN(2)] },
		func(int, int) K { return []K{MinKey[K](), MaxKey[K](), 0, -1, 1}[rng.IntN(5)] },
		func(i, n int) K { return K(i - n/2) },
		func(i, n int) K { return K(n - i) },
		func(int, int) K { return float(rng.NormFloat64()) },
		func(int, int) K { return float(rng.Float64()) },
		func(int, int) K { return float(math.Exp(40 * rng.NormFloat64())) },
		func(int, int) K { return float(math.Inf(rng.IntN(2)*2 - 1)) },
		func(int, int) K { return float([]float64{math.Inf(1), math.Inf(-1), 0, 1e300, -1e300}[rng.IntN(5)]) },
		func(int, int) K { return float([]float64{math.Inf(1), 1, 2, 3, rng.Float64()}[rng.IntN(5)]) },
		func(int, int) K { return float([]float64{math.Inf(-1), 1, 2, 3, rng.Float64()}[rng.IntN(5)]) },
		func(int, int) K { return float(largest * (1 - 2*rng.Float64())) },
		func(int, int) K { return float(math.Ldexp(rng.Float64(), -1060)) },
		func(int, int) K { return []K{MinKey[K](), MaxKey[K](), float(rng.NormFloat64())}[rng.IntN(3)] },
		func(int, int) K { return []K{MaxKey[K](), float(rng.NormFloat64())}[rng.IntN(2)] },
		func(i, n int) K { return rare(i, n, math.Inf(1)) },
		func(i, n int) K { return rare(i, n, math.Inf(-1)) },
		func(i, n int) K { return rare(i, n, largest) },
		func(i, n int) K { return rare(i, n, -largest) },
		func(int, int) K { return K(1) << rng.IntN(int(unsafe.Sizeof(K(0)))*8) },
	}
}

// blockLanes returns the lanes of a block: of the best, or of rows of 32 to 256 bytes.
func blockLanes[K Key](rng *rand.Rand) int {
	if rng.IntN(2) == 0 {
		return BlockLanes[K]()
	}
	return 32 << rng.IntN(4) / int(unsafe.Sizeof(K(0)))
}

func testSearch[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	lengths := []int{200, 241, 255, 256, 257, 500, 1000, 1001}
	for n := 1; n <= 130; n++ {
		lengths = append(lengths, n)
	}
	kinds := laneKinds[K](rng)
	for _, n := range lengths {
		if K(n) <= 0 || int(K(n)) != n {
			continue // more than a rank of this width counts
		}
		rounds := 6
		if n >= 48 {
			rounds = 12 // there are more ways to search
		}
		for round := range rounds {
			side, lanes := testkit.Sides[rng.IntN(2)], blockLanes[K](rng)
			keys := testkit.Roomy[K](t, n*lanes, side)
			ranks := testkit.Fenced[K](t, lanes, side)
			out, next := testkit.Roomy[K](t, lanes, side), testkit.Roomy[K](t, lanes, side)
			alike, place := rng.IntN(len(kinds)), rng.IntN(3)
			for j := range ranks {
				kind := alike // of all lanes, or each has its own
				if round%2 == 0 {
					kind = rng.IntN(len(kinds))
				}
				for i := range n {
					keys[i*lanes+j] = kinds[kind](i, n)
				}
				switch place {
				case 0:
					ranks[j] = K(n-1) / 2
				case 1:
					ranks[j] = K(rng.IntN(min(n, 3)))
				default:
					ranks[j] = K(rng.IntN(n))
				}
			}
			before := slices.Clone(keys)
			b := Block[K]{Keys: keys, N: n, Float: round%4 < 2, Memory: testkit.Roomy[K](t, SearchMemory[K](n), side)}
			if round%3 == 0 { // lines before, among and behind the keys
				b.Prefetch = Prefetch{At: uintptr(unsafe.Pointer(&keys[0])) - 1<<12, Step: 1 << 8}
			}
			Search(b, ranks, out, next)
			if !slices.Equal(before, keys) {
				t.Fatalf("n=%d: the keys have changed", n)
			}
			for j := range lanes {
				var lane []K
				for i := range n {
					lane = append(lane, keys[i*lanes+j])
				}
				slices.Sort(lane)
				k := int(ranks[j])
				if out[j] != lane[k] {
					t.Fatalf("n=%d, lane %d: order statistic %d is %d, want %d", n, j, k, out[j], lane[k])
				}
				if k+1 < n && next[j] != lane[k+1] {
					t.Fatalf("n=%d, lane %d: order statistic %d is %d, want %d", n, j, k+1, next[j], lane[k+1])
				}
			}
		}
	}
}

// Search finds the order statistics of every lane.
func TestSearch(t *testing.T) {
	eachImpl(t, "Search", func(t *testing.T) {
		forKeys(t, testSearch[int8], testSearch[int16], testSearch[int32], testSearch[int64])
	})
}
