package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive/tensorio"
)

// keyCells are cells of columns that make groups.
var keyCells = []string{"5", "05", "5.0", "hot", "", " 5", "-0", "0", "1e3", "1000", "+5", "-7", "NA", "true", "True", "2012-01-31",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "123456789012345678901234567890", "0123456789012345678901234567890"}

// keyTable makes rows of two columns of keys and one of numbers, and the lines that are
// the medians of the groups in order of appearance.
func keyTable(r *rand.Rand, rows int) (table []string, want string) {
	pool := slices.Clone(keyCells)
	r.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	pool = pool[:1+r.IntN(len(pool))]
	if r.IntN(4) == 0 { // integers in canonical form alone
		pool = []string{"5", "-7", "", "0", "9223372036854775807"}
	}
	values := map[string][]int{}
	var order []string
	label := func(cell string) string {
		if cell = strings.TrimSpace(cell); cell == "" {
			return "NA"
		}
		return cell
	}
	for i := range rows {
		g, h := pool[r.IntN(len(pool))], pool[r.IntN(len(pool))]
		table = append(table, fmt.Sprintf("%s,%s,%d\n", g, h, i))
		key := label(g) + "\t" + label(h)
		if values[key] == nil {
			order = append(order, key)
		}
		values[key] = append(values[key], i)
	}
	want = "g\th\tcolumn\tmedian\n"
	for _, key := range order {
		want += fmt.Sprintf("%s\tv\t%d\n", key, values[key][(len(values[key])-1)/2])
	}
	return table, want
}

// TestGroupsOfText divides rows among files, whose groups are those of the cells' texts
// whatever lies in which.
func TestGroupsOfText(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		table, want := keyTable(r, 1+r.IntN(60))
		folder := t.TempDir()
		save := func(name string, rows []string) string {
			path := filepath.Join(folder, name)
			data := []byte("g,h,v\n" + strings.Join(rows, ""))
			if strings.HasSuffix(name, ".gz") {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				if _, err := z.Write(data); err != nil || z.Close() != nil {
					t.Fatal("gzip")
				}
				data = b.Bytes()
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		var shards []string
		for rest, i := table, 0; len(rest) > 0; i++ {
			n := 1 + r.IntN(len(rest))
			shards, rest = append(shards, save(fmt.Sprintf("%d.csv", i), rest[:n])), rest[n:]
		}
		whole := save("all.csv", table)
		for name, files := range map[string][]string{"one file": {whole}, "files": shards, "gzip": {save("all.csv.gz", table)}, "standard input": {"-"}} {
			var out, stderr bytes.Buffer
			in, err := os.Open(whole)
			if err != nil {
				t.Fatal(err)
			}
			args := slices.Concat([]string{"median"}, files, []string{"--by", "g,h", "--mode", "lower", "--header", "-f", "tsv"})
			status := run(context.Background(), args, streams{in: in, out: &out, err: &stderr})
			in.Close()
			if status != 0 || out.String() != want {
				t.Fatalf("seed %d, %s: status %d\n%s%s\nwant\n%s\nof\n%s", seed, name, status, &out, &stderr, want, strings.Join(table, ""))
			}
		}
	}
}

// TestGroupsAcrossFormats joins keys of text and of typed files by their texts, and
// orders them by number where all are numbers, what is missing last.
func TestGroupsAcrossFormats(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	for name, text := range map[string]string{
		"a.csv": "g,v\n10,1\n9,2\n,3\n", "b.csv": "g,v\n09,4\n9,5\n", "c.csv": "g,v\nhot,6\n9,7\n",
		"d.json": `{"g":9,"v":8}{"g":9.0,"v":9}{"g":"09","v":10}{"g":null,"v":11}{"g":-0,"v":12}`,
	} {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for files, want := range map[string]string{
		"a.csv":             "9 2,10 1,NA 3",
		"a.csv b.csv":       "09 4,9 2,10 1,NA 3",
		"a.csv c.csv":       "10 1,9 2,hot 6,NA 3",
		"c.csv a.csv":       "10 1,9 2,hot 6,NA 3",
		"d.json":            "0 12,09 10,9 8,NA 11",
		"a.csv d.json":      "0 12,09 10,9 8,10 1,NA 3",
		"d.json b.csv":      "0 12,09 4,9 8,NA 11",
		"c.csv b.csv":       "09 4,9 5,hot 6",
		"a.csv b.csv c.csv": "09 4,10 1,9 5,hot 6,NA 3",
	} {
		args := []string{"median"}
		for _, name := range strings.Fields(files) {
			args = append(args, path(name))
		}
		out, stderr, status := call(t, append(args, "--by", "g", "--sort", "--mode", "lower", "--header", "-f", "csv")...)
		got := strings.Split(strings.TrimSpace(out), "\n")[1:]
		for i, line := range got {
			got[i] = strings.Replace(line, ",v,", " ", 1)
		}
		if status != 0 || strings.Join(got, ",") != want {
			t.Errorf("%s: status %d, %q %s\nwant %q", files, status, got, stderr, want)
		}
	}
}

// TestKeysJoin joins keys of columns with types, which keep their values where one type
// holds both.
func TestKeysJoin(t *testing.T) {
	text := column[int64](1, 0)
	text.Labels = []string{"05", "5"}
	nan := math.NaN()
	for name, c := range map[string]struct {
		a, b tensorio.Column
		want string
	}{
		"integers":             {column[int32](5, -7), column[int64](1<<62 + 1), "5 -7 4611686018427387905"},
		"one type":             {column(0.1, nan), column(-0.5), "0.1 NA -0.5"},
		"floats and integers":  {column(5, 0.5, math.Copysign(0, -1), nan), column[int64](1<<62 + 1), "5 0.5 0 NA 4611686018427387905"},
		"unsigned":             {column[uint64](1<<63 + 1), missingAt(column[int64](-1, 0), false, true), "9223372036854775809 -1 NA"},
		"text and integers":    {text, column[int16](5), "5 05 5"},
		"nothing and text":     {missingAt(column(nan), true), text, "NA 5 05"},
		"dates and days":       {inUnit(column[int64](1), tensorio.UnitDay), column[int64](1), "1970-01-02 1"},
		"truth values, number": {column(true, false), column[uint8](1), "true false 1"},
	} {
		x, y := operand{x: c.a.Values, Column: c.a}, operand{x: c.b.Values, Column: c.b}
		err := x.alike(&y)
		if err == nil {
			err = x.append(&y)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, gone, err := codesOf(&x)
		if err != nil {
			t.Fatal(err)
		}
		label, err := labelOf(&x, gone)
		got := make([]string, x.x.Len())
		for i := range got {
			got[i] = label(i)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q %v, want %q", name, got, err, c.want)
		}
	}
}
