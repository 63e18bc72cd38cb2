package formats

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// record is a row of the Parquet files.
type record struct {
	Bool   bool      `parquet:"bool"`
	I8     int8      `parquet:"i8"`
	I16    int16     `parquet:"i16"`
	I32    int32     `parquet:"i32"`
	I64    int64     `parquet:"i64,delta"`
	U8     uint8     `parquet:"u8"`
	U16    uint16    `parquet:"u16"`
	U32    uint32    `parquet:"u32"`
	U64    uint64    `parquet:"u64"`
	F32    float32   `parquet:"f32"`
	F64    float64   `parquet:"f64"`
	Maybe  *int64    `parquet:"maybe,optional"`
	MaybeF *float64  `parquet:"maybef,optional,dict"`
	Dict   int32     `parquet:"dict,dict"`
	Price  int64     `parquet:"price,decimal(2:18)"`
	When   time.Time `parquet:"when,timestamp(microsecond)"`
	Day    int32     `parquet:"day,date"`
	Name   string    `parquet:"name,dict"`
	Note   *string   `parquet:"note,optional"`
	Inner  struct {
		A *int32 `parquet:"a,optional"`
	} `parquet:"inner"`
	List []int32 `parquet:"list,list"`
}

var words = []string{"ash", "birch", "", "cedar"}

// records are rows with every type's ends, missing values in some.
func records(n int) []record {
	list := make([]record, n)
	for i := range list {
		r := &list[i]
		s := uint64(i)*0x9e3779b97f4a7c15 + 1
		r.Bool = i%3 == 0
		r.I8, r.I16, r.I32, r.I64 = int8(s>>8), int16(s>>8), int32(s>>8), int64(s)
		r.U8, r.U16, r.U32, r.U64 = uint8(s>>8), uint16(s>>8), uint32(s>>8), s
		r.F32, r.F64 = float32(int32(s>>20))/7, float64(int64(s))/3
		if i%5 == 0 {
			r.F64 = math.NaN()
		}
		if i%4 != 1 {
			v, f := int64(i)-7, float64(i)/2
			r.Maybe, r.MaybeF = &v, &f
			a := int32(i)
			r.Inner.A = &a
			r.Note = &words[i%len(words)]
		}
		r.Dict = int32(i % 7)
		r.Price = int64(s >> 16 % 10_000_000)
		r.When = time.UnixMicro(int64(i) * 1_000_003).UTC()
		r.Day = int32(i - 3)
		r.Name = words[i*i%len(words)]
		for j := range i % 3 {
			r.List = append(r.List, int32(j))
		}
	}
	return list
}

// parquetOf writes rows as a Parquet file.
func parquetOf(t testing.TB, list []record, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[record](&b, options...)
	if _, err := w.Write(list); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// arrowSchema is that of the Arrow files.
var arrowSchema = arrow.NewSchema([]arrow.Field{
	{Name: "bool", Type: arrow.FixedWidthTypes.Boolean},
	{Name: "i8", Type: arrow.PrimitiveTypes.Int8},
	{Name: "u64", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
	{Name: "f16", Type: arrow.FixedWidthTypes.Float16},
	{Name: "f32", Type: arrow.PrimitiveTypes.Float32},
	{Name: "f64", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "price", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}},
	{Name: "when", Type: arrow.FixedWidthTypes.Timestamp_ms},
	{Name: "day", Type: arrow.FixedWidthTypes.Date32},
	{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "kind", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
	{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)},
	{Name: "none", Type: arrow.Null},
}, nil)

// arrowBatch returns rows.
func arrowBatch(t testing.TB, n int) arrow.RecordBatch {
	t.Helper()
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrowSchema)
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.BooleanBuilder).Append(i%3 == 0)
		b.Field(1).(*array.Int8Builder).Append(int8(i))
		if i%4 == 1 {
			b.Field(2).AppendNull()
			b.Field(5).AppendNull()
			b.Field(9).AppendNull()
		} else {
			b.Field(2).(*array.Uint64Builder).Append(math.MaxUint64 - uint64(i))
			b.Field(5).(*array.Float64Builder).Append(float64(i) / 3)
			b.Field(9).(*array.StringBuilder).Append(words[i%len(words)])
		}
		b.Field(3).(*array.Float16Builder).Append(float16.New(float32(i)))
		b.Field(4).(*array.Float32Builder).Append(float32(i) / 7)
		b.Field(6).(*array.Decimal128Builder).Append(decimal128.FromI64(int64(i)*101 - 5))
		b.Field(7).(*array.TimestampBuilder).Append(arrow.Timestamp(i * 1001))
		b.Field(8).(*array.Date32Builder).Append(arrow.Date32(i - 2))
		if err := b.Field(10).(*array.BinaryDictionaryBuilder).AppendString(words[i*i%len(words)]); err != nil {
			t.Fatal(err)
		}
		b.Field(11).(*array.ListBuilder).Append(true)
		b.Field(12).AppendNull()
	}
	return b.NewRecordBatch()
}

// arrowOf writes batches of some rows as a file or a stream.
func arrowOf(t testing.TB, stream bool, batches []int, options ...ipc.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	options = append(options, ipc.WithSchema(arrowSchema))
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	if stream {
		w = ipc.NewWriter(&b, options...)
	} else {
		file, err := ipc.NewFileWriter(&b, options...)
		if err != nil {
			t.Fatal(err)
		}
		w = file
	}
	rows := 0
	for _, n := range batches {
		rows += n
	}
	whole, from := arrowBatch(t, rows), int64(0) // a file has one dictionary
	for _, n := range batches {
		if err := w.Write(whole.NewSlice(from, from+int64(n))); err != nil {
			t.Fatal(err)
		}
		from += int64(n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hlogOf writes a log of histograms.
func hlogOf(t testing.TB, tagged bool) []byte {
	t.Helper()
	var b bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&b)
	if err := w.OutputLogFormatVersion(); err != nil {
		t.Fatal(err)
	}
	if err := w.OutputLegend(); err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		h := hdrhistogram.New(1, 1<<30, 2)
		h.SetStartTimeMs(int64(1000 * k))
		h.SetEndTimeMs(int64(1000*k + 1000))
		if tagged && k == 1 {
			h.SetTag("A")
		}
		for i := range 100 * (k + 1) {
			if err := h.RecordValue(int64(i * i * 7)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.OutputIntervalHistogram(h); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func gzipped(t testing.TB, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t testing.TB, raw []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(raw, nil)
}
