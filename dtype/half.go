package dtype

import (
	"math"
	"strconv"
	"strings"
)

// F16 is an IEEE 754 binary16 number: 1 sign bit, 5 exponent bits, 10 bits of
// mantissa. The zero value is +0. Convert it to compute with it; == compares
// bits, so that -0 differs from +0 and a NaN equals itself.
type F16 struct{ bits uint16 }

// BF16 is a bfloat16 number, the upper half of a float32: 1 sign bit, 8
// exponent bits, 7 bits of mantissa. The zero value is +0. Convert it to
// compute with it; == compares bits, as with [F16].
type BF16 struct{ bits uint16 }

// halfFormat describes a 16-bit float: its mantissa bits, the exponents of its
// smallest and largest normal number, and its smallest positive number.
type halfFormat struct {
	mant, emin, emax int
	tiny             float64
}

var (
	f16Format  = halfFormat{mant: 10, emin: -14, emax: 15, tiny: 0x1p-24}
	bf16Format = halfFormat{mant: 7, emin: -126, emax: 127, tiny: 0x1p-133}
)

// F16FromBits returns the number with the given bit pattern.
func F16FromBits(b uint16) F16 { return F16{b} }

// Bits returns the bit pattern of h.
func (h F16) Bits() uint16 { return h.bits }

// ToF16 returns f rounded once to the nearest F16, ties to even. Values beyond
// the largest finite number, 65504, round to ±Inf from 65520 on; a NaN becomes
// a quiet NaN with its sign and the upper bits of its payload.
func ToF16(f float64) F16 { return F16{f16Format.narrow(f)} }

// Float64 returns h exactly; a NaN becomes a quiet NaN with its sign and payload.
func (h F16) Float64() float64 { return f16Format.widen(h.bits) }

// IsNaN reports whether h is a NaN.
func (h F16) IsNaN() bool { return h.bits&0x7FFF > 0x7C00 }

// String formats h as the shortest decimal that rounds to h, in the format %g
// of package strconv: "0.1", "6e-08", "+Inf", "NaN".
func (h F16) String() string {
	return shortest(h.Float64(), func(f float64) bool { return ToF16(f) == h })
}

// BF16FromBits returns the number with the given bit pattern.
func BF16FromBits(b uint16) BF16 { return BF16{b} }

// Bits returns the bit pattern of h.
func (h BF16) Bits() uint16 { return h.bits }

// ToBF16 returns f rounded once to the nearest BF16, ties to even. NaN and
// overflow behave as in [ToF16].
func ToBF16(f float64) BF16 { return BF16{bf16Format.narrow(f)} }

// Float64 returns h exactly; a NaN becomes a quiet NaN with its sign and payload.
func (h BF16) Float64() float64 { return widen32(uint32(h.bits) << 16) }

// IsNaN reports whether h is a NaN.
func (h BF16) IsNaN() bool { return h.bits&0x7FFF > 0x7F80 }

// String formats h as the shortest decimal that rounds to h, as [F16.String].
func (h BF16) String() string {
	return shortest(h.Float64(), func(f float64) bool { return ToBF16(f) == h })
}

// shortest formats f with the fewest digits that still mean the same number.
// The decimal nearest to f decides for each number of digits, or the next one
// further from zero: what rounds to a power of two reaches twice as far there.
func shortest(f float64, same func(float64) bool) string {
	for digits := 0; digits < 16; digits++ {
		s := strconv.FormatFloat(f, 'e', digits, 64)
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || v != v {
			break
		}
		if same(v) {
			f = v
			break
		}
		if math.Abs(v) < math.Abs(f) {
			exp, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
			unit, _ := strconv.ParseFloat("1e"+strconv.Itoa(exp-digits), 64)
			s = strconv.FormatFloat(v+math.Copysign(unit, v), 'e', digits, 64)
			if v, _ = strconv.ParseFloat(s, 64); same(v) {
				f = v
				break
			}
		}
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// narrow rounds x to the format: nearest, ties to even, once.
func (f *halfFormat) narrow(x float64) uint16 {
	b := math.Float64bits(x)
	sign := uint16(b>>48) & 0x8000
	b &= 1<<63 - 1
	exp := int(b>>52) - 1023
	shift := uint(52-f.mant) & 63
	if f.emin <= exp && exp <= f.emax {
		// Below half of the last place, plus the bit that makes ties even. A
		// carry out of the mantissa moves into the exponent, up to infinity.
		b += 1<<(shift-1) - 1 + b>>shift&1
		return sign | uint16(b>>shift-uint64(f.emin+1022)<<f.mant)
	}
	inf := uint16(f.emax-f.emin+2) << f.mant
	switch {
	case b > 0x7FF<<52: // NaN
		return sign | inf | 1<<(f.mant-1) | uint16(b>>shift)&(1<<f.mant-1)
	case exp > f.emax:
		return sign | inf
	}
	shift += uint(f.emin - exp)
	if shift > 53 { // below half of the smallest subnormal
		return sign
	}
	m := b&(1<<52-1) | 1<<52
	m += 1<<(shift-1) - 1 + m>>shift&1
	return sign | uint16(m>>shift)
}

// widen returns the value of the bit pattern, exactly; NaNs become quiet.
func (f *halfFormat) widen(b uint16) float64 {
	sign := uint64(b&0x8000) << 48
	mag := uint64(b & 0x7FFF)
	switch exp := int(mag >> f.mant); {
	case exp == 0:
		v := float64(mag) * f.tiny
		return math.Float64frombits(sign | math.Float64bits(v))
	case exp < f.emax-f.emin+2:
		return math.Float64frombits(sign | (mag<<(52-f.mant) + uint64(f.emin+1022)<<52))
	default:
		m := mag & (1<<f.mant - 1)
		if m != 0 {
			m |= 1 << (f.mant - 1)
		}
		return math.Float64frombits(sign | 0x7FF<<52 | m<<(52-f.mant))
	}
}
