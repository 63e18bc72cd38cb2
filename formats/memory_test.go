package formats

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/ogive-go/ogive/tensorio"
)

// plainRow is a row of Parquet files of which each column takes memory of its own.
type plainRow struct {
	V float64  `parquet:"v"`
	M *float64 `parquet:"m,optional"`
	K int64    `parquet:"k,dict"`
	D int64    `parquet:"d,delta"`
	S string   `parquet:"s,dict"`
}

func plainRows(n int) []plainRow {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]plainRow, n)
	for i := range list {
		v := r.NormFloat64()
		list[i] = plainRow{V: v, K: r.Int64N(1000), D: int64(i) * 7, S: words[i%len(words)]}
		if i%7 > 0 {
			list[i].M = &v
		}
	}
	return list
}

func parquetOfRows(t testing.TB, rows []plainRow, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[plainRow](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// arrowOfRows writes batches of the same rows.
func arrowOfRows(t testing.TB, stream bool, batches, rows int, options ...ipc.Option) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "b", Type: arrow.PrimitiveTypes.Int32},
		{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	build := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer build.Release()
	for i := range rows {
		if i%5 == 0 {
			build.Field(0).AppendNull()
		} else {
			build.Field(0).(*array.Float64Builder).Append(float64(i) / 3)
		}
		build.Field(1).(*array.Int32Builder).Append(int32(i))
		build.Field(2).(*array.StringBuilder).Append(words[i%len(words)])
	}
	batch := build.NewRecordBatch()
	var b bytes.Buffer
	options = append(options, ipc.WithSchema(schema))
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&b, options...)
	if !stream {
		b.Reset()
		file, err := ipc.NewFileWriter(&b, options...)
		if err != nil {
			t.Fatal(err)
		}
		w = file
	}
	for range batches {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packedSmall is zstandard with a window of a megabyte.
func packedSmall(t testing.TB, raw []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(raw, nil)
}

// held is how much memory lives, in bytes: what is taken while workers go on is none of it.
func held() int64 {
	runtime.GC()
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// TestHeldMemory reads tables of every format that are larger than Options.Memory, in runs
// and whole, with few and with many processors: what lives at a time is within it, and a
// column that is not is refused with what it needs.
func TestHeldMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("tables of 10 to 30 MB")
	}
	const most, rows = 8 << 20, 300_000
	var lines, objects strings.Builder
	for i := range rows {
		fmt.Fprintf(&lines, "%d,%d.5,%s\n", i, i%100, words[i%len(words)])
		fmt.Fprintf(&objects, `{"a":%d,"b":{"c":%d.25},"s":%q}`+"\n", i, i%100, words[i%len(words)])
	}
	text := []byte("a,b,s\n" + lines.String())
	list := plainRows(rows)
	for _, c := range []struct {
		name string
		raw  []byte
	}{
		{"csv", text}, {"csv of a digit", bytes.Repeat([]byte("7\n"), 3<<20)}, {"csv.gz", gzipped(t, text)}, {"csv.zst", packedSmall(t, text)},
		{"json", []byte(objects.String())}, {"json.gz", gzipped(t, []byte(objects.String()))},
		{"parquet", parquetOfRows(t, list)},
		{"parquet, snappy", parquetOfRows(t, list, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(100_000))},
		{"parquet, zstd", parquetOfRows(t, list, parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1))},
		{"arrow", arrowOfRows(t, false, 15, 20_000)}, {"arrow stream, lz4", arrowOfRows(t, true, 15, 20_000, ipc.WithLZ4())},
		{"arrow of large batches", arrowOfRows(t, false, 3, 100_000)},
	} {
		for _, processors := range []int{1, 8} {
			t.Run(fmt.Sprint(c.name, "/", processors), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
				before := held()
				f, err := Read(bytes.NewReader(c.raw), "x", tensorio.Options{Memory: most})
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				check := func(what string) {
					if took := held() - before; took > most {
						t.Errorf("%s: %d kB live, of %d", what, took>>10, most>>10)
					}
				}
				check("open")
				runs, values := 0, 0
				for columns, err := range f.Batches(append(f.Names(), f.Text()...)...) {
					if err != nil {
						t.Fatal(err)
					}
					if values += columns[0].Values.Len(); runs%8 == 0 {
						check("in runs")
					}
					runs++
				}
				if values < rows-20_000 || runs < 2 {
					t.Errorf("%d values in %d runs", values, runs)
				}
				for _, name := range append(f.Names(), f.Text()...) {
					column, err := f.Key(name)
					check("whole")
					if err != nil && !errors.As(err, new(*tensorio.MemoryError)) {
						t.Error(err)
					} else if err == nil && column.Values.Len() != values {
						t.Errorf("%s: %d values of %d", name, column.Values.Len(), values)
					}
				}
			})
		}
	}
}

