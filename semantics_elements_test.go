package ogive_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// elementTest is one of the functions of section 2.
type elementTest struct {
	name string
	run  func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, error)
}

var elementTests = []elementTest{
	{"isposinf", ogive.IsPosInf}, {"isneginf", ogive.IsNegInf}, {"isinf", ogive.IsInf}, {"isnan", ogive.IsNaN},
	{"isfinite", ogive.IsFinite}, {"signbit", ogive.SignBit}, {"isreal", ogive.IsReal},
}

// TestElementTestsOfFloats: every kind of number in every float dtype.
func TestElementTestsOfFloats(t *testing.T) {
	want := map[string]string{ // of +Inf -Inf 0 -0 1 -1 tiny -tiny largest, then NaN of signs + - + - + -
		"isposinf": "100000000000000", "isneginf": "010000000000000", "isinf": "110000000000000", "isnan": "000000000111111",
		"isfinite": "001111111000000", "signbit": "010101010010101", "isreal": "111111111111111",
	}
	for _, f := range floatTypes {
		bits := append([]uint64{f.inf, f.inf | f.signBit, 0, f.signBit, f.one, f.one | f.signBit, 1, f.signBit | 1, f.inf - 1}, f.nans()...)
		for _, e := range elementTests {
			got, err := e.run(fromBits(t, f.dt, bits))
			wantBools(t, e.name+" of "+f.dt.String(), got, err, []int{15}, want[e.name])
			got, err = e.run(fromBits(t, f.dt, bits, 3, 5))
			wantBools(t, e.name+" of 3 × 5 "+f.dt.String(), got, err, []int{3, 5}, want[e.name])
		}
	}
}

// TestElementTestsOfIntegers: nothing is infinite or NaN, everything finite and
// real; signbit is x < 0.
func TestElementTestsOfIntegers(t *testing.T) {
	for _, it := range intTypes {
		x := fromBits(t, it.dt, []uint64{it.min, 0, 1, it.max})
		sign := "0000"
		if it.dt.IsSigned() {
			sign = "1000"
		}
		want := map[string]string{"isposinf": "0000", "isneginf": "0000", "isinf": "0000", "isnan": "0000", "isfinite": "1111", "signbit": sign, "isreal": "1111"}
		for _, e := range elementTests {
			got, err := e.run(x)
			wantBools(t, e.name+" of "+it.dt.String(), got, err, []int{4}, want[e.name])
		}
	}
}

// TestElementTestsOfComplex looks at both parts.
func TestElementTestsOfComplex(t *testing.T) {
	values := []complex128{
		complex(1, 0), complex(1, negZero), complex(1, 1), complex(inf, 0), complex(0, -inf), complex(nan, inf), complex(inf, nan),
		complex(nan, 0), complex(0, nan), complex(nan, nan), complex(nan, negZero),
	}
	want := map[string]string{
		"isinf": "00011110000", "isnan": "00000111111", "isfinite": "11100000000", "isreal": "11010001001",
	}
	narrow := make([]complex64, len(values))
	for i, v := range values {
		narrow[i] = complex64(v)
	}
	for _, e := range elementTests {
		for _, x := range []*ogive.Tensor{of(values), of(narrow)} {
			got, err := e.run(x)
			if w, ok := want[e.name]; ok {
				wantBools(t, fmt.Sprintf("%s of %v", e.name, x.DType()), got, err, []int{len(values)}, w)
				continue
			}
			wantError(t, e.name, err, ogive.ErrDType, fmt.Sprintf("%s: %v is ambiguous; test its real or imaginary part", e.name, x.DType()))
		}
	}
}

