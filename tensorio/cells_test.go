package tensorio

import (
	"math"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

func TestFormatFloat(t *testing.T) {
	for _, c := range []struct {
		f    float64
		bits int
		want string
	}{
		{0, 64, "0"}, {math.Copysign(0, -1), 64, "-0"}, {0.1, 64, "0.1"}, {float64(float32(0.1)), 32, "0.1"},
		{1e-6, 64, "0.000001"}, {9.5e-7, 64, "9.5e-07"}, {1e20, 64, "100000000000000000000"}, {1e21, 64, "1e+21"},
		{1234567, 64, "1234567"}, {5e-324, 64, "5e-324"}, {math.MaxFloat64, 64, "1.7976931348623157e+308"},
		{math.NaN(), 64, "NaN"}, {math.Copysign(math.NaN(), -1), 64, "NaN"}, {math.Inf(1), 64, "Inf"}, {math.Inf(-1), 32, "-Inf"},
	} {
		if got := FormatFloat(c.f, c.bits); got != c.want {
			t.Errorf("%x in %d bits: %s, want %s", c.f, c.bits, got, c.want)
		}
	}
}

func TestCellsOfEveryDType(t *testing.T) {
	for _, c := range []struct {
		x    *ogive.Tensor
		want string
	}{
		{ogive.Scalar(true), "true"},
		{ogive.Scalar(int8(-128)), "-128"},
		{ogive.Scalar(int16(-5)), "-5"},
		{ogive.Scalar(int32(7)), "7"},
		{ogive.Scalar(int64(math.MinInt64)), "-9223372036854775808"},
		{ogive.Scalar(uint8(255)), "255"},
		{ogive.Scalar(uint16(9)), "9"},
		{ogive.Scalar(uint32(math.MaxUint32)), "4294967295"},
		{ogive.Scalar(uint64(math.MaxUint64)), "18446744073709551615"},
		{ogive.Scalar(dtype.ToF16(65504)), "65500"},
		{ogive.Scalar(dtype.ToF16(math.Inf(-1))), "-Inf"},
		{ogive.Scalar(dtype.ToBF16(0.1)), "0.1"},
		{ogive.Scalar(dtype.ToBF16(math.NaN())), "NaN"},
		{ogive.Scalar(float32(16777216)), "16777216"},
		{ogive.Scalar(1.0 / 3), "0.3333333333333333"},
	} {
		cell, err := Column{Values: c.x}.Cells()
		if err != nil {
			t.Errorf("%v: %v", c.x.DType(), err)
		} else if got := cell(0); got != c.want {
			t.Errorf("%v: %s, want %s", c.x.DType(), got, c.want)
		}
	}
	if _, err := (Column{Values: ogive.Scalar(complex(1, 2))}).Cells(); err == nil {
		t.Error("complex128: no error")
	}
}

// TestLocalTimes writes times with and without a zone, and joins their units.
func TestLocalTimes(t *testing.T) {
	for unit, v := range map[Unit]int64{UnitSecond: 1, UnitMillisecond: 1e3, UnitMicrosecond: 1e6, UnitNanosecond: 1e9} {
		if got := unit.Format(v); got != "1970-01-01T00:00:01Z" {
			t.Errorf("unit %d: %s", unit, got)
		}
		if got := (unit | UnitLocal).Format(v); got != "1970-01-01T00:00:01" {
			t.Errorf("unit %d without a zone: %s", unit, got)
		}
		if u, ok := (unit | UnitLocal).Join(unit); u != unit || !ok {
			t.Errorf("unit %d and without a zone: %d, %v", unit, u, ok)
		}
	}
	if u, ok := (UnitSecond | UnitLocal).Join(UnitSecond | UnitLocal); u != UnitSecond|UnitLocal || !ok {
		t.Errorf("without a zone: %d, %v", u, ok)
	}
	if _, ok := UnitSecond.Join(UnitNanosecond); ok {
		t.Error("seconds join nanoseconds")
	}
}
