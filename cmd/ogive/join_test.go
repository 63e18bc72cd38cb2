package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// joinedCells are cells of columns of one kind each.
var joinedCells = map[string][]string{
	"integers": {"1", "5", "9"}, "negative": {"-1", "-5", "2"}, "beyond 2^53": {"9007199254740993", "9007199254740995", "7"},
	"beyond 2^63": {"18446744073709551615", "9223372036854775813", "3"}, "beyond 2^64": {"1000000000000000000000000000000", "4"},
	"fractions": {"1.5", "2.5", "-0.25"}, "infinities": {"inf", "-inf", "nan"}, "truth": {"true", "false", "true"},
	"days": {"2020-01-01", "2020-01-05", "2020-01-03"}, "missing": {"NA", "", "NA"}, "nothing": {}, "text": {"x", "y"},
}

// TestJoinedFiles divides a column between two FILEs, each of cells of one kind: the answer is
// that for one file with all cells, in memory, in passes and of shards, and what one file
// refuses is refused.
func TestJoinedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	save := func(name string, cells []string) {
		text := "v,w\n"
		for _, cell := range cells {
			text += cell + ",1\n"
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range slices.Sorted(maps.Keys(joinedCells)) {
		for _, b := range slices.Sorted(maps.Keys(joinedCells)) {
			save("a.csv", joinedCells[a])
			save("b.csv", joinedCells[b])
			save("all.csv", slices.Concat(joinedCells[a], joinedCells[b]))
			flags := []string{"-c", "v", "--q", "0.1,0.6", "--method", "lower", "-f", "csv"}
			want, notes, status := callWith("", append([]string{"nanquantile", "all.csv"}, flags...)...)
			for door, run := range map[string]func() (string, string, int){
				"in memory": func() (string, string, int) {
					return callWith("", append([]string{"nanquantile", "a.csv", "b.csv"}, flags...)...)
				},
				"in passes": func() (string, string, int) {
					defer func(csv int64) { swells["csv"] = csv }(swells["csv"])
					swells["csv"] = 1 << 40
					return callWith("", append([]string{"nanquantile", "a.csv", "b.csv"}, flags...)...)
				},
				"shards": func() (string, string, int) {
					for _, shard := range []string{"a", "b"} {
						args := append([]string{"partial", shard + ".csv", "--op", "nanquantile", "-o", shard + ".ogive"}, flags[:6]...)
						if out, stderr, status := callWith("", args...); status != 0 {
							return out, stderr, status
						}
					}
					return callWith("", "merge", "a.ogive", "b.ogive", "-f", "csv")
				},
			} {
				got, stderr, s := run()
				if (s == 0) != (status == 0) || got != want || s == 0 && stderr != notes {
					t.Errorf("%s and %s, %s: %d, %q %s\nwant %d, %q %s", a, b, door, s, got, stderr, status, want, notes)
				}
				wantShort(t, a+" and "+b+", "+door, stderr)
			}
		}
	}
}

// TestJoinedColumns joins columns with types of their own in memory and in passes, in
// either order: the answers are those of their shards, or all refuse.
func TestJoinedColumns(t *testing.T) {
	days := func(c tensorio.Column) tensorio.Column { return inUnit(c, tensorio.UnitDay) }
	gone := missingAt(column[int64](0, 0), true, true)
	refused := []string{"truth and integers", "days and integers", "days and int64", "days and seconds", "days and truth"}
	for name, c := range map[string][2]tensorio.Column{
		"int32 and int64":      {column[int32](1, 2, 3, 4), column[int64](100, 1<<53+1)},
		"int32 and uint64":     {column[int32](1, 2, 3, 4), column[uint64](1<<64-1, 8)},
		"uint64 and negative":  {column[uint64](1<<64-1, 8), column[int64](-3, -1<<53-1)},
		"uint64 and int64":     {column[uint64](1<<64-1, 8), missingAt(column[int64](-3, 7), true, false)},
		"uint8 and int32":      {column[uint8](7, 9), column[int32](-1, 2, 3)},
		"float32 and float64":  {column[float32](0.5, 1000), column(0.25, 5000)},
		"float32 and int32":    {column[float32](0.5, 1000), column[int32](3, 4)},
		"float32 and missing":  {column[float32](0.5, 1000), gone},
		"truth and missing":    {column(true, false), gone},
		"truth and integers":   {column(true, false), column[int32](1, 2, 3, 4)},
		"days and missing":     {days(column[int32](1, 9)), gone},
		"days of two lengths":  {days(column[int32](1, 9)), days(column[int64](7, 5))},
		"days and integers":    {days(column[int32](1, 9)), column[int32](7, 5)},
		"days and int64":       {days(column[int64](1, 9)), column[int64](7, 5)},
		"days and seconds":     {days(column[int64](1, 9)), inUnit(column[int64](1), tensorio.UnitSecond)},
		"days and truth":       {days(column[int64](1, 9)), column(true)},
		"missing and missing":  {gone, missingAt(column(nanValue), true)},
		"beyond 2^53, missing": {missingAt(column[int64](1<<53+1, 5, 1<<60), false, false, true), column[float32](0.5)},
	} {
		for order, pair := range [][]tensorio.Column{{c[0], c[1]}, {c[1], c[0]}} {
			h := header{Op: "nanquantile", Q: "0.1,0.6", Method: "lower"}
			want := mergedText(aColumn(t, "a", h, pair[0]), aColumn(t, "b", h, pair[1]))
			for door, got := range map[string]string{"in memory": joinedText(pair), "in passes": passedText(t, h, pair)} {
				fails := slices.Contains(refused, name)
				if fails != strings.Contains(want, "differ: ") || fails != strings.HasPrefix(got, "error: ") || !fails && got != want {
					t.Errorf("%s, order %d, %s: %s, want %s", name, order, door, got, want)
				}
			}
		}
	}
}

// joinedText is mergedText of columns that are joined in memory.
func joinedText(columns []tensorio.Column) string {
	x, y := operand{name: "x", x: columns[0].Values, Column: columns[0]}, operand{name: "x", x: columns[1].Values, Column: columns[1]}
	if err := x.append(&y); err != nil {
		return "error: " + err.Error()
	}
	qs, err := parseQuantiles("q", "0.1,0.6")
	if err != nil {
		return "error: " + err.Error()
	}
	in := &operands{table: true, list: []operand{x}}
	r := &request{op: ogive.OpNaNQuantile, as: ogive.OpNaNQuantile, options: []ogive.Option{qs.option(), ogive.Method(rank.Lower)}}
	parts, err := compute(context.Background(), streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, r, in)
	if err != nil {
		return "error: " + err.Error()
	}
	return partText(&parts[0], in)
}

// passedText is mergedText of columns that one feeder adds.
func passedText(t *testing.T, h header, columns []tensorio.Column) string {
	t.Helper()
	h.Budget, h.Table = 1<<20, true
	s, err := newShard("a", h)
	if err != nil {
		t.Fatal(err)
	}
	s.columns = []shardColumn{{columnHead: columnHead{Name: []byte("x")}}}
	f := &feeder{shard: s, first: true, alone: true}
	for pass, again := 0, true; again; again = s.begunAnew() {
		if pass++; pass > 2 {
			return "error: begun anew twice"
		}
		for _, c := range columns {
			if err := f.add(&s.columns[0], c, nil); err != nil {
				return "error: " + err.Error()
			}
		}
	}
	if err := f.finish(); err != nil {
		t.Fatal(err)
	}
	if again, err := s.next(); err != nil || again {
		return fmt.Sprint("error: ", again, err)
	}
	r, in, err := s.result()
	if err != nil {
		return "error: " + err.Error()
	}
	return partText(&r.parts[0], in)
}

// TestJoinsInTurn: joining many FILEs takes time in proportion to their rows, whatever there
// is to do of each of them: columns that lack values, that widen, and texts.
func TestJoinsInTurn(t *testing.T) {
	fractions := column(0.5, nanValue)
	words := func(i int) tensorio.Column {
		c := column[int64](0, 1)
		c.Labels = []string{"each", fmt.Sprint(i)}
		return c
	}
	for name, of := range map[string]func(i int) tensorio.Column{
		"integers":              func(int) tensorio.Column { return column[int64](7, 9) },
		"fractions and missing": func(i int) tensorio.Column { return missingAt(fractions, false, true) },
		"both": func(i int) tensorio.Column {
			return []tensorio.Column{column[int64](-7, 9), missingAt(fractions, false, true)}[i%2]
		},
		"texts": words,
	} {
		took := func(files int) time.Duration {
			begin := time.Now()
			first := of(0)
			all := operand{x: first.Values, Column: first}
			for i := range files {
				c := of(i + 1)
				if err := all.append(&operand{x: c.Values, Column: c}); err != nil {
					t.Fatal(err)
				}
			}
			if all.x.Len() != 2*files+2 || len(all.Labels) > 0 && len(all.Labels) != files+2 {
				t.Fatalf("%s: %d rows, %d labels", name, all.x.Len(), len(all.Labels))
			}
			return time.Since(begin)
		}
		few, many := took(2000), took(64_000)
		for try := 0; many > 10*32*few; try++ { // squares are 1024 times as much
			if try == 5 {
				t.Fatalf("%s: %v for 32 times as many files as %v", name, many, few)
			}
			few, many = min(few, took(2000)), min(many, took(64_000))
		}
	}
}