// TestIsInComparesExactly: no value is changed on the way to being compared.
// (NumPy and torch promote both sides to one dtype.)
func TestIsInComparesExactly(t *testing.T) {
	f16 := func(v float64) dtype.F16 { return dtype.ToF16(v) }
	bf16 := func(v float64) dtype.BF16 { return dtype.ToBF16(v) }
	cases := []struct {
		name           string
		elements, test *ogive.Tensor
		want           string
	}{
		{"int64 2^53+1 in float64 2^53", vec[int64](1<<53+1, 1<<53), vec(0x1p53), "01"},
		{"float64 2^53 in int64 2^53+1", vec(0x1p53), vec[int64](1<<53 + 1), "0"},
		{"uint64 2^63+1 in int64 2^63-1", vec[uint64](1<<63+1, 1<<63-1, 1<<63), vec[int64](1<<63 - 1), "010"},
		{"uint64 in negative int64", vec[uint64](1<<64-1, 1<<63), vec[int64](-1, math.MinInt64), "00"},
		{"uint64 2^64-1 in float64 2^64", vec[uint64](1<<64-1, 1<<63), vec(0x1p64, 0x1p63), "01"},
		{"int64 extremes in float64", vec[int64](math.MaxInt64, math.MinInt64), vec(0x1p63, -0x1p63), "01"},
		{"uint8 255 in int8 -1", vec[uint8](255, 127), vec[int8](-1, 127), "01"},
		{"int8 -1 in uint8 255", vec[int8](-1, 127), vec[uint8](255, 127), "01"},
		{"float32 .1 in float64 .1", vec[float32](0.1, 0.5), vec(0.1, 0.5), "01"},
		{"float64 .1 in float32 .1", vec(0.1, 0.5, float64(float32(0.1))), vec[float32](0.1, 0.5), "011"},
		{"float16 in float64", vec(f16(0.1), f16(2048)), vec(0.1, 2048, 2049), "01"},
		{"float64 in float16", vec(2048.0, 2049, 65520), vec(f16(2048), f16(inf)), "100"},
		{"bfloat16 in int32", vec(bf16(256), bf16(257), bf16(0.5)), vec[int32](256, 257), "110"},
		{"int32 in bfloat16", vec[int32](256, 257), vec(bf16(257)), "10"},
		{"bool is 0 and 1", vec(true, false), vec[uint16](1, 2), "10"},
		{"numbers in bool", vec(0.0, 1, 2, 0.5, negZero), vec(true, false), "11001"},
		{"a real is (v, 0)", vec(complex(2, 0), complex(2, 1), complex(2, negZero)), vec[int8](2), "101"},
		{"complex in real", vec(2.0, 1), vec(complex(2, 0), complex(1, 1)), "10"},
		{"complex parts", vec(complex(1, 2), complex(2, 1)), vec[complex64](complex(1, 2)), "10"},
		{"int64 in complex128", vec[int64](1<<53+1, 1<<53), vec(complex(0x1p53, 0)), "01"},
		{"infinite parts", vec(complex(inf, 1), complex(inf, 2), complex(-inf, 1)), vec(complex(inf, 1)), "100"},
		{"-0 equals 0", vec(negZero, 0), vec(0.0), "11"}, {"0 equals -0", vec(negZero, 0), vec(negZero), "11"},
		{"-0 in each part", vec(complex(negZero, 1), complex(1, negZero)), vec(complex(0, 1), complex(1, 0)), "11"},
		{"infinities", vec(inf, -inf, math.MaxFloat64), vec[float32](float32(inf)), "100"},
		{"NaN is in nothing", vec(nan, 1), vec(nan, 1), "01"},
		{"NaN in a part is in nothing", vec(complex(nan, 1), complex(1, nan)), vec(complex(nan, 1), complex(1, nan)), "00"},
		{"empty test", vec(1.0, 2), of([]float64{}), "00"},
		{"test is flattened", vec(1, 2, 3, 4), of([]int{4, 1}, 2, 1), "1001"},
		{"a scalar test", vec(1, 2), ogive.Scalar(2), "01"},
	}
	kinds := map[string]ogive.Option{"auto": ogive.Kind(ogive.KindAuto), "sort": ogive.Kind(ogive.KindSort), "hash": ogive.Kind(ogive.KindHash)}
	whole := func(dt dtype.DType) bool { return dt.IsInteger() || dt.IsBool() }
	for _, c := range cases {
		inverted := strings.NewReplacer("0", "1", "1", "0").Replace(c.want)
		for kind, o := range kinds {
			what := c.name + ", " + kind
			got, err := c.elements.IsIn(c.test, o)
			wantBools(t, what, got, err, c.elements.Shape(), c.want)
			got, err = c.elements.IsIn(c.test, o, ogive.Invert())
			wantBools(t, what+", inverted", got, err, c.elements.Shape(), inverted)
			got, err = c.elements.IsIn(c.test, o, ogive.AssumeUnique())
			wantBools(t, what+", assumed unique", got, err, c.elements.Shape(), c.want)
		}
		if whole(c.elements.DType()) && whole(c.test.DType()) && !strings.Contains(c.name, "negative") {
			got, err := c.elements.IsIn(c.test, ogive.Kind(ogive.KindTable))
			wantBools(t, c.name+", table", got, err, c.elements.Shape(), c.want)
		}
	}
}

