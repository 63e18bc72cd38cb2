package rank

import (
	"math"

	"github.com/ogive-go/ogive/dtype"
)

// Sixteen-bit floats are computed in float64: widened exactly, and narrowed
// once, from a number whose rounding is proven or from one rounded to odd.

// narrowF16 and narrowBF16 round x, which is finite and does not overflow, to
// nearest, ties to even, once. In the normal range the upper bits of a float64
// are the number up to the bias, and a carry moves into the exponent as it
// should.

func narrowF16(x float64) uint16 {
	i := math.Float64bits(x)
	m := i &^ (1 << 63)
	if m < (1023-14)<<52 {
		return narrowTiny(i, 0x1p28)
	}
	m += 1<<41 - 1 + m>>42&1
	return uint16(i>>48)&0x8000 | uint16(m>>42-1008<<10)
}

func narrowBF16(x float64) uint16 {
	i := math.Float64bits(x)
	m := i &^ (1 << 63)
	if m < (1023-126)<<52 {
		return narrowTiny(i, 0x1p-81)
	}
	m += 1<<44 - 1 + m>>45&1
	return uint16(i>>48)&0x8000 | uint16(m>>45-896<<7)
}

// narrowTiny narrows the float64 with bits i to a subnormal. The last place of
// anchor is that of the subnormals, so adding it rounds there and leaves their
// count in the low bits.
func narrowTiny(i uint64, anchor float64) uint16 {
	x := math.Float64frombits(i &^ (1 << 63))
	return uint16(i>>48)&0x8000 | uint16(math.Float64bits(x+anchor))
}

// widenF16 returns the value of the bits of a finite number, exactly.
func widenF16(h uint16) float64 {
	mag := uint64(h & 0x7FFF)
	i := mag<<42 + 1008<<52
	if mag < 0x400 { // zero or subnormal
		i = math.Float64bits(float64(int32(mag)) * 0x1p-24)
	}
	return math.Float64frombits(uint64(h&0x8000)<<48 | i)
}

// finiteF16 reports whether the bits a and b are those of finite numbers.
func finiteF16(a, b uint16) bool { return max(a&0x7FFF, b&0x7FFF) < 0x7C00 }

// widenBF16 returns the value of the bits, exactly.
func widenBF16(h uint16) float64 {
	return float64(math.Float32frombits(uint32(h) << 16))
}

const (
	nanF16  = 0x7E00
	nanBF16 = 0x7FC0
)

// blendF16 is a + g·(b-a) for 0 <= g <= 1, rounded once to float16; see
// [farFromMiddle].
func blendF16(a, b dtype.F16, g float64) dtype.F16 {
	if g == 0.5 {
		return dtype.F16FromBits(halfF16(a.Bits(), b.Bits()))
	}
	if r, ok := blendFarF16(a.Bits(), b.Bits(), g); ok {
		return dtype.F16FromBits(r)
	}
	return dtype.F16FromBits(blendSlowF16(a.Float64(), b.Float64(), g))
}

// blendFarF16 is [blendF16] for a weight near g where that makes no difference.
func blendFarF16(a, b uint16, g float64) (uint16, bool) {
	if !finiteF16(a, b) {
		return 0, false
	}
	x := widenF16(a)
	p := float64(g * (widenF16(b) - x))
	s := x + p
	if math.Abs(s) >= 0x1p-14 && farFromMiddle(s, p, 42) {
		return narrowF16(s), true
	}
	return 0, false
}

// blendBF16 is a + g·(b-a) for 0 <= g <= 1, rounded once to bfloat16;
// see [farFromMiddle].
func blendBF16(a, b dtype.BF16, g float64) dtype.BF16 {
	if g == 0.5 {
		return dtype.BF16FromBits(halfBF16(a.Bits(), b.Bits()))
	}
	if r, ok := blendFarBF16(a.Bits(), b.Bits(), g); ok {
		return dtype.BF16FromBits(r)
	}
	return dtype.BF16FromBits(blendSlowBF16(a.Float64(), b.Float64(), g))
}

// blendFarBF16 is [blendBF16] for a weight near g where that makes no difference.
func blendFarBF16(a, b uint16, g float64) (uint16, bool) {
	x := widenBF16(a)
	p := float64(g * (widenBF16(b) - x))
	s := x + p
	if size := math.Abs(s); size >= 0x1p-126 && size < 0x1p129 && farFromMiddle(s, p, 45) {
		return narrowBF16(s), true
	}
	return 0, false
}

// blendSlowF16 is [blendF16] for every case, without the fast path.
func blendSlowF16(a, b, g float64) uint16 {
	r := blendOdd(a, b, g)
	if r-r != 0 {
		return nonFinite(r, nanF16, 0x7C00)
	}
	return narrowF16(r)
}

// blendSlowBF16 is [blendBF16] for every case, without the fast path.
func blendSlowBF16(a, b, g float64) uint16 {
	r := blendOdd(a, b, g)
	if r-r != 0 {
		return nonFinite(r, nanBF16, 0x7F80)
	}
	return narrowBF16(r)
}

// nonFinite returns the bits of an infinite or NaN r.
func nonFinite(r float64, nan, inf uint16) uint16 {
	switch {
	case r != r:
		return nan
	case r < 0:
		return 0x8000 | inf
	}
	return inf
}

// halfF16 is the middle of the float16 with bits a and b. Finite ones are
// multiples of 2^-24 below 2^16, so that their sum and its half are exact in
// float64.
func halfF16(a, b uint16) uint16 {
	if finiteF16(a, b) {
		if s := widenF16(a) + widenF16(b); s != 0 {
			return narrowF16(s * 0.5)
		}
	}
	return blendSlowF16(dtype.F16FromBits(a).Float64(), dtype.F16FromBits(b).Float64(), 0.5)
}

// halfBF16 is the middle of the bfloat16 with bits a and b. Their sum is exact in float64 unless
// the larger is more than 2^44 times the smaller. Then it is normal with a
// normal half, and within 2^-44 of twice that half; the half is a bfloat16, and
// both the exact middle and the float64 one round to it.
func halfBF16(a, b uint16) uint16 {
	x, y := widenBF16(a), widenBF16(b)
	s := x + y
	if s == 0 || s-s != 0 {
		return blendSlowBF16(x, y, 0.5)
	}
	return narrowBF16(s * 0.5)
}
