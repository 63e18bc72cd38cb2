package formats

import (
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// arrowField is a column of an Arrow file.
type arrowField struct {
	name   string
	text   bool
	column func(rows int, room *textRoom) arrowColumn // an empty one, with memory for some rows; nil if it cannot be read
	reason error                                      // why it holds no numbers
}

// arrowColumn is a column being read.
type arrowColumn interface {
	add(arrow.Array) error
	finish() (tensorio.Column, error)
}

// arrowUnits are the units of times, durations and times of day.
var arrowUnits = [...]tensorio.Unit{arrow.Second: tensorio.UnitSecond, arrow.Millisecond: tensorio.UnitMillisecond,
	arrow.Microsecond: tensorio.UnitMicrosecond, arrow.Nanosecond: tensorio.UnitNanosecond}

// newArrowField finds out what a column holds, one of nothing at most so many nulls.
func newArrowField(f arrow.Field, nulls int) *arrowField {
	a := &arrowField{name: f.Name}
	t := valueType(f.Type)
	switch t := t.(type) {
	case *arrow.NullType:
		a.column = func(int, *textRoom) arrowColumn { return &arrowNulls{most: nulls} }
	case *arrow.BooleanType:
		a.column = arrowNumbers(false, tensorio.UnitNone, arrowBools)
	case *arrow.Int8Type:
		a.column = arrowNumbers(0, tensorio.UnitNone, arrowValues((*array.Int8).Int8Values))
	case *arrow.Int16Type:
		a.column = arrowNumbers(0, tensorio.UnitNone, arrowValues((*array.Int16).Int16Values))
	case *arrow.Int32Type:
		a.column = arrowNumbers(0, tensorio.UnitNone, arrowValues((*array.Int32).Int32Values))
	case *arrow.Int64Type:
		a.column = arrowNumbers(0, tensorio.UnitNone, arrowValues((*array.Int64).Int64Values))
	case *arrow.Uint8Type:
		a.column = arrowNumbers(0, tensorio.UnitNone, arrowValues((*array.Uint8).Uint8Values))
	case *arrow.Uint16Type:
		a.column = arrowNumbers(0, tensorio.UnitNone, arrowValues((*array.Uint16).Uint16Values))
	case *arrow.Uint32Type:
		a.column = arrowNumbers(0, tensorio.UnitNone, arrowValues((*array.Uint32).Uint32Values))
	case *arrow.Uint64Type:
		a.column = arrowNumbers(0, tensorio.UnitNone, arrowValues((*array.Uint64).Uint64Values))
	case *arrow.Float16Type:
		a.column = arrowNumbers(dtype.F16FromBits(0x7e00), tensorio.UnitNone, arrowEach((*array.Float16).Values,
			func(v float16.Num) (dtype.F16, bool) { return dtype.F16FromBits(v.Uint16()), true }))
	case *arrow.Float32Type:
		a.column = arrowNumbers(float32(math.NaN()), tensorio.UnitNone, arrowValues((*array.Float32).Float32Values))
	case *arrow.Float64Type:
		a.column = arrowNumbers(math.NaN(), tensorio.UnitNone, arrowValues((*array.Float64).Float64Values))
	case *arrow.Date32Type:
		a.column = arrowNumbers(0, tensorio.UnitDay, arrowEach((*array.Date32).Date32Values, toInt32[arrow.Date32]))
	case *arrow.Date64Type:
		a.column = arrowNumbers(0, tensorio.UnitMillisecond|tensorio.UnitLocal, arrowEach((*array.Date64).Date64Values, toInt64[arrow.Date64]))
	case *arrow.TimestampType:
		unit := arrowUnits[t.Unit]
		if t.TimeZone == "" {
			unit |= tensorio.UnitLocal
		}
		a.column = arrowNumbers(0, unit, arrowEach((*array.Timestamp).TimestampValues, toInt64[arrow.Timestamp]))
	case *arrow.Time32Type:
		a.column = arrowNumbers(0, arrowUnits[t.Unit]|tensorio.UnitTimeOfDay, arrowEach((*array.Time32).Time32Values, toInt32[arrow.Time32]))
	case *arrow.Time64Type:
		a.column = arrowNumbers(0, arrowUnits[t.Unit]|tensorio.UnitTimeOfDay, arrowEach((*array.Time64).Time64Values, toInt64[arrow.Time64]))
	case *arrow.DurationType:
		a.column = arrowNumbers(0, arrowUnits[t.Unit]|tensorio.UnitDuration, arrowEach((*array.Duration).DurationValues, toInt64[arrow.Duration]))
	case arrow.DecimalType:
		a.column = arrowNumbers(math.NaN(), tensorio.UnitNone, arrowDecimals(int(t.GetScale())))
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType, *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		a.text, a.column = true, newArrowTexts
		a.reason = malformed("column %q holds text", f.Name)
	default:
		a.reason = malformed("column %q holds %v, which are no numbers", f.Name, f.Type)
	}
	return a
}

// valueType looks through dictionaries and extensions.
func valueType(t arrow.DataType) arrow.DataType {
	for range 8 {
		switch outer := t.(type) {
		case *arrow.DictionaryType:
			t = outer.ValueType
		case arrow.ExtensionType:
			t = outer.StorageType()
		}
	}
	return t
}

// stripped looks through extensions.
func stripped(a arrow.Array) arrow.Array {
	for {
		e, ok := a.(array.ExtensionArray)
		if !ok {
			return a
		}
		a = e.Storage()
	}
}

// unlike is the error of values that are not of the column's type.
func unlike(a arrow.Array) error { return malformed("values of %v in between", a.DataType()) }

// arrowList is a column of numbers or truth values.
type arrowList[T dtype.Element] struct {
	gone    T // stands where a value is missing
	unit    tensorio.Unit
	values  func(out []T, a arrow.Array) ([]T, error) // appends all, the missing ones as anything
	out     []T
	missing []bool
}

func arrowNumbers[T dtype.Element](gone T, unit tensorio.Unit, values func([]T, arrow.Array) ([]T, error)) func(int, *textRoom) arrowColumn {
	return func(rows int, _ *textRoom) arrowColumn {
		return &arrowList[T]{gone: gone, unit: unit, values: values, out: make([]T, 0, rows)}
	}
}

func (c *arrowList[T]) add(a arrow.Array) (err error) {
	a = stripped(a)
	n := len(c.out)
	if d, ok := a.(*array.Dictionary); ok {
		inner := &arrowList[T]{gone: c.gone, values: c.values}
		if err := inner.add(d.Dictionary()); err != nil {
			return err
		}
		for i := range d.Len() {
			gone := d.IsNull(i)
			v := c.gone
			if !gone {
				k := d.GetValueIndex(i)
				if k < 0 || k >= len(inner.out) {
					return malformed("value %d of a dictionary of %d", k, len(inner.out))
				}
				v, gone = inner.out[k], inner.missing != nil && inner.missing[k]
			}
			c.out = append(c.out, v)
			c.mark(gone)
		}
		return nil
	}
	if c.out, err = c.values(c.out, a); err != nil {
		return err
	}
	if len(c.out)-n != a.Len() {
		return malformed("%d values of %d", len(c.out)-n, a.Len())
	}
	if a.NullN() == 0 && c.missing == nil {
		return nil
	}
	for i := range a.Len() {
		gone := a.IsNull(i)
		if gone {
			c.out[n+i] = c.gone
		}
		c.markAt(n+i, gone)
	}
	return nil
}

// mark says whether the last value is missing.
func (c *arrowList[T]) mark(gone bool) { c.markAt(len(c.out)-1, gone) }

// markAt says whether value i is missing; those before have been told.
func (c *arrowList[T]) markAt(i int, gone bool) {
	if c.missing == nil {
		if !gone {
			return
		}
		c.missing = make([]bool, i, max(cap(c.out), i+1))
	}
	c.missing = append(c.missing, gone)
}

func (c *arrowList[T]) finish() (tensorio.Column, error) {
	t, err := column(c.out, c.missing)
	t.Unit = c.unit
	return t, err
}

// arrowValues appends values that are of the type wanted.
func arrowValues[T any, A arrow.Array](get func(A) []T) func([]T, arrow.Array) ([]T, error) {
	return func(out []T, a arrow.Array) ([]T, error) {
		typed, ok := a.(A)
		if !ok {
			return out, unlike(a)
		}
		return append(out, get(typed)...), nil
	}
}

// arrowEach appends values after converting each.
func arrowEach[P, T any, A arrow.Array](get func(A) []P, convert func(P) (T, bool)) func([]T, arrow.Array) ([]T, error) {
	return func(out []T, a arrow.Array) ([]T, error) {
		typed, ok := a.(A)
		if !ok {
			return out, unlike(a)
		}
		for _, v := range get(typed) {
			x, _ := convert(v)
			out = append(out, x)
		}
		return out, nil
	}
}

func toInt32[P ~int32](v P) (int32, bool) { return int32(v), true }
func toInt64[P ~int64](v P) (int64, bool) { return int64(v), true }

func arrowBools(out []bool, a arrow.Array) ([]bool, error) {
	b, ok := a.(*array.Boolean)
	if !ok {
		return out, unlike(a)
	}
	for i := range b.Len() {
		out = append(out, b.Value(i))
	}
	return out, nil
}

// arrowDecimals appends decimals; see decimal.
func arrowDecimals(scale int) func([]float64, arrow.Array) ([]float64, error) {
	return func(out []float64, a arrow.Array) ([]float64, error) {
		for i := range a.Len() {
			if a.IsNull(i) {
				out = append(out, math.NaN())
				continue
			}
			var unscaled int64
			ok := true
			wide := func(b *big.Int) {
				if unscaled, ok = b.Int64(), b.IsInt64(); !ok {
					unscaled = 0
				}
			}
			switch a := a.(type) {
			case *array.Decimal32:
				unscaled = int64(a.Value(i))
			case *array.Decimal64:
				unscaled = int64(a.Value(i))
			case *array.Decimal128:
				wide(a.Value(i).BigInt())
			case *array.Decimal256:
				wide(a.Value(i).BigInt())
			default:
				return out, unlike(a)
			}
			v := math.NaN()
			if ok {
				v, ok = decimal(unscaled, scale)
			}
			if !ok {
				return out, tooLong(scale)
			}
			out = append(out, v)
		}
		return out, nil
	}
}

// arrowNulls is a column without a value. Its length, which costs nothing in the file,
// is bounded.
type arrowNulls struct{ n, most int }

func (c *arrowNulls) add(a arrow.Array) error {
	if a.Len() > c.most-c.n {
		return malformed("%d values of nothing", a.Len())
	}
	c.n += a.Len()
	return nil
}

func (c *arrowNulls) finish() (tensorio.Column, error) {
	values, missing := make([]float64, c.n), make([]bool, c.n)
	for i := range values {
		values[i], missing[i] = math.NaN(), true
	}
	return column(values, missing)
}

// arrowTexts is a column of text.
type arrowTexts struct {
	codes
	list arrowList[int64]
}

func newArrowTexts(rows int, room *textRoom) arrowColumn {
	return &arrowTexts{codes: codes{room: room}, list: arrowList[int64]{out: make([]int64, 0, rows)}}
}

func (c *arrowTexts) add(a arrow.Array) (err error) {
	a = stripped(a)
	values := a
	d, _ := a.(*array.Dictionary)
	if d != nil {
		values = stripped(d.Dictionary())
	}
	var text func(i int) []byte
	switch v := values.(type) {
	case interface{ Value(int) string }:
		text = func(i int) []byte { return []byte(v.Value(i)) }
	case interface{ Value(int) []byte }:
		text = v.Value
	default:
		return unlike(values)
	}
	known := map[int]int64{} // of the dictionary
	for i := range a.Len() {
		gone := a.IsNull(i)
		code := int64(0)
		if !gone && d != nil {
			k := d.GetValueIndex(i)
			if k < 0 || k >= values.Len() {
				return malformed("value %d of a dictionary of %d", k, values.Len())
			}
			if gone = values.IsNull(k); !gone {
				var ok bool
				if code, ok = known[k]; !ok {
					if code, err = c.of(text(k)); err != nil {
						return err
					}
					known[k] = code
				}
			}
		} else if !gone {
			if code, err = c.of(text(i)); err != nil {
				return err
			}
		}
		c.list.out = append(c.list.out, code)
		c.list.mark(gone)
	}
	return nil
}

func (c *arrowTexts) finish() (tensorio.Column, error) {
	t, err := c.list.finish()
	t.Labels = c.labels
	return t, err
}
