package tensorio

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// golden is a row of testdata/manifest.json, which testdata/make.py writes
// together with the files.
type golden struct {
	DType    string
	Shape    []int
	Fortran  bool
	Order    string
	Hex      string
	Version  int
	Handmade bool
}

type manifest struct {
	Arrays   map[string]golden
	Archives map[string]map[string]golden
	Refused  map[string]string
}

func readManifest(t testing.TB) manifest {
	t.Helper()
	var m manifest
	b, err := os.ReadFile("testdata/manifest.json")
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Arrays) < 40 || len(m.Archives) != 2 || len(m.Refused) < 8 {
		t.Fatalf("the manifest lists %d arrays, %d archives, %d refused files", len(m.Arrays), len(m.Archives), len(m.Refused))
	}
	return m
}

// littleEndianBytes returns the elements in C order, lowest byte first.
func littleEndianBytes(t testing.TB, x *ogive.Tensor) []byte {
	t.Helper()
	c, err := x.Contiguous()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Clone(b)
	runtime.KeepAlive(c)
	if !littleEndian {
		l := layout{dt: x.DType()}
		swapBytes(b, l.unit())
	}
	return b
}

// check compares a tensor with NumPy's array.
func (g golden) check(t testing.TB, x *ogive.Tensor, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got := x.DType().String(); got != g.DType {
		t.Fatalf("dtype %s, want %s", got, g.DType)
	}
	if !slices.Equal(x.Shape(), g.Shape) {
		t.Fatalf("shape %v, want %v", x.Shape(), g.Shape)
	}
	if got := hex.EncodeToString(littleEndianBytes(t, x)); got != g.Hex {
		t.Fatalf("elements %s\nwant     %s", got, g.Hex)
	}
	if a := tensors.Array(x); g.Fortran && a.IsContiguous() {
		t.Errorf("a Fortran-order array was copied: strides %v", x.Strides())
	}
}

// only returns the tensor of a file that has one.
func only(f *File, err error) (*ogive.Tensor, error) {
	if err != nil {
		return nil, err
	}
	return f.Tensor("")
}

func TestGoldenArrays(t *testing.T) {
	for name, g := range readManifest(t).Arrays {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name)
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			x, err := only(Open(path, Options{}))
			g.check(t, x, err)
			x, err = only(Read(onlyReader{bytes.NewReader(raw)}, "standard input", Options{}))
			g.check(t, x, err)
			x, err = ReadNPY(bytes.NewReader(raw))
			g.check(t, x, err)

			native := g.Order == "none" || (g.Order == "little") == littleEndian
			if g.Handmade || g.Version != 1 || !native || name == "bfloat16-void.npy" {
				return
			}
			var b bytes.Buffer
			if err := WriteNPY(&b, x); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), raw) {
				t.Errorf("written %q\nNumPy   %q", b.Bytes(), raw)
			}
		})
	}
}

// onlyReader hides everything but Read, so that the size is not known.
type onlyReader struct{ r *bytes.Reader }

func (o onlyReader) Read(p []byte) (int, error) { return o.r.Read(p) }

func TestGoldenArchives(t *testing.T) {
	for name, members := range readManifest(t).Archives {
		path := filepath.Join("testdata", name)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, open := range []func() (*File, error){
			func() (*File, error) { return Open(path, Options{}) },
			func() (*File, error) { return Read(bytes.NewReader(raw), "stream", Options{}) },
		} {
			f, err := open()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := f.Names(), []string{"x", "mask", "big", "nothing"}; !slices.Equal(got, want) {
				t.Errorf("%s: names %q, want %q", name, got, want)
			}
			for member, g := range members {
				x, err := f.Tensor(member)
				g.check(t, x, err)
			}
		}
	}
}

func TestGoldenRefused(t *testing.T) {
	for name, why := range readManifest(t).Refused {
		path := filepath.Join("testdata", name)
		_, err := Open(path, Options{})
		if !errors.Is(err, ogive.ErrFormat) {
			t.Errorf("%s: error %v does not wrap ErrFormat", name, err)
			continue
		}
		for _, part := range []string{path, "header: byte 20", why} { // where the value of descr begins
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %q does not say %q", name, err, part)
			}
		}
	}
}

