package tensorio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// TestArrayRead: every box of an array is the slice of it, in either order of the
// dimensions and of the bytes, where elements are not aligned in the file too, and in
// whichever memory.
func TestArrayRead(t *testing.T) {
	shape := []int{3, 4, 5}
	for _, dt := range []dtype.DType{dtype.Bool, dtype.Int16, dtype.Float64, dtype.Complex64} {
		x := ogive.Must(ogive.FromBytes(dt, testkit.Fill("random", dt, 60, 1), shape...))
		dir := t.TempDir()
		c, f := filepath.Join(dir, "c.npy"), filepath.Join(dir, "f.npy")
		if err := errors.Join(Save(c, x), Save(f, transposed(ogive.Must(transposed(x).Contiguous())))); err != nil {
			t.Fatal(err)
		}
		swapped := filepath.Join(dir, "swapped.raw")
		b := slices.Clone(ogive.Must(x.Bytes()))
		swapBytes(b, (&layout{dt: dt}).unit())
		order := OrderBig
		if !littleEndian {
			order = OrderLittle
		}
		shifted := filepath.Join(dir, "shifted.npy")
		if err := errors.Join(os.WriteFile(swapped, b, 0o600), os.WriteFile(shifted, oddHeader(t, c), 0o600)); err != nil {
			t.Fatal(err)
		}
		for path, o := range map[string]Options{c: {}, f: {}, shifted: {}, swapped: {DType: dt, Shape: shape, Order: order}} {
			a, err := OpenArray(path, o)
			if err != nil {
				t.Fatal(err)
			}
			if a.DType() != dt || !slices.Equal(a.Shape(), shape) || a.Fortran() != (path == f) {
				t.Fatalf("%s: %v of %v, Fortran %v", path, a.Shape(), a.DType(), a.Fortran())
			}
			memory := alignedBytes(60*16 + 8)
			number := 0
			for box := range boxesOf(shape) {
				number++
				given := [][]byte{nil, memory, memory[1:], memory[:200]}[number%4]
				got, err := a.ReadInto(given, box[0], box[1])
				if err != nil {
					t.Fatal(err)
				}
				want := x
				for d := range shape {
					want = ogive.Must(want.Slice(d, box[0][d], box[1][d], 1))
				}
				if d := testkit.Diff(dt, raw(t, got), raw(t, want)); d != "" || !slices.Equal(got.Shape(), want.Shape()) {
					t.Fatalf("%s %v to %v: %s", path, box[0], box[1], d)
				}
				if n := len(raw(t, want)); n > 0 && n <= len(given) && number%4 != 2 {
					if given[0]++; path != f && raw(t, got)[0] == raw(t, want)[0] {
						t.Fatalf("%s %v to %v: not in the memory given", path, box[0], box[1])
					}
				}
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func transposed(x *ogive.Tensor) *ogive.Tensor { return ogive.Must(x.Transpose()) }

func raw(t *testing.T, x *ogive.Tensor) []byte {
	t.Helper()
	return ogive.Must(ogive.Must(x.Contiguous()).Bytes())
}

// oddHeader returns an npy file with one byte more in its header.
func oddHeader(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 10 + int(b[8]) + int(b[9])<<8
	b = slices.Insert(b, n-1, ' ')
	b[8]++
	return b
}

// boxesOf yields all boxes of a shape with three dimensions.
func boxesOf(shape []int) func(yield func([2][]int) bool) {
	return func(yield func([2][]int) bool) {
		var walk func(lo, hi []int) bool
		walk = func(lo, hi []int) bool {
			if len(lo) == len(shape) {
				return yield([2][]int{slices.Clone(lo), slices.Clone(hi)})
			}
			for l := range shape[len(lo)] + 1 {
				for h := l; h <= shape[len(lo)]; h += 2 {
					if !walk(append(lo, l), append(hi, h)) {
						return false
					}
				}
			}
			return true
		}
		walk(nil, nil)
	}
}

// TestArrayErrors: what is asked wrongly, and files that are not what they say.
func TestArrayErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npy")
	if err := Save(path, ogive.Must(ogive.Zeros(dtype.Float32, 10, 10))); err != nil {
		t.Fatal(err)
	}
	a, err := OpenArray(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, box := range [][2][]int{{{0}, {1}}, {{-1, 0}, {1, 1}}, {{2, 0}, {1, 1}}, {{0, 0}, {11, 1}}, {nil, nil}} {
		if _, err := a.Read(box[0], box[1]); !errors.Is(err, ogive.ErrShape) {
			t.Errorf("%v: error %v, want ErrShape", box, err)
		}
	}
	if err := os.Truncate(path, 300); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read([]int{0, 0}, []int{10, 5}); !errors.Is(err, ogive.ErrFormat) {
		t.Errorf("a file that has shrunk: error %v, want ErrFormat", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := OpenArray(path, Options{}); !errors.Is(err, ogive.ErrFormat) {
		t.Errorf("a truncated file: error %v, want ErrFormat", err)
	}
	table := filepath.Join(dir, "x.csv")
	if err := os.WriteFile(table, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenArray(table, Options{}); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("a table: error %v, want ErrOption", err)
	}
	if _, err := OpenArray(filepath.Join(dir, "none.npy"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}

// TestPieces: the pieces of an array are all of its elements, in the order of the file, of
// any dtype, byte order and layout.
func TestPieces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npy")
	for _, dt := range dtype.All() {
		x := ogive.Must(ogive.Must(ogive.FromSlice([]float64{0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1}, 3, 4)).Cast(dt))
		for _, y := range []*ogive.Tensor{x, ogive.Must(x.Transpose()), ogive.Must(x.Slice(0, 0, 0, 1))} {
			if err := Save(path, y); err != nil {
				t.Fatal(err)
			}
			a, err := OpenArray(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if a.Fortran() {
				y = ogive.Must(y.Transpose())
			}
			want := ogive.Must(y.Contiguous())
			for _, bytes := range []int{0, 1, 5 * dt.Size(), 1000} {
				at := 0
				for piece, err := range a.Pieces(bytes) {
					if err != nil {
						t.Fatal(err)
					}
					of := ogive.Must(ogive.Must(want.Reshape(want.Len())).Slice(0, at, at+piece.Len(), 1))
					if piece.NDim() != 1 || piece.Len() > max(1, bytes/dt.Size()) || fmt.Sprint(piece) != fmt.Sprint(of) {
						t.Fatalf("%v, pieces of %d bytes: %v at %d, want %v", dt, bytes, piece, at, of)
					}
					at += piece.Len()
				}
				if at != want.Len() {
					t.Errorf("%v: %d elements of %d", dt, at, want.Len())
				}
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	swapped := filepath.Join(dir, "y.npy")
	if err := os.WriteFile(swapped, []byte("\x93NUMPY\x01\x00\x76\x00"+fmt.Sprintf("%-117s\n", "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }")+"\x00\x01\x00\x02\x01\x00\x02\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := OpenArray(swapped, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for piece, err := range a.Pieces(100) {
		if err != nil || fmt.Sprint(piece) != "[  1   2 256 512]" {
			t.Error(piece, err)
		}
	}
	if err := os.Truncate(swapped, 130); err != nil {
		t.Fatal(err)
	}
	for piece, err := range a.Pieces(100) {
		if !errors.Is(err, ogive.ErrFormat) {
			t.Error(piece, err)
		}
	}
}
