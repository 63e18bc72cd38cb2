package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
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
		if got := formatFloat(c.f, c.bits); got != c.want {
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
		cell, err := cells(c.x)
		if err != nil {
			t.Errorf("%v: %v", c.x.DType(), err)
		} else if got := cell(0); got != c.want {
			t.Errorf("%v: %s, want %s", c.x.DType(), got, c.want)
		}
	}
	if _, err := cells(ogive.Scalar(complex(1, 2))); err == nil {
		t.Error("complex128: no error")
	}
}

// cube is a result of shape [2 2 2] whose last two dimensions are axes 0 and 2.
func cube(qs *quantiles, axes ...int) *result {
	x := ogive.Must(ogive.FromSlice([]int64{0, 1, 2, 3, 4, 5, 6, 7}, 2, 2, 2))
	return &result{op: "quantile", qs: qs, parts: []part{{axes: axes, values: x}}}
}

func TestSheets(t *testing.T) {
	list := &quantiles{name: "q", values: []float64{0, 1}, labels: []string{"0", "1"}}
	empty := ogive.Must(ogive.FromSlice([]bool{}, 0, 3))
	for _, c := range []struct {
		name string
		r    *result
		want string
	}{
		{"list", cube(list, 0, 2), "axis0\taxis2\t0\t1\n0\t0\t0\t4\n0\t1\t1\t5\n1\t0\t2\t6\n1\t1\t3\t7\n"},
		{"no list", cube(nil, 0, 1, 3), "axis0\taxis1\t0\t1\n0\t0\t0\t1\n0\t1\t2\t3\n1\t0\t4\t5\n1\t1\t6\t7\n"},
		{"empty", &result{op: "isnan", parts: []part{{axes: []int{0, 1}, values: empty}}}, ""},
		{"names with tabs", &result{op: "median", table: true, parts: []part{{name: "a\tb\nc", values: ogive.Scalar(1.5)}}}, "column\tmedian\na b c\t1.5\n"},
	} {
		var b bytes.Buffer
		s, err := c.r.sheet()
		if err == nil {
			err = s.writeTSV(&b)
		}
		if err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%s", c.name, err, &b)
		}
	}
}

func TestTableIsAligned(t *testing.T) {
	r := &result{op: "median", table: true, parts: []part{
		{name: "größe", values: ogive.Scalar(1.5)},
		{name: "温度", values: ogive.Scalar(-12.25)},
	}}
	s, err := r.sheet()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.writeTable(&b, false); err != nil {
		t.Fatal(err)
	}
	if want := "column  median\ngröße      1.5\n温度    -12.25\n"; b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}

// TestInterruptedWrite ends the context before a file is written: the old one
// stays, and nothing else is left.
func TestInterruptedWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.npy")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interrupted{statusInterrupt})
	err := writeFile(ctx, path, &outputFormats[0], cube(nil, 0, 1, 2))
	if statusOf(err) != statusInterrupt {
		t.Errorf("%v: exit status %d", err, statusOf(err))
	}
	b, err := os.ReadFile(path)
	if string(b) != "old" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}
