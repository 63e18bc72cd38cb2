package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// testPicks are picks of n elements: the quantiles of ranks in 32nds of the
// count of values, some with the next element, or, if whole, only of lanes
// without NaN.
func testPicks(n int, ranks []int, whole bool) *Networks {
	at := func(m, rank int) (lo, hi int) {
		lo = rank * (m - 1) / 32
		return lo, min(lo+rank%2, m-1)
	}
	tables := make([]PickTable, len(ranks))
	for q, rank := range ranks {
		for m := 1; m <= n; m++ {
			lo, hi := at(m, rank)
			if whole && m < n {
				lo, hi = n-1, n-1
			}
			tables[q].Set(m, lo, hi)
		}
	}
	p := new(Networks)
	p.Make(n, tables)
	return p
}

// checkNetwork compares the answers for lanes that lie in src
// with those of sorting each, and middles with those of package rank.
func checkNetwork[K Key](t *testing.T, p *Networks, src []K, stride, laneStride, lanes int, e Encoding[K], side testkit.Side, counted bool) {
	t.Helper()
	tile := Tile{Base: unsafe.Pointer(unsafe.SliceData(src)), N: p.n, Stride: stride, Lanes: lanes, LaneStride: laneStride}
	to := Picked[K]{Stride: lanes + 1}
	size := (len(p.tables)-1)*to.Stride + lanes
	to.Lo, to.Hi = testkit.Roomy[K](t, size, side), testkit.Roomy[K](t, size, side)
	for i := range size {
		to.Lo[i], to.Hi[i] = 77, 77
	}
	if counted {
		to.Counts = testkit.Roomy[uint8](t, lanes, side)
	}
	nan := Network(p, tile, e, to, testkit.Fenced[K](t, NetworkMemory[K](), side))

	keys, anyNaN := make([]K, p.n), false
	for j := range lanes {
		for i := range keys {
			keys[i] = src[i*stride+j*laneStride]
		}
		dropped := encodeGeneric(keys, keys, e)
		anyNaN = anyNaN || dropped > 0
		slices.Sort(keys)
		m := p.n - dropped
		if counted && int(to.Counts[j]) != m {
			t.Fatalf("lane %d has %d values, want %d", j, to.Counts[j], m)
		}
		for q := range p.tables {
			lo, hi := p.tables[q].at(m)
			if m == 0 {
				lo, hi = 0, 0 // all are NaN
			}
			if at := q*to.Stride + j; to.Lo[at] != keys[lo] || to.Hi[at] != keys[hi] {
				t.Fatalf("lane %d, quantile %d: %d and %d, want %d and %d of %v", j, q, to.Lo[at], to.Hi[at], keys[lo], keys[hi], keys)
			}
		}
	}
	if nan != anyNaN {
		t.Fatalf("NaN reported: %v, want %v", nan, anyNaN)
	}
	for q := range len(p.tables) - 1 {
		if at := q*to.Stride + lanes; to.Lo[at] != 77 || to.Hi[at] != 77 {
			t.Fatalf("written behind the answers of quantile %d", q)
		}
	}
	if len(p.tables) > 1 || e.Code != Float || !NetworkMiddles[K](lanes) {
		return
	}
	got := testkit.Roomy[K](t, lanes, side)
	if Network(p, tile, e, Picked[K]{Lo: got}, testkit.Fenced[K](t, NetworkMemory[K](), side)) != anyNaN {
		t.Fatalf("NaN reported with middles: %v, want %v", !anyNaN, anyNaN)
	}
	for j, want := range middlesOf(to.Lo[:lanes], to.Hi[:lanes], e) {
		if got[j] != want {
			t.Fatalf("lane %d: the middle of keys %d and %d is %x, want %x", j, to.Lo[j], to.Hi[j], got[j], want)
		}
	}
}

// middlesOf returns what package rank makes of halves of floats, given by keys.
func middlesOf[K Key](lo, hi []K, e Encoding[K]) []K {
	n, half := len(lo), []float64{0.5}
	a, b, dst := make([]K, n), make([]K, n), make([]K, n)
	decodeGeneric(a, lo, e, e.Inf+1)
	decodeGeneric(b, hi, e, e.Inf+1)
	if unsafe.Sizeof(K(0)) == 4 {
		rank.Interpolate32(As[float32](dst), As[float32](a), As[float32](b), half)
	} else {
		rank.Interpolate64(As[float64](dst), As[float64](a), As[float64](b), half)
	}
	return dst
}

