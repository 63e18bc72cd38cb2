package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestReportShares looks at what the pointer shows: of each place, which share of the
// values are at most so much.
func TestReportShares(t *testing.T) {
	values := map[string][]float64{}
	var csv strings.Builder
	csv.WriteString("g,x\n")
	for i := range 3000 {
		v, g := float64(i*i)/7, []string{"b", "a", "b"}[i%3]
		values[g] = append(values[g], v)
		csv.WriteString(g + "," + strconv.FormatFloat(v, 'g', -1, 64) + "\n")
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte(csv.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"--by", "g", "--sort"}, {"--by", "g", "--sort", "--log", "--na", "0"}} {
		var page bytes.Buffer
		args := append([]string{"report", path, "--quiet"}, flags...)
		if status := run(context.Background(), args, streams{in: strings.NewReader(""), out: &page, err: io.Discard}); status != 0 {
			t.Fatalf("%v: exit status %d", flags, status)
		}
		m := regexp.MustCompile(`const data = (\[.*\]);`).FindSubmatch(page.Bytes())
		if m == nil {
			t.Fatal("the page has no data")
		}
		var data []struct {
			At     []float64
			Shares [][]float64
		}
		if err := json.Unmarshal(m[1], &data); err != nil {
			t.Fatal(err)
		}
		at := data[0].At
		if len(at) < 200 || !slices.IsSorted(at) {
			t.Errorf("%v: %d places", flags, len(at))
		}
		for i, g := range []string{"a", "b"} {
			of := slices.DeleteFunc(slices.Clone(values[g]), func(v float64) bool { return v == 0 && len(flags) > 3 })
			for k, share := range data[0].Shares[i] {
				n := 0
				for _, v := range of {
					if v <= at[k] {
						n++
					}
				}
				if want := float64(n) / float64(len(of)); math.Abs(share-want) > 1e-12 {
					t.Fatalf("%v: at most %v are %v of %s, want %v", flags, at[k], share, g, want)
				}
			}
		}
	}
}
