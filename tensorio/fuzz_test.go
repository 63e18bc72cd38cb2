package tensorio

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ogive-go/ogive"
)

// seed adds the golden files with the given ending.
func seed(f *testing.F, ending string) {
	names, err := filepath.Glob("testdata/*" + ending)
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds: ", err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
}

// FuzzReadNPY checks that any bytes give an ErrFormat, or an array that is
// read alike from a stream of unknown length and survives writing.
func FuzzReadNPY(f *testing.F) {
	seed(f, ".npy")
	f.Fuzz(func(t *testing.T, raw []byte) {
		x, err := ReadNPY(bytes.NewReader(raw))
		y, errStream := ReadNPY(onlyReader{bytes.NewReader(raw)})
		if (err == nil) != (errStream == nil) {
			t.Fatalf("with the length: %v, without: %v", err, errStream)
		}
		if err != nil {
			if !errors.Is(err, ogive.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		same(t, x, y, nil)
		var b bytes.Buffer
		if err := WriteNPY(&b, x); err != nil {
			t.Fatal(err)
		}
		y, err = ReadNPY(&b)
		same(t, x, y, err)
	})
}

// FuzzReadNPZ checks that any bytes give an ErrFormat or arrays.
func FuzzReadNPZ(f *testing.F) {
	seed(f, ".npz")
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := Read(bytes.NewReader(raw), "x.npz", Options{})
		if err != nil {
			if !errors.Is(err, ogive.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		for _, name := range file.Names() {
			x, err := file.Tensor(name)
			if err == nil {
				littleEndianBytes(t, x)
			} else if name != "" && !errors.Is(err, ogive.ErrFormat) {
				t.Fatal(err)
			}
		}
	})
}

// FuzzReadTable checks that any bytes give an ErrFormat or columns of one
// length, and that the scanner splits them as encoding/csv does.
func FuzzReadTable(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n3,x\n", "1\n2\n", "\"a\"\"\",b\r\n\"1\",NA\r\n", "\uFEFFx\n9007199254740993\n", "a\tb\n1\t2\n", "a,b\n\n1,\"\n\"\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		compareCSV(t, raw, ',', nil)
		compareCSV(t, raw, ',', []int{1})
		for _, o := range []Options{
			{Format: "csv"}, {Format: "tsv", SkipInvalid: true, Header: HeaderNo},
			{Format: "csv", Delimiter: Blanks, Comment: "#", SkipInvalid: true}, {Format: "csv", Decimal: ',', Thousands: '.', NA: []string{"-9", "x"}, Columns: []string{"*"}},
		} {
			file, err := Read(bytes.NewReader(raw), "x", o)
			if err != nil {
				if !errors.Is(err, ogive.ErrFormat) && !errors.Is(err, ogive.ErrOption) {
					t.Fatal(err)
				}
				continue
			}
			rows := -1
			for _, name := range file.Names() {
				c, err := file.Column(name)
				if err != nil {
					if !errors.Is(err, ogive.ErrFormat) {
						t.Fatal(err)
					}
					continue
				}
				n := c.Values.Len()
				if rows >= 0 && n != rows || c.Missing != nil && c.Missing.Len() != n {
					t.Fatalf("columns of %d and %d rows", rows, n)
				}
				rows = n
			}
		}
	})
}