func testNetwork[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	vector := 64 / int(unsafe.Sizeof(K(0)))
	rounds := 24
	if testing.Short() {
		rounds = 6
	}
	for n := 1; n <= NetworkMax; n++ {
		for round := range rounds {
			e := encodings[K]()[rng.IntN(len(encodings[K]()))]
			lanes := 1 + rng.IntN(5*vector)
			if round%4 == 0 {
				lanes = vector * (1 + rng.IntN(4))
			}
			stride, laneStride, side := lanes+rng.IntN(3)*rng.IntN(20), 1, testkit.Sides[round%2]
			if round%3 == 2 { // the lanes one after another, adjacent or with gaps
				lanes += 300 * rng.IntN(4)
				stride, laneStride = 1, n+rng.IntN(3)
				switch rng.IntN(5) {
				case 0:
					stride, laneStride = 2, 2*n
				case 1:
					laneStride = 0 // all are the same
				}
			}
			ranks := [][]int{{16}, {17}, {0}, {32}, {31, 3, 16, 16}, {1, 8, 15, 22, 29, 32}}[rng.IntN(6)]
			p := testPicks(n, ranks, rng.IntN(2) == 0)
			src := testkit.FencedCopy(t, keysOf[K]((n-1)*stride+(lanes-1)*laneStride+1, rng), side)
			if rng.IntN(2) == 0 { // ties
				for i := range src {
					src[i] = K(rng.IntN(5)) - 2
				}
			}
			// No signs, or one; NaNs nowhere, in one lane, in some, or in most.
			if e.Code == Float && rng.IntN(2) == 0 {
				for i := range src {
					src[i] &= MaxKey[K]()
				}
				if rng.IntN(2) == 0 {
					src[rng.IntN(len(src))] |= MinKey[K]()
				}
			}
			if e.Code == Float {
				share := []int{0, 10, 0, 90}[round%4]
				for i := range src {
					if src[i]&MaxKey[K]() > e.Inf {
						src[i] = K(i)
					}
					if rng.IntN(100) < share {
						src[i] = []K{MaxKey[K](), -1, e.Inf + 1, ^(MaxKey[K]() - e.Inf) + 1}[rng.IntN(4)]
					}
				}
				if round%4 == 2 {
					src[rng.IntN(len(src))] = []K{-1, e.Inf + 1}[rng.IntN(2)]
				}
			}
			t.Run(fmt.Sprintf("n=%d,lanes=%d,step=%d,code=%d", n, lanes, laneStride, e.Code), func(t *testing.T) {
				checkNetwork(t, p, src, stride, laneStride, lanes, e, side, e.Code == Float && rng.IntN(2) == 0)
			})
		}
	}
}

// A network picks the elements that sorting would put there, from every lane,
// whatever the tile's width, and reads and writes nothing else.
func TestNetwork(t *testing.T) {
	eachImpl(t, "Network", func(t *testing.T) {
		forKeys(t, testNetwork[int8], testNetwork[int16], testNetwork[int32], testNetwork[int64])
	})
}

// A network that puts every input of zeros and ones in its places does so for
// all inputs.
func testNetworkZeroOne[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= NetworkMax; n++ {
		lanes := 1 << min(n, 12)
		src := make([]K, n*lanes)
		for i := range n {
			for j := range lanes {
				bits := uint64(j)
				switch {
				case n > 16 && j < 17*17: // so many in each half
					bits = 1<<(j%17) - 1 | (1<<(j/17)-1)<<16
				case n > 12:
					bits = rand.New(rand.NewPCG(uint64(j), 1)).Uint64()
				}
				src[i*lanes+j] = K(bits >> i & 1)
			}
		}
		for rank := 0; rank <= 32; rank += 1 + rng.IntN(3) {
			checkNetwork(t, testPicks(n, []int{rank}, true), src, lanes, 1, lanes, Encoding[K]{}, testkit.AtEnd, false)
		}
		all := make([]int, 33)
		for i := range all {
			all[i] = i
		}
		checkNetwork(t, testPicks(n, all, true), src, lanes, 1, lanes, Encoding[K]{}, testkit.AtEnd, false)
	}
}

func TestNetworkZeroOne(t *testing.T) {
	eachImpl(t, "Network", func(t *testing.T) {
		forKeys(t, testNetworkZeroOne[int8], testNetworkZeroOne[int16], testNetworkZeroOne[int32], testNetworkZeroOne[int64])
	})
}

