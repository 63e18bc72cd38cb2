package rank

import "github.com/ogive-go/ogive/dtype"

// Every Interpolate function sets dst[i] to a[i] + g·(b[i]-a[i]) for each i
// < len(dst), the exact value rounded once to dst's type, to nearest, ties to
// even. g has one weight for all or one for each, in [0, 1]; a and b are
// usually ordered, and may be in any order; other weights are the caller's
// error. a and b are at least as long as dst, which may be one of them.

// Interpolate64 interpolates float64 values: dst[i] = a[i] + g·(b[i]-a[i]),
// exact and rounded once, where g has length 1 or len(dst). dst may be a or b.
//
// Special cases are:
//   - a NaN in a or b gives the NaN 0x7FF8000000000000
//   - a == b gives a, with its sign of zero; b where g is 1
//   - g == 0 gives a, g == 1 gives b
//   - one infinite end with 0 < g < 1 gives that infinity
//   - -Inf with +Inf and 0 < g < 1 gives the NaN above
//   - an exact zero of unequal ends is +0; an underflowing value keeps its sign
//   - b-a overflowing, and subnormal values, change nothing
//
// It panics if a, b or g is too short. It does not allocate. Cost: about 1 ns
// a value for g = 1/2, about 5 for other weights; some tens where the value is
// too near to the middle of two float64 for the proof in double arithmetic.
func Interpolate64(dst, a, b, g []float64) {
	if len(g) == 1 && g[0] == 0.5 {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = half64(a[i], b[i])
		}
		return
	}
	a, b = a[:len(dst)], b[:len(dst)]
	step := stepOf(g, len(dst))
	for i := range dst {
		dst[i] = blend64(a[i], b[i], g[i*step])
	}
}

// Interpolate32 interpolates float32 values. The exact value is rounded to
// float32 directly, not through float64; the NaN is 0x7FC00000. All else is
// as in [Interpolate64].
func Interpolate32(dst, a, b []float32, g []float64) {
	if len(g) == 1 && g[0] == 0.5 {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = half32(a[i], b[i])
		}
		return
	}
	a, b = a[:len(dst)], b[:len(dst)]
	step := stepOf(g, len(dst))
	for i := range dst {
		dst[i] = blend32(a[i], b[i], g[i*step])
	}
}

// InterpolateF16 interpolates float16 values. The exact value is rounded to
// float16 directly; the NaN is 0x7E00. All else is as in [Interpolate64].
func InterpolateF16(dst, a, b []dtype.F16, g []float64) {
	if len(g) == 1 && g[0] == 0.5 {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = dtype.F16FromBits(halfF16(a[i].Bits(), b[i].Bits()))
		}
		return
	}
	a, b = a[:len(dst)], b[:len(dst)]
	step := stepOf(g, len(dst))
	for i := range dst {
		dst[i] = blendF16(a[i], b[i], g[i*step])
	}
}

// InterpolateBF16 interpolates bfloat16 values. The exact value is rounded to
// bfloat16 directly; the NaN is 0x7FC0. All else is as in [Interpolate64].
func InterpolateBF16(dst, a, b []dtype.BF16, g []float64) {
	if len(g) == 1 && g[0] == 0.5 {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = dtype.BF16FromBits(halfBF16(a[i].Bits(), b[i].Bits()))
		}
		return
	}
	a, b = a[:len(dst)], b[:len(dst)]
	step := stepOf(g, len(dst))
	for i := range dst {
		dst[i] = blendBF16(a[i], b[i], g[i*step])
	}
}

// InterpolateInt interpolates integers: the exact value, where b-a may need
// 65 bits, rounded once to float64. Zero is +0. Otherwise as [Interpolate64].
func InterpolateInt(dst []float64, a, b []int64, g []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	step := stepOf(g, len(dst))
	for i := range dst {
		dst[i] = blendInt(a[i], b[i], g[i*step])
	}
}

// InterpolateUint is [InterpolateInt] for unsigned integers.
func InterpolateUint(dst []float64, a, b []uint64, g []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	step := stepOf(g, len(dst))
	for i := range dst {
		dst[i] = blendUint(a[i], b[i], g[i*step])
	}
}

// stepOf returns the distance between the weights of neighbouring values, 0 if
// all n share one. It panics if there are too few.
func stepOf(g []float64, n int) int {
	if len(g) == 1 {
		return 0
	}
	_ = g[:n]
	return 1
}
