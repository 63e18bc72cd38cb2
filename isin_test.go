package ogive_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
)

func vector[T dtype.Element](v ...T) *ogive.Tensor { return ogive.Must(ogive.FromSlice(v)) }

// TestIsInCases is the rule about exact values, where promotion to a common
// dtype would answer otherwise.
func TestIsInCases(t *testing.T) {
	inf, nan, minusZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	minusNaN, payload := math.Copysign(nan, -1), math.Float64frombits(0x7FF0000000000001)
	none := ogive.Must(ogive.Zeros(dtype.Float32, 0))
	half := func(f float64) dtype.F16 { return dtype.ToF16(f) }
	tests := []struct {
		name           string
		elements, test *ogive.Tensor
		want           string
		equalNaN       string // with EqualNaN, where it differs
	}{
		{"2^53+1", vector[int64](1<<53+1, 1<<53, 1<<53-1), vector[float64](1<<53, 1<<53-1), "011", ""},
		{"2^63", vector[uint64](1<<63, 1<<63+1, 1<<63-1), vector[int64](math.MaxInt64), "001", ""},
		{"2^63 as a float", vector[float64](1<<63, -1<<63), vector[int64](math.MaxInt64, math.MinInt64), "01", ""},
		{"2^64 as a float", vector[float64](1<<64, 1<<63), vector[uint64](math.MaxUint64, 1<<63), "01", ""},
		{"255 and -1", vector[uint8](255, 1), vector[int8](-1, 1), "01", ""},
		{"-1 and 255", vector[int8](-1, 127), vector[uint8](255, 127), "01", ""},
		{"0.1", vector[float32](0.1, 0.5), vector[float64](0.1, 0.5), "01", ""},
		{"0.1 the other way", vector[float64](0.1, 0.5, float64(float32(0.1))), vector[float32](0.1, 0.5), "011", ""},
		{"halves", vector(half(0.1), half(65504), half(inf)), vector[float64](0.1, 65504, 65520, inf), "011", ""},
		{"bfloat16", vector(dtype.ToBF16(0x1p-133), dtype.ToBF16(1)), vector[float64](0x1p-133, 1.001), "10", ""},
		{"infinities", vector[float64](inf, -inf, math.MaxFloat64), vector[float32](float32(inf)), "100", ""},
		{"true is 1", vector(true, false), vector[float64](1, 0.5), "10", ""},
		{"1 is true", vector[uint16](1, 0, 2), vector(true), "100", ""},
		{"-0 is 0", vector[float64](0, minusZero, 5e-324), vector[float64](minusZero), "110", ""},
		{"0 is -0", vector[float64](0, minusZero), vector[int8](0), "11", ""},
		{"real and complex", vector[complex128](3, 3i, complex(3, minusZero), complex(minusZero, 3)), vector[int32](3), "1010", ""},
		{"complex and real", vector[float64](3, 4, 0), vector[complex64](3, 4i, complex(4, 1), 0), "101", ""},
		{"complex zeros", vector[complex128](0, complex(minusZero, 0), complex(0, minusZero), complex(minusZero, minusZero), 1i), vector[float32](0), "11110", ""},
		{"complex infinities", vector[complex128](complex(inf, 1), complex(inf, 2), complex(inf, inf)), vector[complex64](complex(float32(inf), 1), complex(float32(inf), float32(inf))), "101", ""},
		{"NaN", vector[float64](nan, 1), vector[float64](nan, 1), "01", "11"},
		{"NaNs of any kind", vector[float64](minusNaN, payload, 2), vector[float32](float32(nan)), "000", "110"},
		{"NaN, real and complex", vector[float32](float32(nan), 1), vector[complex128](complex(1, nan)), "00", "10"},
		{"complex NaNs", vector[complex128](complex(nan, 1), complex(1, nan), complex(nan, nan), 1), vector[float64](nan, 1), "0001", "1111"},
		{"NaN among integers", vector[int64](0, math.MinInt64), vector[float64](nan, inf), "00", ""},
		{"no NaN in test", vector[float64](nan, 1), vector[float64](1, 2, 3, 4, 5, 6), "01", ""},
		{"empty test", vector[float64](nan, 1), none, "00", ""},
		{"empty elements", none, vector[float64](1), "", ""},
		{"both empty", none, none, "", ""},
		{"scalar test", vector[int16](1, 2, 1), ogive.Scalar(1.0), "101", ""},
		{"scalar element", ogive.Scalar(2.0), vector[uint8](1, 2), "1", ""},
		{"both scalars", ogive.Scalar(int8(-1)), ogive.Scalar(uint64(math.MaxUint64)), "0", ""},
		{"unique although it is not", vector[int64](7, 7, 8), vector[int64](7, 7, 9, 9), "110", ""},
	}
	for _, test := range tests {
		for _, kind := range []ogive.IsInKind{ogive.KindAuto, ogive.KindSort, ogive.KindHash} {
			for bits := range 8 {
				opts, want := []ogive.Option{ogive.Kind(kind)}, test.want
				if bits&1 != 0 {
					opts = append(opts, ogive.AssumeUnique())
				}
				if bits&2 != 0 {
					opts = append(opts, ogive.EqualNaN())
					if test.equalNaN != "" {
						want = test.equalNaN
					}
				}
				if bits&4 != 0 {
					opts = append(opts, ogive.Invert())
					want = inverted(want)
				}
				got, err := test.elements.IsIn(test.test, opts...)
				if got := marks(t, got, err); got != want {
					t.Errorf("%s, kind %d, options %03b: %s, want %s", test.name, kind, bits, got, want)
				}
			}
		}
	}
}

