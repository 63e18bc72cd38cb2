package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// benchKeys is a block of random keys that fits the first-level cache.
func benchKeys[K Key](n int) []K {
	rng := rand.New(rand.NewPCG(1, 2))
	keys := make([]K, n)
	for i := range keys {
		keys[i] = K(rng.Uint64())
	}
	return keys
}

// BenchmarkCollect collects one in thirty of normal float32, without NaN and
// with one NaN in two.
func BenchmarkCollect(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	e := Encoding[int32]{Code: Float, Inf: 0x7F800000}
	for _, nan := range []float64{0, 0.5} {
		b.Run(fmt.Sprintf("nan=%v", nan), func(b *testing.B) {
			src, dst := make([]int32, 2048), make([]int32, 2048)
			for i := range src {
				src[i] = int32(math.Float32bits(float32(rng.NormFloat64())))
				if rng.Float64() < nan {
					src[i] = 0x7FC00000
				}
			}
			lo, hi := int32(math.Float32bits(0.1)), int32(math.Float32bits(0.2))
			b.SetBytes(2048 * 4)
			for b.Loop() {
				Collect(dst, src, e, lo, hi)
			}
		})
	}
}

func BenchmarkBrackets(b *testing.B) {
	src, dst := make([]int32, 2048), make([]int32, 2048)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range src {
		src[i] = int32(math.Float32bits(rng.Float32()))
	}
	for _, n := range []int{2, 3, 5} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var steps []Bracket[int32]
			for i := range n {
				at := float32(i+1) / float32(n+1)
				steps = append(steps, Bracket[int32]{int32(math.Float32bits(at - 0.018)), int32(math.Float32bits(at + 0.018))})
			}
			s := &make([]Brackets[int32], 16)[0] // where a cache line begins
			s.Set(Encoding[int32]{Code: Float, Inf: 0x7F800000}, steps)
			b.SetBytes(2048 * 4)
			for b.Loop() {
				s.Collect(dst, src)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())*3.7/float64(b.N*2048/16), "cycles/16")
		})
	}
}

func BenchmarkFindBins(b *testing.B) {
	src, cells := benchKeys[int32](2048), make([]uint16, 2048)
	e := Encoding[int32]{Code: Float, Inf: 0x7F800000}
	for _, byValue := range []bool{false, true} {
		b.Run(fmt.Sprintf("byValue=%v", byValue), func(b *testing.B) {
			var s Bins[int32]
			s.Between(-1<<30, 1<<30, e, byValue)
			b.SetBytes(2048 * 4)
			for b.Loop() {
				FindBins(cells, src, &s)
			}
		})
	}
}

func BenchmarkCountBins(b *testing.B) {
	src, cells := benchKeys[int32](2048), make([]uint16, 2048)
	var tables [2 * BinCount]uint32
	for _, one := range []bool{false, true} {
		b.Run(fmt.Sprintf("one=%v", one), func(b *testing.B) {
			var s Bins[int32]
			s.Between(MinKey[int32](), MaxKey[int32](), Encoding[int32]{}, false)
			FindBins(cells, src, &s)
			if one {
				clear(cells)
			}
			b.SetBytes(2048 * 4)
			for b.Loop() {
				CountBins(&tables, cells, src)
			}
		})
	}
}

func BenchmarkCollectBins(b *testing.B) {
	src, cells := benchKeys[int32](2048), make([]uint16, 2048)
	dst, dstCells := make([]int32, 2048), make([]uint16, 2048)
	var s Bins[int32]
	s.Between(MinKey[int32](), MaxKey[int32](), Encoding[int32]{}, false)
	FindBins(cells, src, &s)
	var set BinSet
	for c := range BinCount / 10 {
		set.Add(10 * c)
	}
	for _, unlike := range [][]int32{nil, make([]int32, BinCount)} {
		b.Run(fmt.Sprintf("unlike=%v", unlike != nil), func(b *testing.B) {
			b.SetBytes(2048 * 4)
			for b.Loop() {
				CollectBins(dst, dstCells, src, cells, &set, unlike, src)
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	src, dst := benchKeys[int32](2048), make([]int32, 2048)
	b.SetBytes(2048 * 4)
	for b.Loop() {
		Encode(dst, src, Encoding[int32]{Code: Float, Inf: 0x7F800000})
	}
}

func benchSortPairs[K Key](b *testing.B) {
	// Fresh keys each time: the processor would learn the order of the same.
	const n, rounds = 256, 64
	fresh := benchKeys[K](2 * n * rounds)
	x, y := make([]K, n), make([]K, n)
	for i := 0; b.Loop(); i++ {
		at := i % rounds * 2 * n
		copy(x, fresh[at:])
		copy(y, fresh[at+n:])
		SortPairs(x, y)
	}
}

func BenchmarkSortPairs(b *testing.B) {
	b.Run("key=int8", benchSortPairs[int8])
	b.Run("key=int32", benchSortPairs[int32])
	b.Run("key=int64", benchSortPairs[int64])
}

// benchSearch searches blocks of floats between 0 and 1.
func benchSearch[K Key](b *testing.B) {
	lanes, shift := BlockLanes[K](), 64-8*int(unsafe.Sizeof(K(0)))
	for _, n := range []int{33, 100, 200, 1000, 3000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			blocks := make([][]K, max(1, 16000/n))
			for i := range blocks {
				blocks[i] = make([]K, lanes*n)
				for j := range blocks[i] {
					if shift == 32 {
						blocks[i][j] = K(math.Float32bits(rng.Float32()))
					} else {
						blocks[i][j] = K(math.Float64bits(rng.Float64()) >> shift)
					}
				}
			}
			scratch, memory := make([]K, lanes*n), make([]K, SearchMemory[K](n))
			ranks, out, next := make([]K, lanes), make([]K, lanes), make([]K, lanes)
			for j := range ranks {
				ranks[j] = K((n - 1) / 2)
			}
			b.SetBytes(int64(n * BlockBytes()))
			for i := 0; b.Loop(); i++ {
				copy(scratch, blocks[i%len(blocks)])
				Search(Block[K]{Keys: scratch, N: n, Float: true, Memory: memory}, ranks, out, next)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())*3.7/float64(b.N*n*lanes), "cycles/el")
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	b.Run("key=int16", benchSearch[int16])
	b.Run("key=int32", benchSearch[int32])
	b.Run("key=int64", benchSearch[int64])
}

// BenchmarkPack packs lanes side by side, and one after the other.
func BenchmarkPack(b *testing.B) {
	const n = 100
	elements := benchKeys[int32](16 * n)
	for i := range elements {
		elements[i] &= 0x3F7FFFFF
	}
	block, nans := make([]int32, 16*n), make([]int32, 16)
	for _, t := range []Tile{{N: n, Stride: 1, Lanes: 16, LaneStride: n}, {N: n, Stride: 16, Lanes: 16, LaneStride: 1}} {
		b.Run(fmt.Sprintf("stride=%d", t.Stride), func(b *testing.B) {
			t.Base = unsafe.Pointer(&elements[0])
			b.SetBytes(64 * n)
			for b.Loop() {
				Pack(block, t, Encoding[int32]{Code: Float, Inf: 0x7F800000}, 0, nans)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())*3.7/float64(b.N*n*16), "cycles/el")
		})
	}
}
