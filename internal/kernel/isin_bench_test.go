package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// mixedHits returns n patterns of which about the share hits is among keys.
func mixedHits(n int, keys []uint64, hits float64) []uint64 {
	r := rand.New(rand.NewPCG(1, 2))
	src := make([]uint64, n)
	for i := range src {
		if src[i] = r.Uint64(); r.Float64() < hits {
			src[i] = keys[r.IntN(len(keys))]
		}
	}
	return src
}

func randomKeys(m int) []uint64 {
	r := rand.New(rand.NewPCG(3, 4))
	keys := make([]uint64, m)
	for i := range keys {
		keys[i] = r.Uint64()
	}
	return keys
}

func BenchmarkBuckets(b *testing.B) {
	for _, m := range []int{16, 1000, 10000, 100000, 1000000} {
		keys := randomKeys(m)
		t := bucketsOf(keys)
		for _, hits := range []float64{0, 0.1, 0.5} {
			src := mixedHits(1<<20, keys, hits)
			dst := make([]uint8, len(src))
			name := fmt.Sprintf("m=%d/hits=%v", m, hits)
			b.Run("path=probe/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(src) * 8))
				for b.Loop() {
					t.Contains(dst, src)
				}
			})
			b.Run("path=filter/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(src) * 8))
				for b.Loop() {
					t.ContainsScreened(dst, src)
				}
			})
		}
	}
}

func BenchmarkBucketsInsert(b *testing.B) {
	for _, m := range []int{10000, 1000000} {
		keys := randomKeys(m)
		b.Run(fmt.Sprintf("m=%d", m), func(b *testing.B) {
			for b.Loop() {
				bucketsOf(keys)
			}
		})
	}
}

func BenchmarkInSorted(b *testing.B) {
	for _, m := range []int{16, 10000, 1000000} {
		keys := randomKeys(m)
		src := mixedHits(1<<18, keys, 0.5)
		dst := make([]uint8, len(src))
		slices.Sort(keys)
		b.Run(fmt.Sprintf("m=%d", m), func(b *testing.B) {
			b.SetBytes(int64(len(src) * 8))
			for b.Loop() {
				InSorted(dst, src, keys)
			}
		})
	}
}

func BenchmarkInBitmap(b *testing.B) {
	for _, span := range []uint64{1000, 1 << 20, 1 << 24} {
		bitmap := make([]uint64, BitmapWords(span))
		src := randomKeys(1 << 20)
		for i := range src {
			src[i] %= span * 5 / 4
		}
		dst := make([]uint8, len(src))
		b.Run(fmt.Sprintf("span=%d", span), func(b *testing.B) {
			b.SetBytes(int64(len(src) * 8))
			for b.Loop() {
				InBitmap(dst, src, bitmap, 0, span)
			}
		})
	}
}

func BenchmarkFew(b *testing.B) {
	src, dst := make([]uint64, 1<<13), make([]uint8, 1<<13)
	f := fewOf(randomKeys(16))
	b.SetBytes(int64(len(src) * 8))
	for b.Loop() {
		f.Contains(dst, src)
	}
}

func BenchmarkByteSet(b *testing.B) {
	src, dst := make([]uint8, 1<<14), make([]uint8, 1<<14)
	var set ByteSet
	set.Add([]uint8{1, 2, 3, 250})
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		set.Contains(dst, src)
	}
}