func inverted(word string) string {
	b := []byte(word)
	for i := range b {
		b[i] ^= 1
	}
	return string(b)
}

func TestIsInErrors(t *testing.T) {
	ints, floats := vector[int64](1, 2), vector[float64](1, 2)
	table := ogive.Kind(ogive.KindTable)
	tests := []struct {
		elements, test *ogive.Tensor
		opt            ogive.Option
		kind           error
		want           string
	}{
		{nil, ints, table, ogive.ErrShape, "isin: x is nil"},
		{ints, nil, table, ogive.ErrShape, "isin: test is nil"},
		{ints, vector[int64](1, 1e14), table, ogive.ErrOption, "isin: kind table needs 93132 GiB, limit 1 GiB"},
		{ints, vector[int64](math.MinInt64, math.MaxInt64), table, ogive.ErrOption, "isin: kind table needs 17179869184 GiB, limit 1 GiB"},
		{ints, vector[uint64](0, math.MaxUint64), table, ogive.ErrOption, "isin: kind table needs 17179869184 GiB, limit 1 GiB"},
		{ints, vector[uint64](1, math.MaxUint64), table, ogive.ErrOption, "isin: kind table needs 17179869183 GiB, limit 1 GiB"},
		{ints, vector[int32](math.MinInt32, -math.MaxInt32+1<<30-1), table, ogive.ErrOption, "isin: kind table needs 1073741825 bytes, limit 1 GiB"},
		{vector[uint8](1), vector[int64](0, 1e14), table, ogive.ErrOption, "isin: kind table needs 93132 GiB, limit 1 GiB"},
		{floats, ints, table, ogive.ErrDType, "isin: kind table takes integers and bool, got float64"},
		{ints, vector[complex64](1), table, ogive.ErrDType, "isin: kind table takes integers and bool, got complex64"},
		{ints, ints, ogive.Out(ogive.Must(ogive.Zeros(dtype.Bool, 3))), ogive.ErrOut, "isin: out has shape [3], want [2]"},
		{ints, ints, ogive.Kind(9), ogive.ErrOption, "isin: unknown kind 9; known: auto, sort, table, hash"},
	}
	for _, test := range tests {
		_, err := ogive.IsIn(test.elements, test.test, test.opt)
		if !errors.Is(err, test.kind) || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	if _, err := ogive.IsIn(ints, ints, ogive.Axis(0)); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("axis: %v", err)
	}
	if _, err := ogive.IsIn(ints, ints, ogive.Test(ints)); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("test as an option: %v", err)
	}
	if _, err := ogive.Prepare(ogive.OpIsIn, dtype.Int8, []int{3}); !errors.Is(err, ogive.ErrShape) {
		t.Errorf("prepared without test: %v", err)
	}
	// The range is that of test, not of what elements have of it.
	for _, ok := range []*ogive.Tensor{vector[int64](-1<<40, -1<<40+1), vector(false, true), ogive.Must(ogive.Zeros(dtype.Uint64, 0))} {
		got, err := ogive.IsIn(vector[int16](1, 2), ok, table)
		if got := marks(t, got, err); got[1] != '0' {
			t.Errorf("table of %v: %s", ok, got)
		}
	}
}

