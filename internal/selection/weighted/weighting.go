package weighted

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/ogive-go/ogive/rank"
)

// Weighting says how the weights of a call are added up: as integers that count
// multiples of 2^unit. It is read by all workers.
type Weighting struct {
	float bool
	unit  int
	top   uint64 // the bits of the largest float weight
	words int    // of a sum
	order []int  // of float weights, the quantiles by size
}

// Frequencies is the weighting by integers.
func Frequencies() Weighting { return Weighting{words: 1} }

// FloatWeights returns the weighting by float weights within the span, for the
// quantiles of the set in lanes of n elements. The method is rank.InvertedCDF.
func FloatWeights(set rank.Set, span *Span, n int) Weighting {
	g := Weighting{float: true, unit: span.low, top: span.top, words: 1, order: ascending(set)}
	if span.top > 0 {
		m, e := splitWeight(span.top)
		width := e + bits.Len64(m) - span.low + bits.Len(uint(n))
		g.words = (width + 63) / 64
	}
	return g
}

// Of returns the weighting by the same weights for other quantiles.
func (g Weighting) Of(set rank.Set) Weighting {
	if g.float {
		g.order = ascending(set)
	}
	return g
}

// ascending returns the numbers of quantiles by their size.
func ascending(set rank.Set) (order []int) {
	for i := range set.Len() {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return compareQ(set.Q(i), set.Q(j)) })
	return order
}

// compareQ compares two quantiles by what they ask of a sum: see setTarget.
func compareQ(a, b rank.Q) int {
	switch {
	case a.Den == 0 && b.Den == 0:
		return cmp.Compare(a.Value, b.Value)
	case a.Den == 0:
		return compareMidpoint(a.Value, b)
	case b.Den == 0:
		return -compareMidpoint(b.Value, a)
	}
	ah, al := bits.Mul64(uint64(a.Num), uint64(b.Den))
	bh, bl := bits.Mul64(uint64(b.Num), uint64(a.Den))
	return cmp.Or(cmp.Compare(ah, bh), cmp.Compare(al, bl))
}

// compareMidpoint compares a float64 quantile, which is reached at the midpoint of it and
// the float64 before it or, where the tie goes to the latter, right above, with a fraction.
func compareMidpoint(q float64, b rank.Q) int {
	fraction := big.NewRat(b.Num, b.Den)
	if q <= 0 {
		return -fraction.Sign()
	}
	before := math.Float64bits(q) - 1
	midpoint, half := new(big.Rat).SetFloat64(q), new(big.Rat).SetFloat64(math.Float64frombits(before))
	midpoint.Add(midpoint, half).Quo(midpoint, big.NewRat(2, 1))
	above := 0
	if before&1 == 0 {
		above = 1
	}
	return cmp.Or(midpoint.Cmp(fraction), above)
}

// MaxFrequencies is the number that the frequencies of a lane must stay below
// in all: ranks are float64 arithmetic.
const MaxFrequencies = 1 << 53

// AddFrequencies returns sum plus the int64 weights, MaxFrequencies if it is
// that or more, and the number of the first that is negative, -1 without one.
func AddFrequencies(sum int64, weights []uint64) (total int64, bad int) {
	for i, b := range weights {
		w := int64(b)
		if w < 0 {
			return sum, i
		}
		sum = min(sum+min(w, MaxFrequencies), MaxFrequencies)
	}
	return sum, -1
}

// Load turns widened weights into those that the sums take: units where a sum
// is one word, and otherwise the bits of float64. Weights that are not of the
// kind that the weighting was made for, because they have been changed since,
// become 0.
func (g *Weighting) Load(weights []uint64) {
	switch {
	case !g.float:
		for i, w := range weights {
			if w > MaxFrequencies {
				weights[i] = 0
			}
		}
	case g.words == 1:
		for i, b := range weights {
			weights[i] = 0
			if b <= g.top && b > 0 {
				weights[i], _ = g.units(b)
			}
		}
	default:
		for i, b := range weights {
			if b > g.top {
				weights[i] = 0
			}
		}
	}
}

// units returns m and shift with the weight m 2^shift units, shift >= 0. If
// sums have one word, the shift has been done.
func (g *Weighting) units(b uint64) (m uint64, shift uint) {
	m, e := splitWeight(b)
	if e < g.unit {
		return m >> uint(g.unit-e), 0
	}
	if g.words == 1 {
		return m << uint(e-g.unit), 0
	}
	return m, uint(e - g.unit)
}

// addOne adds a loaded weight to the sum.
func (g *Weighting) addOne(to sum, weight uint64) {
	if g.words == 1 {
		to[0] += weight
		return
	}
	if weight == 0 {
		return
	}
	m, shift := g.units(weight)
	at, s := shift/64, shift%64
	var carry uint64
	to[at], carry = bits.Add64(to[at], m<<s, 0)
	high := m >> (64 - s)
	// A carry clears the words it runs through, so that runs are short on average.
	for at++; high|carry != 0 && at < uint(len(to)); at++ {
		to[at], carry = bits.Add64(to[at], high, carry)
		high = 0
	}
}

// add adds loaded weights to the sum.
func (g *Weighting) add(to sum, weights []uint64) {
	switch g.words {
	case 1:
		total := to[0]
		for _, w := range weights {
			total += w
		}
		to[0] = total
	case 2:
		lo, hi := to[0], to[1]
		for _, w := range weights {
			if w == 0 {
				continue
			}
			m, s := g.units(w)
			var carry uint64
			lo, carry = bits.Add64(lo, m<<s, 0)
			hi += (m<<(s-64) | m>>(64-s)) + carry // of the shifts one is out of range, or both are 0
		}
		to[0], to[1] = lo, hi
	default:
		for _, w := range weights {
			g.addOne(to, w)
		}
	}
}
