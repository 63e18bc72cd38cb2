package formats

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// same fails unless a column holds the values of want that are there, bit for bit.
func same[T dtype.Element](t *testing.T, f *tensorio.File, name string, want []T, missing func(i int) bool) {
	t.Helper()
	c, err := f.Key(name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ogive.Values[T](c.Values)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	gone := make([]bool, len(got))
	if c.Missing != nil {
		gone = ogive.Must(ogive.Values[bool](c.Missing))
	}
	for i := range got {
		if m := missing != nil && missing(i); m != gone[i] {
			t.Fatalf("%s: value %d is missing: %v, want %v", name, i, gone[i], m)
		} else if !m && any(got[i]) != any(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("%s: value %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

// sameText fails unless a column of text holds want.
func sameText(t *testing.T, f *tensorio.File, name string, want []string, missing func(i int) bool) {
	t.Helper()
	c, err := f.Key(name)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	codes := make([]int64, len(want))
	for i, s := range want {
		if missing != nil && missing(i) {
			continue
		}
		if !slices.Contains(order, s) {
			order = append(order, s)
		}
		codes[i] = int64(slices.Index(order, s))
	}
	if !slices.Equal(c.Labels, order) {
		t.Fatalf("%s: labels %q, want %q in order of appearance", name, c.Labels, order)
	}
	same(t, f, name, codes, missing)
}

// each returns a value of every row.
func each[R, T any](list []R, get func(R) T) []T {
	out := make([]T, len(list))
	for i, r := range list {
		out[i] = get(r)
	}
	return out
}

// batched returns a file whose columns are the runs of another's Batches, put together.
func batched(t *testing.T, f *tensorio.File, names ...string) int {
	t.Helper()
	rows := 0
	for list, err := range f.Batches(names...) {
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != len(names) {
			t.Fatalf("%d columns of %d", len(list), len(names))
		}
		for k, c := range list {
			whole, err := f.Key(names[k])
			if err != nil {
				t.Fatal(err)
			}
			if c.Values.DType() != whole.Values.DType() || c.Unit != whole.Unit {
				t.Fatalf("%s: a run of %v, the column is %v", names[k], c.Values.DType(), whole.Values.DType())
			}
			part := ogive.Must(whole.Values.Slice(0, rows, rows+c.Values.Len(), 1))
			if c.Labels == nil {
				if a, b := fmt.Sprint(part), fmt.Sprint(c.Values); a != b {
					t.Fatalf("%s: a run from row %d is %s, want %s", names[k], rows, b, a)
				}
				continue
			}
			a, b := ogive.Must(ogive.Values[int64](part)), ogive.Must(ogive.Values[int64](c.Values))
			for i := range b {
				if len(c.Labels) > 0 && c.Labels[b[i]] != whole.Labels[a[i]] && c.Missing == nil {
					t.Fatalf("%s: row %d is %q, want %q", names[k], rows+i, c.Labels[b[i]], whole.Labels[a[i]])
				}
			}
		}
		rows += list[0].Values.Len()
	}
	return rows
}

// opened writes a file and opens it.
func opened(t testing.TB, name string, raw []byte, o tensorio.Options) (*tensorio.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, o)
	if err == nil {
		t.Cleanup(func() { f.Close() })
	}
	return f, err
}

// TestParquet writes every type, in files of some row groups and kinds of pages, and
// reads it.
func TestParquet(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		for name, options := range map[string][]parquet.WriterOption{
			"plain":  nil,
			"groups": {parquet.MaxRowsPerRowGroup(300)},
			"v1":     {parquet.DataPageVersion(1), parquet.PageBufferSize(1000), parquet.Compression(&parquet.Snappy)},
			"zstd":   {parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(137)},
			"gzip":   {parquet.Compression(&parquet.Gzip), parquet.PageBufferSize(500)},
		} {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				list := records(n)
				f, err := opened(t, "x", parquetOf(t, list, options...), tensorio.Options{})
				if err != nil {
					t.Fatal(err)
				}
				checkParquet(t, f, list)
				if rows := batched(t, f, "i8", "maybe", "name", "f64"); rows != n {
					t.Errorf("batches of %d rows, want %d", rows, n)
				}
			})
		}
	}
}

func checkParquet(t *testing.T, f *tensorio.File, list []record) {
	t.Helper()
	none := func(i int) bool { return list[i].Maybe == nil }
	same(t, f, "bool", each(list, func(r record) bool { return r.Bool }), nil)
	same(t, f, "i8", each(list, func(r record) int8 { return r.I8 }), nil)
	same(t, f, "i16", each(list, func(r record) int16 { return r.I16 }), nil)
	same(t, f, "i32", each(list, func(r record) int32 { return r.I32 }), nil)
	same(t, f, "i64", each(list, func(r record) int64 { return r.I64 }), nil)
	same(t, f, "u8", each(list, func(r record) uint8 { return r.U8 }), nil)
	same(t, f, "u16", each(list, func(r record) uint16 { return r.U16 }), nil)
	same(t, f, "u32", each(list, func(r record) uint32 { return r.U32 }), nil)
	same(t, f, "u64", each(list, func(r record) uint64 { return r.U64 }), nil)
	same(t, f, "f32", each(list, func(r record) float32 { return r.F32 }), nil)
	same(t, f, "f64", each(list, func(r record) float64 { return r.F64 }), nil)
	same(t, f, "dict", each(list, func(r record) int32 { return r.Dict }), nil)
	same(t, f, "price", each(list, func(r record) float64 { return float64(r.Price) / 100 }), nil)
	same(t, f, "when", each(list, func(r record) int64 { return r.When.UnixMicro() }), nil)
	same(t, f, "day", each(list, func(r record) int32 { return r.Day }), nil)
	same(t, f, "maybe", each(list, func(r record) int64 { return or(r.Maybe) }), none)
	same(t, f, "maybef", each(list, func(r record) float64 { return or(r.MaybeF) }), none)
	same(t, f, "inner.a", each(list, func(r record) int32 { return or(r.Inner.A) }), none)
	sameText(t, f, "name", each(list, func(r record) string { return r.Name }), nil)
	sameText(t, f, "note", each(list, func(r record) string { return or(r.Note) }), none)
	for name, unit := range map[string]tensorio.Unit{"when": tensorio.UnitMicrosecond, "day": tensorio.UnitDay, "i64": tensorio.UnitNone} {
		if c, err := f.Column(name); err != nil || c.Unit != unit {
			t.Errorf("%s: unit %v, %v, want %v", name, c.Unit, err, unit)
		}
	}
	if got, want := f.Text(), []string{"name", "note", "list.list.element"}; !slices.Equal(got, want) {
		t.Errorf("left out %q, want %q", got, want)
	}
}

func or[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// TestArrow writes files and streams, compressed and not, and reads them.
func TestArrow(t *testing.T) {
	for _, stream := range []bool{false, true} {
		for name, options := range map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}} {
			for _, batches := range [][]int{nil, {0}, {1}, {100, 0, 28}} {
				t.Run(fmt.Sprint(stream, name, batches), func(t *testing.T) {
					f, err := opened(t, "x", arrowOf(t, stream, batches, options...), tensorio.Options{})
					if err != nil {
						t.Fatal(err)
					}
					n := 0
					for _, b := range batches {
						n += b
					}
					checkArrow(t, f, n)
					if rows := batched(t, f, "i8", "u64", "name", "kind"); rows != n {
						t.Errorf("batches of %d rows, want %d", rows, n)
					}
				})
			}
		}
	}
}

