package ogivebeam

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// TestGroupsAreText divides rows among shards and parts: the groups are the texts of the
// cells, whatever each of the shards holds.
func TestGroupsAreText(t *testing.T) {
	cells := []string{"5", "05", "5.0", "hot", "", " 5", "-0", "0", "1e3", "NA", "true", "True",
		"9223372036854775807", "9223372036854775808", "123456789012345678901234567890", "0123456789012345678901234567890"}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 11))
		folder := t.TempDir()
		groups := map[string][]float64{}
		value := 0.0
		for shard := range 2 + r.IntN(4) {
			r.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
			text := "g,v\n"
			for range 1 + r.IntN(40) {
				cell := cells[r.IntN(1+r.IntN(len(cells)))]
				text += fmt.Sprintf("%s,%v\n", cell, value)
				if cell = strings.TrimSpace(cell); cell == "" {
					cell = MissingGroup
				}
				groups[cell] = append(groups[cell], value)
				value++
			}
			write(t, folder, fmt.Sprintf("%d.csv", shard), text)
		}
		o := Options{Op: ogive.OpNaNQuantile, Q: someQ, By: []string{"g"}, PartBytes: 1 + r.Int64N(100), Budget: 4 << 20}
		o.Input.Header = tensorio.HeaderYes
		if seed%2 == 0 { // a pattern that means the groups' column too
			o.Columns = []string{"*"}
		}
		got, err := answersOf(t, func(s beam.Scope) beam.PCollection { return QuantilesPerKey(s, []string{folder + "/*.csv"}, o) })
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(groups) {
			t.Errorf("seed %d: %d groups, want %d", seed, len(got), len(groups))
		}
		for text, values := range groups {
			same(t, text, got["v "+text], fractions(values))
		}
	}
}

// TestMissingIsNoText keeps rows without a key apart from those whose key is NA.
func TestMissingIsNoText(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "a.json", `{"g":"NA","v":1}{"g":null,"v":2}`)
	write(t, folder, "b.json", `{"g":7,"v":3}{"g":"NA","v":4}{"v":5}`)
	p, s := beam.NewPipelineWithRoot()
	run := t.Name()
	o := Options{Op: ogive.OpMedian, By: []string{"g"}}
	beam.ParDo0(s, &keepFn{run}, QuantilesPerKey(s, []string{folder + "/*.json"}, o))
	if _, err := beam.Run(t.Context(), "prism", p); err != nil {
		t.Fatal(err)
	}
	v, _ := kept.LoadAndDelete(run)
	got := map[string]bool{}
	for _, a := range v.(*answers).list {
		cells, err := a.Cells()
		if err != nil {
			t.Fatal(err)
		}
		got[a.Group[0]+" "+cells[0]] = true
	}
	if len(got) != 3 || !got["NA 2.5"] || !got["NA 3.5"] || !got["7 3"] {
		t.Errorf("%v", got)
	}
}