// TestIsInHostile uses values that collide under simple hashes, and sizes that
// reach every structure and its growth.
func TestIsInHostile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	makers := map[string]func(i uint64) uint64{
		"multiples of 2^32":   func(i uint64) uint64 { return i << 32 },
		"multiples of 2^44":   func(i uint64) uint64 { return i << 44 },
		"inverse of phi":      func(i uint64) uint64 { return i * 0xF1DE83E19937733D }, // times 0x9E3779B97F4A7C15 is i
		"multiples of 2^20+1": func(i uint64) uint64 { return i * (1<<20 + 1) },
		"dense":               func(i uint64) uint64 { return i },
		"reversed":            func(i uint64) uint64 { return -i },
		"repeated":            func(i uint64) uint64 { return i % 100 << 50 },
		"random":              func(uint64) uint64 { return r.Uint64() },
	}
	sizes := []int{3, 20, 5000, 200_000}
	if testing.Short() {
		sizes = sizes[:3]
	}
	for name, value := range makers {
		for _, m := range sizes {
			test, members := make([]uint64, m), make(map[uint64]bool)
			for i := range test {
				test[i] = value(uint64(i))
				members[test[i]] = true
			}
			elements := make([]uint64, 20_000)
			for i := range elements {
				switch i % 4 {
				case 0:
					elements[i] = test[r.IntN(m)]
				case 1:
					elements[i] = test[r.IntN(m)] ^ 1<<r.IntN(64)
				case 2:
					elements[i] = value(uint64(m + i))
				default:
					elements[i] = 0
				}
			}
			for _, kind := range []ogive.IsInKind{ogive.KindAuto, ogive.KindSort, ogive.KindHash} {
				for _, opts := range [][]ogive.Option{{ogive.Kind(kind)}, {ogive.Kind(kind), ogive.AssumeUnique()}} {
					got, err := ogive.IsIn(vector(elements...), vector(test...), opts...)
					for i, found := range ogive.Must(ogive.Values[bool](ogive.Must(got, err))) {
						if found != members[elements[i]] {
							t.Fatalf("%s, %d values, kind %d: %#x gives %v", name, m, kind, elements[i], found)
						}
					}
				}
			}
		}
	}
}

// TestIsInFilter is a table so large that a filter is read before it, at every
// share of hits.
func TestIsInFilter(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	r := rand.New(rand.NewPCG(3, 4))
	test, members := make([]float64, 600_000), make(map[float64]bool)
	for i := range test {
		test[i] = r.NormFloat64()
		members[test[i]] = true
	}
	plan := ogive.Must(ogive.Prepare(ogive.OpIsIn, dtype.Float64, []int{100_000}, ogive.Test(vector(test...))))
	for _, hits := range []float64{0, 0.1, 0.5, 0.9, 1} {
		elements := make([]float64, 100_000)
		for i := range elements {
			if elements[i] = r.NormFloat64(); r.Float64() < hits {
				elements[i] = test[r.IntN(len(test))]
			}
		}
		out := ogive.Must(ogive.Zeros(dtype.Bool, len(elements)))
		if err := plan.Run(vector(elements...), out); err != nil {
			t.Fatal(err)
		}
		for i, found := range ogive.Must(ogive.Values[bool](out)) {
			if found != members[elements[i]] {
				t.Fatalf("hits %v: %v gives %v", hits, elements[i], found)
			}
		}
	}
}

