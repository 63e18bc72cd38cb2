package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// floatPatterns returns patterns of a float dtype: all of a narrow one, else
// the edges of each class with both signs, and random ones.
func floatPatterns[B Bits](dt dtype.DType) []B {
	width := 8 * dt.Size()
	if width == 16 {
		all := make([]B, 1<<16)
		for i := range all {
			all[i] = B(i)
		}
		return all
	}
	inf, sign := infinity[B](dt), Negative[B]().Low
	var list []B
	for _, edge := range []B{0, inf, sign - 1, inf | inf>>1&^inf} {
		for d := range 3 {
			list = append(list, edge+B(d)-1, (edge+B(d)-1)^sign)
		}
	}
	r := rand.New(rand.NewPCG(uint64(width), 1))
	for range 1000 {
		list = append(list, B(r.Uint64()), B(r.Uint64())|inf)
	}
	return list
}

// value returns the number that a pattern of a float dtype stands for.
func value[B Bits](dt dtype.DType, b B) float64 {
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

func eachFloat(t *testing.T, f16, bf16, f32, f64 func(*testing.T, dtype.DType)) {
	t.Run("float16", func(t *testing.T) { f16(t, dtype.Float16) })
	t.Run("bfloat16", func(t *testing.T) { bf16(t, dtype.BFloat16) })
	t.Run("float32", func(t *testing.T) { f32(t, dtype.Float32) })
	t.Run("float64", func(t *testing.T) { f64(t, dtype.Float64) })
}

func TestWindows(t *testing.T) {
	eachFloat(t, testWindows[uint16], testWindows[uint16], testWindows[uint32], testWindows[uint64])
}

func testWindows[B Bits](t *testing.T, dt dtype.DType) {
	w := WindowsOf[B](dt)
	finite := func(v float64) bool { return v-v == 0 }
	tests := []struct {
		name   string
		window Window[B]
		want   func(v float64) bool
	}{
		{"posinf", w.PosInf, func(v float64) bool { return math.IsInf(v, 1) }},
		{"neginf", w.NegInf, func(v float64) bool { return math.IsInf(v, -1) }},
		{"inf", w.Inf, func(v float64) bool { return math.IsInf(v, 0) }},
		{"nan", w.NaN, func(v float64) bool { return v != v }},
		{"finite", w.Finite, finite},
		{"negative", w.Negative, math.Signbit},
		{"zero", w.Zero, func(v float64) bool { return v == 0 }},
		{"everything", Everything[B](), func(float64) bool { return true }},
	}
	src := floatPatterns[B](dt)
	for _, test := range tests {
		dst := make([]uint8, len(src))
		InWindow(dst, src, test.window)
		for i, b := range src {
			if want := bit(test.want(value(dt, b))); dst[i] != want {
				t.Fatalf("%s of %#x: %d, want %d", test.name, b, dst[i], want)
			}
		}
	}
}

func TestNegativeIntegers(t *testing.T) {
	for i := range 1 << 16 {
		if got, want := Negative[uint16]().Has(uint16(i)), int16(uint16(i)) < 0; got != want {
			t.Fatalf("%d: %v", i, got)
		}
	}
}

// TestWindowLengths is every small length, between fence pages and with the
// bytes after the answers watched.
func TestWindowLengths(t *testing.T) {
	w := WindowsOf[uint32](dtype.Float32)
	for _, side := range testkit.Sides {
		for n := range 40 {
			r := rand.New(rand.NewPCG(uint64(n), 2))
			src := testkit.Fenced[uint32](t, 2*n, side)
			for i := range src {
				if src[i] = r.Uint32(); r.IntN(3) == 0 {
					src[i] = 0x7F800000 | src[i]&0x80000001
				}
			}
			dst := testkit.Fenced[uint8](t, n, side)
			check := func(name string, want func(i int) bool) {
				t.Helper()
				for i, got := range dst {
					if got != bit(want(i)) {
						t.Fatalf("%s, %v, n = %d: dst[%d] = %d", name, side, n, i, got)
					}
				}
			}
			f := func(i int) float64 { return float64(math.Float32frombits(src[i])) }
			InWindow(dst, src[:n], w.Inf)
			check("inf", func(i int) bool { return math.IsInf(f(i), 0) })
			EitherInWindow(dst, src, w.NaN)
			check("either nan", func(i int) bool { return f(2*i) != f(2*i) || f(2*i+1) != f(2*i+1) })
			BothInWindow(dst, src, w.Finite, w.Negative)
			check("finite, negative", func(i int) bool { return f(2*i)-f(2*i) == 0 && math.Signbit(f(2*i+1)) })
			Fill(dst, 1)
			check("fill", func(int) bool { return true })
			Invert(dst)
			check("invert", func(int) bool { return false })
			for i := range dst {
				dst[i] = uint8(i & 1)
			}
			other := make([]uint8, n)
			for i := range other {
				other[i] = uint8(i >> 1 & 1)
			}
			Or(dst, other)
			check("or", func(i int) bool { return i&3 != 0 })
		}
	}
}

// TestShortSourcePanics is the contract for lengths that do not match.
func TestShortSourcePanics(t *testing.T) {
	dst, src := make([]uint8, 9), make([]uint64, 8)
	for name, f := range map[string]func(){
		"InWindow":       func() { InWindow(dst, src, Everything[uint64]()) },
		"EitherInWindow": func() { EitherInWindow(dst[:5], src, Everything[uint64]()) },
		"Few":            func() { new(Few[uint64]).Contains(dst, src) },
		"InBitmap":       func() { InBitmap(dst, src, make([]uint64, 2), 0, 63) },
		"InBitmap range": func() { InBitmap(dst[:8], src, make([]uint64, 1), 0, 63) },
		"InTable":        func() { InTable(dst[:8], src, make([]uint8, 64), 0, 63) },
		"InSorted":       func() { InSorted(dst, src, src) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func ExampleWindow() {
	w := WindowsOf[uint32](dtype.Float32)
	x := []float32{1, float32(math.Inf(1)), float32(math.NaN())}
	bits := unsafe.Slice((*uint32)(unsafe.Pointer(&x[0])), len(x))
	answers := make([]uint8, len(x))
	InWindow(answers, bits, w.PosInf)
	fmt.Println(answers)
	// Output: [0 1 0]
}
