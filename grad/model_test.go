package grad_test

import (
	"fmt"
	"slices"
	"sort"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
)

// rule says how a gradient is shared.
type rule int

const (
	byOrder rule = iota
	evenly
	byIndex
)

// model is a call as the naive model understands it. It repeats each value as
// often as its weight says, sorts, and adds up.
type model struct {
	rule    rule
	qs      []oracle.Q // of a median 1/2
	method  string     // of a median midpoint, lower or higher
	skipNaN bool
	axes    []int   // nil means all
	weights []int64 // of each element, or nil
	present []bool  // with float weights instead: which elements have one
	chosen  []int64 // with float weights: the indices, quantile after quantile
}

// lanesOf lists the elements of each lane, in the order that indices count.
func lanesOf(shape, axes []int) [][]int {
	reduced := make([]bool, len(shape))
	for i := range shape {
		reduced[i] = axes == nil
	}
	for _, a := range axes {
		if len(shape) > 0 {
			reduced[(a+len(shape))%len(shape)] = true
		}
	}
	count, n := 1, 1
	for i, d := range shape {
		if n *= d; !reduced[i] {
			count *= d
		}
	}
	lanes := make([][]int, count)
	for e := range n {
		lane, rest, step := 0, e, 1
		for i := len(shape) - 1; i >= 0; i-- {
			if !reduced[i] {
				lane += rest % shape[i] * step
				step *= shape[i]
			}
			rest /= shape[i]
		}
		lanes[lane] = append(lanes[lane], e)
	}
	return lanes
}

// value is the value of an element, with a flag for NaN.
func value(x *oracle.Array, e int) (v float64, isNaN bool) {
	wide, err := oracle.Cast(&oracle.Array{DType: x.DType, Shape: []int{1}, Bits: x.Bits[e : e+1]}, dtype.Float64)
	if err != nil {
		panic(err)
	}
	v = floatOf(wide.Bits[0].Re)
	return v, v != v
}

// gradient returns the bits of dx; dy is the upstream gradient, quantile after
// quantile.
func (m model) gradient(x *oracle.Array, dy []float64) *oracle.Array {
	sums := make([]float64, len(x.Bits))
	lanes := lanesOf(x.Shape, m.axes)
	for j, lane := range lanes {
		m.lane(x, lane, sums, func(q int) (float64, int) { return dy[q*len(lanes)+j], q*len(lanes) + j })
	}
	dx := oracle.Floats(x.DType, sums, len(sums))
	dx.Shape = x.Shape
	return dx
}

// lane adds the gradient of one lane.
func (m model) lane(x *oracle.Array, lane []int, sums []float64, dy func(q int) (float64, int)) {
	if len(lane) == 0 {
		return
	}
	var numbers, nans, voidNaNs []int // elements, each as often as it counts
	for _, e := range lane {
		_, isNaN := value(x, e)
		times := int64(1)
		if m.weights != nil {
			times = m.weights[e]
		}
		if m.present != nil && !m.present[e] {
			times = 0
		}
		switch {
		case isNaN && times == 0:
			voidNaNs = append(voidNaNs, e)
		case isNaN:
			nans = append(nans, slices.Repeat([]int{e}, int(times))...)
		default:
			numbers = append(numbers, slices.Repeat([]int{e}, int(times))...)
		}
	}
	key := func(e int) (float64, bool) {
		v, _ := value(x, e)
		return v, v == 0 && x.Bits[e].Re != 0 // -0 comes before +0
	}
	sort.SliceStable(numbers, func(i, j int) bool {
		a, aneg := key(numbers[i])
		b, bneg := key(numbers[j])
		return a < b || a == b && aneg && !bneg
	})
	allNaN := nans
	switch {
	case m.rule == byIndex: // the index is that of the first NaN, whatever its weight
		allNaN = slices.Sorted(slices.Values(slices.Concat(nans, voidNaNs)))
	case len(allNaN) == 0 && !m.skipNaN:
		allNaN = voidNaNs
	}
	isNaN := len(numbers) == 0 || len(allNaN) > 0 && !m.skipNaN
	for q, quantile := range m.qs {
		up, at := dy(q)
		if isNaN {
			m.nan(allNaN, up, sums)
			continue
		}
		if m.chosen != nil {
			sums[lane[m.chosen[at]]] += up
			continue
		}
		p := oracle.Ranks(int64(len(numbers)), quantile, m.method)
		lo, hi, g := numbers[p.Lo], numbers[p.Hi], p.G
		switch {
		case g == 0:
			hi = lo
		case g == 1:
			lo = hi
		}
		if m.rule == evenly {
			m.even(x, numbers, lo, hi, up, sums)
			continue
		}
		if lo == hi {
			sums[lo] += up
			continue
		}
		sums[lo] += float64((1 - g) * up)
		sums[hi] += float64(g * up)
	}
}

// nan adds the gradient of a lane whose answer is NaN, given the NaNs that
// count.
func (m model) nan(nans []int, up float64, sums []float64) {
	switch {
	case m.rule == evenly:
		share(nans, 1, up, sums)
	case m.rule == byIndex && m.skipNaN:
	case m.rule == byIndex, m.skipNaN:
		sums[nans[0]] += up
	default:
		sums[nans[len(nans)-1]] += up
	}
}

// even adds the gradient of a median.
func (m model) even(x *oracle.Array, numbers []int, lo, hi int, up float64, sums []float64) {
	equal := func(to int) (all []int) {
		v, _ := value(x, to)
		for _, e := range numbers {
			if u, _ := value(x, e); u == v {
				all = append(all, e)
			}
		}
		return all
	}
	a, _ := value(x, lo)
	if b, _ := value(x, hi); a == b {
		share(equal(lo), 1, up, sums)
		return
	}
	share(equal(lo), 0.5, up, sums)
	share(equal(hi), 0.5, up, sums)
}

// share gives each of the elements a part for each time that it is listed.
func share(elements []int, part, up float64, sums []float64) {
	times := map[int]int{}
	for _, e := range elements {
		times[e]++
	}
	for e, n := range times {
		w := part * float64(n) / float64(len(elements))
		sums[e] += float64(w * up)
	}
}

// String says what is asked.
func (m model) String() string {
	return fmt.Sprintf("rule=%d method=%s skip=%v axes=%v weighted=%v", m.rule, m.method, m.skipNaN, m.axes, m.weights != nil || m.present != nil)
}