func checkArrow(t *testing.T, f *tensorio.File, n int) {
	t.Helper()
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	none := func(i int) bool { return i%4 == 1 }
	same(t, f, "bool", each(list, func(i int) bool { return i%3 == 0 }), nil)
	same(t, f, "i8", each(list, func(i int) int8 { return int8(i) }), nil)
	same(t, f, "u64", each(list, func(i int) uint64 { return math.MaxUint64 - uint64(i) }), none)
	same(t, f, "f16", each(list, func(i int) dtype.F16 { return dtype.ToF16(float64(i)) }), nil)
	same(t, f, "f32", each(list, func(i int) float32 { return float32(i) / 7 }), nil)
	same(t, f, "f64", each(list, func(i int) float64 { return float64(i) / 3 }), none)
	same(t, f, "price", each(list, func(i int) float64 { return float64(i*101-5) / 100 }), nil)
	same(t, f, "when", each(list, func(i int) int64 { return int64(i * 1001) }), nil)
	same(t, f, "day", each(list, func(i int) int32 { return int32(i - 2) }), nil)
	same(t, f, "none", make([]float64, n), func(int) bool { return true })
	sameText(t, f, "name", each(list, func(i int) string { return words[i%len(words)] }), none)
	sameText(t, f, "kind", each(list, func(i int) string { return words[i*i%len(words)] }), nil)
	if got, want := f.Text(), []string{"name", "kind", "list"}; !slices.Equal(got, want) {
		t.Errorf("left out %q, want %q", got, want)
	}
}

