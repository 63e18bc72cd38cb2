package ptxemu

import (
	"math"
	"math/big"
)

// rounding is how a conversion rounds.
type rounding uint8

const (
	nearest rounding = iota // ties to even
	toZero
	down
	up
)

// roundings are the modes of cvt; those with an i round to integers.
var roundings = map[string]rounding{
	"rn": nearest, "rz": toZero, "rm": down, "rp": up,
	"rni": nearest, "rzi": toZero, "rmi": down, "rpi": up,
}

// conversion is a cvt.
type conversion struct {
	to, from scalar
	mode     rounding
	integral bool // a float becomes one without a fraction
	ftz, sat bool
	width    int // bits of the register that is written
}

// vector returns what does the conversion, nil if there is no such one.
func (c conversion) vector() vector {
	switch {
	case !c.to.float() && !c.from.float():
		return c.integerToInteger()
	case c.from.float() && !c.to.float():
		return c.lanewise(c.floatToInteger)
	case c.to.float() && !c.from.float():
		return c.lanewise(c.integerToFloat)
	}
	return c.lanewise(c.floatToFloat)
}

func (c conversion) lanewise(f func(uint64) uint64) vector {
	return func(d, a, _, _ *lanes) {
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

// resultMask covers the bits of a result: all of the register if its sign is extended.
func (c conversion) resultMask() uint64 {
	if c.to.signed() {
		return maskOf(max(c.width, c.to.bits))
	}
	return maskOf(c.to.bits)
}

// integerToInteger cuts off or extends, or clamps with .sat.
func (c conversion) integerToInteger() vector {
	if c.sat {
		return c.lanewise(func(a uint64) uint64 {
			return c.clamp(c.exact(a))
		})
	}
	t := c.from
	if c.to.bits <= c.from.bits {
		t = c.to
	}
	mask := c.resultMask()
	if t.signed() {
		switch t.bits {
		case 8:
			return extend[int8](mask)
		case 16:
			return extend[int16](mask)
		case 32:
			return extend[int32](mask)
		}
		return extend[int64](mask)
	}
	switch t.bits {
	case 8:
		return extend[uint8](mask)
	case 16:
		return extend[uint16](mask)
	case 32:
		return extend[uint32](mask)
	}
	return extend[uint64](mask)
}

func extend[T integer](mask uint64) vector {
	return func(d, a, _, _ *lanes) {
		for i := range d {
			d[i] = uint64(T(a[i])) & mask
		}
	}
}

// exact returns the value of a source integer.
func (c conversion) exact(a uint64) *big.Int {
	a &= maskOf(c.from.bits)
	if c.from.signed() {
		shift := 64 - c.from.bits
		return big.NewInt(int64(a<<shift) >> shift)
	}
	return new(big.Int).SetUint64(a)
}

// bounds returns the least and the greatest integer of the result's type.
func (c conversion) bounds() (lo, hi *big.Int) {
	one := big.NewInt(1)
	if c.to.signed() {
		hi = new(big.Int).Lsh(one, uint(c.to.bits-1))
		lo = new(big.Int).Neg(hi)
		return lo, hi.Sub(hi, one)
	}
	hi = new(big.Int).Lsh(one, uint(c.to.bits))
	return new(big.Int), hi.Sub(hi, one)
}

// clamp returns the bits of the integer of the result's type that is nearest to v.
func (c conversion) clamp(v *big.Int) uint64 {
	lo, hi := c.bounds()
	if v.Cmp(lo) < 0 {
		v = lo
	}
	if v.Cmp(hi) > 0 {
		v = hi
	}
	if v.Sign() < 0 {
		return uint64(v.Int64()) & c.resultMask()
	}
	return v.Uint64() & c.resultMask()
}

// value returns the value of a source float.
func (c conversion) value(a uint64) float64 {
	switch c.from.bits {
	case 16:
		return halfToFloat(uint16(a))
	case 32:
		if c.ftz {
			a = flush(a)
		}
		return float64(f32(a))
	}
	return f64(a)
}

// floatToInteger clamps to the type of the result.
func (c conversion) floatToInteger(a uint64) uint64 {
	x := c.value(a)
	if x != x {
		if c.from.bits == 64 || c.to.bits == 64 {
			return 1 << (c.to.bits - 1)
		}
		return 0
	}
	x = roundIntegral(x, c.mode)
	if c.to.signed() {
		limit := math.Ldexp(1, c.to.bits-1)
		switch {
		case x >= limit:
			return maskOf(c.to.bits - 1)
		case x < -limit:
			x = -limit
		}
		return uint64(int64(x)) & c.resultMask()
	}
	switch {
	case x >= math.Ldexp(1, c.to.bits):
		return maskOf(c.to.bits)
	case x <= 0:
		return 0
	case x >= 1<<63:
		return uint64(x-1<<63) + 1<<63
	}
	return uint64(x)
}

// roundIntegral returns the integer next to x.
func roundIntegral(x float64, mode rounding) float64 {
	switch mode {
	case nearest:
		return math.RoundToEven(x)
	case down:
		return math.Floor(x)
	case up:
		return math.Ceil(x)
	}
	return math.Trunc(x)
}

// integerToFloat rounds once.
func (c conversion) integerToFloat(a uint64) uint64 {
	shift := 64 - c.from.bits
	a <<= shift
	if c.mode != nearest {
		v := c.exact(a >> shift)
		x, _ := new(big.Float).SetInt(v).Float64()
		y, _ := new(big.Float).SetFloat64(x).Int(nil)
		return c.rounded(x, v.Cmp(y))
	}
	switch {
	case c.from.signed() && c.to.bits == 32:
		return uint64(math.Float32bits(float32(int64(a) >> shift)))
	case c.from.signed():
		return c.rounded(float64(int64(a)>>shift), 0)
	case c.to.bits == 32:
		return uint64(math.Float32bits(float32(a >> shift)))
	}
	return c.rounded(float64(a>>shift), 0)
}

// floatToFloat changes the width, or rounds to an integer.
func (c conversion) floatToFloat(a uint64) uint64 {
	x := c.value(a)
	if x != x {
		switch {
		case c.sat:
			return 0
		case c.to.bits == 64 && c.from.bits == 64:
			return a | quiet64
		case c.to.bits == 64 && c.from.bits == 32:
			return a&sign32<<32 | (a&(1<<23-1)|1<<22)<<29 | 0x7FF<<52
		case c.to.bits == 64:
			return 0x7FFFFFFFE0000000
		case c.to.bits == 16:
			return 0x7FFF
		}
		return canonicalNaN
	}
	if c.integral {
		x = math.Copysign(roundIntegral(x, c.mode), x)
	}
	if c.sat {
		if x = min(x, 1); !(x > 0) {
			x = 0
		}
	}
	r := c.rounded(x, 0)
	if c.ftz && c.to.bits == 32 {
		r = flush(r)
	}
	return r
}

// rounded returns the bits of the float of the result's type next to a value, which is
// x, or on the side of it that rest has the sign of. With a rest, the mode is not nearest.
func (c conversion) rounded(x float64, rest int) uint64 {
	switch c.to.bits {
	case 16:
		return halfOf(x, c.mode)
	case 32:
		y := float32(x)
		if side := compareTo(x, float64(y), rest); math.Abs(x) <= math.MaxFloat64 {
			y = math.Nextafter32(y, float32(c.mode.toward(float64(y), side)))
		}
		return uint64(math.Float32bits(y))
	}
	if rest != 0 {
		x = math.Nextafter(x, c.mode.toward(x, rest))
	}
	return math.Float64bits(x)
}

// compareTo returns the sign of x - y, and that of rest where they are equal.
func compareTo(x, y float64, rest int) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return rest
}

// toward returns which way r, the value nearest to the exact one, is to be moved by one
// place; the exact one is on the given side of r. It returns r to stay there.
func (m rounding) toward(r float64, side int) float64 {
	switch {
	case side < 0 && (m == down || m == toZero && r > 0):
		return math.Inf(-1)
	case side > 0 && (m == up || m == toZero && r < 0):
		return math.Inf(1)
	}
	return r
}

// halfOf returns the bits of the half precision float next to x.
func halfOf(x float64, mode rounding) uint64 {
	var sign uint64
	if math.Signbit(x) {
		sign = 1 << 15
	}
	if math.IsInf(x, 0) {
		return sign | 0x7C00
	}
	_, e := math.Frexp(x)
	e = max(e-1, -14)
	n := math.Abs(roundIntegral(math.Ldexp(x, 10-e), mode)) // in units of the last place
	if n >= 2048 {
		n /= 2
		e++
	}
	switch {
	case e > 15 && (mode == toZero || mode == down && sign == 0 || mode == up && sign != 0):
		return sign | 0x7BFF
	case e > 15:
		return sign | 0x7C00
	case n < 1024:
		return sign | uint64(n)
	}
	return sign | uint64(e+14)<<10 + uint64(n)
}

func halfToFloat(h uint16) float64 {
	e, m := int(h>>10&0x1F), float64(h&0x3FF)
	x := math.Ldexp(m+1024, e-25)
	switch e {
	case 0:
		x = math.Ldexp(m, -24)
	case 31:
		x = math.Inf(1)
		if m != 0 {
			x = math.NaN()
		}
	}
	if h>>15 != 0 {
		x = -x
	}
	return x
}
