package main

import (
	"math"
	"math/big"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// lanes is what is described of an operand: its elements, and of which lane, or group,
// each is one.
type lanes struct {
	x       *ogive.Tensor // flat
	gone    []bool        // beside NaNs
	weights *weights
	keys    []int64 // the group of each element; nil: lanes of the same length, one after the other
	count   int
	answers [askCount]laneAnswers
}

// laneAnswers are answers for quantiles of lanes.
type laneAnswers struct {
	values *ogive.Tensor
	cell   func(i int) string
	at     func(q, lane int) int // where the answer is; negative if there is none
}

// text returns an answer as text.
func (a *laneAnswers) text(q, lane int) string {
	if at := a.at(q, lane); at >= 0 {
		return a.cell(at)
	}
	return tensorio.TextNaN
}

// lanesOf returns the lanes of an operand, one for each element of the kept axes.
func lanesOf(o *operand, kept []int) (l *lanes, err error) {
	l = &lanes{gone: o.gone(), count: 1}
	for _, a := range kept {
		l.count *= o.x.Shape()[a]
	}
	if l.x, err = flatten(o.x, kept); err == nil && o.weights != nil {
		l.weights = &weights{}
		if l.weights.of, err = flatten(o.weights.of, kept); err == nil {
			err = l.weights.read()
		}
	}
	return l, err
}

// flatten returns x as a vector in which the kept axes are the first ones.
func flatten(x *ogive.Tensor, kept []int) (flat *ogive.Tensor, err error) {
	order := slices.Clone(kept)
	for a := range x.Shape() {
		if !slices.Contains(kept, a) {
			order = append(order, a)
		}
	}
	if x.NDim() > 1 {
		if x, err = x.Transpose(order...); err != nil {
			return nil, err
		}
	}
	if x, err = x.Contiguous(); err != nil {
		return nil, err
	}
	return x.Reshape(x.Len())
}

// of returns the lane of an element.
func (l *lanes) of(i int) int {
	if l.keys != nil {
		return int(l.keys[i])
	}
	return i / (l.x.Len() / l.count)
}

// describe returns the cells of each lane.
func (l *lanes) describe(o *operand) ([][]string, error) {
	counts := l.counts()
	iqrs, mads, err := l.spreads(o, counts)
	if err != nil {
		return nil, err
	}
	lines := make([][]string, l.count)
	for k := range lines {
		c := &counts[k]
		line := []string{c.valid.String(), c.missing.String(), c.negative.String(), c.positive.String()}
		line = append(line, l.answers[askLower].text(0, k))
		for q := range describedPercentiles {
			line = append(line, l.answers[askPercentiles].text(q, k))
		}
		lines[k] = append(line, l.answers[askLower].text(lastAsked, k), tensorio.FormatFloat(iqrs[k], 64), tensorio.FormatFloat(mads[k], 64))
	}
	return lines, nil
}

// counts are how many values of a lane are what.
type counts struct{ valid, missing, negative, positive tally }

// counts counts the values of each lane.
func (l *lanes) counts() []counts {
	list := make([]counts, l.count)
	test := func(op func(...ogive.Option) (*ogive.Tensor, error)) []bool {
		return ogive.Must(ogive.Values[bool](ogive.Must(op())))
	}
	nan, negative, positive := test(l.x.IsNaN), test(l.x.IsNegInf), test(l.x.IsPosInf)
	for i := range nan {
		c := &list[l.of(i)]
		if nan[i] || l.gone != nil && l.gone[i] {
			c.missing.add(l.weights, i)
			continue
		}
		c.valid.add(l.weights, i)
		if negative[i] {
			c.negative.add(l.weights, i)
		}
		if positive[i] {
			c.positive.add(l.weights, i)
		}
	}
	return list
}

// spreads returns the interquartile ranges and the median absolute deviations; NaN for
// dates, of which they would be none. Those of integers are exact, rounded once.
func (l *lanes) spreads(o *operand, counts []counts) (iqrs, mads []float64, err error) {
	iqrs, mads = slices.Repeat([]float64{nanValue}, l.count), slices.Repeat([]float64{nanValue}, l.count)
	switch {
	case o.Unit != tensorio.UnitNone || o.x.Len() == 0:
		return iqrs, mads, nil
	case o.x.DType().IsFloat():
		err = l.floatSpreads(iqrs, mads)
	default:
		err = l.wholeSpreads(iqrs, mads, counts)
	}
	return iqrs, mads, err
}

// floatSpreads takes the differences of rounded quartiles, and from the rounded median.
func (l *lanes) floatSpreads(iqrs, mads []float64) error {
	var at [3][]float64
	for i, p := range []int64{25, 50, 75} {
		values, err := l.answers[askPercentiles].floats(slices.Index(describedPercentiles, p), l.count)
		if err != nil {
			return err
		}
		at[i] = values
	}
	for k := range iqrs {
		iqrs[k] = at[2][k] - at[0][k]
	}
	wide, err := l.x.Cast(dtype.Float64)
	if err != nil {
		return err
	}
	away := slices.Clone(ogive.Must(ogive.Values[float64](wide)))
	for i := range away {
		if away[i] = math.Abs(away[i] - at[1][l.of(i)]); l.gone != nil && l.gone[i] {
			away[i] = nanValue
		}
	}
	mode := ogive.ModeAvg
	if l.weights.fractional() {
		mode = ogive.ModeLower
	}
	a, err := l.medians(ogive.Must(ogive.FromSlice(away)), nil, mode)
	if err != nil {
		return err
	}
	values, err := a.floats(0, l.count)
	copy(mads, values)
	return err
}

// floats returns the answers for a quantile of all lanes as numbers.
func (a *laneAnswers) floats(q, lanes int) ([]float64, error) {
	wide, err := a.values.Cast(dtype.Float64)
	if err != nil {
		return nil, err
	}
	all, list := ogive.Must(ogive.Values[float64](wide)), make([]float64, lanes)
	for k := range list {
		if list[k] = nanValue; a.at(q, k) >= 0 {
			list[k] = all[a.at(q, k)]
		}
	}
	return list, nil
}

// offset is what the integers of a vector are moved by, so that they are uint64 in the
// same order, and as far from each other.
const offset = 1 << 63

// moved returns the integers of x moved by offset, nil for the NaN that stands for none.
func moved(x *ogive.Tensor) ([]uint64, error) {
	if x.DType().IsFloat() {
		return nil, nil
	}
	v, err := vectorOf(&operand{x: x})
	if err != nil || v.uints != nil {
		return v.uints, err
	}
	list := make([]uint64, len(v.ints))
	for i, n := range v.ints {
		list[i] = uint64(n) + offset
	}
	return list, nil
}

// wholeSpreads takes the differences of the quartiles, and from the median, of integers.
// None lies between the two elements that a median lies between, so that it is as far
// from the nearer of them, and half of what is between them.
func (l *lanes) wholeSpreads(iqrs, mads []float64, counts []counts) error {
	lower, err := moved(l.answers[askLower].values)
	if err != nil || lower == nil {
		return err
	}
	higher, err := moved(l.answers[askHigher].values)
	if err != nil {
		return err
	}
	x, err := moved(l.x)
	if err != nil {
		return err
	}
	place := l.answers[askLower].at
	for k := range iqrs {
		if place(0, k) < 0 {
			continue
		}
		var quartiles [lastAsked]*big.Rat
		for q := range quartiles {
			at := place(q, k)
			quartiles[q] = between(lower[at], higher[at], counts[k].valid.whole-1, int64(q))
		}
		iqrs[k], _ = quartiles[3].Sub(quartiles[3], quartiles[1]).Float64()
	}
	away, gone := make([]uint64, len(x)), make([]bool, len(x))
	for i, v := range x {
		at := place(2, l.of(i))
		switch {
		case at < 0 || l.gone != nil && l.gone[i]:
			gone[i] = true
		case v > higher[at]:
			away[i] = v - higher[at]
		case v < lower[at]:
			away[i] = lower[at] - v
		}
	}
	var ends [2][]uint64
	var medians laneAnswers
	for i, mode := range []ogive.MedianMode{ogive.ModeLower, ogive.ModeUpper} {
		if l.weights.fractional() {
			mode = ogive.ModeLower
		}
		if medians, err = l.medians(ogive.Must(ogive.FromSlice(away)), gone, mode); err != nil {
			return err
		}
		ends[i] = ogive.Must(ogive.Values[uint64](medians.values))
	}
	for k := range mads {
		at, of := medians.at(0, k), place(2, k)
		if at < 0 || of < 0 {
			continue
		}
		twice := new(big.Int).SetUint64(higher[of] - lower[of])
		for i := range ends {
			twice.Add(twice, new(big.Int).SetUint64(ends[i][at]))
		}
		mads[k], _ = new(big.Rat).SetFrac(twice, big.NewInt(2)).Float64()
	}
	return nil
}

// between returns the quantile q/4 of the method linear among last+1 values, whose
// neighbours are lo and hi.
func between(lo, hi uint64, last, q int64) *big.Rat {
	at := new(big.Rat).SetInt(new(big.Int).SetUint64(lo))
	step := new(big.Rat).SetInt(new(big.Int).SetUint64(hi - lo))
	return at.Add(at, step.Mul(step, big.NewRat((last%4)*q%4, 4)))
}

// medians returns the median of each lane of other values in the place of the elements,
// those that are gone left out.
func (l *lanes) medians(values *ogive.Tensor, gone []bool, mode ogive.MedianMode) (a laneAnswers, err error) {
	keys, weights := l.keys, l.weights.tensor()
	if slices.Contains(gone, true) {
		if values, _, err = present(values, gone); err == nil && weights != nil {
			weights, _, err = present(weights, gone)
		}
		if err != nil {
			return a, err
		}
		keys = left(keys, gone)
	}
	a = laneAnswers{values: values, at: func(int, int) int { return -1 }}
	if values.Len() == 0 {
		return a, nil
	}
	opts := []ogive.Option{ogive.Mode(mode)}
	if keys != nil {
		return a, a.byKeys(keys, weights, l.count, opts)
	}
	if weights != nil {
		if weights, err = weights.Reshape(l.count, -1); err != nil {
			return a, err
		}
		opts = append(opts, ogive.Weights(weights))
	}
	if values, err = values.Reshape(l.count, -1); err == nil {
		a.values, err = values.NaNMedian(append(opts, ogive.Axis(1))...)
	}
	a.at = func(_, lane int) int { return lane }
	return a, err
}

// byKeys sets a to the medians of groups.
func (a *laneAnswers) byKeys(keys []int64, weights *ogive.Tensor, groups int, opts []ogive.Option) error {
	if weights != nil {
		opts = append(opts, ogive.Weights(weights))
	}
	of, values, err := ogive.NaNMedianBy(a.values, ogive.Must(ogive.FromSlice(keys)), opts...)
	if err != nil {
		return err
	}
	place := slices.Repeat([]int{-1}, groups)
	for i, group := range ogive.Must(ogive.Values[int64](of)) {
		place[group] = i
	}
	a.values, a.at = values, func(_, lane int) int { return place[lane] }
	return nil
}

// left returns what of a list is not gone.
func left(list []int64, gone []bool) (kept []int64) {
	for i, v := range list {
		if !gone[i] {
			kept = append(kept, v)
		}
	}
	return kept
}
