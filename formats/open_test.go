package formats

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// TestFormats lists tensorio's formats and the others, each name once.
func TestFormats(t *testing.T) {
	var names []string
	for _, f := range Formats() {
		if f.Name == "" || len(f.Endings) == 0 || f.About == "" || slices.Contains(names, f.Name) {
			t.Errorf("%+v", f)
		}
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "npy npz csv tsv raw netcdf json parquet arrow hlog" {
		t.Error(got)
	}
}

// TestFound finds formats by content, whatever the name says, and by the name without
// the endings of compression where the content says nothing.
func TestFound(t *testing.T) {
	npy := new(bytes.Buffer)
	if err := tensorio.WriteNPY(npy, ogive.Must(ogive.FromSlice([]float64{1, 2}))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		raw  []byte
		o    tensorio.Options
		want string // names of the tensors
	}{
		{"x.csv", npy.Bytes(), tensorio.Options{}, ""},
		{"x", gzipped(t, npy.Bytes()), tensorio.Options{}, ""},
		{"x.npy.zst", zstandard(t, npy.Bytes()), tensorio.Options{}, ""},
		{"x.csv", parquetOf(t, records(1)[:0]), tensorio.Options{Columns: []string{"i8"}}, "i8"},
		{"x.tsv.gz", gzipped(t, []byte("a\n1\n")), tensorio.Options{}, "a"},
		{"x.tsv.gz", []byte("a\tb\n1\t2\n"), tensorio.Options{}, "a b"},
		{"x.csv", []byte("{\n1\n"), tensorio.Options{}, "{"},
		{"x.txt", []byte("{\"a\":1}\n"), tensorio.Options{}, "a"},
		{"x.raw", append(gzipped(t, nil), make([]byte, 9)...), tensorio.Options{DType: dtype.Uint8}, ""},
		{"x.raw.gz", gzipped(t, []byte{1, 2}), tensorio.Options{DType: dtype.Uint8}, ""},
		{"x.parquet", []byte("1\n2\n"), tensorio.Options{Format: "csv"}, "1"},
	} {
		f, err := opened(t, c.name, c.raw, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := strings.Join(f.Names(), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestRefused says what was seen and what to do.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  []byte
		o    tensorio.Options
		kind error
		want string
	}{
		{"x", nil, tensorio.Options{}, ogive.ErrFormat, "the file is empty"},
		{"x", []byte{1, 2, 3, 0}, tensorio.Options{}, ogive.ErrFormat, "begins with 01 02 03 00, which no known format does; known are npy, npz"},
		{"x.nc", []byte("\x89HDF\r\n\x1a\n\x00"), tensorio.Options{}, ogive.ErrFormat, "nccopy -k classic"},
		{"x", []byte("a\n"), tensorio.Options{Format: "word"}, ogive.ErrOption, `unknown format "word"; known: npy`},
		{"x.gz", gzipped(t, []byte("a\n1\n"))[:20], tensorio.Options{}, ogive.ErrFormat, "the gzip archive, by byte 20: it ends too early"},
		{"x.parquet", parquetOf(t, records(3))[:500], tensorio.Options{}, ogive.ErrFormat, "it is truncated"},
		{"x", parquetOf(t, records(3)), tensorio.Options{Columns: []string{"i9"}}, ogive.ErrOption, `has no column "i9"; it has bool, i8`},
		{"x", parquetOf(t, records(3)), tensorio.Options{Columns: []string{"name"}}, ogive.ErrFormat, `column "name" holds text`},
		{"x", parquetOf(t, records(3)), tensorio.Options{Columns: []string{"list.list.element"}}, ogive.ErrFormat, "holds lists"},
		{"x.hlog", []byte("1,2,3\n"), tensorio.Options{}, ogive.ErrFormat, "line 1: 3 fields, an interval has 4"},
		{"x.hlog", []byte("#[StartTime: 1]\n1,2,3,HISTFAAAAAA\n"), tensorio.Options{}, ogive.ErrFormat, "line 2: the histogram"},
	} {
		_, err := opened(t, c.name, c.raw, c.o)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if _, err := Read(bytes.NewReader(c.raw), c.name, c.o); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Read of %s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), tensorio.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open(t.TempDir(), tensorio.Options{}); !errors.Is(err, ogive.ErrFormat) {
		t.Error(err)
	}
	if _, err := Read(nil, "x", tensorio.Options{}); !errors.Is(err, ogive.ErrOption) {
		t.Error(err)
	}
}

// TestClose closes the file that columns are read from.
func TestClose(t *testing.T) {
	f, err := opened(t, "x", parquetOf(t, records(3)), tensorio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Tensor("i8"); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}
