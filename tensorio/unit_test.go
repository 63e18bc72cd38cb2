package tensorio

import (
	"math"
	"testing"
	"time"

	"github.com/ogive-go/ogive"
)

// TestDurations writes durations of every unit as time.Duration does, those beyond it too.
func TestDurations(t *testing.T) {
	units := map[Unit]time.Duration{UnitSecond: time.Second, UnitMillisecond: time.Millisecond, UnitMicrosecond: time.Microsecond, UnitNanosecond: 1}
	for unit, each := range units {
		for _, v := range []int64{0, 1, 59, 60, 61, 999, 1000, 1500, 3599, 3600, 3601, 7322500, 3_723_500_000} {
			for _, v := range []int64{v, -v} {
				if got, want := (unit | UnitDuration).Format(v), (time.Duration(v) * each).String(); got != want {
					t.Errorf("%d of %v: %s, want %s", v, each, got, want)
				}
			}
		}
	}
	for _, c := range []struct {
		unit Unit
		v    int64
		want string
	}{
		{UnitSecond, math.MaxInt64, "2562047788015215h30m7s"},
		{UnitSecond, math.MinInt64, "-2562047788015215h30m8s"},
		{UnitMicrosecond, math.MinInt64, "-2562047788h0m54.775808s"},
		{UnitNanosecond, math.MinInt64, "-2562047h47m16.854775808s"},
		{UnitMillisecond, 36_000_000_000_000_001, "10000000000h0m0.001s"},
	} {
		if got := (c.unit | UnitDuration).Format(c.v); got != c.want {
			t.Errorf("%d: %s, want %s", c.v, got, c.want)
		}
	}
}

// TestTimesOfDay writes times of day, and what is none.
func TestTimesOfDay(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		v    int64
		want string
	}{
		{UnitSecond, 0, "00:00:00"},
		{UnitSecond, 86399, "23:59:59"},
		{UnitMillisecond, 34_200_250, "09:30:00.25"},
		{UnitMicrosecond, 54_245_000_001, "15:04:05.000001"},
		{UnitNanosecond, 86_399_999_999_999, "23:59:59.999999999"},
		{UnitSecond, 90_000, "25:00:00"},
		{UnitMillisecond, -1500, "-00:00:01.5"},
		{UnitSecond, math.MinInt64, "-2562047788015215:30:08"},
	} {
		if got := (c.unit | UnitTimeOfDay).Format(c.v); got != c.want {
			t.Errorf("%d: %s, want %s", c.v, got, c.want)
		}
	}
}

// TestCellsOfUnits writes the cells of both widths of integers that units have.
func TestCellsOfUnits(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		want string
	}{
		{UnitNone, "90"}, {UnitDay, "1970-04-01"}, {UnitSecond | UnitLocal, "1970-01-01T00:01:30"},
		{UnitSecond | UnitDuration, "1m30s"}, {UnitSecond | UnitTimeOfDay, "00:01:30"},
	} {
		for _, x := range []*ogive.Tensor{ogive.Scalar(int32(90)), ogive.Scalar(int64(90))} {
			if cell, err := (Column{Values: x, Unit: c.unit}).Cells(); err != nil || cell(0) != c.want {
				t.Errorf("unit %d of %v: %s, %v, want %s", c.unit, x.DType(), cell(0), err, c.want)
			}
		}
	}
}

// TestUnitsApart joins units of different kinds, and tells which there are.
func TestUnitsApart(t *testing.T) {
	kinds := map[Unit]string{UnitNone: "numbers", UnitDay: "dates", UnitSecond: "dates", UnitSecond | UnitLocal: "dates",
		UnitSecond | UnitDuration: "durations", UnitMillisecond | UnitDuration: "durations", UnitSecond | UnitTimeOfDay: "times of day"}
	for u, kind := range kinds {
		if u.Kind() != kind {
			t.Errorf("unit %d: %s, want %s", u, u.Kind(), kind)
		}
		for v := range kinds {
			if got, ok := u.Join(v); ok != (u&^UnitLocal == v&^UnitLocal) || ok && u == v && got != u {
				t.Errorf("units %d and %d: %d, %v", u, v, got, ok)
			}
		}
	}
	valid := 0
	for u := range Unit(255) {
		if u.Valid() {
			valid++
		}
	}
	if valid != 6+3*4 || (UnitDay | UnitDuration).Valid() || (UnitSecond | UnitLocal | UnitDuration).Valid() || UnitTimeOfDay.Valid() {
		t.Errorf("%d units are valid", valid)
	}
}
