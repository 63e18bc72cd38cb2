package oracle

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/ogive-go/ogive/dtype"
)

// class separates the numbers from what is not one.
type class uint8

const (
	finite class = iota
	infinite
	notANumber
)

// Number is what a real element means: ±m·2^e exactly, an infinity or a NaN.
// Zero keeps its sign.
type Number struct {
	class class
	neg   bool
	m     uint64
	e     int
}

// format describes a binary float: bits of mantissa, exponents of the smallest
// and the largest normal number.
type format struct{ mant, emin, emax int }

// formats has a row for every float dtype.
var formats = map[dtype.DType]format{
	dtype.Float16:  {10, -14, 15},
	dtype.BFloat16: {7, -126, 127},
	dtype.Float32:  {23, -126, 127},
	dtype.Float64:  {52, -1022, 1023},
}

func (f format) width() int { return 1 + bits.Len(uint(f.emax-f.emin+2)) + f.mant }

// inf is the bit pattern of +Inf, the exponent field all ones.
func (f format) inf() uint64 { return uint64(f.emax-f.emin+2) << f.mant }

// nan is the canonical NaN: positive, quiet, no payload.
func (f format) nan() uint64 { return f.inf() | 1<<(f.mant-1) }

// Decode returns what the bits of a real element mean.
func Decode(dt dtype.DType, b uint64) Number {
	if f, ok := formats[dt]; ok {
		return f.decode(b)
	}
	switch {
	case dt == dtype.Bool:
		if b != 0 {
			b = 1
		}
		return Number{m: b}
	case dt.IsSigned():
		unused := 64 - 8*dt.Size()
		v := int64(b<<unused) >> unused
		if v < 0 {
			return Number{neg: true, m: -uint64(v)}
		}
		return Number{m: uint64(v)}
	default:
		return Number{m: b}
	}
}

func (f format) decode(b uint64) Number {
	n := Number{neg: b>>(f.width()-1)&1 == 1}
	m := b & (1<<f.mant - 1)
	field := int(b>>f.mant) & (f.emax - f.emin + 2)
	switch {
	case field == f.emax-f.emin+2 && m != 0:
		n.class = notANumber
	case field == f.emax-f.emin+2:
		n.class = infinite
	case field == 0:
		n.m, n.e = m, f.emin-f.mant
	default:
		n.m, n.e = m|1<<f.mant, field-1+f.emin-f.mant
	}
	return n
}

func ofFloat(v float64) Number { return Decode(dtype.Float64, math.Float64bits(v)) }

// part returns the dtype of the real and imaginary part of dt.
func part(dt dtype.DType) dtype.DType {
	switch dt {
	case dtype.Complex64:
		return dtype.Float32
	case dtype.Complex128:
		return dtype.Float64
	default:
		return dt
	}
}

// IsNaN reports whether n is a NaN.
func (n Number) IsNaN() bool { return n.class == notANumber }

func (n Number) isZero() bool { return n.class == finite && n.m == 0 }

// compareMagnitude orders |a| and |b|; neither is a NaN.
func compareMagnitude(a, b Number) int {
	switch {
	case a.class == infinite && b.class == infinite:
		return 0
	case a.class == infinite:
		return 1
	case b.class == infinite:
		return -1
	case a.m == 0 && b.m == 0:
		return 0
	case a.m == 0:
		return -1
	case b.m == 0:
		return 1
	}
	if d := (bits.Len64(a.m) + a.e) - (bits.Len64(b.m) + b.e); d != 0 {
		return d
	}
	am, bm := a.m<<bits.LeadingZeros64(a.m), b.m<<bits.LeadingZeros64(b.m)
	switch {
	case am < bm:
		return -1
	case am > bm:
		return 1
	}
	return 0
}

// compare orders numbers as SEMANTICS does: -Inf < … < -0 < +0 < … < +Inf.
// Neither is a NaN.
func compare(a, b Number) int {
	switch {
	case a.neg && !b.neg:
		return -1
	case b.neg && !a.neg:
		return 1
	case a.neg:
		return compareMagnitude(b, a)
	default:
		return compareMagnitude(a, b)
	}
}

// reduced returns n with trailing zeros of the mantissa moved into the
// exponent and zero unsigned, so that equal values are identical.
func (n Number) reduced() Number {
	switch {
	case n.class == notANumber:
		return Number{class: notANumber}
	case n.class == infinite:
		return Number{class: infinite, neg: n.neg}
	case n.m == 0:
		return Number{}
	}
	tz := bits.TrailingZeros64(n.m)
	return Number{neg: n.neg, m: n.m >> tz, e: n.e + tz}
}

// dyadic is m·2^e with a mantissa of any size.
type dyadic struct {
	m *big.Int
	e int
}

// dyadic returns a finite number as a dyadic.
func (n Number) dyadic() dyadic {
	m := new(big.Int).SetUint64(n.m)
	if n.neg {
		m.Neg(m)
	}
	return dyadic{m, n.e}
}

// at returns the mantissa of d for the exponent e <= d.e.
func (d dyadic) at(e int) *big.Int { return new(big.Int).Lsh(d.m, uint(d.e-e)) }

