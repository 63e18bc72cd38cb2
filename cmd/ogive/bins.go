package main

import (
	"math"
	"math/big"

	"github.com/ogive-go/ogive/tensorio"
)

// binning says which bins a histogram has: edges, a width, or a count over a range.
type binning struct {
	count int
	log   bool
	edges []value
	over  []value // nil, or its two ends
	width *big.Rat
}

// of returns the edges for an operand, ascending.
func (b binning) of(o *operand) ([]value, error) {
	if b.edges != nil {
		return b.edges, nil
	}
	if o.Unit != tensorio.UnitNone && (b.width != nil || b.log) {
		return nil, usageError("", "--width and --log are for numbers, and %s holds %s", columnTitle(o), o.Unit.Kind())
	}
	lo, hi, err := b.ends(o)
	if err != nil {
		return nil, err
	}
	rats := []*big.Rat{lo}
	switch {
	case b.width != nil:
		first := new(big.Rat).Quo(lo, b.width)
		k := new(big.Int).Div(first.Num(), first.Denom()) // rounded down
		n := new(big.Int).Sub(b.end(hi, o), k)
		if !n.IsInt64() || n.Int64() > mostBins {
			width, _ := b.width.Float64()
			return nil, usageError("", "--width %s gives %v bins, of %d at most", tensorio.FormatFloat(width, 64), n, mostBins)
		}
		rats = rats[:0]
		for i := range n.Int64() + 1 {
			at := new(big.Rat).SetInt(new(big.Int).Add(k, big.NewInt(i)))
			rats = append(rats, at.Mul(at, b.width))
		}
	case b.log:
		rats = append(rats, geometric(lo, hi, b.count)...)
	default:
		step := new(big.Rat).Sub(hi, lo)
		step.Quo(step, big.NewRat(int64(b.count), 1))
		for i := 1; i <= b.count; i++ {
			at := new(big.Rat).Mul(step, big.NewRat(int64(i), 1))
			rats = append(rats, at.Add(at, lo))
		}
	}
	edges := make([]value, len(rats))
	for i, r := range rats {
		edges[i] = value{text: edgeText(r, o), rat: r, edge: true}
	}
	if b.over != nil && b.width == nil { // as they were given
		edges[0].text, edges[len(edges)-1].text = b.over[0].text, b.over[1].text
	}
	return edges, nil
}

// end returns which multiple of the width is the first above hi, the largest value of an
// operand: as its dtype has it, for 0.3 is the edge 3 times 0.1 of floats.
func (b binning) end(hi *big.Rat, o *operand) *big.Int {
	one := big.NewInt(1)
	last := new(big.Rat).Quo(hi, b.width)
	n := new(big.Int).Div(last.Num(), last.Denom())
	n.Add(n, one)
	edge := new(big.Rat).SetInt(n)
	if f, _ := edge.Mul(edge, b.width).Float64(); o.x.DType().IsFloat() {
		if top, _ := hi.Float64(); f <= top {
			n.Add(n, one)
		}
	}
	return n
}

// edgeText writes an edge: an integer in full, one of a unit as such, all else rounded once.
func edgeText(r *big.Rat, o *operand) string {
	switch {
	case o.Unit != tensorio.UnitNone:
		return o.Unit.Format(ceil(r).Int64())
	case r.IsInt() && !o.x.DType().IsFloat():
		return r.Num().String()
	}
	f, _ := r.Float64()
	return tensorio.FormatFloat(f, 64)
}

// ends returns where the bins of an operand begin and end: 0 and 1 if it has no finite
// value, and a half to either side of a lone one.
func (b binning) ends(o *operand) (lo, hi *big.Rat, err error) {
	if b.over != nil {
		lo, err := b.over[0].in(o)
		if err != nil {
			return nil, nil, err
		}
		hi, err := b.over[1].in(o)
		return lo.rat, hi.rat, err
	}
	lo, hi, err = extremes(o, b.log)
	switch {
	case err != nil:
		return nil, nil, err
	case lo == nil && b.log:
		return big.NewRat(1, 1), big.NewRat(10, 1), nil
	case lo == nil:
		return new(big.Rat), big.NewRat(1, 1), nil
	case b.width != nil || lo.Cmp(hi) != 0:
		return lo, hi, nil
	case b.log:
		return new(big.Rat).Quo(lo, big.NewRat(2, 1)), new(big.Rat).Mul(hi, big.NewRat(2, 1)), nil
	case o.Unit != tensorio.UnitNone:
		return lo, new(big.Rat).Add(hi, big.NewRat(int64(b.count), 1)), nil
	}
	half := big.NewRat(1, 2)
	return new(big.Rat).Sub(lo, half), new(big.Rat).Add(hi, half), nil
}

// extremes returns the smallest and the largest finite value that is not missing, or
// positive one; nil if there is none.
func extremes(o *operand, positive bool) (lo, hi *big.Rat, err error) {
	x, err := vectorOf(o)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case x.floats != nil:
		a, b, ok := extremesOf(x.floats, x.gone, positive)
		if !ok {
			return nil, nil, nil
		}
		return new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b), nil
	case x.uints != nil:
		a, b, ok := extremesOf(x.uints, x.gone, positive)
		if !ok {
			return nil, nil, nil
		}
		return new(big.Rat).SetUint64(a), new(big.Rat).SetUint64(b), nil
	}
	a, b, ok := extremesOf(x.ints, x.gone, positive)
	if !ok {
		return nil, nil, nil
	}
	return new(big.Rat).SetInt64(a), new(big.Rat).SetInt64(b), nil
}

func extremesOf[T int64 | uint64 | float64](x []T, gone []bool, positive bool) (lo, hi T, found bool) {
	for i, v := range x {
		if v-v != 0 || gone != nil && gone[i] || positive && v <= 0 { // v-v is NaN of what is not finite
			continue
		}
		if !found || v < lo {
			lo = v
		}
		if !found || v > hi {
			hi = v
		}
		found = true
	}
	return lo, hi, found
}

// rootPrecision is that of the ratio of neighbouring edges: so many bits that the edges
// are rounded once, whatever the processor's own powers are.
const rootPrecision = 200

// geometric returns the n edges after lo, up to hi, each the same multiple of the one
// before.
func geometric(lo, hi *big.Rat, n int) (list []*big.Rat) {
	root := nthRoot(new(big.Rat).Quo(hi, lo), n)
	at := new(big.Float).SetPrec(rootPrecision).SetRat(lo)
	for range n - 1 {
		at.Mul(at, root)
		r, _ := at.Rat(nil)
		list = append(list, r)
	}
	return append(list, hi)
}

// nthRoot returns the n-th root of r by Newton's method.
func nthRoot(r *big.Rat, n int) *big.Float {
	float := func() *big.Float { return new(big.Float).SetPrec(rootPrecision) }
	of := float().SetRat(r)
	mantissa := new(big.Float)
	exponent := of.MantExp(mantissa)
	m, _ := mantissa.Float64()
	log := (math.Log2(m) + float64(exponent)) / float64(n)
	whole := math.Floor(log)
	y := float().Set(new(big.Float).SetMantExp(big.NewFloat(math.Exp2(log-whole)), int(whole)))
	for range 8 { // each doubles the digits that are right, of about 45 to begin with
		power := float().SetInt64(1)
		for base, k := float().Set(y), n-1; k > 0; k >>= 1 {
			if k&1 == 1 {
				power.Mul(power, base)
			}
			base.Mul(base, base)
		}
		next := float().Quo(of, power)
		step := next.Sub(next, y)
		y.Add(y, step.Quo(step, float().SetInt64(int64(n))))
	}
	return y
}
