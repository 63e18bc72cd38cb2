package rank

import (
	"math"
	"math/big"

	"github.com/ogive-go/ogive/dtype"
)

// The slow obvious answers, from the text of the rules: arithmetic in big.Float
// wide enough to be exact for any float64, rounded where the text rounds.

const exactPrec = 3400

func wide(x float64) *big.Float { return new(big.Float).SetPrec(exactPrec).SetFloat64(x) }

func newWide() *big.Float { return new(big.Float).SetPrec(exactPrec) }

func round64(x *big.Float) float64 {
	v, _ := x.Float64()
	return v
}

// refVirtual is v with each operation rounded once to float64, for the rules
// that interpolate between plotting positions: nq + (alpha + q·span) - 1.
func refVirtual(n int64, q, alpha, span float64) float64 {
	nq := round64(newWide().Mul(wide(float64(n)), wide(q)))
	offset := round64(newWide().Add(wide(alpha), wide(round64(newWide().Mul(wide(q), wide(span))))))
	return round64(newWide().Sub(wide(round64(newWide().Add(wide(nq), wide(offset)))), wide(1)))
}

// plottingPositions is alpha and beta of the types 4 to 9 but 7, as fractions.
var plottingPositions = map[Method][2]*big.Rat{
	InterpolatedInvertedCDF: {big.NewRat(0, 1), big.NewRat(1, 1)},
	Hazen:                   {big.NewRat(1, 2), big.NewRat(1, 2)},
	Weibull:                 {big.NewRat(0, 1), big.NewRat(0, 1)},
	MedianUnbiased:          {big.NewRat(1, 3), big.NewRat(1, 3)},
	NormalUnbiased:          {big.NewRat(3, 8), big.NewRat(3, 8)},
}

// refPosition is the table of rules for a float64 q, not normalised.
func refPosition(m Method, n int64, q float64) Position {
	gaps := round64(newWide().Mul(wide(float64(n-1)), wide(q)))
	count := round64(newWide().Mul(wide(float64(n)), wide(q)))
	if p, ok := plottingPositions[m]; ok {
		alpha, _ := p[0].Float64()
		beta, _ := p[1].Float64()
		span := 1 - alpha
		span -= beta
		v := refVirtual(n, q, alpha, span)
		return refRule(m, n, new(big.Rat).SetFloat64(v))
	}
	switch m {
	case InvertedCDF:
		return refRule(m, n, new(big.Rat).SetFloat64(count))
	case AveragedInvertedCDF:
		return refRule(m, n, new(big.Rat).SetFloat64(round64(newWide().Sub(wide(count), wide(1)))))
	case ClosestObservation:
		return refRule(m, n, new(big.Rat).SetFloat64(round64(newWide().Sub(wide(count), wide(1.5)))))
	}
	return refRule(m, n, new(big.Rat).SetFloat64(gaps))
}

// refRatio is the table of rules for q = num/den in rationals, not normalised.
func refRatio(m Method, n, num, den int64) Position {
	q, count := big.NewRat(num, den), big.NewRat(n, 1)
	nq := new(big.Rat).Mul(count, q)
	one := big.NewRat(1, 1)
	if p, ok := plottingPositions[m]; ok {
		span := new(big.Rat).Sub(new(big.Rat).Sub(one, p[0]), p[1])
		v := new(big.Rat).Add(nq, new(big.Rat).Add(p[0], span.Mul(span, q)))
		return refRule(m, n, v.Sub(v, one))
	}
	switch m {
	case InvertedCDF:
		return refRule(m, n, nq)
	case AveragedInvertedCDF:
		return refRule(m, n, nq.Sub(nq, one))
	case ClosestObservation:
		return refRule(m, n, nq.Sub(nq, big.NewRat(3, 2)))
	}
	return refRule(m, n, new(big.Rat).Mul(q, big.NewRat(n-1, 1)))
}

