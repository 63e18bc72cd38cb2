package oracle

import (
	"math"
	"math/big"
	"slices"
)

// Q is a quantile as it was asked for.
type Q struct {
	value   float64
	percent bool
	num     int64
	den     int64
	ratio   bool
}

// At is the quantile q in [0, 1].
func At(q float64) Q { return Q{value: q} }

// Percent is the percentile p in [0, 100]; the quantile is p/100 in float64.
func Percent(p float64) Q { return Q{value: p, percent: true} }

// Ratio is the exact fraction num/den.
func Ratio(num, den int64) Q { return Q{num: num, den: den, ratio: true} }

// Ats returns At of each value.
func Ats(qs ...float64) []Q {
	list := make([]Q, len(qs))
	for i, q := range qs {
		list[i] = At(q)
	}
	return list
}

// valid reports whether q is within its range.
func (q Q) valid() bool {
	switch {
	case q.ratio:
		return q.den > 0 && 0 <= q.num && q.num <= q.den
	case q.percent:
		return q.value >= 0 && q.value <= 100
	default:
		return q.value >= 0 && q.value <= 1
	}
}

// float is q as a float64, for one that is not a ratio.
func (q Q) float() float64 {
	if q.percent {
		return q.value / 100
	}
	return q.value
}

// rat is q exactly, for a ratio.
func (q Q) rat() *big.Rat { return big.NewRat(q.num, q.den) }

// Position is two 0-based order statistics and the weight of the upper one: Exact, which G
// is nearest to, where it is not nil, and otherwise G.
type Position struct {
	Lo, Hi int64
	G      float64
	Exact  *big.Rat
}

// Discrete lists the methods that answer with an element.
var Discrete = []string{"lower", "higher", "nearest", "nearest_down", "inverted_cdf", "closest_observation"}

// Interpolating lists the others; linear is the default.
var Interpolating = []string{"linear", "midpoint", "averaged_inverted_cdf", "interpolated_inverted_cdf",
	"hazen", "weibull", "median_unbiased", "normal_unbiased"}

func isDiscrete(method string) bool { return slices.Contains(Discrete, method) }

func isMethod(method string) bool {
	return isDiscrete(method) || slices.Contains(Interpolating, method)
}

// plotting is alpha and beta of Hyndman and Fan's types 4, 5, 6, 8, 9, as
// numerator and denominator.
var plotting = map[string]struct{ alpha, beta [2]int64 }{
	"interpolated_inverted_cdf": {[2]int64{0, 1}, [2]int64{1, 1}},
	"hazen":                     {[2]int64{1, 2}, [2]int64{1, 2}},
	"weibull":                   {[2]int64{0, 1}, [2]int64{0, 1}},
	"median_unbiased":           {[2]int64{1, 3}, [2]int64{1, 3}},
	"normal_unbiased":           {[2]int64{3, 8}, [2]int64{3, 8}},
}

// Ranks returns the order statistics that the method takes in n >= 1 values.
func Ranks(n int64, q Q, method string) Position {
	if q.ratio {
		return exactRanks(n, q.rat(), method)
	}
	return floatRanks(n, q.float(), method)
}

// clip brings an index into 0 … n-1.
func clip(i, n int64) int64 { return min(max(i, 0), n-1) }

// floatRanks computes in float64; every product is rounded on its own.
func floatRanks(n int64, q float64, method string) Position {
	N := float64(n)
	last := float64((N - 1) * q)
	nq := float64(N * q)
	at := func(v float64) Position { i := clip(int64(v), n); return Position{Lo: i, Hi: i} }
	between := func(v, g float64) Position {
		f := int64(math.Floor(v))
		return Position{Lo: clip(f, n), Hi: clip(f+1, n), G: g}
	}
	switch method {
	case "linear":
		return between(last, last-math.Floor(last))
	case "lower":
		return at(math.Floor(last))
	case "higher":
		return at(math.Ceil(last))
	case "nearest":
		return at(math.RoundToEven(last))
	case "nearest_down":
		if last-math.Floor(last) > 0.5 {
			return at(math.Floor(last) + 1)
		}
		return at(math.Floor(last))
	case "midpoint":
		if last == math.Floor(last) {
			return at(last)
		}
		return between(last, 0.5)
	case "inverted_cdf":
		return at(math.Ceil(nq) - 1)
	case "averaged_inverted_cdf":
		v := nq - 1
		if v == math.Floor(v) {
			return between(v, 0.5)
		}
		return between(v, 1)
	case "closest_observation":
		v := nq - 1.5
		f := math.Floor(v)
		// The f-th from 0 is the (f+1)-th from 1: odd f is an even one.
		if v == f && int64(f)&1 == 1 {
			return at(f)
		}
		return at(f + 1)
	}
	p := plotting[method]
	alpha := float64(p.alpha[0]) / float64(p.alpha[1])
	beta := float64(p.beta[0]) / float64(p.beta[1])
	scale := 1 - alpha
	scale -= beta
	shift := alpha + float64(q*scale)
	v := nq + shift
	v--
	v = min(max(v, 0), N-1)
	return between(v, v-math.Floor(v))
}

// exactRanks computes in fractions.
func exactRanks(n int64, q *big.Rat, method string) Position {
	whole := func(i int64) *big.Rat { return new(big.Rat).SetInt64(i) }
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	sub := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
	add := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
	floor := func(v *big.Rat) int64 { return new(big.Int).Div(v.Num(), v.Denom()).Int64() }
	ceil := func(v *big.Rat) int64 { return -floor(new(big.Rat).Neg(v)) }
	frac := func(v *big.Rat) *big.Rat { return sub(v, whole(floor(v))) }
	at := func(i int64) Position { i = clip(i, n); return Position{Lo: i, Hi: i} }
	half := big.NewRat(1, 2)
	last := mul(whole(n-1), q)
	nq := mul(whole(n), q)
	between := func(v, g *big.Rat) Position {
		p := Position{Lo: clip(floor(v), n), Hi: clip(floor(v)+1, n), Exact: g}
		p.G, _ = g.Float64()
		return p
	}
	switch method {
	case "linear":
		return between(last, frac(last))
	case "lower":
		return at(floor(last))
	case "higher":
		return at(ceil(last))
	case "nearest":
		f := floor(last)
		if c := frac(last).Cmp(half); c > 0 || c == 0 && f&1 == 1 {
			f++
		}
		return at(f)
	case "nearest_down":
		f := floor(last)
		if frac(last).Cmp(half) > 0 {
			f++
		}
		return at(f)
	case "midpoint":
		if last.IsInt() {
			return at(floor(last))
		}
		return between(last, half)
	case "inverted_cdf":
		return at(ceil(nq) - 1)
	case "averaged_inverted_cdf":
		v := sub(nq, whole(1))
		if v.IsInt() {
			return between(v, half)
		}
		return between(v, whole(1))
	case "closest_observation":
		v := sub(nq, big.NewRat(3, 2))
		f := floor(v)
		if v.IsInt() && f&1 == 1 {
			return at(f)
		}
		return at(f + 1)
	}
	p := plotting[method]
	alpha, beta := big.NewRat(p.alpha[0], p.alpha[1]), big.NewRat(p.beta[0], p.beta[1])
	v := sub(add(nq, add(alpha, mul(q, sub(sub(whole(1), alpha), beta)))), whole(1))
	if v.Sign() < 0 {
		v = new(big.Rat)
	}
	if v.Cmp(whole(n-1)) > 0 {
		v = whole(n - 1)
	}
	return between(v, frac(v))
}
