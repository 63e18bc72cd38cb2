package gomlx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// pairs is how many interpolations a case compares.
const pairs = 60000

// weight draws weights in [0, 1): any, of few bits, next to 0 and 1, tiny; only
// 0 and 1/2 where they are halves.
func weight(r *rand.Rand, halves bool) float64 {
	if halves {
		return float64(r.IntN(2)) / 2
	}
	switch r.IntN(6) {
	case 0:
		return float64(r.IntN(64)) / 64
	case 1:
		return 1 - float64(1+r.IntN(8))*0x1p-53
	case 2:
		return math.Ldexp(r.Float64(), -r.IntN(140))
	case 3:
		return math.Ldexp(r.Float64(), -r.IntN(1074))
	case 4:
		return math.Ldexp(1, -1-r.IntN(1074))
	}
	return r.Float64()
}

// partner draws b, often such that a + g·(b-a) nearly cancels, or such that the
// value is near the middle of two floats.
func partner(r *rand.Rand, a, g float64, any func() float64) float64 {
	switch r.IntN(4) {
	case 0:
		return any()
	case 1:
		b := -a * (1 - g) / g
		return math.Float64frombits(math.Float64bits(b) + r.Uint64N(5) - 2)
	case 2:
		return -a * math.Ldexp(1, r.IntN(160)-80)
	}
	return a + math.Ldexp(a, r.IntN(120)-60)
}

// Interpolation of floats has the bits of package rank, for ends of every
// distance, weights of every size, and sums that cancel.
func TestBlendFloats(t *testing.T) {
	each(t, []dtypes.DType{dtypes.Float64, dtypes.Float32, dtypes.Float16, dtypes.BFloat16},
		func(t *testing.T, dt dtypes.DType, halves bool) {
			r := rand.New(rand.NewPCG(3, uint64(dt)))
			f := formatOf(dt)
			any := func() float64 {
				if r.IntN(3) == 0 {
					return narrow(f, math.Ldexp(r.Float64()-0.5, r.IntN(40)-20))
				}
				return widen(f, r.Uint64()&f.top())
			}
			as, bs, gs := make([]float64, pairs), make([]float64, pairs), make([]float64, pairs)
			for i := range as {
				g := weight(r, halves)
				a := any()
				b := narrow(f, partner(r, a, g, any))
				if b < a || b == a && math.Signbit(b) {
					a, b = b, a
				}
				if a != a || b != b {
					a, b = math.NaN(), math.NaN()
				}
				as[i], bs[i], gs[i] = a, b, g
			}
			if dt != dtypes.Float16 && !halves {
				// g·b is the middle of two floats, and a far below it.
				as[0], gs[0] = widen(f, 1), 0x1.8p-66
				bs[0] = widen(f, bitsOf(f, 0x1p120)+1)
			}
			blendAll(t, f, f, encode(f, as), encode(f, bs), gs, func(i int) uint64 { return interpolate(f, as[i], bs[i], gs[i]) })
		})
}

// each runs a test for each dtype, with any weights and with halves.
func each(t *testing.T, dts []dtypes.DType, test func(t *testing.T, dt dtypes.DType, halves bool)) {
	for _, dt := range dts {
		for _, halves := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/halves=%v", dt, halves), func(t *testing.T) {
				t.Parallel()
				test(t, dt, halves)
			})
		}
	}
}

// Interpolation of integers has the bits of package rank.
func TestBlendIntegers(t *testing.T) {
	each(t, []dtypes.DType{dtypes.Int64, dtypes.Uint64, dtypes.Int32, dtypes.Int8, dtypes.Uint8},
		func(t *testing.T, dt dtypes.DType, halves bool) {
			r := rand.New(rand.NewPCG(4, uint64(dt)))
			f := formatOf(dt)
			mask := f.top()
			as, bs, gs := make([]uint64, pairs), make([]uint64, pairs), make([]float64, pairs)
			for i := range as {
				a, b := r.Uint64()&mask, r.Uint64()&mask
				switch r.IntN(4) {
				case 0:
					a = [...]uint64{0, mask, mask >> 1, mask>>1 + 1, 1<<53 + 1}[r.IntN(5)] & mask
				case 1:
					b = (a + r.Uint64N(5) - 2) & mask
				case 2:
					a, b = a>>r.UintN(64), b>>r.UintN(64)
				}
				as[i], bs[i], gs[i] = min(a, b), max(a, b), weight(r, halves) // keys
			}
			blendAll(t, f, formatOf(dtypes.Float64), as, bs, gs, func(i int) uint64 {
				d := []float64{0}
				if f.signed {
					extend := func(k uint64) int64 { return int64(k-f.signBit()) << (64 - f.width) >> (64 - f.width) }
					rank.InterpolateInt(d, []int64{extend(as[i])}, []int64{extend(bs[i])}, []float64{gs[i]})
				} else {
					rank.InterpolateUint(d, []uint64{as[i]}, []uint64{bs[i]}, []float64{gs[i]})
				}
				return math.Float64bits(d[0])
			})
		})
}