// refRule applies a method's rule to its v (nq itself for inverted_cdf), clips,
// and rounds the weight once, and what that lacks.
func refRule(m Method, n int64, v *big.Rat) Position {
	if _, ok := plottingPositions[m]; ok { // clipped first
		if v.Sign() < 0 {
			v = new(big.Rat)
		}
		if end := big.NewRat(n-1, 1); v.Cmp(end) > 0 {
			v = end
		}
	}
	f := new(big.Int).Div(v.Num(), v.Denom()) // Euclidean: the floor, as the denominator is positive
	frac := new(big.Rat).Sub(v, new(big.Rat).SetInt(f))
	g, _ := frac.Float64()
	floor, whole, half := f.Int64(), frac.Sign() == 0, frac.Cmp(big.NewRat(1, 2))
	ceil := floor
	if !whole {
		ceil++
	}
	odd := floor%2 != 0
	one := func(i int64) Position { i = max(0, min(i, n-1)); return Position{i, i, 0, 0} }
	two := func(g float64) Position {
		return Position{max(0, min(floor, n-1)), max(0, min(floor+1, n-1)), g, 0}
	}
	choose := func(c bool, i, j int64) Position {
		if c {
			return one(i)
		}
		return one(j)
	}
	switch m {
	case Lower:
		return one(floor)
	case Higher:
		return one(ceil)
	case Nearest:
		return choose(half > 0 || half == 0 && odd, floor+1, floor)
	case NearestDown:
		return choose(half > 0, floor+1, floor)
	case Midpoint:
		if whole {
			return one(floor)
		}
		return two(0.5)
	case InvertedCDF:
		return one(ceil - 1)
	case AveragedInvertedCDF:
		if whole {
			return two(0.5)
		}
		return two(1)
	case ClosestObservation:
		return choose(whole && odd, floor, floor+1)
	}
	p := two(g)
	if p.Low, _ = frac.Sub(frac, new(big.Rat).SetFloat64(g)).Float64(); p.Lo == p.Hi {
		p.G, p.Low = 0, 0
	}
	return p
}

// normal is p as Method.Position gives it.
func normal(p Position) Position {
	switch {
	case p.G == 0 || p.Lo == p.Hi:
		return Position{p.Lo, p.Lo, 0, 0}
	case p.G == 1 && p.Low == 0:
		return Position{p.Hi, p.Hi, 0, 0}
	}
	return p
}

// refSpecial answers for NaN, equal and infinite ends and the weights 0 and 1.
func refSpecial(a, b, g float64) (v float64, ok bool) {
	aInf, bInf := math.Abs(a) > math.MaxFloat64, math.Abs(b) > math.MaxFloat64
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN(), true
	}
	if g == 1 {
		return b, true
	}
	if g == 0 || a == b {
		return a, true
	}
	if aInf && bInf {
		return math.NaN(), true
	}
	if aInf {
		return a, true
	}
	return b, bInf
}

// refValue is a + g·(b-a), exact.
func refValue(a, b, g float64) *big.Float {
	d := newWide().Sub(wide(b), wide(a))
	return d.Add(wide(a), d.Mul(d, wide(g)))
}

func ref64(a, b, g float64) uint64 {
	v, ok := refSpecial(a, b, g)
	if !ok {
		v = round64(refValue(a, b, g))
	}
	if v != v {
		return 0x7FF8000000000000
	}
	return math.Float64bits(v)
}

func ref32(a, b float32, g float64) uint32 {
	x, y := float64(a), float64(b)
	v, ok := refSpecial(x, y, g)
	if v != v {
		return 0x7FC00000
	}
	if ok {
		return math.Float32bits(float32(v))
	}
	f, _ := refValue(x, y, g).Float32()
	return math.Float32bits(f)
}

// refNarrow rounds x to a 16-bit format: to mant+1 bits in the normal range, to
// a whole number of the smallest subnormal below it.
func refNarrow(x *big.Float, mant, emin int) float64 {
	prec := uint(mant + 1)
	if e := x.MantExp(nil) - 1; x.Sign() != 0 && e < emin {
		// Adding and taking off 2^emin puts the last place where it belongs.
		anchor := newWide().SetMantExp(wide(math.Copysign(1, float64(x.Sign()))), emin)
		y := newWide().Add(x, anchor)
		y.SetPrec(prec)
		y.SetPrec(exactPrec)
		r := round64(y.Sub(y, anchor))
		return math.Copysign(r, float64(x.Sign()))
	}
	return round64(new(big.Float).SetPrec(prec).Set(x))
}

func refF16(a, b dtype.F16, g float64) uint16 {
	x, y := a.Float64(), b.Float64()
	v, ok := refSpecial(x, y, g)
	if v != v {
		return 0x7E00
	}
	if !ok {
		v = refNarrow(refValue(x, y, g), 10, -14)
	}
	return dtype.ToF16(v).Bits()
}

func refBF16(a, b dtype.BF16, g float64) uint16 {
	x, y := a.Float64(), b.Float64()
	v, ok := refSpecial(x, y, g)
	if v != v {
		return 0x7FC0
	}
	if !ok {
		v = refNarrow(refValue(x, y, g), 7, -126)
	}
	return dtype.ToBF16(v).Bits()
}

// refInteger is a + g·(b-a) for integers a and b.
func refInteger(a, b *big.Int, g float64) uint64 {
	x, y := newWide().SetInt(a), newWide().SetInt(b)
	y.Sub(y, x)
	return math.Float64bits(round64(x.Add(x, y.Mul(y, wide(g)))))
}

// ratioOf is the fraction q.
func ratioOf(q Q) *big.Rat { return big.NewRat(q.Num, q.Den) }
