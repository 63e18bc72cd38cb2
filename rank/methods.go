package rank

import "math"

// Method is a rule that turns a quantile into order statistics. The zero value
// is [Linear]. The package comment has the table of rules.
type Method uint8

// The methods, in the order of [Methods].
const (
	Linear Method = iota
	Lower
	Higher
	Nearest
	NearestDown
	Midpoint
	InvertedCDF
	AveragedInvertedCDF
	ClosestObservation
	InterpolatedInvertedCDF
	Hazen
	Weibull
	MedianUnbiased
	NormalUnbiased

	methodCount // the number of constants above
)

// row is one method: v by float64 and by exact arithmetic, and what is done
// with it.
type row struct {
	name  string
	text  string                           // the rule in words, as the package comment has it
	hf    int                              // type in Hyndman and Fan's paper, 0 if none
	cite  string                           // where the rule is from
	float func(n int64, q float64) float64 // v, each operation rounded once
	exact affine                           // v, as a function of an exact q
	rule  rule
}

const (
	hyndmanFan = "Hyndman, R. J. and Fan, Y. (1996): Sample quantiles in statistical packages, The American Statistician 50(4)"
	numpyOrder = "NumPy, numpy.quantile, order statistics of (n-1)q"
	oneFlow    = "OneFlow and PyTorch documentation of quantile: rounding down for .5 fractions"
)

var methods = [methodCount]row{
	Linear:      {"linear", "v = (n-1)q, weight v - floor v", 7, hyndmanFan, gaps, affine{1, -1, 0}, weigh(fraction)},
	Lower:       {"lower", "floor of (n-1)q", 0, numpyOrder, gaps, affine{1, -1, 0}, pick(floor)},
	Higher:      {"higher", "ceil of (n-1)q", 0, numpyOrder, gaps, affine{1, -1, 0}, pick(ceil)},
	Nearest:     {"nearest", "(n-1)q rounded, halves to even", 0, numpyOrder, gaps, affine{1, -1, 0}, pick(nearestEven)},
	NearestDown: {"nearest_down", "(n-1)q rounded, halves down", 0, oneFlow, gaps, affine{1, -1, 0}, pick(nearestDown)},
	Midpoint:    {"midpoint", "v = (n-1)q, weight 1/2 unless v is integral", 0, numpyOrder, gaps, affine{1, -1, 0}, halve(halfBetween)},

	InvertedCDF:         {"inverted_cdf", "ceil(nq) - 1", 1, hyndmanFan, counts(0), affine{1, 0, 0}, pick(below)},
	AveragedInvertedCDF: {"averaged_inverted_cdf", "v = nq - 1, weight 1/2 if v is integral, else 1", 2, hyndmanFan, counts(1), affine{1, 0, -1}, halve(halfAtStep)},
	ClosestObservation:  {"closest_observation", "v = nq - 3/2, halves to the even one counted from 1", 3, hyndmanFan, counts(1.5), affine{2, 0, -3}, pick(aboveUnlessEven)},

	InterpolatedInvertedCDF: {"interpolated_inverted_cdf", "alpha, beta = 0, 1", 4, hyndmanFan, plotting(0, 0), affine{1, 0, -1}, weigh(fraction)},
	Hazen:                   {"hazen", "alpha, beta = 1/2, 1/2", 5, hyndmanFan, plotting(0.5, 0), affine{2, 0, -1}, weigh(fraction)},
	Weibull:                 {"weibull", "alpha, beta = 0, 0", 6, hyndmanFan, plotting(0, 1), affine{1, 1, -1}, weigh(fraction)},
	// 1/3 and 1 - 1/3 - 1/3 as float64 arithmetic gives them.
	MedianUnbiased: {"median_unbiased", "alpha, beta = 1/3, 1/3", 8, hyndmanFan, plotting(0x1.5555555555555p-2, 0x1.5555555555557p-2), affine{3, 1, -2}, weigh(fraction)},
	NormalUnbiased: {"normal_unbiased", "alpha, beta = 3/8, 3/8", 9, hyndmanFan, plotting(0.375, 0.25), affine{8, 2, -5}, weigh(fraction)},
}

// gaps is v for the rules that share out the n-1 gaps between values.
func gaps(n int64, q float64) float64 { return float64(float64(n-1) * q) }

// counts returns v = nq - less, for the rules that invert the step function.
func counts(less float64) func(int64, float64) float64 {
	return func(n int64, q float64) float64 { return float64(float64(n)*q) - less }
}

