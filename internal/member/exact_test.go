package member

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/testkit"
	"pgregory.net/rapid"
)

// number is the value of an element, in a form that compares with ==: two
// exact rationals or infinities, or NaN.
type number struct{ re, im string }

var nanNumber = number{"NaN", "NaN"}

// value returns the number that a pattern of a float dtype stands for.
func value[B kernel.Bits](dt dtype.DType, b B) float64 {
	switch dt {
	case dtype.Float16:
		return dtype.F16FromBits(uint16(b)).Float64()
	case dtype.BFloat16:
		return dtype.BF16FromBits(uint16(b)).Float64()
	case dtype.Float32:
		return float64(math.Float32frombits(uint32(b)))
	default:
		return math.Float64frombits(uint64(b))
	}
}

// exactly writes a float64 as a rational.
func exactly(f float64) string {
	switch {
	case f != f:
		return "NaN"
	case math.IsInf(f, 0):
		return fmt.Sprint(f)
	}
	return new(big.Rat).SetFloat64(f).RatString()
}

// numberAt reads the element of dtype dt at p.
func numberAt(dt dtype.DType, p unsafe.Pointer) number {
	float := func(f float64) number { return number{exactly(f), "0"} }
	integer := func(i int64) number { return number{big.NewInt(i).String(), "0"} }
	var n number
	switch dt {
	case dtype.Bool, dtype.Uint8:
		n = integer(int64(*(*uint8)(p)))
	case dtype.Int8:
		n = integer(int64(*(*int8)(p)))
	case dtype.Int16:
		n = integer(int64(*(*int16)(p)))
	case dtype.Int32:
		n = integer(int64(*(*int32)(p)))
	case dtype.Int64:
		n = integer(*(*int64)(p))
	case dtype.Uint16:
		n = integer(int64(*(*uint16)(p)))
	case dtype.Uint32:
		n = integer(int64(*(*uint32)(p)))
	case dtype.Uint64:
		n = number{new(big.Int).SetUint64(*(*uint64)(p)).String(), "0"}
	case dtype.Complex64:
		q := (*kernel.Pair32)(p)
		n = number{exactly(value(dtype.Float32, q[0])), exactly(value(dtype.Float32, q[1]))}
	case dtype.Complex128:
		q := (*kernel.Pair64)(p)
		n = number{exactly(value(dtype.Float64, q[0])), exactly(value(dtype.Float64, q[1]))}
	case dtype.Float32:
		n = float(value(dt, *(*uint32)(p)))
	case dtype.Float64:
		n = float(value(dt, *(*uint64)(p)))
	default:
		n = float(value(dt, *(*uint16)(p)))
	}
	if n.re == "NaN" || n.im == "NaN" {
		return nanNumber
	}
	return n
}

// halves are the values of the 16-bit floats.
var halves = func() map[dtype.DType]map[string]bool {
	m := make(map[dtype.DType]map[string]bool)
	for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		m[dt] = make(map[string]bool)
		for b := range 1 << 16 {
			m[dt][exactly(value(dt, uint16(b)))] = true
		}
	}
	return m
}()

// has reports whether a dtype has a number, which is not NaN.
func has(dt dtype.DType, n number) bool {
	switch dt {
	case dtype.Complex64:
		return has(dtype.Float32, number{n.re, "0"}) && has(dtype.Float32, number{n.im, "0"})
	case dtype.Complex128:
		return has(dtype.Float64, number{n.re, "0"}) && has(dtype.Float64, number{n.im, "0"})
	}
	if n.im != "0" {
		return false
	}
	if dt.IsFloat() && dt.Size() == 2 {
		return halves[dt][n.re]
	}
	v, finite := new(big.Rat).SetString(n.re)
	if !finite {
		return dt.IsFloat()
	}
	switch {
	case dt == dtype.Float32:
		f, _ := v.Float32() // the second result is true of what underflows
		return exactly(float64(f)) == n.re
	case dt == dtype.Float64:
		f, _ := v.Float64()
		return exactly(f) == n.re
	case !v.IsInt():
		return false
	}
	low, high := new(big.Int), big.NewInt(1)
	if dt.IsUnsigned() {
		high.Lsh(high, uint(8*dt.Size()))
		high.Sub(high, big.NewInt(1))
	} else if dt.IsSigned() {
		high.Lsh(high, uint(8*dt.Size()-1))
		low.Neg(high)
		high.Sub(high, big.NewInt(1))
	}
	return v.Num().Cmp(low) >= 0 && v.Num().Cmp(high) <= 0
}