// TestIsInViews reads test through views, without copying what repeats.
func TestIsInViews(t *testing.T) {
	e := vector[int32](0, 1, 2, 3, 4, 5)
	x := ogive.Must(ogive.FromSlice([]int32{0, 1, 2, 3, 4, 5}, 2, 3))
	for _, test := range []struct {
		view *ogive.Tensor
		want string
	}{
		{ogive.Must(x.Transpose()), "111111"},
		{ogive.Must(x.Slice(1, 2, -1, -2)), "101101"},
		{ogive.Must(x.Slice(0, 1, 1, 1)), "000000"},
		{ogive.Must(ogive.Must(x.Slice(0, 1, 2, 1)).BroadcastTo(1<<17, 1<<10, 3)), "000111"},
		{ogive.Must(ogive.Scalar[int32](4).BroadcastTo(1<<14, 1<<14)), "000010"},
	} {
		for _, kind := range []ogive.IsInKind{ogive.KindAuto, ogive.KindSort, ogive.KindTable, ogive.KindHash} {
			got, err := ogive.IsIn(e, test.view, ogive.Kind(kind))
			if got := marks(t, got, err); got != test.want {
				t.Errorf("shape %v strides %v, kind %d: %s, want %s", test.view.Shape(), test.view.Strides(), kind, got, test.want)
			}
		}
	}
}

// TestIsInPlanKeepsTest: test is read when the plan is made, and a plan runs
// on many goroutines.
func TestIsInPlanKeepsTest(t *testing.T) {
	for _, kind := range []ogive.IsInKind{ogive.KindAuto, ogive.KindSort, ogive.KindTable, ogive.KindHash} {
		values := []int32{5, 6, 700, 8000, 90000, 100000}
		plan := ogive.Must(ogive.Prepare(ogive.OpIsIn, dtype.Int32, []int{3}, ogive.Test(vector(values...)), ogive.Kind(kind)))
		clear(values)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				out := ogive.Must(ogive.Zeros(dtype.Bool, 3))
				for range 50 {
					if err := plan.Run(vector[int32](0, 700, 7), out); err != nil {
						t.Error(err)
						return
					}
					if got := fmt.Sprint(out); got != "[False  True False]" {
						t.Errorf("kind %d: %s", kind, got)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

// TestIsInOverlap writes the answer over the elements and over the test.
func TestIsInOverlap(t *testing.T) {
	for n := range 20 {
		memory := make([]byte, 64)
		for i := range memory {
			memory[i] = byte(i*7) % 5 & 1
		}
		x := ogive.Must(ogive.FromBytes(dtype.Bool, memory))
		e, out := ogive.Must(x.Slice(0, 0, 40, 1)), ogive.Must(x.Slice(0, n, n+40, 1))
		test := ogive.Must(x.Slice(0, 63, 63-n, -1))
		want, err := oracle.IsIn(oracle.FromBytes(dtype.Bool, append([]byte{}, memory[:40]...), 40),
			oracle.FromBytes(dtype.Bool, append([]byte{}, memory[64-n:]...), n), oracle.IsInOptions{Invert: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := ogive.IsIn(e, test, ogive.Out(out), ogive.Invert())
		compare(t, fmt.Sprintf("out %d after the elements", n), read(t, got, nil, err), fromOracle(want, nil))
	}
}

func ExampleIsIn() {
	x := ogive.Must(ogive.FromSlice([]int64{1, 2, 3, 1<<53 + 1}))
	allowed := ogive.Must(ogive.FromSlice([]float64{1, 3, 1 << 53}))
	fmt.Println(ogive.Must(ogive.IsIn(x, allowed)))
	fmt.Println(ogive.Must(x.IsIn(allowed, ogive.Invert())))
	// Output:
	// [ True False  True False]
	// [False  True False  True]
}