// blendAll compares blend on keys with want.
func blendAll(t *testing.T, f, to format, as, bs []uint64, gs []float64, want func(i int) uint64) {
	t.Helper()
	known := weights{halves: true}
	for _, g := range gs {
		known = known.with(g)
	}
	exec := MustNewExec(gobackend.GetBackend(), func(a, b, g *Node) *Node {
		a, b = ConvertDType(a, f.key), ConvertDType(b, f.key)
		return ConvertDType(f.blend(to, a, b, Bitcast(g, dtypes.Uint64), known), dtypes.Uint64)
	})
	defer exec.Finalize()
	got := tensors.MustCopyFlatData[uint64](exec.MustExec1(as, bs, gs))
	wrong := 0
	for i, g := range got {
		if w := want(i); g != w {
			if wrong++; wrong < 5 {
				t.Errorf("keys %#x, %#x with weight %g: %#x, want %#x", as[i], bs[i], gs[i], g, w)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d are wrong", wrong, len(got))
	}
}

// widen returns the value of a float's bits.
func widen(f format, u uint64) float64 {
	switch f.dtype {
	case dtypes.Float64:
		return math.Float64frombits(u)
	case dtypes.Float32:
		return float64(math.Float32frombits(uint32(u)))
	case dtypes.Float16:
		return dtype.F16FromBits(uint16(u)).Float64()
	}
	return dtype.BF16FromBits(uint16(u)).Float64()
}

// bitsOf returns the bits of x rounded to a float format.
func bitsOf(f format, x float64) uint64 {
	switch f.dtype {
	case dtypes.Float64:
		return math.Float64bits(x)
	case dtypes.Float32:
		return uint64(math.Float32bits(float32(x)))
	case dtypes.Float16:
		return uint64(dtype.ToF16(x).Bits())
	}
	return uint64(dtype.ToBF16(x).Bits())
}

func narrow(f format, x float64) float64 { return widen(f, bitsOf(f, x)) }

// encode returns the keys of values.
func encode(f format, v []float64) []uint64 {
	keys := make([]uint64, len(v))
	for i, x := range v {
		u := bitsOf(f, x)
		switch {
		case x != x:
			u = f.top()
		case u >= f.signBit():
			u = f.top() &^ u
		default:
			u |= f.signBit()
		}
		keys[i] = u
	}
	return keys
}

// interpolate is package rank's answer.
func interpolate(f format, a, b, g float64) uint64 {
	w := []float64{g}
	switch f.dtype {
	case dtypes.Float64:
		d := []float64{0}
		rank.Interpolate64(d, []float64{a}, []float64{b}, w)
		return math.Float64bits(d[0])
	case dtypes.Float32:
		d := []float32{0}
		rank.Interpolate32(d, []float32{float32(a)}, []float32{float32(b)}, w)
		return uint64(math.Float32bits(d[0]))
	case dtypes.Float16:
		d := []dtype.F16{{}}
		rank.InterpolateF16(d, []dtype.F16{dtype.ToF16(a)}, []dtype.F16{dtype.ToF16(b)}, w)
		return uint64(d[0].Bits())
	}
	d := []dtype.BF16{{}}
	rank.InterpolateBF16(d, []dtype.BF16{dtype.ToBF16(a)}, []dtype.BF16{dtype.ToBF16(b)}, w)
	return uint64(d[0].Bits())
}
