package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// least is a budget that leaves states the least memory that there is for them.
var least = budget{bytes: programMemory + 16<<20, given: true}

// TestSweeps computes more columns than states fit into the budget: some wait until others
// have their answers, which are those of all columns in memory. Columns turn out to hold
// fractions at the end, and lack values.
func TestSweeps(t *testing.T) {
	const columns, rows = 40, 30_000
	var text bytes.Buffer
	for c := range columns {
		fmt.Fprintf(&text, "c%d,", c)
	}
	text.WriteString("w\n")
	for i := range rows {
		for c := range columns {
			switch {
			case i == rows-1 && c%3 == 0:
				fmt.Fprintf(&text, "%d.5,", c)
			case c%5 == 0 && i%7 == 0:
				text.WriteString(",")
			default:
				fmt.Fprintf(&text, "%d,", (i*(c+1))%10_007)
			}
		}
		fmt.Fprintf(&text, "%d\n", i%3)
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, weights := range []string{"", "w"} {
		flags := []string{"nanquantile", path, "-q", "0.1,0.5", "-f", "csv", "--quiet"}
		if weights != "" {
			flags = append(flags, "--weights", weights)
		}
		want, stderr, _ := call(t, flags...)
		if stderr != "" || strings.Count(want, "\n") < columns {
			t.Fatal(stderr)
		}
		var out bytes.Buffer
		f := &opener{ctx: context.Background(), s: streams{out: &out, err: os.Stderr}, budget: least, quiet: true}
		o := &orderOptions{op: ogive.OpNaNQuantile, method: "linear", weights: weights, input: tensorio.Options{Keys: []string{weights}}, output: outputFlags{format: "csv"}}
		var err error
		if o.qs, err = parseQuantiles("q", "0.1,0.5"); err != nil {
			t.Fatal(err)
		}
		list, err := f.openAll([]string{path}, o.input)
		if err != nil {
			t.Fatal(err)
		}
		defer closeAll(list)
		r := &request{op: o.op, as: o.qs.op(o.op), options: []ogive.Option{ogive.Method(rank.Linear), o.qs.option()}}
		answer, _, err := f.passes(list, o, r)
		if err == nil {
			err = o.output.write(f.ctx, f.s, answer)
		}
		if err != nil || out.String() != want {
			t.Errorf("weights %q: %v\n%s\nwant\n%s", weights, err, &out, want)
		}
	}
}

// TestFewerColumns: columns that cannot be read together are read one after the other, and
// one that cannot be read at all is refused.
func TestFewerColumns(t *testing.T) {
	const columns = 8
	s := &shard{header: header{Op: "median"}}
	for c := range columns {
		s.columns = append(s.columns, shardColumn{columnHead: columnHead{Name: fmt.Append(nil, c), Seen: 7}})
	}
	f := &feeder{shard: s}
	much := fmt.Errorf("pages: %w", tensorio.TooLarge(2, 1))
	for _, want := range []int{4, 2, 1} {
		if !f.fewer(much) || len(s.active()) != want || s.active()[0].Seen != 0 {
			t.Fatalf("%d columns, want %d", len(s.active()), want)
		}
	}
	if f.fewer(much) || f.fewer(context.Canceled) || f.fewer(nil) {
		t.Error("fewer than one")
	}
	s.active()[0].answer = []byte{1}
	if !s.proceed() || len(s.active()) != columns-1 || s.proceed() {
		t.Errorf("%d columns go on", len(s.active()))
	}
}

// TestStatesOfShards: a shard has the states of all columns, and is refused where they are
// more than --memory leaves, or than --states says.
func TestStatesOfShards(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.csv")
	var text bytes.Buffer
	for i := range 40_000 {
		for c := range 20 {
			fmt.Fprintf(&text, "%d,", i*c)
		}
		text.WriteString("1\n")
	}
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    partialOptions
		want string
	}{
		{partialOptions{}, "the states of 21 columns take more than the 4 MiB that they may"},
		{partialOptions{states: 5 << 20}, "--states 5 MiB is more than the 4 MiB that --memory leaves for states"},
		{partialOptions{input: tensorio.Options{Columns: []string{"1"}}}, ""},
	} {
		o := &c.o
		o.files, o.output, o.quiet = []string{path}, filepath.Join(dir, "x.ogive"), true
		if err := o.want(map[string]string{"op": "median"}); err != nil {
			t.Fatal(err)
		}
		err := runPartialWithin(context.Background(), o, streams{err: os.Stderr}, least)
		if got := fmt.Sprint(err); err != nil && got != c.want || err == nil && c.want != "" {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	next := &shard{header: header{Budget: 3 << 20}, columns: []shardColumn{{states: make([]typedState, 2)}}}
	f := &feeder{opener: &opener{budget: least}, bound: true}
	if err := f.holds(next); err == nil || !strings.Contains(err.Error(), "the states of the first pass take 6 MiB") {
		t.Error(err)
	}
}

// TestMissingAmongGroups: the groups of a column with missing values take time in proportion
// to the rows.
func TestMissingAmongGroups(t *testing.T) {
	dir := t.TempDir()
	took := func(rows int) time.Duration {
		path := filepath.Join(dir, "x.csv")
		if err := os.WriteFile(path, append([]byte("k,v\n"), bytes.Repeat([]byte("a,\nb,1\n"), rows/2)...), 0o600); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if out, stderr, _ := call(t, "median", path, "--by", "k", "-f", "csv"); out != "k,column,median\na,v,NaN\nb,v,1\n" {
			t.Fatal(out, stderr)
		}
		return time.Since(begin)
	}
	few, many := took(10_000), took(200_000)
	for range 2 {
		few, many = min(few, took(10_000)), min(many, took(200_000))
	}
	if many > 100*few { // squares would be 400 times as much
		t.Errorf("%v for 20 times as many rows as %v", many, few)
	}
}
