package formats

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"

	"github.com/ogive-go/ogive/tensorio"
)

// span is a row with times of day and durations, as Parquet has them: the latter are so
// only by the Arrow schema beside them.
type span struct {
	Ms    int32  `parquet:"ms,time(millisecond)"`
	Us    int64  `parquet:"us,time(microsecond),dict"`
	Ns    int64  `parquet:"ns,time(nanosecond)"`
	Took  int64  `parquet:"took"`
	Maybe *int64 `parquet:"maybe,optional"`
	Count int64  `parquet:"count"`
}

// spanSchema is the Arrow schema of durations beside a column of each other unit.
func spanSchema() *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{
		{Name: "took", Type: arrow.FixedWidthTypes.Duration_us},
		{Name: "maybe", Type: arrow.FixedWidthTypes.Duration_s, Nullable: true},
		{Name: "ms", Type: arrow.FixedWidthTypes.Time32ms},
		{Name: "s", Type: arrow.FixedWidthTypes.Time32s},
		{Name: "us", Type: arrow.FixedWidthTypes.Time64us},
		{Name: "ns", Type: arrow.FixedWidthTypes.Duration_ns},
	}, nil)
}

// spansOf writes Arrow's durations and times of day.
func spansOf(t *testing.T) []byte {
	t.Helper()
	b := array.NewRecordBuilder(memory.NewGoAllocator(), spanSchema())
	defer b.Release()
	for _, v := range []int64{5_400_000_000, -1500} {
		b.Field(0).(*array.DurationBuilder).Append(arrow.Duration(v))
		b.Field(5).(*array.DurationBuilder).Append(arrow.Duration(v))
	}
	b.Field(1).(*array.DurationBuilder).Append(1 << 62)
	b.Field(1).AppendNull()
	b.Field(2).(*array.Time32Builder).AppendValues([]arrow.Time32{34_200_250, 0}, nil)
	b.Field(3).(*array.Time32Builder).AppendValues([]arrow.Time32{86399, 0}, nil)
	b.Field(4).(*array.Time64Builder).AppendValues([]arrow.Time64{54_245_000_001, 0}, nil)
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&out, ipc.WithSchema(spanSchema()))
	if err != nil {
		t.Fatal(err)
	}
	record := b.NewRecordBatch()
	defer record.Release()
	if err := w.Write(record); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// encodedSchema returns the schema as writers put it beside Parquet: its message alone, with
// a column of dictionaries too.
func encodedSchema(t *testing.T) string {
	t.Helper()
	kind := arrow.Field{Name: "kind", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}}
	schema := arrow.NewSchema(append(spanSchema().Fields(), kind), nil)
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(schema)).Close(); err != nil {
		t.Fatal(err)
	}
	message, ok := bytes.CutSuffix(stream.Bytes(), []byte("\xff\xff\xff\xff\x00\x00\x00\x00"))
	if !ok {
		t.Fatalf("a stream ends with %x", stream.Bytes())
	}
	return base64.StdEncoding.EncodeToString(message)
}

// parquetSpans writes rows beside an Arrow schema.
func parquetSpans(t *testing.T, schema string) []byte {
	t.Helper()
	late := int64(1 << 62)
	var out bytes.Buffer
	w := parquet.NewGenericWriter[span](&out, parquet.KeyValueMetadata(arrowSchemaKey, schema))
	if _, err := w.Write([]span{
		{34_200_250, 54_245_000_001, 86_399_999_999_999, 5_400_000_000, &late, 7},
		{0, 0, 0, -1500, nil, 8},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// cells checks the cells of a column, "" for one that is missing.
func cells(t *testing.T, f *tensorio.File, name string, want ...string) {
	t.Helper()
	c, err := f.Column(name)
	if err != nil {
		t.Fatal(err)
	}
	cell, err := c.Cells()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range want {
		if got := cell(i); got != want && want != "" {
			t.Errorf("%s %d: %s, want %s", name, i, got, want)
		}
	}
}

// TestSpans reads durations and times of day of Parquet and Arrow as such.
func TestSpans(t *testing.T) {
	f, err := opened(t, "x", parquetSpans(t, encodedSchema(t)), tensorio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cells(t, f, "ms", "09:30:00.25", "00:00:00")
	cells(t, f, "us", "15:04:05.000001", "00:00:00")
	cells(t, f, "ns", "23:59:59.999999999", "00:00:00")
	cells(t, f, "took", "1h30m0s", "-1.5ms")
	cells(t, f, "maybe", "1281023894007607h45m4s", "")
	cells(t, f, "count", "7", "8")

	f, err = opened(t, "x", spansOf(t), tensorio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cells(t, f, "took", "1h30m0s", "-1.5ms")
	cells(t, f, "maybe", "1281023894007607h45m4s", "")
	cells(t, f, "ms", "09:30:00.25", "00:00:00")
	cells(t, f, "s", "23:59:59", "00:00:00")
	cells(t, f, "us", "15:04:05.000001", "00:00:00")
	cells(t, f, "ns", "5.4s", "-1.5µs")
}

// TestSpansOfBrokenSchemas reads a Parquet file whose Arrow schema cannot be read as if it
// had none.
func TestSpansOfBrokenSchemas(t *testing.T) {
	whole := spansOf(t)
	for _, schema := range []string{"", "?", "AAAA", base64.StdEncoding.EncodeToString(whole[:len(whole)/2]), "/////0AAAAAQAAAA"} {
		f, err := opened(t, "x", parquetSpans(t, schema), tensorio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		cells(t, f, "took", "5400000000", "-1500")
		cells(t, f, "ms", "09:30:00.25", "00:00:00")
	}
}

// zoned is a row with times of a zone and of none, as Parquet has them.
type zoned struct {
	Zoned int64 `parquet:"zoned,timestamp(microsecond:utc)"`
	Local int64 `parquet:"local,timestamp(millisecond:local)"`
}

// TestZones reads times with and without a zone.
func TestZones(t *testing.T) {
	var file bytes.Buffer
	w := parquet.NewGenericWriter[zoned](&file)
	if _, err := w.Write([]zoned{{1, 2}}); err != nil || w.Close() != nil {
		t.Fatal("no Parquet", err)
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "zoned", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Paris"}},
		{Name: "local", Type: &arrow.TimestampType{Unit: arrow.Millisecond}},
	}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	b.Field(0).(*array.TimestampBuilder).Append(1)
	b.Field(1).(*array.TimestampBuilder).Append(2)
	record := b.NewRecordBatch()
	defer record.Release()
	var arrows bytes.Buffer
	stream := ipc.NewWriter(&arrows, ipc.WithSchema(schema))
	if err := stream.Write(record); err != nil || stream.Close() != nil {
		t.Fatal("no Arrow", err)
	}
	for format, data := range map[string][]byte{"parquet": file.Bytes(), "arrow": arrows.Bytes()} {
		f, err := opened(t, "x", data, tensorio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]tensorio.Unit{"zoned": tensorio.UnitMicrosecond, "local": tensorio.UnitMillisecond | tensorio.UnitLocal} {
			c, err := f.Column(name)
			if err != nil || c.Unit != want {
				t.Errorf("%s: %s counts %v, %v, want %v", format, name, c.Unit, err, want)
			}
		}
	}
}