// TestMemoryErrors reads files that ask for more memory than there is, most of them few
// bytes: they are refused with what they need, and little has been taken.
func TestMemoryErrors(t *testing.T) {
	const most = 4 << 20
	many := bytes.Repeat([]byte{' '}, 64<<20)
	keys := &bytes.Buffer{}
	for i := range 20_000 {
		fmt.Fprintf(keys, "{\"k%d\":%d}\n", i, i)
	}
	window := &bytes.Buffer{}
	w, err := zstd.NewWriter(window, zstd.WithWindowSize(32<<20))
	if err == nil {
		_, err = w.Write(append(bytes.Repeat([]byte("1\n"), 10_000), many...))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	wide := histogramLine(t, 1, 1<<62, 5)
	for _, c := range []struct {
		name, format string
		raw          []byte
	}{
		{"row", "csv", append([]byte("a,b\n1,"), many[:16<<20]...)},
		{"first row", "csv", bytes.Repeat([]byte{'a'}, 16<<20)},
		{"packed row", "csv", gzipped(t, append([]byte("a\n1"), many...))},
		{"columns", "csv", append(bytes.Repeat([]byte("7,"), 100_000), '7', '\n')},
		{"window", "csv", window.Bytes()},
		{"value", "json", append([]byte(`[{"a":"`), bytes.Repeat([]byte{'x'}, 16<<20)...)},
		{"object of arrays", "json", append(append([]byte(`{"a":[7`), bytes.Repeat([]byte(",7"), 8<<20)...), ']', '}')},
		{"blanks", "json", gzipped(t, append(many, "[1]"...))},
		{"lines", "json", gzipped(t, append(bytes.Repeat([]byte{'\n'}, 64<<20), "[1]"...))},
		{"keys", "json", keys.Bytes()},
		{"line", "hlog", gzipped(t, append([]byte("#[Histogram log format version 1.3]\n"), many...))},
		{"slots", "hlog", []byte("#[Histogram log format version 1.3]\n" + wide)},
		{"array", "npy", gzipped(t, append([]byte("\x93NUMPY\x01\x00\x76\x00"+fmt.Sprintf("%-117s\n", "{'descr': '|u1', 'fortran_order': False, 'shape': (67108864,), }")), many...))},
		{"batch", "arrow", arrowOfRows(t, false, 1, 500_000)},
		{"stream of batches", "arrow", arrowOfRows(t, true, 2, 500_000)},
		{"row group", "parquet", parquetOfRows(t, plainRows(200_000), parquet.PageBufferSize(64<<20))},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := allocated()
			err := func() error {
				f, err := Read(bytes.NewReader(c.raw), "x", tensorio.Options{Format: c.format, Memory: most})
				if err != nil {
					return err
				}
				defer f.Close()
				for _, name := range f.Names() {
					if !f.IsTable() {
						_, err = f.Tensor(name)
						return err
					}
					for _, err := range f.Batches(name) {
						if err != nil {
							return err
						}
					}
				}
				return nil
			}()
			var much *tensorio.MemoryError
			if !errors.As(err, &much) || much.Need <= much.Most || much.Most > most {
				t.Fatalf("%v", err)
			}
			if took := allocated() - before; took > 4*most { // what is kept of it and what is not
				t.Errorf("%d kB have been taken for %d bytes, of %d kB", took>>10, len(c.raw), most>>10)
			}
			if text := err.Error(); strings.Contains(text, ": :") || strings.Count(text, "needs ") != 1 {
				t.Error(text)
			}
		})
	}
}

