package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// blendLengths are those at which the vectors and the rest change.
func blendLengths() []int {
	var all []int
	for n := range 67 {
		all = append(all, n)
	}
	return append(all, 127, 128, 129, 1000)
}

// endsOf draws the bits of two ends in a format with so many bits of mantissa
// and of exponent: any, special ones, close together, far apart, equal, small
// whole numbers.
func endsOf(rng *rand.Rand, mantissa, exponent uint) (a, b uint64) {
	width := 1 + exponent + mantissa
	all := uint64(1)<<(width-1)<<1 - 1
	inf := (uint64(1)<<exponent - 1) << mantissa
	sign := uint64(1) << (width - 1)
	specials := []uint64{0, sign, 1, sign | 1, inf, inf | sign, inf | 1, inf | sign | 5, inf - 1, sign | (inf - 1), 1 << mantissa, 1<<mantissa - 1, inf >> 1}
	any := func() uint64 {
		switch rng.IntN(4) {
		case 0:
			return specials[rng.IntN(len(specials))]
		case 1: // about 1
			return rng.Uint64()&(sign|1<<mantissa-1) | (1<<(exponent-1)-1)<<mantissa
		case 2: // a whole number below 2^4 in the upper bits
			return (1<<(exponent-1)+2)<<mantissa | rng.Uint64N(8)<<(mantissa-3) | rng.Uint64()&sign
		}
		return rng.Uint64() & all
	}
	a = any()
	switch rng.IntN(4) {
	case 0:
		return a, a
	case 1:
		return a, (a + rng.Uint64N(9)) & all
	}
	return a, any()
}

// blendWeights are the weights that are tried: short ones, which make ties, and
// long ones.
var blendWeights = []float64{0, 0.5, 0.25, 0.75, 0.3, 0x1p-60, 1 - 0x1p-53, 5e-324, 0.125}

// blendRatios are fractions whose weights are no float64s, some of them within half a unit
// of one.
var blendRatios = [][2]int64{{1, 3}, {3, 5}, {29, 100}, {999, 1000}, {math.MaxInt64 - 1, math.MaxInt64}, {1, math.MaxInt64}, {math.MaxInt64 / 2, math.MaxInt64}}

// weightsFor draws one weight or one for each lane: float64s, or those of a fraction among
// so many values.
func weightsFor(t testing.TB, rng *rand.Rand, n int, side testkit.Side) rank.Weights {
	count := n
	if n == 0 || rng.IntN(2) == 0 {
		count = 1
	}
	w := rank.Weights{G: testkit.Fenced[float64](t, count, side)}
	for i := range w.G {
		w.G[i] = blendWeights[rng.IntN(len(blendWeights))]
		if count > 1 && rng.IntN(3) == 0 {
			w.G[i] = rng.Float64()
		}
	}
	if rng.IntN(2) == 0 {
		return w
	}
	ratio := blendRatios[rng.IntN(len(blendRatios))]
	set := rank.NewSet(rank.Hazen, []rank.Q{rank.Ratio(ratio[0], ratio[1])})
	w.Low, w.Unit = testkit.Fenced[float64](t, count, side), set.Unit(0)
	for i := range w.G {
		p := set.Position(0, 1+rng.Int64N(40))
		w.G[i], w.Low[i] = p.G, p.Low
	}
	return w
}

func weightOf(w rank.Weights, i int) []float64 {
	w = w.Part(i, i+1)
	return append(slices.Clone(w.G), w.Low...)
}

// Blend32 gives the bits of rank.Interpolate32 in the lanes it says it does, and
// touches no others.
func TestBlend32(t *testing.T) {
	eachImpl(t, "Blend", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(31, 1))
		enc := EncodingOf[int32](dtype.Float32)
		for _, n := range blendLengths() {
			for range 40 {
				side := testkit.Sides[rng.IntN(2)]
				a, b := make([]int32, n), make([]int32, n)
				for i := range a {
					x, y := endsOf(rng, 23, 8)
					a[i], b[i] = int32(x), int32(y)
				}
				w := weightsFor(t, rng, n, side)
				want := make([]float32, n)
				w.Interpolate32(want, As[float32](a), As[float32](b))
				coded := rng.IntN(2) == 0
				lo, hi := testkit.FencedCopy(t, a, side), testkit.FencedCopy(t, b, side)
				if coded {
					Encode(lo, lo, enc)
					Encode(hi, hi, enc)
				}
				dst := testkit.Fenced[float32](t, n, side)
				for at := 0; at < n; {
					from := w.Part(at, n)
					done, next := Blend32(dst[at:], lo[at:], hi[at:], coded, from.G, from.Low, &Float32)
					if done < 0 || done > next || next <= 0 || at+next > n {
						t.Fatalf("n=%d from %d: done %d, next %d", n, at, done, next)
					}
					for i := at; i < at+done; i++ {
						if math.Float32bits(dst[i]) != math.Float32bits(want[i]) {
							t.Fatalf("n=%d, coded %v: lane %d between %08x and %08x by %v is %08x, want %08x", n, coded, i, uint32(a[i]), uint32(b[i]), weightOf(w, i), math.Float32bits(dst[i]), math.Float32bits(want[i]))
						}
					}
					at += next
				}
			}
		}
	})
}

