package ogive_test

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
)

// predicates are the element tests by the oracle's names.
var predicates = map[string]struct {
	op ogive.Op
	do func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, error)
	on func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, error)
}{
	"isposinf": {ogive.OpIsPosInf, ogive.IsPosInf, (*ogive.Tensor).IsPosInf},
	"isneginf": {ogive.OpIsNegInf, ogive.IsNegInf, (*ogive.Tensor).IsNegInf},
	"isinf":    {ogive.OpIsInf, ogive.IsInf, (*ogive.Tensor).IsInf},
	"isnan":    {ogive.OpIsNaN, ogive.IsNaN, (*ogive.Tensor).IsNaN},
	"isfinite": {ogive.OpIsFinite, ogive.IsFinite, (*ogive.Tensor).IsFinite},
	"signbit":  {ogive.OpSignBit, ogive.SignBit, (*ogive.Tensor).SignBit},
	"isreal":   {ogive.OpIsReal, ogive.IsReal, (*ogive.Tensor).IsReal},
}

// marks writes answers as a word of 0 and 1.
func marks(t *testing.T, x *ogive.Tensor, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	word := ""
	for _, v := range ogive.Must(ogive.Values[bool](x)) {
		word += map[bool]string{false: "0", true: "1"}[v]
	}
	return word
}

// TestPredicateCases is the definition of each test on the special values.
func TestPredicateCases(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	minusNaN, payload := math.Copysign(nan, -1), math.Float64frombits(0x7FF0000000000001)
	floats := []float64{0, math.Copysign(0, -1), 1, -1, inf, -inf, nan, minusNaN, payload, 5e-324, -math.MaxFloat64}
	complexes := []complex128{
		complex(1, 0), complex(1, math.Copysign(0, -1)), complex(1, 2), complex(inf, nan), complex(nan, -inf),
		complex(nan, 0), complex(0, nan), complex(nan, nan), complex(inf, inf), complex(0, 5e-324),
	}
	f32 := make([]float32, len(floats))
	for i, v := range floats {
		f32[i] = float32(v)
	}
	f32[8] = math.Float32frombits(0x7F800001)
	f32[9], f32[10] = math.SmallestNonzeroFloat32, -math.MaxFloat32
	tests := []struct {
		name, float, complex string // complex is empty where it is an error
		integer              string // for 0, -1, 1
	}{
		{"isposinf", "00001000000", "", "000"},
		{"isneginf", "00000100000", "", "000"},
		{"isinf", "00001100000", "0001100010", "000"},
		{"isnan", "00000011100", "0001111100", "000"},
		{"isfinite", "11110000011", "1110000001", "111"},
		{"signbit", "01010101001", "", "010"},
		{"isreal", "11111111111", "1100010000", "111"},
	}
	c64 := make([]complex64, len(complexes))
	for i, v := range complexes {
		c64[i] = complex64(v)
	}
	c64[9] = complex(0, math.SmallestNonzeroFloat32)
	for _, test := range tests {
		p := predicates[test.name]
		for _, x := range []*ogive.Tensor{ogive.Must(ogive.FromSlice(floats)), ogive.Must(ogive.FromSlice(f32))} {
			got, err := p.on(x)
			if got := marks(t, got, err); got != test.float {
				t.Errorf("%s of %v: %s, want %s", test.name, x.DType(), got, test.float)
			}
		}
		for _, x := range []*ogive.Tensor{ogive.Must(ogive.FromSlice(complexes)), ogive.Must(ogive.FromSlice(c64))} {
			got, err := p.do(x)
			if test.complex == "" {
				want := fmt.Sprintf("%s: %v is ambiguous; test its real or imaginary part", test.name, x.DType())
				if !errors.Is(err, ogive.ErrDType) || err.Error() != want {
					t.Errorf("%s of %v: %v, want %s", test.name, x.DType(), err, want)
				}
				continue
			}
			if got := marks(t, got, err); got != test.complex {
				t.Errorf("%s of %v: %s, want %s", test.name, x.DType(), got, test.complex)
			}
		}
		for _, dt := range []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64} {
			x := ogive.Must(ogive.Must(ogive.FromSlice([]int8{0, -1, 1})).Cast(dt))
			got, err := p.do(x)
			if got := marks(t, got, err); got != test.integer {
				t.Errorf("%s of %v: %s, want %s", test.name, dt, got, test.integer)
			}
		}
	}
}

// TestPredicateShapes keeps shapes: none, empty, and views.
func TestPredicateShapes(t *testing.T) {
	for _, shape := range [][]int{{}, {0}, {1}, {3, 0, 2}, {2, 3}, {1, 1, 1}} {
		x := ogive.Must(ogive.Zeros(dtype.Float32, shape...))
		for name, p := range predicates {
			got, err := p.do(x)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Shape(), shape) || got.DType() != dtype.Bool {
				t.Errorf("%s of shape %v: %v %v", name, shape, got.DType(), got.Shape())
			}
		}
	}
	x := ogive.Must(ogive.FromSlice([]float64{1, math.Inf(1), 3, math.Inf(1), 5, 6}, 2, 3))
	for _, test := range []struct {
		view *ogive.Tensor
		want string
	}{
		{ogive.Must(x.Transpose()), "011000"},
		{ogive.Must(x.Slice(1, 2, -1, -1)), "010001"},
		{ogive.Must(ogive.Must(x.Slice(1, 1, 2, 1)).BroadcastTo(2, 2, 3)), "111000111000"},
	} {
		got, err := ogive.IsPosInf(test.view)
		if got := marks(t, got, err); got != test.want {
			t.Errorf("strides %v: %s, want %s", test.view.Strides(), got, test.want)
		}
	}
}

