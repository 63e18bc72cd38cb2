package plot

import (
	"cmp"
	"math"
	"slices"

	"github.com/ogive-go/ogive/rank"
)

// levelCount is how many equal parts the levels divide a distribution into: a curve
// through them is nowhere off by more than a pixel of a picture 512 pixels high.
const levelCount = 512

// tails is the denominator of the levels nearest to the ends.
const tails = 1_000_000

// Levels are the quantiles that tell a distribution: its smallest and largest value, 511
// between, and some more towards the ends, which are what is looked at in latencies.
func Levels() []rank.Q {
	var list []rank.Q
	for k := range int64(levelCount + 1) {
		list = append(list, rank.Ratio(k, levelCount))
	}
	for _, k := range []int64{5, 10, 90, 95} { // of whiskers and of what people name
		list = append(list, rank.Ratio(k, 100))
	}
	for den := int64(100); den <= tails; den *= 10 {
		list = append(list, rank.Ratio(1, den), rank.Ratio(den-1, den))
	}
	slices.SortFunc(list, func(a, b rank.Q) int { return cmp.Compare(a.Num*b.Den, b.Num*a.Den) })
	return list
}

// Sample is a distribution, told by its quantiles.
type Sample struct {
	Name    string
	Count   int  // of its values; negative if that is not known
	Integer bool // its values are integers
	P       []float64
	Q       []float64 // the quantiles at the levels P, ascending from 0 to 1
}

// Empty reports whether the sample has no values, or a missing one that counts.
func (s *Sample) Empty() bool { return len(s.Q) == 0 || math.IsNaN(s.Q[0]) }

// Min returns the smallest value.
func (s *Sample) Min() float64 { return s.Q[0] }

// Max returns the largest value.
func (s *Sample) Max() float64 { return s.Q[len(s.Q)-1] }

// At returns the quantile at one of the levels; NaN at all others.
func (s *Sample) At(p float64) float64 {
	if i, found := slices.BinarySearch(s.P, p); found {
		return s.Q[i]
	}
	return math.NaN()
}

// Finite returns the smallest and the largest finite quantile; NaN if none is.
func (s *Sample) Finite() (lo, hi float64) {
	var all span
	for _, v := range s.Q {
		all.add(v, false)
	}
	if !all.some {
		return math.NaN(), math.NaN()
	}
	return all.lo, all.hi
}

// normalQuantile returns the quantile of the standard normal distribution.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// Against are the distributions that a sample can be compared with.
var Against = []struct {
	Name     string
	About    string
	Quantile func(p float64) float64
}{
	{"normal", "normal distribution, in standard deviations", normalQuantile},
	{"exponential", "exponential distribution of mean 1", func(p float64) float64 { return -math.Log1p(-p) }},
	{"uniform", "uniform distribution from 0 to 1", func(p float64) float64 { return p }},
}
