package formats

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// TestParquetParts reads the row groups of a file one by one, and its types without them.
func TestParquetParts(t *testing.T) {
	type row struct {
		V int32   `parquet:"v"`
		W float64 `parquet:"w"`
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[row](f)
	next := int32(0)
	for group := range 5 {
		for range 10 * (group + 1) {
			if _, err := w.Write([]row{{next, float64(next) / 2}}); err != nil {
				t.Fatal(err)
			}
			next++
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	file, err := Open(path, tensorio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]dtype.DType{"v": dtype.Int32, "w": dtype.Float64} {
		if dt, unit, ok, err := file.Type(name); dt != want || unit != 0 || !ok || err != nil {
			t.Errorf("%s: %v %v %t %v, want %v", name, dt, unit, ok, err, want)
		}
	}
	for bytes, count := range map[int64]int{1: 5, 1 << 30: 1} {
		parts, err := file.Parts(bytes)
		if err != nil || len(parts) != count {
			t.Fatalf("%d bytes: %v %v, want %d parts", bytes, parts, err, count)
		}
		next := int32(0)
		for _, part := range parts {
			of, err := Open(path, tensorio.Options{Part: part, Columns: []string{"v"}})
			if err != nil {
				t.Fatal(err)
			}
			c, err := of.Column("v")
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range ogive.Must(ogive.Values[int32](c.Values)) {
				if v != next {
					t.Fatalf("%v holds %d, want %d", part, v, next)
				}
				next++
			}
			of.Close()
		}
		if next != 150 {
			t.Errorf("the parts hold %d rows, want 150", next)
		}
	}
	if _, err := Open(path, tensorio.Options{Part: tensorio.Part{From: 4, To: 6}}); err == nil {
		t.Error("a row group that is not there: no error")
	}
}
