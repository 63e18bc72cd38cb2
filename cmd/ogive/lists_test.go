package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ogive-go/ogive/formats"
	"github.com/ogive-go/ogive/tensorio"
)

// TestWideLists gives a table of very many columns where a list belongs: that is refused
// with the second column of numbers, by as much work as opening the table takes.
func TestWideLists(t *testing.T) {
	const width = 50_000
	folder := t.TempDir()
	data, wide := filepath.Join(folder, "x.csv"), filepath.Join(folder, "wide.csv")
	for path, text := range map[string]string{data: "a\n1\n3\n", wide: "0.1" + strings.Repeat(",", width)} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mallocs := func(of func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		of()
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	opening := mallocs(func() {
		file, err := formats.Open(wide, tensorio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
	})
	for _, args := range [][]string{{"quantile", data, "-q", "@" + wide}, {"isin", data, wide}} {
		var stdout, stderr bytes.Buffer
		var status int
		n := mallocs(func() {
			status = execute(t.Context(), args, streams{in: strings.NewReader(""), out: &stdout, err: &stderr})
		})
		if status != statusUsage || !strings.Contains(stderr.String(), "wide.csv holds several columns of numbers\n") {
			t.Errorf("%s: status %d, %s", args[0], status, &stderr)
		}
		if most := 2*opening + 4*width; n > most {
			t.Errorf("%s: %d allocations, at most %d expected: opening takes %d", args[0], n, most, opening)
		}
	}
}

// TestEmptyElements has the first empty element of a list refused, whatever follows.
func TestEmptyElements(t *testing.T) {
	data := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(data, []byte("a,b\n1,2\n3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	commas := strings.Repeat(",", 100_000)
	for _, c := range []struct{ args, want string }{
		{"quantile X -q 0.1", `q[1] = "" is not a number`},
		{"quantile X -q 0.5 -c a", `has no column ""`},
		{"quantile X -q 0.5 --by a", `has no column ""`},
		{"median X --axis 0", `--axis: "" is not an integer`},
		{"isin X --values 1", `--values: "" is no number`},
		{"rank X --at 1", `--at: "" is no number`},
		{"hist X --edges 1", `--edges: "" is no number`},
	} {
		args := strings.Fields(strings.Replace(c.args, "X", data, 1) + commas)
		var stdout, stderr bytes.Buffer
		status := execute(t.Context(), args, streams{in: strings.NewReader(""), out: &stdout, err: &stderr})
		if status != statusUsage || !strings.Contains(stderr.String(), c.want) || stdout.Len() > 0 {
			t.Errorf("%s: status %d, %.300s; want %s", c.args, status, &stderr, c.want)
		}
	}
}