// variants returns how many patterns of a dtype stand for a number that it has.
func variants(dt dtype.DType, n number) int {
	count := 1
	if n.re == "0" && (dt.IsFloat() || dt.IsComplex()) {
		count *= 2
	}
	if n.im == "0" && dt.IsComplex() {
		count *= 2
	}
	return count
}

// failer is a test, or a draw of a property.
type failer interface{ Fatalf(string, ...any) }

// checkExact converts each element to dt, alone, and holds the patterns to the
// exact value: all of those that stand for it and no other.
func checkExact[P kernel.Pattern](t failer, dt, src dtype.DType, memory []byte, patternsOf func(dtype.DType, Values) ([]P, bool)) {
	size := src.Size()
	var all []P
	anyNaN := false
	for i := 0; i < len(memory)/size; i++ {
		from := unsafe.Pointer(&memory[i*size])
		want := numberAt(src, from)
		got, nan := patternsOf(dt, Values{src, from, 1})
		all, anyNaN = append(all, got...), anyNaN || nan
		if nan != (want == nanNumber) {
			t.Fatalf("%v of %v in %v: NaN is %v", want, src, dt, nan)
		}
		count := 0
		if !nan && has(dt, want) {
			count = variants(dt, want)
		}
		if len(got) != count {
			t.Fatalf("%v of %v has %d patterns %#x in %v, want %d", want, src, len(got), got, dt, count)
		}
		for j, p := range got {
			if back := numberAt(dt, unsafe.Pointer(&got[j])); back != want {
				t.Fatalf("%v of %v became %v of %v", want, src, back, dt)
			}
			if slices.Contains(got[:j], p) {
				t.Fatalf("%v of %v has the pattern %#x twice", want, src, p)
			}
		}
	}
	if len(memory) == 0 {
		return
	}
	n := len(memory) / size
	if got, nan := patternsOf(dt, Values{src, unsafe.Pointer(&memory[0]), n}); nan != anyNaN || !slices.Equal(got, all) {
		t.Fatalf("%d of %v at once became other patterns of %v than one by one", n, src, dt)
	}
}

// checkExactOf is checkExact with the patterns of a dtype.
func checkExactOf(t failer, dt, src dtype.DType, memory []byte) {
	switch {
	case dt == dtype.Complex64:
		checkExact(t, dt, src, memory, patternsOf[kernel.Pair32])
	case dt == dtype.Complex128:
		checkExact(t, dt, src, memory, patternsOf[kernel.Pair64])
	case dt.Size() == 1:
		checkExact(t, dt, src, memory, bitsOf[uint8])
		checkExact(t, dt, src, memory, patternsOf[uint8])
	case dt.Size() == 2:
		checkExact(t, dt, src, memory, bitsOf[uint16])
		checkExact(t, dt, src, memory, patternsOf[uint16])
	case dt.Size() == 4:
		checkExact(t, dt, src, memory, bitsOf[uint32])
		checkExact(t, dt, src, memory, patternsOf[uint32])
	default:
		checkExact(t, dt, src, memory, bitsOf[uint64])
		checkExact(t, dt, src, memory, patternsOf[uint64])
	}
}

