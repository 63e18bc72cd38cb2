package formats

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// apartArrow is a stream with a decimal of more than 2^53 units, two columns of one name
// and one that is well.
func apartArrow(t *testing.T) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "price", Type: &arrow.Decimal128Type{Precision: 38, Scale: 2}},
		{Name: "same", Type: arrow.PrimitiveTypes.Int64},
		{Name: "v", Type: arrow.PrimitiveTypes.Int64},
		{Name: "same", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	for i := range int64(3) {
		b.Field(0).(*array.Decimal128Builder).Append(decimal128.FromI64(i<<53 + 1))
		for k := 1; k < 4; k++ {
			b.Field(k).(*array.Int64Builder).Append(i + 1)
		}
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(b.NewRecordBatch()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestApart is that a column which is not what it seems is an error of its own, and others
// of the file are read.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  []byte
		bad  map[string]string
	}{
		{"x.arrow", apartArrow(t), map[string]string{
			"price": `x.arrow: column "price": a decimal with scale 2 is more than 2^53 units, which float64 does not hold exactly`,
			"same":  `x.arrow: columns 2 and 4 have the same name, "same"`}},
		{"x.jsonl", []byte("{\"v\":1,\"a\":2,\"is\":true}\n{\"v\":2,\"a\":\"x\",\"is\":7}\n{\"v\":3,\"a\":\"y\",\"is\":false}\n"), map[string]string{
			"a":  `x.jsonl: line 2: column "a": "x" is not a number`,
			"is": `x.jsonl: line 2: column "is": 7 is not true or false, as its first value is`}},
	} {
		f, err := opened(t, c.name, c.raw, tensorio.Options{Apart: true})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for name, message := range c.bad {
			if _, err := f.Column(name); !errors.Is(err, tensorio.ErrColumn) || !errors.Is(err, ogive.ErrFormat) || !strings.HasSuffix(err.Error(), message) {
				t.Errorf("%s: %v, want %s", c.name, err, message)
			}
		}
		same(t, f, "v", []int64{1, 2, 3}, nil)
	}
}