// TestIsInEqualNaN: all NaNs are one, real or complex, any sign and payload.
func TestIsInEqualNaN(t *testing.T) {
	for _, f := range floatTypes {
		for _, g := range floatTypes {
			elements := fromBits(t, f.dt, append(f.nans(), f.one, f.inf))
			for i, kind := range g.nans() {
				test := fromBits(t, g.dt, []uint64{kind, g.one})
				what := fmt.Sprintf("%v in %v NaN %d", f.dt, g.dt, i)
				got, err := elements.IsIn(test, ogive.EqualNaN())
				wantBools(t, what, got, err, []int{8}, "11111110")
				got, err = elements.IsIn(test)
				wantBools(t, what+", not equal", got, err, []int{8}, "00000010")
				got, err = elements.IsIn(test, ogive.EqualNaN(), ogive.Invert(), ogive.Kind(ogive.KindSort))
				wantBools(t, what+", inverted", got, err, []int{8}, "00000001")
			}
		}
	}
	parts := vec(complex(nan, 1), complex(1, nan), complex(nan, nan), complex(1, 1))
	got, err := parts.IsIn(vec(nan), ogive.EqualNaN())
	wantBools(t, "complex in a real NaN", got, err, []int{4}, "1110")
	got, err = vec(nan, 1).IsIn(vec(complex(0, nan)), ogive.EqualNaN())
	wantBools(t, "a real NaN in complex", got, err, []int{2}, "10")
	got, err = vec[int8](0, 1).IsIn(vec(nan, 1), ogive.EqualNaN())
	wantBools(t, "integers have no NaN", got, err, []int{2}, "01")
}

// TestIsInShapes: the shape is that of the elements.
func TestIsInShapes(t *testing.T) {
	got, err := of([]int{1, 2, 3, 4, 5, 6}, 2, 3).IsIn(vec(2, 6, 7))
	wantBools(t, "2-d", got, err, []int{2, 3}, "010001")
	got, err = ogive.Scalar(3).IsIn(vec(1, 3))
	wantBools(t, "0-d", got, err, scalar, "1")
	got, err = of([]int{}).IsIn(vec(1))
	wantBools(t, "empty", got, err, []int{0}, "")
	got, err = vec(1, 2).IsIn(of([]int{}), ogive.Invert())
	wantBools(t, "empty test, inverted", got, err, []int{2}, "11")
	view := ogive.Must(ogive.Must(of([]int{1, 2, 3, 4, 5, 6}, 2, 3).Transpose()).Slice(0, 2, -1, -1))
	got, err = view.IsIn(ogive.Must(vec(1, 9, 2, 9, 3, 9).Slice(0, 0, 6, 2)))
	wantBools(t, "views", got, err, []int{3, 2}, "101010")
	got, err = vec(1, 2).IsIn(ogive.Must(ogive.Scalar(2).BroadcastTo(1000, 1000, 100)), ogive.Kind(ogive.KindTable))
	wantBools(t, "a test repeated a hundred million times", got, err, []int{2}, "01")
}

// TestAssumeUniqueIsOnlyAHint: repeated values on both sides change nothing.
func TestAssumeUniqueIsOnlyAHint(t *testing.T) {
	elements, test := vec(5, 5, 1, 1, 9), vec(1, 1, 5, 5, 5, 7)
	for _, k := range []ogive.IsInKind{ogive.KindAuto, ogive.KindSort, ogive.KindTable, ogive.KindHash} {
		got, err := elements.IsIn(test, ogive.AssumeUnique(), ogive.Kind(k))
		wantBools(t, fmt.Sprint(k), got, err, []int{5}, "11110")
	}
}
