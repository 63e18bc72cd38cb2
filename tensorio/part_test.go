package tensorio

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
)

// TestParts reads texts in parts: the rows of all parts are those of the file, and errors
// name the same line.
func TestParts(t *testing.T) {
	defer func(b int64) { blockBytes = b }(blockBytes)
	quoted := "a,b,c\n"
	for i := range 200 {
		quoted += fmt.Sprintf("%d,\"text, \"\"%d\"\"\nwith a break\",%d.5\n", i, i, i)
	}
	plain, comments := "", "# it's \"so\na,b,c\n"
	for i := range 300 {
		plain += fmt.Sprintf("%d\t%d\t%d\r\n", i, 2*i, 3*i)
		comments += fmt.Sprintf("%d,%d,%d\n# not \" closed\n", i, i, i)
	}
	for name, c := range map[string]struct {
		text   string
		o      Options
		column string
	}{
		"quoted":   {quoted, Options{}, "c"},
		"tsv":      {plain, Options{Format: "tsv"}, "3"},
		"comments": {comments, Options{Comment: "#"}, "c"},
		"no end":   {strings.TrimSpace(quoted), Options{}, "c"},
		"header":   {"a,b,c\n", Options{}, "c"},
		"mark":     {"\uFEFF" + plain, Options{Delimiter: '\t'}, "3"},
	} {
		for _, size := range []int64{1, 50, 1000, 1 << 20} {
			blockBytes = min(size, 64)
			path := filepath.Join(t.TempDir(), "a.csv")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			whole := valuesOf(t, path, c.o, c.column)
			f, err := Open(path, c.o)
			if err != nil {
				t.Fatal(err)
			}
			parts, err := f.Parts(size)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			if most := int(int64(len(c.text))/size) + 1; len(parts) > most || size == 1 && len(parts) < 100 && name != "header" {
				t.Errorf("%s: %d parts of at least %d bytes", name, len(parts), size)
			}
			var got []float64
			for _, part := range parts {
				o := c.o
				o.Part, o.Columns = part, []string{c.column}
				got = append(got, valuesOf(t, path, o, c.column)...)
				if line := int64(strings.Count(c.text[:part.From], "\n")) + 1; part.Line != line {
					t.Errorf("%s: a part from byte %d begins in line %d, want %d", name, part.From, part.Line, line)
				}
			}
			if !slices.Equal(got, whole) {
				t.Errorf("%s: parts of %d bytes hold %v, want %v", name, size, got, whole)
			}
		}
	}
}

// TestPartOfAnother refuses a part of a file that has changed.
func TestPartOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, part := range []Part{{From: 2, To: 7, Line: 2}, {From: 0, To: 4, Line: 1}, {From: 6, To: 4, Line: 2}} {
		if _, err := Open(path, Options{Part: part}); err == nil || !strings.Contains(err.Error(), "when it was divided") {
			t.Errorf("%v: %v", part, err)
		}
	}
}

func valuesOf(t *testing.T, path string, o Options, column string) []float64 {
	t.Helper()
	f, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := f.Column(column)
	if err != nil {
		t.Fatal(err)
	}
	x, err := c.Tensor()
	if err == nil {
		x, err = x.Cast(ogive.Must(ogive.FromSlice([]float64{0})).DType())
	}
	if err != nil {
		t.Fatal(err)
	}
	return ogive.Must(ogive.Values[float64](x))
}
