package ogivebeam

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
)

// TestSpreads describes integers beyond 2^53, weighted and in groups: counts are by weight,
// and interquartile ranges and median distances exact, rounded once.
func TestSpreads(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 3))
		folder := t.TempDir()
		repeated := map[string][]*big.Int{} // by group, "" is all
		gone := map[string]int64{}
		base := []int64{1 << 53, 1 << 60, -1 << 63, math.MaxInt64 - 1000, 0, -1 << 53}[seed]
		for file := range 2 {
			text := "g,v,w\n"
			for range 1 + r.IntN(30) {
				v := new(big.Int).Add(big.NewInt(base), big.NewInt(r.Int64N(1000)))
				if seed == 3 { // beyond int64
					v.Add(v, big.NewInt(500))
				}
				g, w, cell := []string{"a", "b"}[r.IntN(2)], r.IntN(4), v.String()
				if file == 0 {
					w++ // a positive sum
				}
				if r.IntN(9) == 0 {
					cell = "NA"
				}
				text += fmt.Sprintf("%s,%s,%d\n", g, cell, w)
				for _, of := range []string{"", g} {
					if cell == "NA" {
						gone[of] += int64(w)
						continue
					}
					for range w {
						repeated[of] = append(repeated[of], v)
					}
				}
			}
			write(t, folder, fmt.Sprintf("%d.csv", file), text)
		}
		p, s := beam.NewPipelineWithRoot()
		described.Clear()
		o := Options{Columns: []string{"v"}, Weights: "w", PartBytes: 100}
		beam.ParDo0(s, describedBy, Describe(s, []string{folder + "/*.csv"}, o))
		o.By = []string{"g"}
		beam.ParDo0(s, describedBy, Describe(s, []string{folder + "/*.csv"}, o))
		if err := ptest.Run(p); err != nil {
			t.Fatal(err)
		}
		for group, values := range repeated {
			of, ok := described.Load(strings.TrimSpace("v " + group))
			if !ok {
				t.Fatalf("seed %d: %q is not described", seed, group)
			}
			d := of.(Description)
			iqr, mad := exactSpreads(values)
			if d.Count != int64(len(values)) || d.Missing != gone[group] || d.IQR != iqr || d.MAD != mad {
				t.Errorf("seed %d, %q: %d values, %d missing, iqr %v, mad %v, want %d, %d, %v, %v",
					seed, group, d.Count, d.Missing, d.IQR, d.MAD, len(values), gone[group], iqr, mad)
			}
		}
	}
}

// exactSpreads returns what Describe does of integers.
func exactSpreads(values []*big.Int) (iqr, mad float64) {
	list := make([]*big.Rat, len(values))
	for i, v := range values {
		list[i] = new(big.Rat).SetInt(v)
	}
	quartile := func(q int64) *big.Rat {
		slices.SortFunc(list, (*big.Rat).Cmp)
		at := q * int64(len(list)-1)
		lo := list[at/4]
		step := new(big.Rat).Sub(list[min(at/4+1, int64(len(list)-1))], lo)
		return new(big.Rat).Add(lo, step.Mul(step, big.NewRat(at%4, 4)))
	}
	iqr, _ = new(big.Rat).Sub(quartile(3), quartile(1)).Float64()
	median := quartile(2)
	for i, v := range list {
		list[i] = new(big.Rat).Sub(v, median)
		list[i].Abs(list[i])
	}
	mad, _ = quartile(2).Float64()
	return iqr, mad
}
