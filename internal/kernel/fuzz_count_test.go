package kernel

import (
	"testing"

	"github.com/ogive-go/ogive/internal/testkit"
)

// fuzzFindBins finds the cells of elements, counts them, and keeps those of some.
func fuzzFindBins[K Key](t *testing.T, d drawn) {
	src, side := elements[K](t, d, d.n)
	room, keptCells := testkit.Roomy[uint16](t, d.n, side), testkit.Roomy[uint16](t, d.n, side)
	cells := room[:d.n]
	kept := testkit.Roomy[K](t, d.n, side)
	e := encodings[K]()[d.IntN(len(encodings[K]()))]
	bins := binsOf(e, src)
	if len(bins) == 0 {
		return
	}
	s := bins[d.IntN(len(bins))]
	var set BinSet
	for range d.IntN(BinCount) {
		set.Add(d.IntN(BinCount))
	}
	sameOnAll(t, "FindBins", func() []byte {
		FindBins(room, src, &s)
		return testkit.Raw(cells)
	})
	sameOnAll(t, "CountBins", func() []byte {
		var tables [2 * BinCount]uint32
		CountBins(&tables, cells, src)
		for c := range BinCount { // which of the two counts is not told
			tables[c] += tables[BinCount+c]
		}
		return testkit.Raw(tables[:BinCount])
	})
	var unlike []K
	if d.IntN(2) == 0 {
		unlike = make([]K, BinCount)
		for i, v := range src {
			unlike[s.BinOf(v)] = src[i/2]
		}
	}
	sameOnAll(t, "CollectBins", func() []byte {
		n := CollectBins(kept, keptCells, src, room, &set, unlike, src)
		return append(results([]int{n}, kept[:n]), testkit.Raw(keptCells[:n])...)
	})
}

func FuzzFindBins(f *testing.F) {
	fuzz(f, fuzzFindBins[int8], fuzzFindBins[int16], fuzzFindBins[int32], fuzzFindBins[int64])
}

func fuzzCountAtMost(t *testing.T, d drawn) {
	src, _ := elements[int8](t, d, d.n)
	var bounds [Bounds]int8
	for i := range bounds {
		bounds[i] = oneOf(d, src)
	}
	e := Encoding[int8]{Code: []Code{Signed, Unsigned}[d.IntN(2)]}
	sameOnAll(t, "CountAtMost", func() []byte {
		var counts [Bounds]int64
		CountAtMost(&counts, src, e, &bounds)
		return testkit.Raw(counts[:])
	})
}

func FuzzCountAtMost(f *testing.F) {
	fuzz(f, fuzzCountAtMost, fuzzCountAtMost, fuzzCountAtMost, fuzzCountAtMost)
}

func fuzzNth[K Key](t *testing.T, d drawn) {
	n := 1 + d.n%200
	keys, _ := elements[K](t, d, n)
	i, j := d.IntN(n), d.IntN(n)
	sameOnAll(t, "Nth", func() []byte {
		a, b := Nth(keys, i, j)
		return results(nil, []K{a, b})
	})
}

func FuzzNth(f *testing.F) { fuzz(f, fuzzNth[int8], fuzzNth[int16], fuzzNth[int32], fuzzNth[int64]) }

// fuzzLocate counts the keys of lanes in their classes, and shares among them.
func fuzzLocate[K Key](t *testing.T, d drawn) {
	lanes := 1 + d.IntN(150)
	rows := min(d.n, 120)
	keys, side := elements[K](t, d, rows*lanes)
	row, _ := elements[K](t, d, lanes)
	classes := [2]Class[K]{classOf[K](t, lanes, side, d.Rand), classOf[K](t, lanes, side, d.Rand)}
	first, _ := elements[K](t, d, lanes)
	second, _ := elements[K](t, d, lanes)
	limit := testkit.Roomy[K](t, lanes, side)
	for j := range lanes {
		limit[j] = K(d.IntN(6) - 1)
	}
	n, at, dst := testkit.Fenced[K](t, lanes, side), testkit.Fenced[K](t, lanes, side), testkit.Fenced[K](t, lanes, side)
	sameOnAll(t, "Match", func() []byte {
		CountAndLocate(n, at, keys, classes[0], limit)
		GradEqual(dst, row, classes, [2][]K{first, second})
		return results(nil, n, at, dst)
	})
}

func FuzzLocate(f *testing.F) {
	fuzz(f, fuzzLocate[int8], fuzzLocate[int16], fuzzLocate[int32], fuzzLocate[int64])
}