// Blend64 gives the bits of rank.Interpolate64.
func TestBlend64(t *testing.T) {
	eachImpl(t, "Blend", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(31, 2))
		enc := EncodingOf[int64](dtype.Float64)
		for _, n := range blendLengths() {
			for range 40 {
				side := testkit.Sides[rng.IntN(2)]
				a, b := make([]int64, n), make([]int64, n)
				for i := range a {
					x, y := endsOf(rng, 52, 11)
					a[i], b[i] = int64(x), int64(y)
				}
				w := weightsFor(t, rng, n, side)
				want := make([]float64, n)
				w.Interpolate64(want, As[float64](a), As[float64](b))
				coded := rng.IntN(2) == 0
				lo, hi := testkit.FencedCopy(t, a, side), testkit.FencedCopy(t, b, side)
				if coded {
					Encode(lo, lo, enc)
					Encode(hi, hi, enc)
				}
				dst := testkit.Fenced[float64](t, n, side)
				for at := 0; at < n; {
					from := w.Part(at, n)
					done, next := Blend64(dst[at:], lo[at:], hi[at:], coded, from.G, from.Low)
					if done < 0 || done > next || next <= 0 || at+next > n {
						t.Fatalf("n=%d from %d: done %d, next %d", n, at, done, next)
					}
					for i := at; i < at+done; i++ {
						if math.Float64bits(dst[i]) != math.Float64bits(want[i]) {
							t.Fatalf("n=%d, coded %v: lane %d between %016x and %016x by %v is %016x, want %016x", n, coded, i, uint64(a[i]), uint64(b[i]), weightOf(w, i), math.Float64bits(dst[i]), math.Float64bits(want[i]))
						}
					}
					at += next
				}
			}
		}
	})
}

// 16-bit floats, widened, interpolated and narrowed, have the bits of rank.
func TestBlendHalves(t *testing.T) {
	eachImpl(t, "Blend", func(t *testing.T) {
		for _, c := range []struct {
			dt                 dtype.DType
			format             *Format
			mantissa, exponent uint
		}{{dtype.Float16, &Float16, 10, 5}, {dtype.BFloat16, &BFloat16, 7, 8}} {
			rng := rand.New(rand.NewPCG(31, 3))
			enc := EncodingOf[int16](c.dt)
			const n = 4096
			a, b := make([]int16, n), make([]int16, n)
			lo, hi := make([]int32, n), make([]int32, n)
			got, want, wide := make([]int16, n), make([]int16, n), make([]float32, n)
			for range 60 {
				for i := range a {
					x, y := endsOf(rng, c.mantissa, c.exponent)
					a[i], b[i] = int16(x), int16(y)
				}
				w := weightsFor(t, rng, n, testkit.AtEnd)
				if c.dt == dtype.Float16 {
					w.InterpolateF16(As[dtype.F16](want), As[dtype.F16](a), As[dtype.F16](b))
				} else {
					w.InterpolateBF16(As[dtype.BF16](want), As[dtype.BF16](a), As[dtype.BF16](b))
				}
				keys := make([]int16, n)
				Encode(keys, a, enc)
				Widen16(lo, keys, enc)
				Encode(keys, b, enc)
				Widen16(hi, keys, enc)
				for at := 0; at < n; {
					from := w.Part(at, n)
					done, next := Blend32(wide[at:], lo[at:], hi[at:], false, from.G, from.Low, c.format)
					Round16(got[at:at+done], As[int32](wide[at:at+done]), enc)
					for i := at; i < at+done; i++ {
						if got[i] != want[i] {
							t.Fatalf("%v: between %04x and %04x by %v is %04x, want %04x", c.dt, uint16(a[i]), uint16(b[i]), weightOf(w, i), uint16(got[i]), uint16(want[i]))
						}
					}
					at += next
				}
			}
		}
	})
}

// Common data are done in one go: close values, equal ones, NaN, and weights
// that make ties.
func TestBlendDoesCommonLanes(t *testing.T) {
	eachImpl(t, "Blend", func(t *testing.T) {
		if !Blends() {
			t.Skip("no vectors")
		}
		rng := rand.New(rand.NewPCG(31, 4))
		const n = 1003
		lo, hi, collectLo, collectHi := make([]float64, n), make([]float64, n), make([]float32, n), make([]float32, n)
		for i := range lo {
			lo[i] = 1 + rng.Float64()
			hi[i] = lo[i] + rng.Float64()
			switch rng.IntN(10) {
			case 0:
				lo[i] = hi[i]
			case 1:
				lo[i], hi[i] = math.NaN(), math.NaN()
			case 2:
				lo[i], hi[i] = 0, 0
			}
			collectLo[i], collectHi[i] = float32(lo[i]), float32(hi[i])
		}
		third := rank.Linear.Position(2, rank.Ratio(1, 3))
		for _, w := range [][2][]float64{{{0.5}, nil}, {{0.25}, nil}, {{0.3}, nil}, {{third.G}, {third.Low}}} {
			if done, _ := Blend64(make([]float64, n), As[int64](lo), As[int64](hi), false, w[0], w[1]); done != n {
				t.Errorf("float64 by %v: %d lanes of %d", w, done, n)
			}
			if done, _ := Blend32(make([]float32, n), As[int32](collectLo), As[int32](collectHi), false, w[0], w[1], &Float32); done != n {
				t.Errorf("float32 by %v: %d lanes of %d", w, done, n)
			}
		}
	})
}
