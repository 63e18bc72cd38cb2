package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/internal/testkit"
)

// scalesOf returns scales of all kinds, with the encoding that the elements of
// src have under each.
func scalesOf[K Key](e Encoding[K], src []K) []Scale[K] {
	var list []Scale[K]
	keys := make([]K, len(src))
	Encode(keys, src, e)
	keys = append(slices.DeleteFunc(keys, func(k K) bool { return e.Code == Float && (k >= e.Inf || k <= ^e.Inf) }), 0, 1)
	slices.Sort(keys)
	for _, ends := range [][2]K{{-20, 20}, {0, 0}, {keys[0], keys[len(keys)-1]}, {keys[len(keys)/3], keys[len(keys)/2]}} {
		for _, byValue := range []bool{false, true} {
			var s Scale[K]
			if byValue && (e.Code != Float || BlockLanes[K]() > BlockLanes[int32]()) {
				continue
			}
			if s.Between(ends[0], ends[1], e, byValue) {
				list = append(list, s)
			}
		}
	}
	return list
}

func testLocate[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	var tables [2 * ScaleCells]uint32
	unlike := testkit.Fenced[K](t, ScaleCells, testkit.AtEnd)
	for _, n := range lengths() {
		side := testkit.Sides[rng.IntN(2)]
		src := testkit.FencedCopy(t, keysOf[K](n, rng), side)
		cells := testkit.Fenced[uint16](t, n, side)
		dst, dstCells := testkit.Fenced[K](t, n, side), testkit.Fenced[uint16](t, n, side)
		var set CellSet
		for c := range ScaleCells {
			if rng.IntN(3) == 0 {
				set.Add(c)
			}
		}
		for _, e := range encodings[K]() {
			for _, s := range scalesOf(e, src) {
				Locate(cells, src, &s)
				for i, v := range src {
					if want := s.CellOf(v); int(cells[i]) != want {
						t.Fatalf("n=%d, %+v: cell of %d is %d, want %d", n, s, v, cells[i], want)
					}
				}
				clear(tables[:])
				CountCells(&tables, cells, src)
				for _, c := range cells {
					tables[c]--
				}
				for c := range ScaleCells {
					if tables[c]+tables[ScaleCells+c] != 0 {
						t.Fatalf("n=%d, %+v: %d too many in cell %d", n, s, int32(tables[c]+tables[ScaleCells+c]), c)
					}
				}
				for i, c := range cells {
					if i%2 == 0 {
						unlike[c] = src[i]
					}
				}
				for _, list := range [][]K{unlike[:0], unlike} {
					var kept []K
					var keptCells []uint16
					for i, v := range src {
						if c := cells[i]; set.Has(int(c)) && (len(list) == 0 || v != list[c]) {
							kept, keptCells = append(kept, v), append(keptCells, c)
						}
					}
					got := Keep(dst, dstCells, src, cells, &set, list, src)
					if !slices.Equal(dst[:got], kept) || !slices.Equal(dstCells[:got], keptCells) {
						t.Fatalf("n=%d, %+v: kept %d keys, want %d", n, s, got, len(kept))
					}
					copy(dst, src)
					copy(dstCells, cells)
					got = Keep(dst, dstCells, dst, dstCells, &set, list, src)
					if !slices.Equal(dst[:got], kept) || !slices.Equal(dstCells[:got], keptCells) {
						t.Fatalf("n=%d, %+v: kept %d keys in place, want %d", n, s, got, len(kept))
					}
				}
			}
		}
	}
}

// Locate sets the cells that CellOf returns, CountCells counts them, and Keep
// chooses by them.
func TestScale(t *testing.T) {
	for _, name := range []string{"Locate", "Keep", "CountCells"} {
		eachImpl(t, name, func(t *testing.T) {
			forKeys(t, testLocate[int8], testLocate[int16], testLocate[int32], testLocate[int64])
		})
	}
}

func testScaleAscends[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, e := range encodings[K]() {
		keys := keysOf[K](500, rng)
		Encode(keys, keys, e)
		for _, s := range scalesOf(e, keysOf[K](500, rng)) {
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
				c := s.CellOf(v[0])
				if c < last || c >= ScaleCells || s.ByValue && c == ScaleCells-1 {
					t.Fatalf("%+v: cell %d of key %d after %d", s, c, k, last)
				}
				last = c
				if e.Code != Float {
					continue
				}
				if first := s.FirstIn(c, ^e.Inf, e.Inf, e); first > k {
					t.Fatalf("%+v: the first key of cell %d is %d, but %d is in it", s, c, first, k)
				}
				if first := s.FirstIn(c+1, ^e.Inf, e.Inf, e); first <= k && k != e.Inf {
					t.Fatalf("%+v: the first key after cell %d is %d, but %d is in it", s, c, first, k)
				}
			}
			cellOf := func(k K) int { return s.CellOf(s.Element(k, e)) }
			for range 100 {
				lo, hi := keys[rng.IntN(len(keys))], keys[rng.IntN(len(keys))]
				if e.Code == Float {
					lo, hi = min(max(lo, ^e.Inf), e.Inf), min(max(hi, ^e.Inf), e.Inf)
				}
				lo, hi = min(lo, hi), max(lo, hi)
				c := rng.IntN(ScaleCells + 1)
				first := s.FirstIn(c, lo, hi, e)
				if first < lo || first > hi || first > lo && cellOf(first-1) >= c || first < hi && cellOf(first) < c {
					t.Fatalf("%+v: the first key of cell %d from %d to %d is not %d", s, c, lo, hi, first)
				}
			}
		}
	}
}

// The cells of a scale ascend with the keys, and FirstIn finds where they begin.
func TestScaleAscends(t *testing.T) {
	forKeys(t, testScaleAscends[int8], testScaleAscends[int16], testScaleAscends[int32], testScaleAscends[int64])
}
