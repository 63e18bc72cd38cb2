package formats

import (
	"bytes"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// use reads a file of a format, every column and every run: all errors are ErrFormat.
func use(t *testing.T, raw []byte, format string) {
	t.Helper()
	check := func(err error) {
		if err != nil && !errors.Is(err, ogive.ErrFormat) {
			t.Fatal(err)
		}
	}
	f, err := Read(bytes.NewReader(raw), "x", tensorio.Options{Format: format})
	check(err)
	if err != nil {
		return
	}
	rows := -1
	names := append(f.Names(), f.Text()...)
	for _, name := range names {
		c, err := f.Key(name)
		check(err)
		if err != nil {
			continue
		}
		if n := c.Values.Len(); rows >= 0 && n != rows {
			t.Fatalf("column %q has %d rows, others %d", name, n, rows)
		} else {
			rows = n
		}
		if c.Missing != nil && c.Missing.Len() != rows {
			t.Fatalf("column %q has %d rows and %d marks", name, rows, c.Missing.Len())
		}
	}
	for _, err := range f.Batches(f.Names()...) {
		check(err)
	}
}

func FuzzParquet(f *testing.F) {
	f.Add(parquetOf(f, records(20)))
	f.Add(parquetOf(f, records(9), parquet.MaxRowsPerRowGroup(4), parquet.Compression(&parquet.Snappy)))
	f.Add(parquetOf(f, records(9), parquet.DataPageVersion(1), parquet.Compression(&parquet.Zstd)))
	f.Fuzz(func(t *testing.T, raw []byte) { use(t, raw, "parquet") })
}

func FuzzArrow(f *testing.F) {
	f.Add(arrowOf(f, false, []int{9}))
	f.Add(arrowOf(f, true, []int{4, 5}, ipc.WithZstd()))
	f.Add(arrowOf(f, false, []int{4, 5}, ipc.WithLZ4()))
	f.Fuzz(func(t *testing.T, raw []byte) { use(t, raw, "arrow") })
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":{"c":[1]}}` + "\n" + `{"a":"NaN"}`, `[{"a":true},{"a":null}]`, `{"a":[1,2],"b":["x",null]}`, "[1,2.5]", `{"a":18446744073709551615}{"a":-1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { use(t, raw, "json") })
}

func FuzzHlog(f *testing.F) {
	f.Add(hlogOf(f, false))
	f.Add(hlogOf(f, true))
	f.Fuzz(func(t *testing.T, raw []byte) { use(t, raw, "hlog") })
}

// FuzzOpen checks what is found by content.
func FuzzOpen(f *testing.F) {
	raw := []byte("a,b\n1,2\n3,4\n")
	f.Add(raw)
	f.Add(gzipped(f, raw))
	f.Add(zstandard(f, raw))
	f.Add(gzipped(f, zstandard(f, []byte(`{"a":1}`))))
	f.Fuzz(func(t *testing.T, raw []byte) { use(t, raw, "") })
}

// TestDamaged flips bits and cuts files of every format that has no checksum of its own:
// an error or a table, in a time that ends.
func TestDamaged(t *testing.T) {
	for format, raw := range map[string][]byte{
		"parquet": parquetOf(t, records(5)),
		"arrow":   arrowOf(t, false, []int{5}, ipc.WithLZ4()),
		"hlog":    hlogOf(t, true),
		"json":    []byte(`{"a":1,"b":{"c":"x"}}` + "\n" + `{"a":2.5,"b":{"c":null}}`),
	} {
		t.Run(format, func(t *testing.T) {
			step := max(1, len(raw)/400)
			for i := 0; i < len(raw); i += step {
				use(t, raw[:i], format)
				for bit := range 8 {
					damaged := bytes.Clone(raw)
					damaged[i] ^= 1 << bit
					use(t, damaged, format)
				}
			}
		})
	}
}