func (d dyadic) add(o dyadic) dyadic {
	e := min(d.e, o.e)
	return dyadic{new(big.Int).Add(d.at(e), o.at(e)), e}
}

func (d dyadic) neg() dyadic { return dyadic{new(big.Int).Neg(d.m), d.e} }

func (d dyadic) mul(o dyadic) dyadic { return dyadic{new(big.Int).Mul(d.m, o.m), d.e + o.e} }

// round returns the bits of the float of dtype dt nearest to d, ties to even,
// rounded once. A zero d is +0; one that underflows keeps its sign.
func (d dyadic) round(dt dtype.DType) uint64 {
	f := formats[dt]
	if d.m.Sign() == 0 {
		return 0
	}
	var sign uint64
	if d.m.Sign() < 0 {
		sign = 1 << (f.width() - 1)
	}
	m := new(big.Int).Abs(d.m)
	lead := d.e + m.BitLen() - 1 // exponent of the leading bit
	if lead > f.emax {
		return sign | f.inf()
	}
	unit := max(lead, f.emin) - f.mant // exponent of the last place
	q := new(big.Int)
	if shift := unit - d.e; shift <= 0 {
		q.Lsh(m, uint(-shift))
	} else {
		q.Rsh(m, uint(shift))
		rest := new(big.Int).Sub(m, new(big.Int).Lsh(q, uint(shift)))
		half := new(big.Int).Lsh(big.NewInt(1), uint(shift-1))
		if c := rest.Cmp(half); c > 0 || c == 0 && q.Bit(0) == 1 {
			q.Add(q, big.NewInt(1))
		}
	}
	// A carry out of the mantissa moves into the exponent, up to infinity.
	return sign | (uint64(max(lead, f.emin)-f.emin)<<f.mant + q.Uint64())
}

// roundTo rounds n once to the float dtype dt; NaN becomes the canonical one.
func roundTo(dt dtype.DType, n Number) uint64 {
	f := formats[dt]
	var sign uint64
	if n.neg {
		sign = 1 << (f.width() - 1)
	}
	switch {
	case n.class == notANumber:
		return f.nan()
	case n.class == infinite:
		return sign | f.inf()
	case n.m == 0:
		return sign
	}
	return n.dyadic().round(dt)
}

// Interpolate returns the bits in the float dtype dt of a + g·(b - a), exact
// and rounded once, for 0 <= g <= 1:
//
//   - a NaN end gives the canonical NaN
//   - g = 0 gives a, g = 1 gives b, a == b gives a
//   - one infinite end with 0 < g < 1 gives that infinity, two opposite ones NaN
//   - an exact zero from unequal ends is +0
func Interpolate(dt dtype.DType, a, b Number, g float64) uint64 {
	switch {
	case a.IsNaN() || b.IsNaN():
		return formats[dt].nan()
	case g == 0:
		return roundTo(dt, a)
	case g == 1:
		return roundTo(dt, b)
	case a.isZero() && b.isZero(), compare(a, b) == 0:
		return roundTo(dt, a)
	case a.class == infinite && b.class == infinite:
		return formats[dt].nan()
	case a.class == infinite:
		return roundTo(dt, a)
	case b.class == infinite:
		return roundTo(dt, b)
	}
	return a.blend(b, ofFloat(g).dyadic(), big.NewInt(1)).round(dt)
}

// Interpolate is the function of that name for the weight of a position.
func (p Position) Interpolate(dt dtype.DType, a, b Number) uint64 {
	if p.Exact == nil || p.Exact.IsInt() || a.class != finite || b.class != finite || a.isZero() && b.isZero() || compare(a, b) == 0 {
		g := p.G
		if p.Exact != nil && !p.Exact.IsInt() {
			g = 0.3 // any between 0 and 1, neither of which it is
		}
		return Interpolate(dt, a, b, g)
	}
	return a.blend(b, dyadic{p.Exact.Num(), 0}, p.Exact.Denom()).round(dt)
}

// blend returns a + num/den·(b-a), or where the quotient does not end so many of its bits,
// and one more to say that it goes on, that it rounds to what the value rounds to.
func (n Number) blend(b Number, num dyadic, den *big.Int) dyadic {
	da, db := n.dyadic(), b.dyadic()
	v := da.mul(dyadic{den, 0}).add(db.add(da.neg()).mul(num))
	extra := uint(den.BitLen() + 100)
	q, rest := new(big.Int).QuoRem(new(big.Int).Lsh(v.m, extra), den, new(big.Int))
	q.Lsh(q, 1)
	if rest.Sign() != 0 {
		q.Add(q, big.NewInt(int64(v.m.Sign())))
	}
	return dyadic{q, v.e - int(extra) - 1}
}

// Cast converts between float dtypes with one rounding, as writing a result to
// an out of another float dtype does. NaN becomes the canonical one.
func Cast(a *Array, dt dtype.DType) (*Array, error) {
	if a.DType == dt {
		return a, nil
	}
	if !a.DType.IsFloat() || !dt.IsFloat() {
		return nil, ErrOut
	}
	c := New(dt, a.Shape...)
	for i, v := range a.Bits {
		c.Bits[i].Re = roundTo(dt, Decode(a.DType, v.Re))
	}
	return c, nil
}
