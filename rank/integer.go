package rank

// Integers reach float64 exactly as a sum of two: 32 bits above, 32 below. A
// difference of 64-bit integers, 65 bits, does so in the same way.

const low32 = 1<<32 - 1

// pair returns hi·2^32 + lo as s+e with |e| <= 2^-53·|s|, exactly, for |hi| and
// |lo| up to 2^32. Both terms are exact float64, and unless hi is 0 the first
// is the larger one, so Dekker's sum is exact.
func pair(hi, lo int64) (s, e float64) {
	x, y := float64(float64(hi)*0x1p32), float64(lo)
	s = x + y
	return s, y - (s - x)
}

// blendInt is a + g·(b-a) for 0 <= g <= 1, rounded once to float64.
func blendInt(a, b int64, g float64) float64 {
	if g == 0.5 {
		return halfInt(a, b)
	}
	x, xl := pair(a>>32, a&low32)
	d, dl := pair(b>>32-a>>32, b&low32-a&low32)
	if r, ok := blendSum(x, xl, d, dl, g, 0); ok {
		return r
	}
	return blendSlowInt(a, b, g)
}

// blendUint is a + g·(b-a) for 0 <= g <= 1, rounded once to float64.
func blendUint(a, b uint64, g float64) float64 {
	if g == 0.5 {
		return halfUint(a, b)
	}
	x, xl := pair(int64(a>>32), int64(a&low32))
	d, dl := pair(int64(b>>32)-int64(a>>32), int64(b&low32)-int64(a&low32))
	if r, ok := blendSum(x, xl, d, dl, g, 0); ok {
		return r
	}
	return blendSlowUint(a, b, g)
}

// blendSlowInt is [blendInt] for every case, without the fast path.
func blendSlowInt(a, b int64, g float64) float64 {
	return blendExact(integer(a), integer(b), g).nearest()
}

// blendSlowUint is [blendUint] for every case, without the fast path.
func blendSlowUint(a, b uint64, g float64) float64 {
	return blendExact(number{m: a}, number{m: b}, g).nearest()
}

// integer returns x as a number.
func integer(x int64) number {
	if x < 0 {
		return number{neg: true, m: -uint64(x)}
	}
	return number{m: uint64(x)}
}

// halfInt is (a+b)/2 = m + r/2, rounded once, with m the floor and r the bit
// below. Where 2m+r fits in an int64 its conversion is the one rounding, as
// halving is exact. Otherwise float64 are multiples of 2^9 there, so m + r/2
// and the integer m|r, which moves an even m towards m+1, lie on the same side
// of every float64 and of every middle of two.
func halfInt(a, b int64) float64 {
	m, r := a&b+(a^b)>>1, (a^b)&1
	if m >= -1<<62 && m < 1<<62 {
		return float64(float64(2*m+r) * 0.5)
	}
	return float64(m | r)
}

// halfUint is [halfInt] for unsigned integers.
func halfUint(a, b uint64) float64 {
	m, r := a&b+(a^b)>>1, (a^b)&1
	if m < 1<<63 {
		return float64(float64(2*m+r) * 0.5)
	}
	return float64(m | r)
}
