package ogivebeam

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// isLong reports whether values are integers that float64 need not hold: their spreads are
// differences of integers, rounded once, and those of others of what float64 holds.
func isLong(dt dtype.DType) bool { return dt == dtype.Int64 || dt == dtype.Uint64 }

// center is what distances are counted from: the median, and of integers of 64 bits the
// two that it lies between, which moved returned.
type center struct {
	Median        uint64 // its bits: JSON has no NaN
	Lower, Higher uint64
}

// centerOf emits the center of the results for a key.
func centerOf(stem string, next func(*result) bool, emit func(string, center)) error {
	of, err := gatherResults(next)
	if err != nil {
		return err
	}
	r := of[middle]
	list, err := r.floats()
	if err != nil {
		return err
	}
	c := center{Median: math.Float64bits(list[slices.Index(DescribedPercentiles, 50)])}
	lower, higher, err := neighbours(of)
	if err == nil && lower != nil {
		c.Lower, c.Higher = lower[2], higher[2]
	}
	emit(stem, c)
	return err
}

// distances returns how far each value is from the center, in float64; of integers of 64
// bits from the nearer of the two that it lies between, in uint64.
func (c center) distances(x *ogive.Tensor) (*ogive.Tensor, error) {
	if isLong(x.DType()) {
		list, err := moved(x)
		if err != nil {
			return nil, err
		}
		for i, v := range list {
			list[i] = max(v, c.Higher) - c.Higher + c.Lower - min(v, c.Lower)
		}
		return ogive.FromSlice(list)
	}
	x, err := x.Cast(dtype.Float64)
	if err == nil {
		x, err = x.Contiguous()
	}
	if err != nil {
		return nil, err
	}
	list, median := slices.Clone(ogive.Must(ogive.Values[float64](x))), math.Float64frombits(c.Median)
	for i, v := range list {
		list[i] = math.Abs(v - median)
	}
	return ogive.FromSlice(list)
}

// moved returns integers of 64 bits as uint64 in the same order, and as far from each
// other.
func moved(x *ogive.Tensor) ([]uint64, error) {
	x, err := x.Contiguous()
	if err != nil {
		return nil, err
	}
	if x.DType() == dtype.Uint64 {
		list, err := ogive.Values[uint64](x)
		return slices.Clone(list), err
	}
	ints, err := ogive.Values[int64](x)
	list := make([]uint64, len(ints))
	for i, v := range ints {
		list[i] = uint64(v) + 1<<63
	}
	return list, err
}

// longs returns the integers of 64 bits of a result, moved; nil of others.
func (r result) longs() ([]uint64, error) {
	x, err := tensorio.ReadNPY(bytes.NewReader(r.NPY))
	if err != nil || !isLong(x.DType()) {
		return nil, err
	}
	return moved(x)
}

// neighbours returns the integers of 64 bits below and above the quartiles, by the number
// of the quartile; nil of other values.
func neighbours(of map[what]result) (lower, higher []uint64, err error) {
	if lower, err = of[ends].longs(); err != nil || lower == nil {
		return nil, nil, err
	}
	if higher, err = of[above].longs(); err == nil && len(higher) != 3 {
		err = fmt.Errorf("%w: no integers above the quartiles", ogive.ErrFormat)
	}
	return lower, slices.Insert(higher, 0, 0), err
}

// spreads returns the interquartile range and the median distance from the median.
func spreads(of map[what]result, d *Description) (iqr, mad float64, err error) {
	at := func(p int64) float64 { return d.Percentiles[slices.Index(DescribedPercentiles, p)] }
	lower, higher, err := neighbours(of)
	if err != nil {
		return 0, 0, err
	}
	if lower == nil {
		r := of[away]
		list, err := r.floats()
		if err != nil {
			return 0, 0, err
		}
		return at(75) - at(25), list[0], nil
	}
	between := func(q int64) *big.Rat {
		v := new(big.Rat).SetInt(new(big.Int).SetUint64(higher[q] - lower[q]))
		v.Mul(v, big.NewRat((d.Count-1)%4*q%4, 4))
		return v.Add(v, new(big.Rat).SetInt(new(big.Int).SetUint64(lower[q])))
	}
	iqr, _ = new(big.Rat).Sub(between(3), between(1)).Float64()
	// None lies between the two that the median lies between: it is as far as the nearer of
	// them, and half of what is between them.
	twice := new(big.Int).SetUint64(higher[2] - lower[2])
	for _, w := range []what{awayLower, awayHigher} {
		list, err := of[w].longs()
		if err != nil {
			return 0, 0, err
		}
		twice.Add(twice, new(big.Int).SetUint64(list[0]))
	}
	mad, _ = new(big.Rat).SetFrac(twice, big.NewInt(2)).Float64()
	return iqr, mad, nil
}
