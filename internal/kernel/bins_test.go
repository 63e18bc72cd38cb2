package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/testkit"
)

// binsOf returns bins of all kinds, with the encoding that the elements of
// src have under each.
func binsOf[K Key](e Encoding[K], src []K) []Bins[K] {
	var list []Bins[K]
	keys := make([]K, len(src))
	Encode(keys, src, e)
	keys = append(slices.DeleteFunc(keys, func(k K) bool { return e.Code == Float && (k >= e.Inf || k <= ^e.Inf) }), 0, 1)
	slices.Sort(keys)
	for _, ends := range [][2]K{{-20, 20}, {0, 0}, {keys[0], keys[len(keys)-1]}, {keys[len(keys)/3], keys[len(keys)/2]}} {
		for _, byValue := range []bool{false, true} {
			var s Bins[K]
			if byValue && (e.Code != Float || BlockLanes[K]() > BlockLanes[int32]()) {
				continue
			}
			if s.Between(ends[0], ends[1], e, byValue) {
				list = append(list, s)
			}
		}
	}
	list = append(list, splittersOf[K](), splittersOf(MinKey[K]()), splittersOf(MinKey[K](), 0, 1, MaxKey[K]()), splittersOf(keys[:min(len(keys), BinCount-1)]...))
	within := Bins[K]{}
	for _, ends := range [][2]K{{MinKey[K](), MaxKey[K]()}, {-20, 20}, {MinKey[K]() + 1, MinKey[K]() + 3}, {MaxKey[K]() - 3, MaxKey[K]()}} {
		within.Within(ends[0], ends[1])
		list = append(list, within)
	}
	return list
}

// splittersOf returns bins by splitters.
func splittersOf[K Key](keys ...K) Bins[K] {
	var c Splitters[K]
	c.Set(slices.Clone(keys))
	return Bins[K]{Splitters: &c}
}

func testFindBins[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	var tables [2 * BinCount]uint32
	excluded := testkit.Fenced[K](t, BinCount, testkit.AtEnd)
	for _, n := range lengths() {
		side := testkit.Sides[rng.IntN(2)]
		src := testkit.FencedCopy(t, keysOf[K](n, rng), side)
		room := testkit.Roomy[uint16](t, n, side)
		bins := room[:n]
		dst, dstBins := testkit.Roomy[K](t, n, side), testkit.Roomy[uint16](t, n, side)
		var set BinSet
		for c := range BinCount {
			if rng.IntN(3) == 0 {
				set.Add(c)
			}
		}
		for _, e := range encodings[K]() {
			for _, s := range binsOf(e, src) {
				FindBins(room, src, &s)
				for i, v := range src {
					if want := s.BinOf(v); int(bins[i]) != want {
						t.Fatalf("n=%d, %+v: bin of %d is %d, want %d", n, s, v, bins[i], want)
					}
				}
				clear(tables[:])
				CountBins(&tables, bins, src)
				for _, c := range bins {
					tables[c]--
				}
				for c := range BinCount {
					if tables[c]+tables[BinCount+c] != 0 {
						t.Fatalf("n=%d, %+v: %d too many in bin %d", n, s, int32(tables[c]+tables[BinCount+c]), c)
					}
				}
				for i, c := range bins {
					if i%2 == 0 {
						excluded[c] = src[i]
					}
				}
				for _, list := range [][]K{excluded[:0], excluded} {
					var kept []K
					var keptCells []uint16
					for i, v := range src {
						if c := bins[i]; set.Has(int(c)) && (len(list) == 0 || v != list[c]) {
							kept, keptCells = append(kept, v), append(keptCells, c)
						}
					}
					got := CollectBins(dst, dstBins, src, room, &set, list, src)
					if !slices.Equal(dst[:got], kept) || !slices.Equal(dstBins[:got], keptCells) {
						t.Fatalf("n=%d, %+v: kept %d keys, want %d", n, s, got, len(kept))
					}
					copy(dst, src)
					copy(dstBins, bins)
					got = CollectBins(dst, dstBins, dst[:n], dstBins, &set, list, src)
					if !slices.Equal(dst[:got], kept) || !slices.Equal(dstBins[:got], keptCells) {
						t.Fatalf("n=%d, %+v: kept %d keys in place, want %d", n, s, got, len(kept))
					}
				}
			}
		}
	}
}

// FindBins sets the bins that BinOf returns, CountBins counts them, and CollectBins
// chooses by them.
func TestBins(t *testing.T) {
	for _, name := range []string{"FindBins", "CollectBins", "CountBins"} {
		eachImpl(t, name, func(t *testing.T) {
			forKeys(t, testFindBins[int8], testFindBins[int16], testFindBins[int32], testFindBins[int64])
		})
	}
}

func testBinsAscends[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, e := range encodings[K]() {
		keys := keysOf[K](500, rng)
		Encode(keys, keys, e)
		for _, s := range binsOf(e, keysOf[K](500, rng)) {
			slices.Sort(keys)
			last := 0
			for _, k := range keys {
				if e.Code == Float && (k > e.Inf || k < ^e.Inf) {
					continue
				}
				v := []K{k}
				if s.ByValue {
					Decode(v, v, e, 0)
				}
				c := s.BinOf(v[0])
				if c < last || c >= BinCount || s.ByValue && c == BinCount-1 {
					t.Fatalf("%+v: bin %d of key %d after %d", s, c, k, last)
				}
				last = c
				if e.Code != Float {
					continue
				}
				if first := s.FirstIn(c, ^e.Inf, e.Inf, e); first > k {
					t.Fatalf("%+v: the first key of bin %d is %d, but %d is in it", s, c, first, k)
				}
				if first := s.FirstIn(c+1, ^e.Inf, e.Inf, e); first <= k && k != e.Inf {
					t.Fatalf("%+v: the first key after bin %d is %d, but %d is in it", s, c, first, k)
				}
			}
			cellOf := func(k K) int { return s.BinOf(s.Element(k, e)) }
			for range 100 {
				lo, hi := keys[rng.IntN(len(keys))], keys[rng.IntN(len(keys))]
				if e.Code == Float {
					lo, hi = min(max(lo, ^e.Inf), e.Inf), min(max(hi, ^e.Inf), e.Inf)
				}
				lo, hi = min(lo, hi), max(lo, hi)
				c := rng.IntN(BinCount + 1)
				first := s.FirstIn(c, lo, hi, e)
				if first < lo || first > hi || first > lo && cellOf(first-1) >= c || first < hi && cellOf(first) < c {
					t.Fatalf("%+v: the first key of bin %d from %d to %d is not %d", s, c, lo, hi, first)
				}
			}
		}
	}
}

// The bins of a scale ascend with the keys, and FirstIn finds where they begin.
func TestBinsAscends(t *testing.T) {
	forKeys(t, testBinsAscends[int8], testBinsAscends[int16], testBinsAscends[int32], testBinsAscends[int64])
}
