package kernel

import (
	"fmt"
	"math/rand/v2"
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

// cuckooOf returns a sealed table of the keys with a filter.
func cuckooOf(keys []uint64) *Cuckoo[uint64] {
	n := 16
	for n < 2*len(keys) {
		n *= 2
	}
	for seed := uint64(1); ; seed += 2 {
		c := &Cuckoo[uint64]{
			Slots: make([]uint64, n), Filter: make([]uint64, n/8),
			Seeds: [2]uint64{0x9E3779B97F4A7C15 * seed, 0xD1342543DE82EF95 * seed},
		}
		if c.Insert(keys); c.Lost() {
			continue
		}
		c.Seal()
		return c
	}
}

func BenchmarkCuckoo(b *testing.B) {
	const block = 8192
	for _, m := range []int{16, 1000, 10000, 100000, 1000000} {
		keys := randomKeys(m)
		c := cuckooOf(keys)
		for _, hits := range []float64{0, 0.1, 0.5, 1} {
			src := mixedHits(1<<20, keys, hits)
			dst, pass := make([]uint8, len(src)), make([]uint32, block)
			name := fmt.Sprintf("m=%d/hits=%v", m, hits)
			b.Run("path=probe/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(src) * 8))
				for b.Loop() {
					c.Contains(dst, src)
				}
			})
			b.Run("path=filter/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(src) * 8))
				for b.Loop() {
					for i := 0; i < len(src); i += block {
						d, s := dst[i:i+block], src[i:i+block]
						clear(d)
						c.ContainsAt(d, s, pass[:c.Screen(pass, s)])
					}
				}
			})
		}
	}
}

func BenchmarkCuckooInsert(b *testing.B) {
	for _, m := range []int{10000, 1000000} {
		keys := randomKeys(m)
		b.Run(fmt.Sprintf("m=%d", m), func(b *testing.B) {
			for b.Loop() {
				cuckooOf(keys)
			}
		})
	}
}

func BenchmarkInSorted(b *testing.B) {
	for _, m := range []int{16, 10000, 1000000} {
		keys := randomKeys(m)
		src := mixedHits(1<<18, keys, 0.5)
		dst := make([]uint8, len(src))
		keys = SortPatterns(keys)
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

func BenchmarkAnyOf(b *testing.B) {
	src, dst := make([]uint64, 1<<16), make([]uint8, 1<<16)
	b.SetBytes(int64(len(src) * 8))
	for b.Loop() {
		AnyOf(dst, src, &[FewPatterns]uint64{1, 2, 3, 4})
	}
}
