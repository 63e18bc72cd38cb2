// Package bracket finds the few keys among which order statistics lie: it
// samples, takes the keys of the sample some standard deviations around the
// place of an order statistic as bounds, counts and collects what lies between
// them, and where that does not hold the order statistic looks on the side
// where it is. Counts are exact, so that a wrong guess costs another look and
// never the answer.
package bracket

import (
	"math"
	"math/bits"

	"github.com/ogive-go/ogive/internal/kernel"
)

// Around returns the places in a sorted sample of m of n keys between which order
// statistics first … last are expected, which are near each other: so many standard
// deviations on either side of the places that they have if the sample is as the keys
// are. lo is less than 0, and hi is m or more, where the sample does not reach so far.
func Around(first, last, n int64, m int, sigma float64) (lo, hi int) {
	// The place of an order statistic in a sample of m has a standard deviation of
	// sqrt(m p (1-p)), p being its share of the keys.
	p := (float64(first+last) + 1) / float64(2*n)
	middle := p * float64(m)
	slack := sigma*math.Sqrt(middle*(1-p)) + 0.5
	if first < last {
		slack += float64(last-first) / float64(2*n) * float64(m)
	}
	return int(math.Floor(middle - slack)), int(middle + slack)
}

// Beyond returns where order statistics first … last of some keys lie, of which
// below are less than from and inside lie from from to to: there if they are
// inside, else on the side or sides of it where they are.
func Beyond[K kernel.Key](from, to K, below, inside, first, last int64) (K, K) {
	switch upTo := below + inside; {
	case last < below:
		return kernel.MinKey[K](), from - 1
	case first >= upTo:
		return to + 1, kernel.MaxKey[K]()
	default:
		if first < below {
			from = kernel.MinKey[K]()
		}
		if last >= upTo {
			to = kernel.MaxKey[K]()
		}
		return from, to
	}
}

// AppendEven appends the ends of the range lo … hi and points that divide it
// evenly into at most so many parts.
func AppendEven[K kernel.Key](dst []K, lo, hi K, parts int) []K {
	width := uint64(int64(hi)) - uint64(int64(lo))
	dst = append(dst, lo)
	for i := 1; i < parts; i++ {
		h, l := bits.Mul64(width, uint64(i))
		step, _ := bits.Div64(h, l, uint64(parts))
		dst = append(dst, K(int64(uint64(int64(lo))+step)))
	}
	return append(dst, hi)
}

// AppendEnd appends the key after one, if there is any.
func AppendEnd[K kernel.Key](dst []K, key K) []K {
	if key < kernel.MaxKey[K]() {
		dst = append(dst, key+1)
	}
	return dst
}
