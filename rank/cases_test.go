package rank

import (
	"math"
	"math/rand/v2"
)

// hardEnds draws two float64 of the kinds that break interpolation: ends far
// apart, next to each other, opposite, subnormal, huge, or with few bits.
func hardEnds(rng *rand.Rand) (a, b float64) {
	any64 := func() float64 {
		for {
			if x := math.Float64frombits(rng.Uint64()); x-x == 0 {
				return x
			}
		}
	}
	near := func(x float64, steps uint64) float64 {
		y := math.Float64frombits(math.Float64bits(x) + rng.Uint64N(2*steps+1) - steps)
		if y-y != 0 {
			return x
		}
		return y
	}
	switch rng.IntN(11) {
	case 0: // any exponents
		return any64(), any64()
	case 1: // neighbours
		a = any64()
		return a, near(a, 4)
	case 2: // like data: the same binade or close
		a = rng.NormFloat64()
		return a, a + rng.ExpFloat64()*math.Ldexp(1, -rng.IntN(40))
	case 3: // near opposites, which cancel for g near 1/2
		a = rng.NormFloat64()
		return a, -near(a, 8)
	case 4: // subnormal, or just above
		a = math.Float64frombits(rng.Uint64N(1 << (3 + rng.IntN(52))))
		b = math.Float64frombits(rng.Uint64N(1<<(3+rng.IntN(52))) | rng.Uint64()&(1<<63))
		return a, b
	case 5: // huge, often with an overflowing difference
		a = math.Float64frombits(0x7FE<<52 | rng.Uint64()>>12)
		b = math.Float64frombits(0x7FE<<52|rng.Uint64()>>12) * float64(1-2*rng.IntN(2))
		return -a, b
	case 6: // powers of two far apart
		return math.Ldexp(float64(1-2*rng.IntN(2)), rng.IntN(2000)-1000), math.Ldexp(float64(1-2*rng.IntN(2)), rng.IntN(2000)-1000)
	case 7: // small integers: every result has few bits
		return float64(rng.IntN(2001) - 1000), float64(rng.IntN(2001) - 1000)
	case 8: // 53 bits of one binade, a tie for a quarter of them at g = 1/4
		return 1 + float64(rng.Uint64()>>12)*0x1p-52, 1 + float64(rng.Uint64()>>12)*0x1p-52
	case 9: // about the edges of the fast path's range
		e := []int{-900, -960, -1022, 999, 1000, 1001}[rng.IntN(6)]
		return math.Ldexp(rng.NormFloat64(), e), math.Ldexp(rng.NormFloat64(), e+rng.IntN(5)-2)
	default: // one end is 0, or a small one against a random one
		if rng.IntN(2) == 0 {
			return 0, any64()
		}
		return rng.NormFloat64(), math.Ldexp(rng.NormFloat64(), -rng.IntN(200))
	}
}

// hardWeight draws a weight in [0, 1]: uniform, with few bits, near 0 or 1, a
// ratio, or of any exponent.
func hardWeight(rng *rand.Rand) float64 {
	switch rng.IntN(7) {
	case 0:
		return rng.Float64()
	case 1:
		bits := 1 + rng.IntN(8)
		return float64(rng.IntN(1<<bits+1)) / float64(int(1)<<bits)
	case 2:
		return float64(1+rng.IntN(7)) * math.Ldexp(1, -51-rng.IntN(6))
	case 3:
		return 1 - float64(1+rng.IntN(7))*0x1p-53
	case 4:
		return float64(rng.IntN(101)) / 100
	case 5:
		return math.Float64frombits(rng.Uint64N(0x3FF0000000000001))
	default:
		return 0.25 + 0.5*float64(rng.IntN(2))
	}
}

// hardBits32 draws a finite float32, its upper 16 bits a finite bfloat16.
func hardBits32(rng *rand.Rand) uint32 {
	for {
		u := rng.Uint32()
		switch rng.IntN(5) {
		case 0:
			u = u&0x80000000 | u&0x7FFFFFFF>>rng.IntN(31)
		case 1:
			u = 0x3F800000 | u&0x803FFFFF
		case 2: // few bits
			u &= 0xFFFF0000
		}
		if u&0x7F800000 != 0x7F800000 {
			return u
		}
	}
}

// near32 returns a finite float32 close to the one with bits u, or any.
func near32(rng *rand.Rand, u uint32) uint32 {
	v := u + rng.Uint32N(17) - 8
	switch rng.IntN(4) {
	case 0:
		v = hardBits32(rng)
	case 1:
		v ^= 0x80000000
	case 2:
		v += 0x00800000 * (rng.Uint32N(64) - 32)
	}
	if v&0x7F800000 == 0x7F800000 {
		return u
	}
	return v
}
