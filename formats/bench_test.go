package formats

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/ogive-go/ogive/tensorio"
)

// wide is a row of the file that is timed.
type wide struct {
	A float64  `parquet:"a"`
	B *float64 `parquet:"b,optional"`
	C int64    `parquet:"c,delta"`
	D int32    `parquet:"d,dict"`
	E string   `parquet:"e,dict"`
}

// wideFile writes 3M rows in groups of 500k.
func wideFile(b *testing.B) string {
	var raw bytes.Buffer
	w := parquet.NewGenericWriter[wide](&raw, parquet.MaxRowsPerRowGroup(500_000), parquet.Compression(&parquet.Snappy))
	rows := make([]wide, 10_000)
	s := uint64(1)
	for range 300 {
		for i := range rows {
			s = s*6364136223846793005 + 1442695040888963407
			r := &rows[i]
			*r = wide{A: float64(s>>11) / (1 << 53), C: int64(s >> 40), D: int32(s >> 55), E: fmt.Sprint("airport ", s>>57)}
			if s>>60 != 0 {
				v := r.A * 2
				r.B = &v
			}
		}
		if _, err := w.Write(rows); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "wide.parquet")
	if err := os.WriteFile(path, raw.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// decoded reads a column by parquet-go alone: pages of plain values are copied, those of
// a dictionary, of text, and with missing values, read as parquet.Value, which is the only
// way that it has for them.
func decoded(b *testing.B, path string, i int) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	p, err := parquet.OpenFile(f, info.Size(), &parquet.FileConfig{SkipPageIndex: true, SkipBloomFilters: true, ReadBufferSize: 256 << 10})
	if err != nil {
		b.Fatal(err)
	}
	doubles, longs, at := []float64(nil), []int64(nil), 0
	boxed := make([]parquet.Value, 1024)
	switch i {
	case 0:
		doubles = make([]float64, p.NumRows())
	case 2:
		longs = make([]int64, p.NumRows())
	}
	for _, g := range p.RowGroups() {
		pages := g.ColumnChunks()[i].Pages()
		for {
			page, err := pages.ReadPage()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			data := page.Data()
			switch {
			case doubles != nil:
				at += copy(doubles[at:], data.Double())
			case longs != nil:
				at += copy(longs[at:], data.Int64())
			default:
				for values := page.Values(); err == nil; {
					_, err = values.ReadValues(boxed)
				}
			}
			parquet.Release(page)
		}
		pages.Close()
	}
}

// BenchmarkParquet times a column beside its decoding by parquet-go alone, on one
// processor and on all.
func BenchmarkParquet(b *testing.B) {
	path := wideFile(b)
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		b.Run(name+"/alone", func(b *testing.B) {
			for b.Loop() {
				decoded(b, path, i)
			}
		})
		for _, procs := range []int{1, 0} {
			b.Run(fmt.Sprintf("%s/column/%d", name, procs), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				for b.Loop() {
					f, err := Open(path, tensorio.Options{})
					if err != nil {
						b.Fatal(err)
					}
					if _, err := f.Key(name); err != nil {
						b.Fatal(err)
					}
					f.Close()
				}
			})
		}
	}
}

// BenchmarkJSON times JSON lines.
func BenchmarkJSON(b *testing.B) {
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "{\"a\":%v,\"b\":%d,\"c\":\"%c\"}\n", float64(i)/7, i, 'a'+i%3)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := Read(strings.NewReader(text.String()), "x.jsonl", tensorio.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
