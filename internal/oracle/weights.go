package oracle

import (
	"math/big"
	"sort"

	"github.com/ogive-go/ogive/dtype"
)

// laneWeights are the weights of one lane, as integers: frequencies, or float
// weights scaled by one power of two, which keeps every ratio.
type laneWeights struct {
	frequencies bool
	w           []*big.Int
}

// newLaneWeights checks the weights of one lane: no negative, NaN or infinite
// one, a positive sum, and frequencies below 2^53 in all.
func newLaneWeights(dt dtype.DType, raw []uint64) (*laneWeights, error) {
	lw := &laneWeights{frequencies: dt.IsBool() || dt.IsInteger(), w: make([]*big.Int, len(raw))}
	numbers := make([]Number, len(raw))
	lowest := 0
	for i, b := range raw {
		v := Decode(dt, b)
		if v.class != finite || v.neg && v.m != 0 {
			return nil, ErrWeights
		}
		numbers[i] = v
		lowest = min(lowest, v.e)
	}
	total := new(big.Int)
	for i, v := range numbers {
		v.neg = false
		lw.w[i] = v.dyadic().at(lowest)
		total.Add(total, lw.w[i])
	}
	if total.Sign() <= 0 {
		return nil, ErrWeights
	}
	if lw.frequencies && total.Cmp(new(big.Int).Lsh(big.NewInt(1), 53)) >= 0 {
		return nil, ErrWeights
	}
	return lw, nil
}

// cumulative returns the running sums of the weights in the given order.
func (lw *laneWeights) cumulative(order []int) []*big.Int {
	sum := new(big.Int)
	c := make([]*big.Int, len(order))
	for i, at := range order {
		sum = new(big.Int).Add(sum, lw.w[at])
		c[i] = sum
	}
	return c
}

// reaches reports whether the cumulative weight c of total w has come to q:
// RN64(c/w) >= q, or c/w >= q exactly where q is a fraction.
func reaches(c, w *big.Int, q Q) bool {
	ratio := new(big.Rat).SetFrac(c, w)
	if q.ratio {
		return ratio.Cmp(q.rat()) >= 0
	}
	f, _ := ratio.Float64()
	return f >= q.float()
}

// invertedCDF returns the first position in order with a positive weight whose
// cumulative weight reaches q.
func (lw *laneWeights) invertedCDF(order []int, c []*big.Int, q Q) int {
	total := c[len(c)-1]
	i := sort.Search(len(c), func(i int) bool { return c[i].Sign() > 0 && reaches(c[i], total, q) })
	// The sums are the same from a positive weight up to the next one.
	for lw.w[order[i]].Sign() == 0 {
		i++
	}
	return order[i]
}

// holder returns the position of the element that holds the rank-th (from 0)
// value once each is repeated by its frequency.
func holder(order []int, c []*big.Int, rank int64) int {
	r := big.NewInt(rank)
	return order[sort.Search(len(c), func(i int) bool { return c[i].Cmp(r) > 0 })]
}