// plotting returns v = nq + (alpha + q·span) - 1 for the rules with plotting
// positions, span being 1 - alpha - beta. Clipping v to [0, n-1] is left to
// the clipping of lo and hi: below 0, floor v + 1 is at most 0 and both become
// 0; from n-1 on, floor v is at least n-1 and both become n-1.
func plotting(alpha, span float64) func(int64, float64) float64 {
	return func(n int64, q float64) float64 {
		return float64(float64(n)*q) + (alpha + float64(q*span)) - 1
	}
}

// virtual is a virtual index v, split at its floor.
type virtual struct {
	floor int64
	frac  float64 // v - floor, rounded once
	low   float64 // what that lacks, of an exact v; see Position
	part  part    // where v lies between floor and floor+1, exactly
}

// part places a fraction relative to 0 and 1/2.
type part uint8

const (
	whole     part = iota // 0
	underHalf             // between 0 and 1/2
	half                  // 1/2
	overHalf              // between 1/2 and 1
)

// splitFloat splits v. The fraction of v >= 0 is exact, since its bits are
// those of v below the point; of a negative v only whether it is whole counts,
// as lo and hi end up at 0.
func splitFloat(v float64) virtual {
	f := math.Floor(v)
	g := v - f
	p := overHalf
	switch {
	case g == 0:
		p = whole
	case g < 0.5:
		p = underHalf
	case g == 0.5:
		p = half
	}
	return virtual{floor: int64(f), frac: g, part: p}
}

// rule turns v into order statistics, not yet clipped. A rule is a pick or a
// weigh, and each of these is one function, so every function in the table
// is used and every method answers both questions: which, and how much.
type rule interface{ place(v virtual) Position }

// pick returns the one order statistic that decides; such methods are discrete.
type pick func(v virtual) int64

// weigh returns the weight of floor+1 against floor, and what it lacks.
type weigh func(v virtual) (g, low float64)

// halve returns a weight that is 0, 1/2 or 1.
type halve func(v virtual) float64

func (f pick) place(v virtual) Position {
	i := f(v)
	return Position{Lo: i, Hi: i}
}

func (f weigh) place(v virtual) Position {
	g, low := f(v)
	return Position{Lo: v.floor, Hi: v.floor + 1, G: g, Low: low}
}

func (f halve) place(v virtual) Position {
	return Position{Lo: v.floor, Hi: v.floor + 1, G: f(v)}
}

func floor(v virtual) int64 { return v.floor }

func ceil(v virtual) int64 {
	if v.part == whole {
		return v.floor
	}
	return v.floor + 1
}

// below is ceil(v) - 1: the first value at which the step function reaches q,
// for v counted from 1.
func below(v virtual) int64 { return ceil(v) - 1 }

func nearestEven(v virtual) int64 {
	if v.part == half {
		return v.floor + v.floor&1
	}
	return nearestDown(v)
}

func nearestDown(v virtual) int64 {
	if v.part == overHalf {
		return v.floor + 1
	}
	return v.floor
}

// aboveUnlessEven is floor v + 1, but floor v where v is whole and the order
// statistic there is an even one counted from 1.
func aboveUnlessEven(v virtual) int64 {
	if v.part == whole && v.floor&1 == 1 {
		return v.floor
	}
	return v.floor + 1
}

func fraction(v virtual) (g, low float64) { return v.frac, v.low }

func halfBetween(v virtual) float64 {
	if v.part == whole {
		return 0
	}
	return 0.5
}

func halfAtStep(v virtual) float64 {
	if v.part == whole {
		return 0.5
	}
	return 1
}

// Valid reports whether m is one of the methods.
func (m Method) Valid() bool { return m < methodCount }

// Discrete reports whether m always gives one of the values, so that the
// result keeps their dtype and has an index. It panics if m is not valid.
func (m Method) Discrete() bool {
	_, ok := methods[m].rule.(pick)
	return ok
}

// Halves reports whether m always gives the middle of two values, or one of
// them, but is not discrete. It panics if m is not valid.
func (m Method) Halves() bool {
	_, ok := methods[m].rule.(halve)
	return ok
}

// Type returns m's number in Hyndman and Fan's list of nine, which R's
// quantile uses, or 0. It panics if m is not valid.
func (m Method) Type() int { return methods[m].hf }

// Rule returns m's rule in words: a row of the table in the package comment. It panics
// if m is not valid.
func (m Method) Rule() string { return methods[m].text }

// Citation returns where m's rule is from. It panics if m is not valid.
func (m Method) Citation() string { return methods[m].cite }
