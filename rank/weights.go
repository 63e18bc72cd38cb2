package rank

import (
	"math"
	"math/bits"

	"github.com/ogive-go/ogive/dtype"
)

// Unit is what the weights of a quantile that is a fraction are whole multiples of,
// whatever the number of values: 1/(parts·den), 2^-66 or more. The zero value is that of
// float64 weights.
type Unit struct{ parts, den uint64 }

// unit returns the unit of the weights of q.
func (m Method) unit(q Q) Unit {
	if q.Den == 0 || !methods[m].followsFraction() {
		return Unit{}
	}
	return Unit{uint64(methods[m].exact.d), uint64(q.Den)}
}

// fractional reports whether a multiple of u, below 1, may be no float64.
func (u Unit) fractional() bool {
	hi, lo := bits.Mul64(u.parts, u.den)
	return u.den > 0 && (hi > 0 || lo&(lo-1) != 0 || lo > 1<<53)
}

// multiple is how many times u the weight is that is g with low lacking; see [Position].
//
// g = m·2^-s, so that g·parts·den is an integer of at most 119 bits, shifted. low·parts·den
// is below 2^13 and off by less than 2^-38: the sum, rounded, is the multiple.
func (u Unit) multiple(g, low float64) (hi, lo uint64) {
	dHi, dLo := bits.Mul64(u.parts, u.den)
	n := splitNumber(g)
	hi, lo = bits.Mul64(n.m, dLo)
	hi += n.m * dHi
	s := uint(-n.e)
	rest := float64(low * (float64(dHi)*0x1p64 + float64(dLo)))
	if s >= 64 {
		rest += math.Ldexp(float64(hi&(1<<(s-64)-1)), 64-int(s)) + math.Ldexp(float64(lo), -int(s))
		hi, lo = 0, hi>>(s-64)
	} else {
		rest += math.Ldexp(float64(lo&(1<<s-1)), -int(s))
		hi, lo = hi>>s, lo>>s|hi<<(64-s)
	}
	r := int64(math.RoundToEven(rest))
	lo, carry := bits.Add64(lo, uint64(r), 0)
	hi, _ = bits.Add64(hi, uint64(r>>63), carry)
	return hi, lo
}

// Weights are those of the values of a quantile, as in [Position]: G, one for all of them
// or one for each, in [0, 1], and what they lack of the exact weights in Low, as many, with
// their Unit. Low is nil where the weights are exact.
type Weights struct {
	G, Low []float64
	Unit   Unit
}

// Same reports whether one weight serves all values, and is g exactly.
func (w Weights) Same(g float64) bool {
	return len(w.G) == 1 && w.G[0] == g && (w.Low == nil || w.Low[0] == 0)
}

// Part returns the weights of values from … to-1.
func (w Weights) Part(from, to int) Weights {
	if len(w.G) > 1 {
		w.G = w.G[from:to]
		if w.Low != nil {
			w.Low = w.Low[from:to]
		}
	}
	return w
}

// ratio is an exact weight: g and what it lacks of a multiple of the unit.
type ratio struct {
	g, low float64
	unit   Unit
}

// eachRatio calls do with the weight of each of n values.
func (w Weights) eachRatio(n int, do func(i int, g ratio)) {
	step := stepOf(w.G, n)
	for i := range n {
		do(i, ratio{w.G[i*step], w.Low[i*step], w.Unit})
	}
}

// Interpolate64 is the function of that name for these weights: the exact value, rounded
// once, of exact weights. Cost: as for float64 weights where a proof in double arithmetic
// does, some 200 ns otherwise.
func (w Weights) Interpolate64(dst, a, b []float64) {
	if w.Low == nil {
		Interpolate64(dst, a, b, w.G)
		return
	}
	w.eachRatio(len(dst), func(i int, g ratio) { dst[i] = ratio64(a[i], b[i], g) })
}

// Interpolate32 is the function of that name for these weights; see [Weights.Interpolate64].
func (w Weights) Interpolate32(dst, a, b []float32) {
	if w.Low == nil {
		Interpolate32(dst, a, b, w.G)
		return
	}
	w.eachRatio(len(dst), func(i int, g ratio) { dst[i] = ratio32(a[i], b[i], g) })
}

// InterpolateF16 is the function of that name for these weights; see [Weights.Interpolate64].
func (w Weights) InterpolateF16(dst, a, b []dtype.F16) {
	if w.Low == nil {
		InterpolateF16(dst, a, b, w.G)
		return
	}
	w.eachRatio(len(dst), func(i int, g ratio) { dst[i] = ratioF16(a[i], b[i], g) })
}

// InterpolateBF16 is the function of that name for these weights; see [Weights.Interpolate64].
func (w Weights) InterpolateBF16(dst, a, b []dtype.BF16) {
	if w.Low == nil {
		InterpolateBF16(dst, a, b, w.G)
		return
	}
	w.eachRatio(len(dst), func(i int, g ratio) { dst[i] = ratioBF16(a[i], b[i], g) })
}

// InterpolateInt is the function of that name for these weights; see [Weights.Interpolate64].
func (w Weights) InterpolateInt(dst []float64, a, b []int64) {
	if w.Low == nil {
		InterpolateInt(dst, a, b, w.G)
		return
	}
	w.eachRatio(len(dst), func(i int, g ratio) { dst[i] = ratioInt(a[i], b[i], g) })
}

// InterpolateUint is the function of that name for these weights; see [Weights.Interpolate64].
func (w Weights) InterpolateUint(dst []float64, a, b []uint64) {
	if w.Low == nil {
		InterpolateUint(dst, a, b, w.G)
		return
	}
	w.eachRatio(len(dst), func(i int, g ratio) { dst[i] = ratioUint(a[i], b[i], g) })
}
