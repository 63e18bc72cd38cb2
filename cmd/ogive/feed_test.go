package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// aColumn returns the shard of a column of a typed table.
func aColumn(t *testing.T, name string, h header, columns ...tensorio.Column) *shard {
	t.Helper()
	h.Budget, h.Table = 1<<20, true
	s, err := newShard(name, h)
	if err != nil {
		t.Fatal(err)
	}
	s.columns = []shardColumn{{columnHead: columnHead{Name: []byte("x")}}}
	f := &feeder{shard: s, first: true}
	for _, c := range columns {
		if err := f.add(&s.columns[0], c, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.finish(); err != nil {
		t.Fatal(err)
	}
	b, err := s.encode()
	if err == nil {
		s, err = decodeShard(name, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func column[T dtype.Element](values ...T) tensorio.Column {
	return tensorio.Column{Values: ogive.Must(ogive.FromSlice(values))}
}

func missingAt(c tensorio.Column, gone ...bool) tensorio.Column {
	c.Missing = ogive.Must(ogive.FromSlice(gone))
	return c
}

func inUnit(c tensorio.Column, unit tensorio.Unit) tensorio.Column {
	c.Unit = unit
	return c
}

// Columns of typed tables whose dtypes differ meet in float64, or are refused.
func TestShardsOfTypedColumns(t *testing.T) {
	nan := missingAt(column(nanValue, nanValue), true, true)
	for _, c := range []struct {
		name string
		h    header
		a, b []tensorio.Column
		want string // the answer, its dtype and the notes, or what the error says
	}{
		{"int32", header{Op: "median"}, cols(column[int32](1, 2)), cols(column[int32](9)), "2 float64"},
		{"int32, lower", header{Op: "median", Mode: "lower"}, cols(column[int32](1, 2)), cols(column[int32](9, 9)), "2 int32"},
		{"int32 and float64", header{Op: "median", Mode: "lower"}, cols(column[int32](1, 2)), cols(column(1.5, 7)), "1.5 float64"},
		{"int32 and int64", header{Op: "median", Mode: "lower"}, cols(column[int32](1, 2)), cols(column[int64](1<<53+1, -3)), "1 float64; x: 1 integer rounded to float64"},
		{"int64 and uint64", header{Op: "median", Mode: "upper"}, cols(column[int64](1, 2)), cols(column[uint64](1<<64-1, 1<<64-2)), "18446744073709551614 uint64"},
		{"float32", header{Op: "quantile", Q: "1/3", Method: "linear"}, cols(column[float32](0, 1)), cols(nan), "NaN float32; x: 2 missing cells; nanquantile would drop them"},
		{"float32, dropped", header{Op: "nanquantile", Q: "1/3", Method: "linear"}, cols(column[float32](0, 1)), cols(nan), "0.33333334 float32; x: 2 missing cells; nanquantile drops them"},
		{"int64, missing", header{Op: "median", Mode: "lower"}, cols(missingAt(column[int64](4, 5), true, false)), cols(column[int64](1)), "NaN float64; x: 1 missing cell; nanmedian would drop it"},
		{"missing only", header{Op: "nanmedian"}, cols(nan), cols(nan), "NaN float64; x: 4 missing cells; nanmedian drops them"},
		{"nothing", header{Op: "nanmedian"}, nil, nil, "NaN float64"},
		{"nothing at all", header{Op: "quantile", Q: "0.5", Method: "linear"}, nil, nil, "error: reduce 0 elements"},
		{"bools", header{Op: "median", Mode: "lower"}, cols(column(true)), cols(column(true, false)), "true bool"},
		{"bools and numbers", header{Op: "median"}, cols(column(true)), cols(column[int64](1)), "error: a and b differ: column x: bool and int64"},
		{"days", header{Op: "median", Mode: "lower"}, cols(nan, inUnit(column[int32](1, 3), tensorio.UnitDay)), cols(inUnit(column[int32](2), tensorio.UnitDay)), "NaN float64; x: 2 missing cells; nanmedian would drop them"},
		{"days, dropped", header{Op: "nanmedian", Mode: "lower"}, cols(nan, inUnit(column[int32](1, 3), tensorio.UnitDay)), cols(inUnit(column[int32](2), tensorio.UnitDay)), "1970-01-03 int64; x: 2 missing cells; nanmedian drops them"},
		{"days and seconds", header{Op: "median", Mode: "lower"}, cols(inUnit(column[int64](1), tensorio.UnitDay)), cols(inUnit(column[int64](1), tensorio.UnitSecond)), "error: dates of different units do not join"},
	} {
		if c.h.Method == "" && c.h.Mode == "" {
			c.h.Mode = "avg"
		}
		for _, swapped := range []bool{false, true} {
			a, b := aColumn(t, "a", c.h, c.a...), aColumn(t, "b", c.h, c.b...)
			if swapped && a.columns[0].Seen > 0 && b.columns[0].Seen > 0 {
				if strings.Contains(c.want, "differ") {
					continue // the other way round in the message
				}
				a, b = b, a
			}
			got := mergedText(a, b)
			part, fails := strings.CutPrefix(c.want, "error: ")
			if fails && !strings.Contains(got, part) || !fails && got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	}
}

func cols(list ...tensorio.Column) []tensorio.Column { return list }

// mergedText returns the answer of two shards of a column, its dtype and the notes, or the
// error.
func mergedText(a, b *shard) string {
	if err := a.merge(b); err != nil {
		return err.Error()
	}
	again, err := a.next()
	if err != nil {
		return err.Error()
	}
	if again {
		return "again"
	}
	r, in, err := a.result()
	if err != nil {
		return err.Error()
	}
	return partText(&r.parts[0], in)
}

// partText returns the answers of a part, their dtype and the notes.
func partText(p *part, in *operands) string {
	cell, err := p.cells()
	if err != nil {
		return err.Error()
	}
	text := ""
	for i := range p.values.Len() {
		text += cell(i) + " "
	}
	return strings.Join(append([]string{text + p.values.DType().String()}, in.said()...), "; ")
}

// A column of one batch cannot be text or dates in the next.
func TestBatchesDiffer(t *testing.T) {
	s := aColumn(t, "a", header{Op: "median", Mode: "lower"}, column(true))
	f := &feeder{shard: s, first: true}
	for _, c := range []tensorio.Column{column[int64](1), inUnit(column[int64](1), tensorio.UnitDay)} {
		if err := f.add(&s.columns[0], c, nil); err == nil {
			t.Errorf("%v after bool", c.Values.DType())
		}
	}
}

// Raw data is read in blocks unless its name says that it is compressed, and npy if it is
// none of a compressed file.
func TestPlain(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, format, head string
		want               bool
	}{
		{"x.npy", "npy", "\x93NUMPY\x01", true}, {"x.npy.gz", "npy", "\x1f\x8b\x08", false}, {"x.npy", "npy", "", false},
		{"x.raw", "raw", "\x1f\x8b\x08", true}, {"x.raw.ZST", "raw", "data", false}, {"x.npz", "npz", "PK", false},
	} {
		path := filepath.Join(dir, c.name)
		writeText(t, path, c.head)
		if got := plain(path, c.format); got != c.want {
			t.Errorf("%s of %q: %t", c.name, c.head, got)
		}
	}
	if plain(dir, "raw") {
		t.Error("a folder")
	}
}
