package dtype

import (
	"math/bits"
	"reflect"
	"strings"
	"testing"
)

func TestParseInvertsString(t *testing.T) {
	all := All()
	if len(all) != 15 {
		t.Fatalf("%d dtypes, want 15", len(all))
	}
	for _, d := range all {
		if got, err := Parse(d.String()); err != nil || got != d {
			t.Errorf("Parse(%q) = %v, %v", d.String(), got, err)
		}
	}
	for _, name := range []string{"", "invalid", "float", "Float32", " int8", "dtype(200)"} {
		got, err := Parse(name)
		if err == nil || got != Invalid {
			t.Errorf("Parse(%q) = %v, %v", name, got, err)
			continue
		}
		for _, d := range all {
			if !strings.Contains(err.Error(), d.String()) {
				t.Errorf("the error for %q does not name %v: %v", name, d, err)
			}
		}
	}
}

func TestInvalid(t *testing.T) {
	for d, name := range map[DType]string{Invalid: "invalid", count: "dtype(16)", 255: "dtype(255)"} {
		if d.String() != name {
			t.Errorf("String of %d: %q, want %q", uint8(d), d, name)
		}
		if d.Valid() || d.Size() != 0 || d.IsBool() || d.IsInteger() || d.IsFloat() || d.IsComplex() || d.IsOrdered() {
			t.Errorf("%v has properties", d)
		}
		if got := d.Quantile(true); got != Invalid {
			t.Errorf("%v.Quantile: %v", d, got)
		}
	}
}

// TestTable states the properties of every dtype a second time.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		d           DType
		size        int
		properties  string // b bool, s signed, u unsigned, f float, c complex
		discrete    DType
		interpolate DType
		nan         uint64
	}{
		{Bool, 1, "b", Bool, Float64, 0},
		{Int8, 1, "s", Int8, Float64, 0},
		{Int16, 2, "s", Int16, Float64, 0},
		{Int32, 4, "s", Int32, Float64, 0},
		{Int64, 8, "s", Int64, Float64, 0},
		{Uint8, 1, "u", Uint8, Float64, 0},
		{Uint16, 2, "u", Uint16, Float64, 0},
		{Uint32, 4, "u", Uint32, Float64, 0},
		{Uint64, 8, "u", Uint64, Float64, 0},
		{Float16, 2, "f", Float16, Float16, 0x7E00},
		{BFloat16, 2, "f", BFloat16, BFloat16, 0x7FC0},
		{Float32, 4, "f", Float32, Float32, 0x7FC00000},
		{Float64, 8, "f", Float64, Float64, 0x7FF8000000000000},
		{Complex64, 8, "c", Invalid, Invalid, 0},
		{Complex128, 16, "c", Invalid, Invalid, 0},
	} {
		properties := ""
		for _, p := range []struct {
			is   bool
			name string
		}{{c.d.IsBool(), "b"}, {c.d.IsSigned(), "s"}, {c.d.IsUnsigned(), "u"}, {c.d.IsFloat(), "f"}, {c.d.IsComplex(), "c"}} {
			if p.is {
				properties += p.name
			}
		}
		if properties != c.properties {
			t.Errorf("%v is %q, want %q", c.d, properties, c.properties)
		}
		if got, want := c.d.IsInteger(), c.properties == "s" || c.properties == "u"; got != want {
			t.Errorf("%v.IsInteger() = %v", c.d, got)
		}
		if got, want := c.d.IsOrdered(), c.properties != "c"; got != want {
			t.Errorf("%v.IsOrdered() = %v", c.d, got)
		}
		if !c.d.Valid() || c.d.Size() != c.size {
			t.Errorf("%v: valid %v, size %d, want %d", c.d, c.d.Valid(), c.d.Size(), c.size)
		}
		if got := c.d.Quantile(true); got != c.discrete {
			t.Errorf("%v.Quantile(true) = %v, want %v", c.d, got, c.discrete)
		}
		if got := c.d.Quantile(false); got != c.interpolate {
			t.Errorf("%v.Quantile(false) = %v, want %v", c.d, got, c.interpolate)
		}
		if got := CanonicalNaN(c.d); got != c.nan {
			t.Errorf("CanonicalNaN(%v) = %#x, want %#x", c.d, got, c.nan)
		}
	}
}

type (
	flag    bool
	celsius float32
	kelvin  float64
	index   int
	label   uint
	octet   uint8
	wave    complex64
	phasor  complex128
)

func TestOf(t *testing.T) {
	word, uword := Int64, Uint64
	if bits.UintSize == 32 {
		word, uword = Int32, Uint32
	}
	for _, c := range []struct {
		got, want DType
		t         reflect.Type
	}{
		{Of[bool](), Bool, reflect.TypeFor[bool]()},
		{Of[int8](), Int8, reflect.TypeFor[int8]()},
		{Of[int16](), Int16, reflect.TypeFor[int16]()},
		{Of[int32](), Int32, reflect.TypeFor[int32]()},
		{Of[int64](), Int64, reflect.TypeFor[int64]()},
		{Of[uint8](), Uint8, reflect.TypeFor[uint8]()},
		{Of[uint16](), Uint16, reflect.TypeFor[uint16]()},
		{Of[uint32](), Uint32, reflect.TypeFor[uint32]()},
		{Of[uint64](), Uint64, reflect.TypeFor[uint64]()},
		{Of[F16](), Float16, reflect.TypeFor[F16]()},
		{Of[BF16](), BFloat16, reflect.TypeFor[BF16]()},
		{Of[float32](), Float32, reflect.TypeFor[float32]()},
		{Of[float64](), Float64, reflect.TypeFor[float64]()},
		{Of[complex64](), Complex64, reflect.TypeFor[complex64]()},
		{Of[complex128](), Complex128, reflect.TypeFor[complex128]()},
		{Of[int](), word, reflect.TypeFor[int]()},
		{Of[uint](), uword, reflect.TypeFor[uint]()},
		{Of[flag](), Bool, reflect.TypeFor[flag]()},
		{Of[celsius](), Float32, reflect.TypeFor[celsius]()},
		{Of[kelvin](), Float64, reflect.TypeFor[kelvin]()},
		{Of[index](), word, reflect.TypeFor[index]()},
		{Of[label](), uword, reflect.TypeFor[label]()},
		{Of[octet](), Uint8, reflect.TypeFor[octet]()},
		{Of[wave](), Complex64, reflect.TypeFor[wave]()},
		{Of[phasor](), Complex128, reflect.TypeFor[phasor]()},
	} {
		if c.got != c.want || c.got.Size() != int(c.t.Size()) {
			t.Errorf("Of[%v] = %v (%d bytes), want %v", c.t, c.got, c.got.Size(), c.want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Of[celsius](); Of[F16]() }); n != 0 {
		t.Errorf("Of allocates %v times", n)
	}
}
