package nd

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

// TestFormatAsNumPy compares with the text that NumPy 2.2.4 printed, see
// testdata/print.py.
func TestFormatAsNumPy(t *testing.T) {
	text, err := os.ReadFile("testdata/print.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		DType string
		Shape []int
		Data  []byte
		Text  string
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 200 {
		t.Fatalf("%d cases, want at least 200", len(cases))
	}
	for i, c := range cases {
		dt, err := dtype.Parse(c.DType)
		if err != nil {
			t.Fatal(err)
		}
		fromLittleEndian(c.Data, unit(dt))
		a, err := FromBytes(dt, aligned(c.Data), nil, c.Shape...)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Format(); got != c.Text {
			t.Errorf("case %d, %s %v: got\n%s\nwant\n%s", i, c.DType, c.Shape, got, c.Text)
		}
	}
}

func TestFormatOfViews(t *testing.T) {
	x := make([]int64, 12)
	for i := range x {
		x[i] = int64(i)
	}
	a, err := FromBytes(dtype.Int64, bytesOf(x), nil, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	view := func(v Array, err error) Array {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	turned := view(a.Transpose())
	back := view(a.Slice(1, 3, -1, -2))
	row := view(a.Slice(0, 1, 2, 1))
	spread := view(row.BroadcastTo(2, 1, 4))
	wide := view(row.BroadcastTo(500, 4))
	for _, c := range []struct {
		a    Array
		want string
	}{
		{turned, "[[ 0  4  8]\n [ 1  5  9]\n [ 2  6 10]\n [ 3  7 11]]"},
		{back, "[[ 3  1]\n [ 7  5]\n [11  9]]"},
		{spread, "[[[4 5 6 7]]\n\n [[4 5 6 7]]]"},
		{wide, "[[4 5 6 7]\n [4 5 6 7]\n [4 5 6 7]\n ...\n [4 5 6 7]\n [4 5 6 7]\n [4 5 6 7]]"},
	} {
		if got := c.a.Format(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestFormatBFloat16 has no golden file: NumPy lacks the type.
func TestFormatBFloat16(t *testing.T) {
	format := func(shape []int, x ...float64) string {
		h := make([]dtype.BF16, len(x))
		for i, v := range x {
			h[i] = dtype.ToBF16(v)
		}
		a, err := FromBytes(dtype.BFloat16, bytesOf(h), nil, shape...)
		if err != nil {
			t.Fatal(err)
		}
		return a.Format()
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ got, want string }{
		{format(nil, 3.14), "3.14"},
		{format(nil, 256), "256.0"},
		{format(nil, 1e30), "1e+30"},
		{format([]int{0}), "[]"},
		{format([]int{3}, 0.1, 1.5, 3.14), "[0.1  1.5  3.14]"},
		{format([]int{2, 2}, 1, nan, -inf, 0.25), "[[1.    nan]\n [-inf 0.25]]"},
		{format([]int{2}, 1e10, -1), "[ 1.e+10 -1.e+00]"},
	} {
		if c.got != c.want {
			t.Errorf("got\n%s\nwant\n%s", c.got, c.want)
		}
	}
}

// TestShortestDigits compares with other implementations of the shortest
// digits: package strconv, and the String methods of the 16-bit floats. All
// 16-bit floats, and the ends of every binade of the others, are tried.
func TestShortestDigits(t *testing.T) {
	value := func(dt dtype.DType, v float64) float64 {
		t.Helper()
		f, err := strconv.ParseFloat(shortest(dt, v, "", false), 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for b := range uint16(0x7C00) {
		h := dtype.F16FromBits(b)
		if want, _ := strconv.ParseFloat(h.String(), 64); value(dtype.Float16, h.Float64()) != want {
			t.Errorf("float16 %#04x: %v, want %v", b, value(dtype.Float16, h.Float64()), want)
		}
	}
	for b := range uint16(0x7F80) {
		h := dtype.BF16FromBits(b)
		if want, _ := strconv.ParseFloat(h.String(), 64); value(dtype.BFloat16, h.Float64()) != want {
			t.Errorf("bfloat16 %#04x: %v, want %v", b, value(dtype.BFloat16, h.Float64()), want)
		}
	}
	check := func(dt dtype.DType, v float64, bits int) {
		text := shortest(dt, v, "", false)
		back, err := strconv.ParseFloat(text, bits)
		if err != nil || back != v {
			t.Errorf("%v %b: %s reads as %b (%v)", dt, v, text, back, err)
		}
		// A tie between two decimals is left to the implementation.
		if want := strconv.FormatFloat(v, 'e', -1, bits); significant(text) != significant(want) {
			t.Errorf("%v %b: %s, want the digits of %s", dt, v, text, want)
		}
	}
	for e := uint32(0); e < 0xFF; e++ {
		for _, m := range []uint32{0, 1, 2, 0x2AAAAA, 0x400000, 0x7FFFFE, 0x7FFFFF} {
			check(dtype.Float32, float64(math.Float32frombits(e<<23|m)), 32)
		}
	}
	for e := uint64(0); e < 0x7FF; e++ {
		for _, m := range []uint64{0, 1, 2, 0x5555555555555, 0x8000000000000, 0xFFFFFFFFFFFFF} {
			check(dtype.Float64, math.Float64frombits(e<<52|m), 64)
		}
	}
}

// significant returns the number of digits of a decimal without the zeros at
// its ends.
func significant(text string) int {
	mantissa, _, _ := strings.Cut(text, "e")
	return len(strings.Trim(strings.ReplaceAll(mantissa, ".", ""), "0"))
}

// aligned returns a copy of b that is aligned for every dtype.
func aligned(b []byte) []byte {
	words := make([]uint64, len(b)/8+1)
	c := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(b))
	copy(c, b)
	return c
}

func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// fromLittleEndian puts units of the given size into the machine's order.
func fromLittleEndian(b []byte, size int) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return
	}
	for ; len(b) >= size; b = b[size:] {
		slices.Reverse(b[:size])
	}
}
