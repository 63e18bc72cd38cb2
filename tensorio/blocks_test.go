package tensorio

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
)

// withBlocks runs a test with blocks of so many bytes.
func withBlocks(size int64, run func()) {
	saved := blockBytes
	defer func() { blockBytes = saved }()
	blockBytes = size
	run()
}

// A text is the same table whatever blocks it is parsed in, errors and their places
// included.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	cells := []string{"1", "-2", "3.5", "", "NA", "9007199254740993", "18446744073709551615", `"7"`, `"8` + "\n" + `"`, "\"a\"\"\nb\"", "x", "x y", "1e3", "# no", "2012-01-31"}
	for round := range 400 {
		var b strings.Builder
		columns, kinds := 1+r.IntN(3), 4+r.IntN(len(cells)-3)
		for range r.IntN(40) {
			if r.IntN(8) == 0 {
				b.WriteString([]string{"\n", "# a \"comment\n", "\r\n"}[r.IntN(3)])
			}
			for c := range columns {
				if c > 0 {
					b.WriteByte(',')
				}
				b.WriteString(cells[r.IntN(kinds)])
			}
			if r.IntN(60) == 0 {
				b.WriteString(",")
			}
			b.WriteString([]string{"\n", "\r\n"}[r.IntN(2)])
		}
		o := Options{Format: "csv", Delimiter: ',', Comment: "#", SkipInvalid: r.IntN(2) == 0}
		read := func() string {
			f, err := Read(strings.NewReader(b.String()), "x", o)
			if err != nil {
				return err.Error()
			}
			return columnsOf(f) + batchesOf(t, f)
		}
		want := read()
		for _, size := range []int64{1, 7, 16, 50} {
			withBlocks(size, func() {
				if got := read(); got != want {
					t.Fatalf("round %d, blocks of %d: %q\n got %s\nwant %s", round, size, b.String(), got, want)
				}
			})
		}
	}
}

// batchesOf returns the number of values that are not missing in all batches of each
// column, text included.
func batchesOf(t *testing.T, f *File) string {
	names := append(f.Names(), f.Text()...)
	rows, valid := 0, make([]int, len(names))
	for list, err := range f.Batches(names...) {
		if err != nil {
			return err.Error()
		}
		for i, c := range list {
			n := c.Values.Len()
			if i == 0 {
				rows += n
			}
			if c.Missing != nil {
				for _, gone := range ogive.Must(ogive.Values[bool](c.Missing)) {
					if gone {
						n--
					}
				}
			}
			valid[i] += n
		}
	}
	return fmt.Sprint(rows, valid)
}

// A column of text has its distinct texts as labels.
func TestKey(t *testing.T) {
	f, err := Read(strings.NewReader("k,v\nb,1\na,2\n,3\nb,4\n"), "x.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{3, 1 << 20} {
		withBlocks(size, func() {
			c, err := f.Key("k")
			if err != nil {
				t.Fatal(err)
			}
			if got := formatColumn(c); got != "[b a NA b]" || fmt.Sprint(c.Labels) != "[b a]" {
				t.Errorf("blocks of %d: %s of %v", size, got, c.Labels)
			}
		})
	}
}

// A file that shrinks while it is read is an error, not a short answer.
func TestShrinkingTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, bytes.Repeat([]byte("1,2\n"), 100_000), 0o644); err != nil {
		t.Fatal(err)
	}
	withBlocks(1000, func() {
		f, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := os.Truncate(path, 200_000); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Column("1"); err == nil || !strings.Contains(err.Error(), "byte 200000: the file ends") {
			t.Errorf("got %v", err)
		}
	})
}
