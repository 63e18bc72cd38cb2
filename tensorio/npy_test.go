package tensorio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// npyFile returns a version 1 file with the given header text.
func npyFile(header string, data ...byte) []byte {
	b := append([]byte(npyMagic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	return append(append(b, header...), data...)
}

func TestHeaderErrors(t *testing.T) {
	const shape, order = "'shape': (2,), ", "'fortran_order': False, "
	for _, c := range []struct{ header, want string }{
		{"", "byte 10: want a dictionary, found the end of the header"},
		{"[]", `byte 10: want a dictionary, found "[]"`},
		{"{'descr': '<f8', " + order + shape, "found the end of the header"},
		{"{'descr': '<f8', " + order + "}", `byte 52: key "shape" is missing`},
		{"{'descr': '<f8', " + shape + "}", `key "fortran_order" is missing`},
		{"{" + order + shape + "}", `key "descr" is missing`},
		{"{'descr': '<f8', 'descr': '<f8', " + order + shape + "}", `byte 27: key "descr" is given twice`},
		{"{'descr': '<f8', " + order + shape + "'more': 1}", `key "more" is not one of`},
		{"{'descr': '<f8', " + order + shape + "} x", "after the dictionary"},
		{"{'descr': '<f8' " + order + shape + "}", "want ',' or '}'"},
		{"{'descr' '<f8', " + order + shape + "}", "byte 19: want ':'"},
		{"{descr: '<f8', " + order + shape + "}", "byte 11: want a key in quotes"},
		{`{'d\x65scr': '<f8', ` + order + shape + "}", "escape"},
		{"{'descr", "the string has no end"},
		{"{'descr': None, " + order + shape + "}", "byte 20: want a dtype in quotes"},
		{"{'descr': ('<f8', (2,)), " + order + shape + "}", "subarray"},
		{"{'descr': [('a', '<f8')], " + order + shape + "}", "structured"},
		{"{'descr': '', " + order + shape + "}", "is empty"},
		{"{'descr': 'f8', " + order + shape + "}", "byte order"},
		{"{'descr': '|f8', " + order + shape + "}", "byte order"},
		{"{'descr': '=f8', " + order + shape + "}", "is not known"},
		{"{'descr': '<f3', " + order + shape + "}", "no such float"},
		{"{'descr': '<x8', " + order + shape + "}", "is not known"},
		{"{'descr': '<f8', 'fortran_order': 0, " + shape + "}", "byte 44: want True or False"},
		{"{'descr': '<f8', " + order + "'shape': 2}", "byte 60: want a tuple"},
		{"{'descr': '<f8', " + order + "'shape': (2)}", "not a tuple"},
		{"{'descr': '<f8', " + order + "'shape': (,)}", "want a number"},
		{"{'descr': '<f8', " + order + "'shape': (2,,)}", "want a number"},
		{"{'descr': '<f8', " + order + "'shape': (2 3)}", "want ',' or ')'"},
		{"{'descr': '<f8', " + order + "'shape': (-2,)}", "byte 61: a dimension is negative"},
		{"{'descr': '<f8', " + order + "'shape': (02,)}", "begins with 0"},
		{"{'descr': '<f8', " + order + "'shape': (2.0,)}", "want ',' or ')'"},
		{"{'descr': '<f8', " + order + "'shape': (True,)}", "want a number"},
		{"{'descr': '<f8', " + order + "'shape': (9223372036854775808,)}", "larger than memory"},
		{"{'descr': '<f8', " + order + "'shape': (99999999999999999999999,)}", "larger than memory"},
		{"{'descr': '<f8', " + order + "'shape': (1000000, 1000000, 1000000, 10)}", "byte 60: "},
		{"{'descr': '<f8', " + order + "'shape': (0, 1000000, 1000000, 1000000, 10)}", "byte 60: "},
		{"{'descr': '<f8', " + order + "'shape': (" + strings.Repeat("1,", 17) + ")}", "17 dimensions"},
	} {
		_, err := ReadNPY(bytes.NewReader(npyFile(c.header, make([]byte, 16)...)))
		if !errors.Is(err, ogive.ErrFormat) || !strings.HasPrefix(err.Error(), "header: byte ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n gives %v\n want  %s", c.header, err, c.want)
		}
	}
	good := npyFile("{'descr': '<f8', "+order+shape+"}", make([]byte, 16)...)
	for at, want := range map[int]string{0: "not an npy file", 6: "version 9.0", 7: "version 1.9"} {
		bad := bytes.Clone(good)
		bad[at] = 9
		if _, err := ReadNPY(bytes.NewReader(bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("byte %d: %v, want %q", at, err, want)
		}
	}
	v3 := npyFile("{'descr': '<f8', " + order + "'shape': (2L,)}")
	v3 = append(append(append([]byte{}, v3[:6]...), 3, 0, v3[8], v3[9], 0, 0), v3[10:]...)
	if _, err := ReadNPY(bytes.NewReader(v3)); err == nil || !strings.Contains(err.Error(), `found "L`) {
		t.Errorf("a Python 2 integer in version 3: %v", err)
	}
}

// TestClaims checks that a size in a header allocates nothing by itself.
func TestClaims(t *testing.T) {
	header := func(shape string) []byte {
		return npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': "+shape+", }\n", 1, 2, 3)
	}
	long := append([]byte(npyMagic), 2, 0, 0xFF, 0xFF, 0xFF, 0xFF)
	for _, raw := range [][]byte{header("(100000000,)"), header("(200000000, 1)"), long} {
		for _, r := range []io.Reader{bytes.NewReader(raw), onlyReader{bytes.NewReader(raw)}} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := ReadNPY(r)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, ogive.ErrFormat) {
				t.Errorf("%q: %v", raw, err)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 2*firstRead {
				t.Errorf("%q: allocated %d bytes", raw, grown)
			}
		}
	}
}

func TestTrailingBytes(t *testing.T) {
	raw := npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", 7, 8)
	two := append(bytes.Clone(raw), raw...)
	r := bytes.NewReader(two)
	for range 2 {
		x, err := ReadNPY(r)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := ogive.Values[uint8](x); v[0] != 7 || v[1] != 8 {
			t.Errorf("got %v", v)
		}
	}
	for _, r := range []io.Reader{bytes.NewReader(two), onlyReader{bytes.NewReader(two)}} {
		if _, err := Read(r, "two.npy", Options{}); !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), "two.npy: ") || !strings.Contains(err.Error(), "goes on") {
			t.Errorf("a second array in a file: %v", err)
		}
	}
}