// TestHlog adds up intervals; a value is what HdrHistogram prints for its bucket.
func TestHlog(t *testing.T) {
	f, err := opened(t, "x", hlogOf(t, false), tensorio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Counts() != "count" {
		t.Errorf("counts are %q", f.Counts())
	}
	value, err := f.Tensor("value")
	if err != nil {
		t.Fatal(err)
	}
	count := ogive.Must(f.Tensor("count"))
	counts := ogive.Must(ogive.Values[int64](count))
	total := int64(0)
	for _, c := range counts {
		total += c
	}
	if total != 600 || !slices.IsSorted(ogive.Must(ogive.Values[int64](value))) || slices.Contains(counts, 0) {
		t.Errorf("%d counts, want 600 of rising values: %v %v", total, value, count)
	}
	whole := hdrhistogram.New(1, 1<<30, 2)
	for k := range 3 {
		for i := range 100 * (k + 1) {
			if err := whole.RecordValue(int64(i * i * 7)); err != nil {
				t.Fatal(err)
			}
		}
	}
	below := int64(0)
	for i, v := range ogive.Must(ogive.Values[int64](value)) {
		below += counts[i]
		percentile := float64(below) / 6
		if want := whole.ValueAtPercentile(percentile); v != want {
			t.Errorf("%v%% is %d, HdrHistogram says %d", percentile, v, want)
		}
	}
	f, err = opened(t, "y", hlogOf(t, true), tensorio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := append(f.Names(), f.Text()...); !slices.Equal(got, []string{"value", "count", "tag"}) {
		t.Errorf("columns %q", got)
	}
	if c, err := f.Key("tag"); err != nil || !slices.Equal(c.Labels, []string{"A"}) {
		t.Errorf("tags %q, %v", c.Labels, err)
	}
}

// TestHlogVersions reads the logs of HdrHistogram's own tests in older encodings: how many
// values they hold, the largest, and the 99.9th percentile are the facts of those tests,
// which take the lowest value of a bucket of 2^23.
func TestHlogVersions(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/HdrHistogram/hdrhistogram-go").Output()
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		file             string
		total, p999, max int64
	}{
		{"jHiccup-2.0.1.logV0.hlog", 61256, 1510998015, 1569718271},
		{"jHiccup-2.0.6.logV1.hlog", 65964, 1829765119, 1888485375},
		{"jHiccup-2.0.7S.logV2.hlog", 48761, 1745879039, 1796210687},
		{"ycsb.logV1.hlog", 300056, 0, 0},
	} {
		f, err := Open(filepath.Join(strings.TrimSpace(string(dir)), "test", c.file), tensorio.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		defer f.Close()
		value := ogive.Must(ogive.Values[int64](ogive.Must(f.Tensor("value"))))
		total, p999 := int64(0), int64(-1)
		for i, n := range ogive.Must(ogive.Values[int64](ogive.Must(f.Tensor("count")))) {
			if total += n; p999 < 0 && 1000*total >= 999*c.total {
				p999 = value[i]
			}
		}
		const bucket = 1<<23 - 1
		if largest := value[len(value)-1]; total != c.total || c.max != 0 && (p999|bucket != c.p999|bucket || largest|bucket != c.max|bucket) {
			t.Errorf("%s: %d values, p99.9 %d, largest %d; want %d, %d, %d", c.file, total, p999, largest, c.total, c.p999, c.max)
		}
	}
}

// TestHlogWords reads counts of each width, and refuses what is none.
func TestHlogWords(t *testing.T) {
	encode := func(cookie, inner uint32, words ...byte) string {
		head := make([]byte, 32)
		binary.BigEndian.PutUint32(head, inner)
		binary.BigEndian.PutUint32(head[4:], 2)
		binary.BigEndian.PutUint64(head[8:], 1)
		binary.BigEndian.PutUint64(head[16:], 1<<20)
		var b bytes.Buffer
		b.Write(binary.BigEndian.AppendUint32(nil, cookie))
		b.Write(make([]byte, 4))
		z := zlib.NewWriter(&b)
		z.Write(append(head, words...))
		z.Close()
		binary.BigEndian.PutUint32(b.Bytes()[4:], uint32(b.Len()-8))
		return "#[StartTime: 1]\n1,2,3," + base64.StdEncoding.EncodeToString(b.Bytes()) + "\n"
	}
	for _, c := range []struct {
		name, log, want string
	}{
		{"2", encode(0x1c849329, 0x1c849328, 0, 0, 0, 5, 1, 0, 0, 0), ""},
		{"4", encode(0x1c849349, 0x1c849348, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 1, 0), ""},
		{"8", encode(0x1c849389, 0x1c849388, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 1, 0), ""},
		{"odd", encode(0x1c849329, 0x1c849328, 0, 0, 0), "3 bytes of counts, which have 2 each"},
		{"no width", encode(0x1c849309, 0x1c849308, 0, 0), "2 bytes of counts, which have 0 each"},
		{"negative", encode(0x1c849329, 0x1c849328, 0xff, 0xff), "count 0 is negative"},
		{"another", encode(0x1c849329, 0x1c849301, 0, 0), "it begins with 0x1c849301, not 0x1c849308"},
		{"unknown", encode(0x1c84932b, 0x1c849328, 0, 0), "only V2 is supported"},
	} {
		f, err := opened(t, "x.hlog", []byte(c.log), tensorio.Options{})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		same(t, f, "value", []int64{1, 2}, nil)
		same(t, f, "count", []int64{5, 256}, nil)
	}
}

// onlyReader hides what else a reader can do.
type onlyReader struct{ io.Reader }

// TestStreams reads every format from a stream, plain and compressed, under a name that
// says nothing.
func TestStreams(t *testing.T) {
	list := records(100)
	for name, c := range map[string]struct {
		raw   []byte
		check func(*testing.T, *tensorio.File)
	}{
		"parquet": {parquetOf(t, list), func(t *testing.T, f *tensorio.File) { checkParquet(t, f, list) }},
		"arrow":   {arrowOf(t, true, []int{50}), func(t *testing.T, f *tensorio.File) { checkArrow(t, f, 50) }},
		"json": {[]byte("{\"a\":1}\n{\"a\":3}\n"), func(t *testing.T, f *tensorio.File) {
			same(t, f, "a", []int64{1, 3}, nil)
		}},
		"csv": {[]byte("a,b\n1,2.5\n3,4\n"), func(t *testing.T, f *tensorio.File) {
			if x, err := f.Tensor("b"); err != nil || x.Len() != 2 {
				t.Error(x, err)
			}
		}},
		"hlog": {hlogOf(t, false), func(t *testing.T, f *tensorio.File) {
			if c, err := f.Column("count"); err != nil || c.Values.Len() == 0 {
				t.Error(err)
			}
		}},
	} {
		for packing, raw := range map[string][]byte{"": c.raw, "gzip": gzipped(t, c.raw), "zstd": zstandard(t, c.raw),
			"twice": zstandard(t, gzipped(t, c.raw))} {
			t.Run(name+packing, func(t *testing.T) {
				f, err := Read(onlyReader{bytes.NewReader(raw)}, "standard input", tensorio.Options{})
				if err != nil {
					t.Fatal(err)
				}
				c.check(t, f)
				if f, err = opened(t, "data", raw, tensorio.Options{}); err != nil {
					t.Fatal(err)
				}
				c.check(t, f)
				if packing == "" {
					return
				}
				for n := range len(raw) - 1 { // cut: never a shorter answer
					if n > 200 && n%97 != 0 && n < len(raw)-200 || n < 4 {
						continue
					}
					f, err := Read(onlyReader{bytes.NewReader(raw[:n])}, "x", tensorio.Options{Format: name})
					if err == nil {
						for _, column := range f.Names() {
							if _, e := f.Tensor(column); e != nil {
								err = e
							}
						}
					}
					if err == nil {
						t.Fatalf("cut at byte %d of %d: no error", n, len(raw))
					}
				}
			})
		}
	}
}