// TestPredicateLarge is views of more than one task, against the oracle.
func TestPredicateLarge(t *testing.T) {
	for _, dt := range []dtype.DType{dtype.Int16, dtype.Float16, dtype.Float32, dtype.Complex128} {
		kind := "naninf"
		if dt == dtype.Int16 {
			kind = "random"
		}
		ref := fill(kind, dt, 7, 3, 241, 419)
		for _, l := range layouts {
			if l.repeated >= 0 && testing.Short() {
				continue
			}
			in := l.lay(t, ref)
			for _, name := range []string{"isfinite", "isreal"} {
				want := fromOracle(oracle.Predicate(name, in.ref))
				got, err := predicates[name].do(in.tensor)
				compare(t, fmt.Sprintf("%s of %v, layout %s", name, dt, l.name), read(t, got, nil, err), want)
			}
		}
	}
}

// TestElementErrors is the rows about element tests in the list of bad input,
// and what each test has in common.
func TestElementErrors(t *testing.T) {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3}))
	for name, p := range predicates {
		tests := []struct {
			x    *ogive.Tensor
			opt  ogive.Option
			kind error
			want string
		}{
			{nil, ogive.Workers(1), ogive.ErrShape, "x is nil"},
			{x, ogive.Out(nil), ogive.ErrOut, "out is nil"},
			{x, ogive.Out(ogive.Must(ogive.Zeros(dtype.Bool, 4))), ogive.ErrOut, "out has shape [4], want [3]"},
			{x, ogive.Out(ogive.Must(ogive.Zeros(dtype.Uint8, 3))), ogive.ErrOut, "out dtype uint8 cannot hold a bool result"},
		}
		for _, test := range tests {
			_, err := p.do(test.x, test.opt)
			if !errors.Is(err, test.kind) || err.Error() != name+": "+test.want {
				t.Errorf("%v, want %s: %s", err, name, test.want)
			}
		}
		for _, o := range []ogive.Option{ogive.Axis(0), ogive.KeepDims(), ogive.Invert(), ogive.Test(x), ogive.Overwrite()} {
			if _, err := p.do(x, o); !errors.Is(err, ogive.ErrOption) {
				t.Errorf("%s takes an option it does not know: %v", name, err)
			}
		}
	}
}

// TestElementAllocations: with Out nothing is allocated once warm, whatever
// the layout and the number of workers.
func TestElementAllocations(t *testing.T) {
	if built, ok := debug.ReadBuildInfo(); ok && slices.Contains(built.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector drops pooled memory")
	}
	big := ogive.Must(ogive.Zeros(dtype.Float32, 500, 700))
	test := ogive.Must(ogive.FromSlice([]int64{1, 2, 3, 5, 8, 13, 1 << 40}))
	for name, x := range map[string]*ogive.Tensor{
		"small": ogive.Must(ogive.Zeros(dtype.Float64, 5)), "scalar": ogive.Scalar(1.5),
		"large": big, "transposed": ogive.Must(big.Transpose()), "reversed": ogive.Must(big.Slice(1, 699, -1, -2)),
	} {
		out := ogive.Must(ogive.Zeros(dtype.Bool, x.Shape()...))
		if n := testing.AllocsPerRun(20, func() { ogive.Must(ogive.IsPosInf(x, ogive.Out(out))) }); n >= 1 {
			t.Errorf("%s: isposinf allocates %v times", name, n)
		}
		plan := ogive.Must(ogive.Prepare(ogive.OpIsIn, x.DType(), x.Shape(), ogive.Test(test), ogive.Invert()))
		if n := testing.AllocsPerRun(20, func() {
			if err := plan.Run(x, out); err != nil {
				t.Fatal(err)
			}
		}); n >= 1 {
			t.Errorf("%s: a prepared isin allocates %v times", name, n)
		}
	}
}

func ExampleIsPosInf() {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.Inf(1), math.Inf(-1), math.NaN()}))
	fmt.Println(ogive.Must(ogive.IsPosInf(x)))
	// Output: [False  True False False]
}

func ExampleIsNegInf() {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.Inf(1), math.Inf(-1), math.NaN()}))
	fmt.Println(ogive.Must(ogive.IsNegInf(x)))
	// Output: [False False  True False]
}

func ExampleIsInf() {
	x := ogive.Must(ogive.FromSlice([]complex128{1, complex(math.Inf(-1), math.NaN())}))
	fmt.Println(ogive.Must(ogive.IsInf(x)))
	// Output: [False  True]
}

func ExampleIsNaN() {
	x := ogive.Must(ogive.FromSlice([]float32{1, float32(math.NaN()), 3}))
	fmt.Println(ogive.Must(x.IsNaN()))
	// Output: [False  True False]
}

func ExampleIsFinite() {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.Inf(1), math.NaN()}))
	fmt.Println(ogive.Must(ogive.IsFinite(x)))
	// Output: [ True False False]
}

func ExampleSignBit() {
	x := ogive.Must(ogive.FromSlice([]float64{0, math.Copysign(0, -1), -2}))
	fmt.Println(ogive.Must(ogive.SignBit(x)))
	// Output: [False  True  True]
}

func ExampleIsReal() {
	x := ogive.Must(ogive.FromSlice([]complex64{1, 2i, complex(float32(math.NaN()), 0)}))
	fmt.Println(ogive.Must(ogive.IsReal(x)))
	// Output: [ True False  True]
}