// histogramLine returns a line of a log with a histogram that has a count.
func histogramLine(t testing.TB, lowest, highest int64, digits int) string {
	t.Helper()
	var b bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&b)
	h := hdrhistogram.New(lowest, highest, digits)
	if err := h.RecordValue(lowest); err != nil {
		t.Fatal(err)
	}
	if err := w.OutputIntervalHistogram(h); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSlots compares the counts that a header asks for with those that the library makes.
func TestSlots(t *testing.T) {
	for _, lowest := range []int64{1, 2, 3, 1000, 1 << 20} {
		for _, highest := range []int64{2 * lowest, 3600_000_000, 1<<40 - 1, 1 << 40, 1<<62 - 1, 1 << 62} {
			for digits := 1; digits <= 3; digits++ {
				if highest < 2*lowest {
					continue
				}
				h := hdrhistogram.New(lowest, highest, digits)
				want := int64(h.ByteSize()-hdrhistogram.New(1, 2, 1).ByteSize()) + 8*slotsOf(1, 2, 1)
				if got := 8 * slotsOf(uint64(lowest), uint64(highest), uint32(digits)); got < want || got > want+8*2*1024 {
					t.Errorf("%d to %d, %d digits: %d bytes of counts, want %d", lowest, highest, digits, got, want)
				}
			}
		}
	}
}

// TestOldHistogramsWithinMemory: a histogram of an old version is inflated before its header
// is known, and refused where that takes too much.
func TestOldHistogramsWithinMemory(t *testing.T) {
	var b bytes.Buffer
	b.Write(binary.BigEndian.AppendUint32(nil, hdrV1Compressed|0x20))
	b.Write(make([]byte, 4))
	z := zlib.NewWriter(&b)
	z.Write(make([]byte, 16<<20))
	z.Close()
	raw := b.Bytes()
	binary.BigEndian.PutUint32(raw[4:], uint32(len(raw)-8))
	_, err := decodeHistogram([]byte(base64.StdEncoding.EncodeToString(raw)), 8<<20)
	if !errors.As(err, new(*tensorio.MemoryError)) {
		t.Error(err)
	}
}

// TestNoColumns: files of rows without columns are read in runs as others are.
func TestNoColumns(t *testing.T) {
	var a, p bytes.Buffer
	schema := arrow.NewSchema(nil, nil)
	w := ipc.NewWriter(&a, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(array.NewRecordBatch(schema, nil, 5)), w.Close()); err != nil {
		t.Fatal(err)
	}
	of := parquet.NewGenericWriter[struct {
		V int64 `parquet:"v"`
	}](&p)
	if _, err := of.Write(make([]struct {
		V int64 `parquet:"v"`
	}, 5)); err != nil || of.Close() != nil {
		t.Fatal("no Parquet", err)
	}
	for name, raw := range map[string][]byte{"arrow": a.Bytes(), "parquet": p.Bytes()} {
		f, err := Read(bytes.NewReader(raw), "x", tensorio.Options{Format: name, Memory: 1 << 20})
		if err != nil {
			t.Fatal(name, err)
		}
		for list, err := range f.Batches() {
			if err != nil || name == "arrow" && len(list) > 0 {
				t.Errorf("%s: %d columns, %v", name, len(list), err)
			}
		}
		f.Close()
	}
	f := &parquetFile{memory: 1 << 20}
	if size, _, err := f.runOf(nil, rowGroup{rows: 5}); size != 5 || err != nil {
		t.Errorf("%d rows at a time, %v", size, err)
	}
}