// Middles have the bits of package rank's, of any two order statistics, however
// many rows lead to them.
func testNetworkMiddles[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 12))
	const lanes = 100
	if !NetworkMiddles[K](lanes) {
		t.Skip("there are none")
	}
	mantissa, exponent := uint(23), uint(8)
	if unsafe.Sizeof(K(0)) == 8 {
		mantissa, exponent = 52, 11
	}
	for n := 2; n <= NetworkMax; n += 2 {
		for range 20 {
			src := make([]K, n*lanes)
			for j := range lanes {
				a, b := endsOf(rng, mantissa, exponent)
				for i := range n {
					src[i*lanes+j] = K(a)
					if i%2 == 1 {
						src[i*lanes+j] = K(b)
					}
				}
			}
			var middle PickTable
			whole := rng.IntN(2) == 0
			for m := 1; m <= n; m++ {
				if whole && m < n {
					middle.Set(m, n-1, n-1)
				} else {
					middle.Set(m, (m-1)/2, m/2)
				}
			}
			p := new(Networks)
			p.Make(n, []PickTable{middle})
			e := encodings[K]()[2]
			checkNetwork(t, p, src, lanes, 1, lanes, e, testkit.AtEnd, false)
		}
	}
}

func TestNetworkMiddles(t *testing.T) {
	eachImpl(t, "Network", func(t *testing.T) {
		t.Run("float32", testNetworkMiddles[int32])
		t.Run("float64", testNetworkMiddles[int64])
	})
}

func benchNetwork[K Key](b *testing.B, n int, e Encoding[K], nans int, whole, across bool) {
	lanes := 24 << 10 / n / int(unsafe.Sizeof(K(0))) &^ 63 // in the first-level cache
	rng := rand.New(rand.NewPCG(1, 2))
	src := make([]K, n*lanes)
	for i := range src {
		src[i] = K(rng.Uint64())
		for e.Code == Float && src[i]&MaxKey[K]() > e.Inf {
			src[i] = K(rng.Uint64())
		}
		if rng.IntN(100) < nans {
			src[i] = MaxKey[K]()
		}
	}
	p := testPicks(n, []int{16}, whole)
	tile := Tile{Base: unsafe.Pointer(unsafe.SliceData(src)), N: n, Stride: lanes, Lanes: lanes, LaneStride: 1}
	if across {
		tile.Stride, tile.LaneStride = 1, n
	}
	to := Picked[K]{Lo: make([]K, lanes), Hi: make([]K, lanes), Stride: lanes}
	memory := make([]K, NetworkMemory[K]())
	for b.Loop() {
		Network(p, tile, e, to, memory)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*lanes), "ns/elem")
}

func BenchmarkNetwork(b *testing.B) {
	for _, n := range []int{7, 10, 20, 32} {
		b.Run(fmt.Sprintf("key=int8/n=%d", n), func(b *testing.B) { benchNetwork(b, n, Encoding[int8]{}, 0, true, false) })
		b.Run(fmt.Sprintf("key=int16/n=%d", n), func(b *testing.B) { benchNetwork(b, n, Encoding[int16]{}, 0, true, false) })
		b.Run(fmt.Sprintf("key=int32/n=%d", n), func(b *testing.B) { benchNetwork(b, n, Encoding[int32]{}, 0, true, false) })
		b.Run(fmt.Sprintf("key=int64/n=%d", n), func(b *testing.B) { benchNetwork(b, n, Encoding[int64]{}, 0, true, false) })
		float := Encoding[int32]{Code: Float, Inf: 0x7F800000}
		b.Run(fmt.Sprintf("key=float32/n=%d", n), func(b *testing.B) { benchNetwork(b, n, float, 0, true, false) })
		b.Run(fmt.Sprintf("key=float32/n=%d/nan=10", n), func(b *testing.B) { benchNetwork(b, n, float, 10, false, false) })
		b.Run(fmt.Sprintf("key=float32/n=%d/across", n), func(b *testing.B) { benchNetwork(b, n, float, 0, true, true) })
		half := Encoding[int16]{Code: Float, Inf: 0x7C00}
		b.Run(fmt.Sprintf("key=float16/n=%d", n), func(b *testing.B) { benchNetwork(b, n, half, 0, true, false) })
	}
}
