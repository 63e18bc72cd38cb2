package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func testSplitters[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	var c Splitters[K]
	for _, n := range []int{0, 1, 2, 7, 100, BinCount - 1, BinCount, 3 * BinCount} {
		keys := append(c.Memory(), keysOf[K](n, rng)...)
		distinct := slices.Sorted(slices.Values(keys))
		distinct = slices.Compact(distinct)
		c.Set(keys)
		if c.Count() != len(distinct)+1 {
			t.Fatalf("%d splitters make %d bins", len(distinct), c.Count())
		}
		looked := append(keysOf[K](1000, rng), distinct...)
		looked = append(looked, MinKey[K](), MaxKey[K]())
		bins := make([]uint32, len(looked))
		c.Find(bins, looked)
		for i, k := range looked {
			want, equal := slices.BinarySearch(distinct, k)
			if equal {
				want++
			}
			if int(bins[i]) != want || c.BinOf(k) != want {
				t.Fatalf("%d splitters: bin of %d is %d, or %d, want %d", n, k, bins[i], c.BinOf(k), want)
			}
			if lo, hi := c.Ends(want); k < lo || k > hi || lo > MinKey[K]() && c.BinOf(lo-1) == want || hi < MaxKey[K]() && c.BinOf(hi+1) == want {
				t.Fatalf("%d splitters: bin %d with key %d is from %d to %d", n, want, k, lo, hi)
			}
		}
	}
}

// Keys lie in the bin numbered like the splitters that are not greater, however many
// splitters there are, and bins end before the next splitter.
func TestSplitters(t *testing.T) {
	eachImpl(t, "FindBins", func(t *testing.T) {
		forKeys(t, testSplitters[int8], testSplitters[int16], testSplitters[int32], testSplitters[int64])
	})
}
