package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

func testMiddleInt[K Key](t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for _, n := range lengths() {
		for _, e := range []Encoding[K]{{}, {Code: Unsigned}} {
			side := testkit.Sides[rng.IntN(2)]
			lo, hi := testkit.FencedCopy(t, keysOf[K](n, rng), side), testkit.FencedCopy(t, keysOf[K](n, rng), side)
			for i := range lo {
				switch rng.IntN(8) {
				case 0:
					hi[i] = lo[i]
				case 1: // the middle is about 0
					hi[i] = ^lo[i] + K(rng.IntN(3))
				case 2: // many bits are dropped, near the middle of two float64
					lo[i] = MaxKey[K]() - K(rng.IntN(8))
					hi[i] = lo[i]&^7 | K(rng.IntN(8))
				}
			}
			got, want := testkit.Fenced[float64](t, n, side), make([]float64, n)
			MiddleInt(got, lo, hi, e)
			if e.Code == Unsigned {
				a, b := make([]uint64, n), make([]uint64, n)
				for i := range a {
					a[i], b[i] = uint64(int64(lo[i])-int64(MinKey[K]())), uint64(int64(hi[i])-int64(MinKey[K]()))
				}
				rank.InterpolateUint(want, a, b, []float64{0.5})
			} else {
				a, b := make([]int64, n), make([]int64, n)
				for i := range a {
					a[i], b[i] = int64(lo[i]), int64(hi[i])
				}
				rank.InterpolateInt(want, a, b, []float64{0.5})
			}
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%v n=%d: between the keys %d and %d lies %v, want %v", e, n, lo[i], hi[i], got[i], want[i])
				}
			}
		}
	}
}

// The middles of integers have the bits of rank.
func TestMiddleInt(t *testing.T) {
	eachImpl(t, "Widen", func(t *testing.T) {
		forKeys(t, testMiddleInt[int8], testMiddleInt[int16], testMiddleInt[int32], testMiddleInt[int64])
	})
}

// Widen gives the values of integers at the ends of their range.
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
func TestWidenRound16(t *testing.T) {
	eachImpl(t, "Widen", func(t *testing.T) {
		for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			e := EncodingOf[int16](dt)
			keys := make([]int16, 1<<16)
			for i := range keys {
				keys[i] = int16(i)
			}
			got, want := make([]int32, len(keys)), make([]int32, len(keys))
			Widen16(got, keys, e)
			widen16Generic(want, keys, e)
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
			Round16(narrow, wide, e)
			round16Generic(right, wide, e)
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
func TestWiden16Fences(t *testing.T) {
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
				Widen16(wide, keys, e)
				Round16(back, wide, e)
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

// The middles of 16-bit floats have the bits of rank, with every float among
// them, and nothing outside the slices is read or written.
func TestMiddle16(t *testing.T) {
	eachImpl(t, "Widen", func(t *testing.T) {
		for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			rng := rand.New(rand.NewPCG(32, 3))
			e := EncodingOf[int16](dt)
			check := func(a, b []int16) {
				n, side := len(a), testkit.Sides[rng.IntN(2)]
				lo, hi := testkit.FencedCopy(t, a, side), testkit.FencedCopy(t, b, side)
				Encode(lo, lo, e)
				Encode(hi, hi, e)
				got, want := testkit.Fenced[int16](t, n, side), make([]int16, n)
				done := Middle16(got, lo, hi, e)
				if dt == dtype.Float16 {
					rank.InterpolateF16(As[dtype.F16](want), As[dtype.F16](a), As[dtype.F16](b), []float64{0.5})
				} else {
					rank.InterpolateBF16(As[dtype.BF16](want), As[dtype.BF16](a), As[dtype.BF16](b), []float64{0.5})
				}
				for i := range done {
					if got[i] != want[i] {
						t.Fatalf("%v: between %04x and %04x lies %04x, want %04x", dt, uint16(a[i]), uint16(b[i]), uint16(got[i]), uint16(want[i]))
					}
				}
			}
			for _, n := range lengths() {
				check(keysOf[int16](n, rng), keysOf[int16](n, rng))
			}
			all, other := make([]int16, 1<<16), make([]int16, 1<<16)
			for i := range all {
				all[i] = int16(i)
			}
			for step := range 64 {
				for i := range other {
					switch {
					case step < 32: // of another size
						other[i] = all[i] + int16(step<<9+rng.IntN(1<<9))
					case step < 48: // close
						other[i] = all[i] + int16(step-40)
					default:
						other[i] = int16(rng.Uint32())
					}
				}
				check(all, other)
			}
		}
	})
}