// TestGoldenChunks joins the blocks of each file and compares.
func TestGoldenChunks(t *testing.T) {
	for name, g := range readManifest(t).Arrays {
		dt, err := dtype.Parse(g.DType)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 48, 0} {
			var all []byte
			rows, blocks := 0, 0
			for x, err := range Chunks(filepath.Join("testdata", name), Options{}, size) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if x.DType() != dt || x.NDim() != len(g.Shape) || x.NDim() > 1 && !slices.Equal(x.Shape()[1:], g.Shape[1:]) {
					t.Fatalf("%s: a block of %v %v", name, x.DType(), x.Shape())
				}
				if x.NDim() > 0 {
					rows += x.Shape()[0]
				}
				blocks++
				all = append(all, littleEndianBytes(t, x)...)
			}
			if hex.EncodeToString(all) != g.Hex {
				t.Errorf("%s: blocks of %d bytes hold %x, want %s", name, size, all, g.Hex)
			}
			want := 1
			if size == 1 && g.Hex != "" && len(g.Shape) > 0 {
				want = g.Shape[0]
			}
			if size != 48 && blocks != want || len(g.Shape) > 0 && rows != g.Shape[0] {
				t.Errorf("%s: %d blocks of %d bytes with %d rows of %v", name, blocks, size, rows, g.Shape)
			}
		}
	}
}

// TestTruncated cuts files at every byte.
func TestTruncated(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"float64.npy", "version2.npy", "version3.npy", "fortran.npy", "bool.npy", "scalar-big.npy", "stored.npz", "deflated.npz"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		for n := range raw {
			if err := os.WriteFile(path, raw[:n], 0o666); err != nil {
				t.Fatal(err)
			}
			readers := map[string]func() error{
				"Open": func() error { return drain(Open(path, Options{})) },
				"Read": func() error {
					return drain(Read(onlyReader{bytes.NewReader(raw[:n])}, path, Options{}))
				},
			}
			if strings.HasSuffix(name, ".npy") {
				readers["ReadNPY"] = func() error { _, err := ReadNPY(bytes.NewReader(raw[:n])); return in(path, err) }
				readers["Chunks"] = func() error {
					for _, err := range Chunks(path, Options{}, 16) {
						if err != nil {
							return err
						}
					}
					return nil
				}
			}
			for reader, read := range readers {
				err := read()
				if !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), path) {
					t.Fatalf("%s: %s of %d of %d bytes: %v", name, reader, n, len(raw), err)
				}
				if strings.HasSuffix(name, ".npy") && n > 0 && !strings.Contains(err.Error(), "byte") {
					t.Errorf("%s: %s of %d of %d bytes does not name the byte: %v", name, reader, n, len(raw), err)
				}
			}
		}
	}
}

// drain reads every tensor of a file.
func drain(f *File, err error) error {
	if err != nil {
		return err
	}
	for _, name := range f.Names() {
		if _, err := f.Tensor(name); err != nil {
			return err
		}
	}
	return nil
}

// TestCorrupted changes each byte of a header to each value: an error that
// names a byte, or a reading that is valid.
func TestCorrupted(t *testing.T) {
	for _, name := range []string{"float64.npy", "version2.npy", "version3.npy", "fortran.npy", "python2.npy", "spaces.npy", "bool.npy"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for at := range bytes.LastIndexByte(raw[:192], '\n') + 1 {
			good := raw[at]
			for v := range 256 {
				raw[at] = byte(v)
				x, err := ReadNPY(bytes.NewReader(raw))
				switch {
				case err == nil:
					if x.Len()*x.DType().Size() > len(raw) {
						t.Fatalf("%s: byte %d = %#x: %v %v out of %d bytes", name, at, v, x.DType(), x.Shape(), len(raw))
					}
					littleEndianBytes(t, x)
				case !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), "byte"):
					t.Fatalf("%s: byte %d = %#x: %v", name, at, v, err)
				default:
					refused++
				}
			}
			raw[at] = good
		}
		if refused < 10_000 {
			t.Errorf("%s: only %d corruptions were refused", name, refused)
		}
	}
}
