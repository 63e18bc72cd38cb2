package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

func testWiden[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for _, n := range lengths() {
		for _, e := range []Encoding[K]{{}, {Code: Unsigned}} {
			side := testkit.Sides[rng.IntN(2)]
			keys := testkit.FencedCopy(t, keysOf[K](n, rng), side)
			got, want := testkit.Fenced[float64](t, n, side), make([]float64, n)
			Widen(got, keys, e)
			widenGeneric(want, keys, e)
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%v n=%d: key %d becomes %v, want %v", e, n, keys[i], got[i], want[i])
				}
			}
		}
	}
}

// Widen is its reference.
func TestWiden(t *testing.T) {
	eachImpl(t, "Widen", func(t *testing.T) {
		forKeys(t, testWiden[int8], testWiden[int16], testWiden[int32], testWiden[int64])
	})
}

// The reference gives the values of integers at the ends of their range.
func TestWidenEnds(t *testing.T) {
	var got [3]float64
	Widen(got[:], []int8{-128, 0, 127}, Encoding[int8]{Code: Unsigned})
	if want := [3]float64{0, 128, 255}; got != want {
		t.Errorf("uint8: %v, want %v", got, want)
	}
	Widen(got[:], []int64{math.MinInt64, 0, math.MaxInt64}, Encoding[int64]{Code: Unsigned})
	if want := [3]float64{0, 1 << 63, 1 << 64}; got != want {
		t.Errorf("uint64: %v, want %v", got, want)
	}
	Widen(got[:], []int64{math.MinInt64, 0, math.MaxInt64}, Encoding[int64]{})
	if want := [3]float64{-1 << 63, 0, 1 << 63}; got != want {
		t.Errorf("int64: %v, want %v", got, want)
	}
}

// Every key of 16 bits is widened to its value; every float32 between and on
// 16-bit numbers and their middles is narrowed as the reference says.
func TestWidenNarrowHalf(t *testing.T) {
	eachImpl(t, "Widen", func(t *testing.T) {
		for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			e := EncodingOf[int16](dt)
			keys := make([]int16, 1<<16)
			for i := range keys {
				keys[i] = int16(i)
			}
			got, want := make([]int32, len(keys)), make([]int32, len(keys))
			WidenHalf(got, keys, e)
			widenHalfGeneric(want, keys, e)
			var wide []int32
			for i, k := range keys {
				g, w := math.Float32frombits(uint32(got[i])), math.Float32frombits(uint32(want[i]))
				if got[i] != want[i] && (g == g || w == w) {
					t.Fatalf("%v: key %d becomes %v, want %v", dt, k, g, w)
				}
				if w != w {
					continue
				}
				// The number, and what follows it up to the next.
				for _, step := range []int32{0, 1, 0xFFF, 0x1000, 0x1001, 0x7FFF, 0x8000, 0x8001} {
					if x := want[i] + step; step == 0 || math.Abs(float64(w)) < math.MaxFloat32/4 {
						wide = append(wide, x)
					}
				}
			}
			for len(wide)%16 != 3 {
				wide = append(wide, 0x7FC00000)
			}
			narrow, right := make([]int16, len(wide)), make([]int16, len(wide))
			NarrowHalf(narrow, wide, e)
			narrowHalfGeneric(right, wide, e)
			for i := range wide {
				if narrow[i] != right[i] {
					t.Fatalf("%v: %08x becomes %04x, want %04x", dt, uint32(wide[i]), uint16(narrow[i]), uint16(right[i]))
				}
			}
		}
	})
}

// Between 16-bit and 32-bit floats nothing outside the slices is read or
// written.
func TestWidenHalfFences(t *testing.T) {
	eachImpl(t, "Widen", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(32, 2))
		for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			e := EncodingOf[int16](dt)
			for _, n := range lengths() {
				side := testkit.Sides[rng.IntN(2)]
				keys := testkit.FencedCopy(t, keysOf[int16](n, rng), side)
				for i := range keys {
					keys[i] = min(keys[i], e.Inf)
					keys[i] = max(keys[i], ^e.Inf)
				}
				wide, back := testkit.Fenced[int32](t, n, side), testkit.Fenced[int16](t, n, side)
				WidenHalf(wide, keys, e)
				NarrowHalf(back, wide, e)
				Encode(back, back, e)
				for i := range keys {
					if back[i] != keys[i] {
						t.Fatalf("%v n=%d: key %d comes back as %d", dt, n, keys[i], back[i])
					}
				}
			}
		}
	})
}