func TestBadBool(t *testing.T) {
	data := make([]byte, 40)
	data[33] = 2
	raw := npyFile("{'descr': '|b1', 'fortran_order': False, 'shape': (40,), }", data...)
	want := fmt.Sprintf("byte %d: 0x02 is not a bool (0 or 1)", len(raw)-40+33)
	if _, err := ReadNPY(bytes.NewReader(raw)); !errors.Is(err, ogive.ErrFormat) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// failing fails after some bytes.
type failing struct{ left int }

var errBroken = errors.New("broken pipe")

func (f *failing) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, errBroken
	}
	n := min(f.left, len(p))
	f.left -= n
	return n, nil
}

func (f *failing) Write(p []byte) (int, error) {
	n := min(f.left, len(p))
	f.left -= n
	if n < len(p) {
		return n, errBroken
	}
	return n, nil
}

func TestReadError(t *testing.T) {
	raw := npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", make([]byte, 16)...)
	for n := range raw {
		_, err := ReadNPY(io.MultiReader(bytes.NewReader(raw[:n]), &failing{}))
		if !errors.Is(err, errBroken) || !errors.Is(err, ogive.ErrFormat) {
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
}

// layouts returns views of the dtype with every kind of stride.
func layouts(t *testing.T, dt dtype.DType) []*ogive.Tensor {
	t.Helper()
	const n = 3 * 1000 * 7
	base := ogive.Must(ogive.Zeros(dt, 3, 1000, 7))
	b := ogive.Must(base.Bytes())
	for i := range b {
		b[i] = byte(i*37>>3) & 1
		if dt != dtype.Bool {
			b[i] = byte(i * 37)
		}
	}
	if len(b) != n*dt.Size() {
		t.Fatalf("%v: %d bytes", dt, len(b))
	}
	return []*ogive.Tensor{
		base,
		ogive.Must(base.Transpose()),
		ogive.Must(base.Transpose(1, 0, 2)),
		ogive.Must(base.Slice(1, 999, -1, -3)),
		ogive.Must(base.Slice(2, 1, 6, 2)),
		ogive.Must(base.Slice(0, 1, 1, 1)),
		ogive.Must(ogive.Must(base.Slice(0, 0, 1, 1)).BroadcastTo(2, 1000, 7)),
		ogive.Must(ogive.Zeros(dt)),
		ogive.Must(ogive.Zeros(dt, 0)),
		ogive.Must(ogive.Zeros(dt, 2, 0, 3)),
		ogive.Must(base.Reshape(-1)),
	}
}

func TestRoundTrip(t *testing.T) {
	for _, dt := range dtype.All() {
		for i, x := range layouts(t, dt) {
			var npy, raw bytes.Buffer
			if err := errors.Join(WriteNPY(&npy, x), Write(&raw, "raw", x)); err != nil {
				t.Fatal(err)
			}
			if start := npy.Len() - raw.Len(); start%64 != 0 {
				t.Errorf("%v, layout %d: the elements begin at byte %d", dt, i, start)
			}
			y, err := ReadNPY(&npy)
			same(t, x, y, err)
			o := Options{DType: dt, Shape: x.Shape()}
			y, err = only(Read(bytes.NewReader(raw.Bytes()), "x.raw", o))
			same(t, x, y, err)

			// The same in the other byte order.
			swapped := alignedBytes(raw.Len())
			copy(swapped, raw.Bytes())
			l := layout{dt: dt}
			swapBytes(swapped, l.unit())
			o.Order = OrderBig
			if !littleEndian {
				o.Order = OrderLittle
			}
			y, err = only(Read(bytes.NewReader(swapped), "x.raw", o))
			same(t, x, y, err)
		}
	}
}

// same compares two tensors bit for bit.
func same(t testing.TB, x, y *ogive.Tensor, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if x.DType() != y.DType() || fmt.Sprint(x.Shape()) != fmt.Sprint(y.Shape()) {
		t.Fatalf("got %v %v, want %v %v", y.DType(), y.Shape(), x.DType(), x.Shape())
	}
	if !bytes.Equal(littleEndianBytes(t, x), littleEndianBytes(t, y)) {
		t.Fatalf("%v %v: other elements", x.DType(), x.Shape())
	}
}

func TestRawOptions(t *testing.T) {
	data := make([]byte, 24)
	for _, c := range []struct {
		o    Options
		want string // the shape, or a part of the error
		kind error
	}{
		{Options{DType: dtype.Float64}, "[3]", nil},
		{Options{DType: dtype.Int8, Shape: []int{4, -1}}, "[4 6]", nil},
		{Options{DType: dtype.Int16, Shape: []int{3, 4}}, "[3 4]", nil},
		{Options{}, "needs a dtype", ogive.ErrOption},
		{Options{DType: dtype.Complex128}, "24 bytes are not a whole number of complex128 in shape [-1]", ogive.ErrFormat},
		{Options{DType: dtype.Int16, Shape: []int{3, 5}}, "the file ends", ogive.ErrFormat},
		{Options{DType: dtype.Int16, Shape: []int{3}}, "byte 6: the file goes on", ogive.ErrFormat},
		{Options{DType: dtype.Int16, Shape: []int{0, -1}}, "whole number", ogive.ErrFormat},
		{Options{DType: dtype.Int16, Shape: []int{-1, -1}}, "negative", ogive.ErrOption},
		{Options{DType: dtype.Int16, Shape: []int{math.MaxInt}}, "memory", ogive.ErrOption},
	} {
		x, err := only(Read(bytes.NewReader(data), "x.raw", c.o))
		switch {
		case c.kind != nil:
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %s", c.o, err, c.want)
			}
		case err != nil || fmt.Sprint(x.Shape()) != c.want:
			t.Errorf("%+v: %v, want shape %s", c.o, err, c.want)
		}
	}
	x, err := only(Read(bytes.NewReader(nil), "x.raw", Options{DType: dtype.Int16, Shape: []int{0, 3}}))
	if err != nil || x.Len() != 0 {
		t.Errorf("no elements: %v", err)
	}
}

func TestWriteErrors(t *testing.T) {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3, 4}, 2, 2))
	for _, x := range []*ogive.Tensor{x, ogive.Must(x.Slice(1, 1, -1, -1))} {
		for _, f := range formats {
			var b bytes.Buffer
			err := Write(&b, f.Name, x)
			if f.write == nil {
				if path := t.TempDir() + "/x" + f.Endings[0]; !errors.Is(err, ogive.ErrOption) || !errors.Is(Save(path, x), ogive.ErrOption) {
					t.Errorf("%s: %v", f.Name, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for n := range b.Len() {
				if err := Write(&failing{n}, f.Name, x); !errors.Is(err, errBroken) {
					t.Fatalf("%s, broken after %d of %d bytes: %v", f.Name, n, b.Len(), err)
				}
			}
			if err := Write(&b, f.Name, nil); !errors.Is(err, ogive.ErrShape) {
				t.Errorf("%s of nil: %v", f.Name, err)
			}
		}
	}
	if err := Write(io.Discard, "xls", x); !errors.Is(err, ogive.ErrOption) || !strings.Contains(err.Error(), "known: npy, npz, csv, tsv, raw, netcdf") {
		t.Errorf("unknown format: %v", err)
	}
}
