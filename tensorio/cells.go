package tensorio

import (
	"math"
	"strconv"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
)

// Cells returns a function that writes value i of the column as ogive's tables have it:
// integers and bools plainly, dates and times by ISO 8601 (see Unit.Format), text as it
// is, floats in the shortest decimal that means the same number in their dtype (see
// FormatFloat). It does not look at Missing. Complex values are ErrDType.
func (c Column) Cells() (func(i int) string, error) {
	t := c.Values
	if t.DType() == dtype.Int64 && c.Labels != nil {
		return cellsOf(t, func(v int64) string { return c.Labels[v] })
	}
	if t.DType() == dtype.Int64 && c.Unit != UnitNone {
		return cellsOf(t, c.Unit.Format)
	}
	switch t.DType() {
	case dtype.Bool:
		return cellsOf(t, strconv.FormatBool)
	case dtype.Int8:
		return cellsOf(t, formatInt[int8])
	case dtype.Int16:
		return cellsOf(t, formatInt[int16])
	case dtype.Int32:
		return cellsOf(t, formatInt[int32])
	case dtype.Int64:
		return cellsOf(t, formatInt[int64])
	case dtype.Uint8:
		return cellsOf(t, formatUint[uint8])
	case dtype.Uint16:
		return cellsOf(t, formatUint[uint16])
	case dtype.Uint32:
		return cellsOf(t, formatUint[uint32])
	case dtype.Uint64:
		return cellsOf(t, formatUint[uint64])
	case dtype.Float16:
		return cellsOf(t, func(h dtype.F16) string { return formatHalf(h.String()) })
	case dtype.BFloat16:
		return cellsOf(t, func(h dtype.BF16) string { return formatHalf(h.String()) })
	case dtype.Float32:
		return cellsOf(t, func(f float32) string { return FormatFloat(float64(f), 32) })
	case dtype.Float64:
		return cellsOf(t, func(f float64) string { return FormatFloat(f, 64) })
	}
	return nil, errs.New(errs.ErrDType, "values of dtype %v cannot be written as text", t.DType())
}

func cellsOf[T dtype.Element](t *ogive.Tensor, format func(T) string) (func(int) string, error) {
	values, err := ogive.Values[T](t)
	if err != nil {
		return nil, err
	}
	return func(i int) string { return format(values[i]) }, nil
}

func formatInt[T int8 | int16 | int32 | int64](v T) string {
	return strconv.FormatInt(int64(v), 10)
}

func formatUint[T uint8 | uint16 | uint32 | uint64](v T) string {
	return strconv.FormatUint(uint64(v), 10)
}

// The names of numbers without digits, as Cells writes them; Python, R and Go read them back.
const (
	TextNaN    = "NaN"
	TextPosInf = "Inf"
	TextNegInf = "-Inf"
)

// FormatFloat writes f, a float of the given bits (32 or 64), with the fewest digits that
// mean the same number; positional from 1e-6 up to 1e21, with an exponent outside
// (encoding/json's rule); NaN, Inf, -Inf.
func FormatFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return TextNaN
	case math.IsInf(f, 1):
		return TextPosInf
	case math.IsInf(f, -1):
		return TextNegInf
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.FormatFloat(f, format, -1, bits)
}

// formatHalf writes a 16-bit float, given as its shortest decimal, in
// FormatFloat's way.
func formatHalf(shortest string) string {
	f, err := strconv.ParseFloat(shortest, 64)
	if err != nil {
		return shortest
	}
	return FormatFloat(f, 64)
}

// Format writes a date or time by ISO 8601: 2012-01-31, 2012-01-31T09:30:00.25Z, without the
// Z where it has no zone; a number that counts nothing plainly.
func (u Unit) Format(v int64) string {
	var t time.Time
	switch u.Base() {
	case UnitNone:
		return strconv.FormatInt(v, 10)
	case UnitDay:
		return time.Unix(v*86400, 0).UTC().Format(time.DateOnly)
	case UnitSecond:
		t = time.Unix(v, 0)
	case UnitMillisecond:
		t = time.UnixMilli(v)
	case UnitMicrosecond:
		t = time.UnixMicro(v)
	default:
		t = time.Unix(0, v)
	}
	if u&UnitLocal != 0 {
		return t.UTC().Format("2006-01-02T15:04:05.999999999")
	}
	return t.UTC().Format(time.RFC3339Nano)
}
