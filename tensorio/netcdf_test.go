package tensorio

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// TestNetCDFGolden reads SciPy's files.
func TestNetCDFGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/netcdf.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]map[string]struct {
		DType string
		Shape []int
		Hex   string
	}
	if err := json.Unmarshal(raw, &manifest); err != nil {
		t.Fatal(err)
	}
	for name, variables := range manifest {
		f, err := Open("testdata/"+name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if names := f.Names(); len(names) != len(variables) {
			t.Errorf("%s: %v, want %d variables", name, names, len(variables))
		}
		for v, want := range variables {
			x, err := f.Tensor(v)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if x.DType().String() != want.DType || !slices.Equal(x.Shape(), want.Shape) {
				t.Errorf("%s: %s is %v%v, want %s%v", name, v, x.DType(), x.Shape(), want.DType, want.Shape)
			} else if got := hex.EncodeToString(canonical(t, x)); got != want.Hex {
				t.Errorf("%s: %s is %s, want %s", name, v, got, want.Hex)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// canonical returns the elements as little-endian bytes, every NaN as NumPy's.
func canonical(t *testing.T, x *ogive.Tensor) []byte {
	t.Helper()
	switch x.DType() {
	case dtype.Float32:
		x = ogive.Must(ogive.FromSlice(slices.Clone(ogive.Must(ogive.Values[float32](x))), x.Shape()...))
		for i, v := range ogive.Must(ogive.Values[float32](x)) {
			if v != v {
				ogive.Must(ogive.Values[float32](x))[i] = math.Float32frombits(0x7fc00000)
			}
		}
	case dtype.Float64:
		for i, v := range ogive.Must(ogive.Values[float64](x)) {
			if v != v {
				ogive.Must(ogive.Values[float64](x))[i] = math.Float64frombits(0x7ff8000000000000)
			}
		}
	}
	return littleEndianBytes(t, x)
}

// cdf writes headers of CDF-5, which SciPy does not.
type cdf struct{ bytes.Buffer }

func (b *cdf) words(list ...uint32) *cdf {
	for _, v := range list {
		binary.Write(b, binary.BigEndian, v)
	}
	return b
}

func (b *cdf) longs(list ...uint64) *cdf {
	for _, v := range list {
		binary.Write(b, binary.BigEndian, v)
	}
	return b
}

func (b *cdf) name(s string) *cdf {
	b.longs(uint64(len(s)))
	b.WriteString(s + strings.Repeat("\x00", -len(s)&3))
	return b
}

// fileOf5 is a CDF-5 file of a variable of 3 elements, with a fill value if it is given.
func fileOf5(kind uint32, size int, data, fill []byte) []byte {
	b := &cdf{}
	b.WriteString("CDF\x05")
	b.longs(0)
	b.words(ncDimensions).longs(1).name("x").longs(3)
	b.words(0).longs(0)
	b.words(ncVariables).longs(1).name("v").longs(1, 0)
	if fill == nil {
		b.words(0).longs(0)
	} else {
		b.words(ncAttributes).longs(1).name("_FillValue").words(kind).longs(1)
		b.Write(fill)
		b.Write(make([]byte, -len(fill)&3))
	}
	b.words(kind).longs(uint64(3 * size))
	b.longs(uint64(b.Len() + 8))
	b.Write(data)
	return b.Bytes()
}

// TestNetCDF5 reads the types that only CDF-5 has, and integers of 64 bits that float64
// does not hold.
func TestNetCDF5(t *testing.T) {
	big := []byte{0, 0, 0, 0, 0, 0, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 128, 0, 0, 0, 0, 0, 0, 1}
	for _, c := range []struct {
		kind  uint32
		size  int
		data  []byte
		fill  []byte
		want  string
		dtype dtype.DType
	}{
		{7, 1, []byte{0, 128, 255}, nil, "[ 0 128 255]", dtype.Uint8},
		{8, 2, []byte{0, 1, 128, 0, 255, 255}, nil, "[ 1 32768 65535]", dtype.Uint16},
		{9, 4, []byte{0, 0, 0, 1, 128, 0, 0, 0, 255, 255, 255, 255}, nil, "[ 1 2147483648 4294967295]", dtype.Uint32},
		{10, 8, big, nil, "[ 1 -1 -9223372036854775807]", dtype.Int64},
		{11, 8, big, nil, "[ 1 18446744073709551615 9223372036854775809]", dtype.Uint64},
		{11, 8, big[:24:24], big[8:16], "", dtype.Uint64},
		{9, 4, []byte{0, 0, 0, 1, 128, 0, 0, 0, 255, 255, 255, 255}, []byte{255, 255, 255, 255}, "[1.00000000e+00 2.14748365e+09 nan]", dtype.Float64},
	} {
		f, err := Read(bytes.NewReader(fileOf5(c.kind, c.size, c.data, c.fill)), "x.nc", Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := f.Tensor("v")
		if c.want == "" {
			if !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), "value 2, 9223372036854775809,") {
				t.Errorf("type %d: %v", c.kind, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if x.DType() != c.dtype || strings.Join(strings.Fields(x.String()), " ") != c.want {
			t.Errorf("type %d: %v %v, want %v %s", c.kind, x.DType(), x, c.dtype, c.want)
		}
	}
}

// TestNetCDFTruncated cuts files at every byte: an error that names a byte.
func TestNetCDFTruncated(t *testing.T) {
	for _, name := range []string{"version1.nc", "version2.nc", "lone.nc", "missing.nc"} {
		raw, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		end := len(raw)
		if name == "lone.nc" {
			end-- // SciPy pads the file behind the last record
		}
		for n := range end {
			_, err := Read(bytes.NewReader(raw[:n]), "x.nc", Options{})
			if !errors.Is(err, ogive.ErrFormat) {
				t.Fatalf("%s cut at byte %d: %v", name, n, err)
			}
			if n > 0 && !strings.Contains(err.Error(), "byte ") {
				t.Errorf("%s cut at byte %d: %v names no byte", name, n, err)
			}
		}
	}
}

// FuzzReadNetCDF checks that any bytes give an ErrFormat or arrays that the file holds.
func FuzzReadNetCDF(f *testing.F) {
	seed(f, ".nc")
	f.Add(fileOf5(11, 8, make([]byte, 24), make([]byte, 8)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := Read(bytes.NewReader(raw), "x.nc", Options{Format: "netcdf"})
		if err != nil {
			if !errors.Is(err, ogive.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		for _, name := range file.Names() {
			x, err := file.Tensor(name)
			if name == "" && err != nil { // the name of the only one
				continue
			}
			if err != nil && !errors.Is(err, ogive.ErrFormat) {
				t.Fatal(err)
			}
			if err == nil && x.Len() > len(raw) {
				t.Fatalf("%d elements in %d bytes", x.Len(), len(raw))
			}
		}
	})
}