// elementsAround returns elements of a dtype at which some conversion stops
// being exact.
func elementsAround(src dtype.DType) []byte {
	var wide []complex128
	for _, p := range []int{-1075, -1074, -1050, -149, -133, -24, -1, 0, 1, 7, 8, 10, 11, 12, 15, 16, 17, 23, 24, 25, 31, 32, 52, 53, 54, 62, 63, 64, 65, 127, 128, 1023} {
		v := math.Ldexp(1, p)
		for _, w := range []float64{v, math.Nextafter(v, 0), math.Nextafter(v, 2*v), v - 1, v + 1, 1.5 * v} {
			wide = append(wide, complex(w, 0), complex(-w, 0), complex(w, w), complex(0, -w))
		}
	}
	inf, nan, minus := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, re := range []float64{0, minus, 1, inf, -inf, nan, 65504, 65520, 0.1} {
		for _, im := range []float64{0, minus, 1, inf, -inf, nan} {
			wide = append(wide, complex(re, im))
		}
	}
	memory := testkit.Aligned(len(wide) * src.Size())
	dtype.Convert(src, memory, dtype.Complex128, unsafe.Slice((*byte)(unsafe.Pointer(&wide[0])), 16*len(wide)))
	if src == dtype.Int64 || src == dtype.Uint64 {
		// Those that no float64 holds.
		ints := unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), len(wide))
		for i := range ints {
			ints[i] += uint64(i%5) - 2
		}
	}
	return memory
}

// TestExact is every pair of dtypes.
func TestExact(t *testing.T) {
	for _, src := range dtype.All() {
		around := elementsAround(src)
		random := testkit.Fill("bits", src, 400, 1)
		if src != dtype.Bool {
			r := rand.New(rand.NewPCG(uint64(src), 3))
			more := testkit.Aligned(300 * src.Size())
			for i := range more {
				more[i] = byte(r.Uint32())
			}
			random = append(random, more...)
		}
		for _, dt := range dtype.All() {
			t.Run(fmt.Sprintf("%v/%v", src, dt), func(t *testing.T) {
				checkExactOf(t, dt, src, around)
				checkExactOf(t, dt, src, random)
			})
		}
	}
}

// TestAsIs puts one value at each place of floats that are neither zero nor NaN.
func TestAsIs(t *testing.T) {
	inf := math.Inf(1)
	for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		for _, n := range []int{1, 2, 63, 256, 257, 1000} {
			for _, v := range []float64{0, math.Copysign(0, -1), math.NaN(), inf, -inf, 1, -1} {
				for _, at := range []int{0, n / 2, n - 1} {
					wide := make([]float64, n)
					for i := range wide {
						wide[i] = float64(i%7) - 3.5
					}
					wide[at] = v
					memory := testkit.Aligned(n * dt.Size())
					dtype.Convert(dt, memory, dtype.Float64, testkit.Raw(wide))
					from := unsafe.Pointer(unsafe.SliceData(memory))
					var got bool
					switch dt.Size() {
					case 2:
						got = asIs(unsafe.Slice((*uint16)(from), n), dt)
					case 4:
						got = asIs(unsafe.Slice((*uint32)(from), n), dt)
					default:
						got = asIs(unsafe.Slice((*uint64)(from), n), dt)
					}
					if want := v != 0 && v == v; got != want {
						t.Fatalf("%v, %v at %d of %d: %v, want %v", dt, v, at, n, got, want)
					}
				}
			}
		}
	}
}

// propExact converts elements with any bits.
func propExact(t *rapid.T) {
	src, dt := rapid.SampledFrom(dtype.All()).Draw(t, "src"), rapid.SampledFrom(dtype.All()).Draw(t, "dtype")
	raw := rapid.SliceOfN(rapid.Uint64(), 0, 40).Draw(t, "bits")
	memory := testkit.Aligned(8 * len(raw))
	copy(memory, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(raw))), 8*len(raw)))
	memory = memory[:len(memory)/src.Size()*src.Size()]
	if src == dtype.Bool {
		for i := range memory {
			memory[i] &= 1
		}
	}
	checkExactOf(t, dt, src, memory)
}

func TestPropExact(t *testing.T) { rapid.Check(t, propExact) }

func FuzzExact(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propExact)) }
