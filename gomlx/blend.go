package gomlx

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// weights says what is known of weights when the graph is built.
type weights struct {
	halves bool // all are 0 or 1/2
	tiny   bool // some are between 0 and 2^-64
}

// with returns what is known of w and one more weight.
func (w weights) with(g float64) weights {
	return weights{w.halves && (g == 0 || g == 0.5), w.tiny || g > 0 && g < 0x1p-64}
}

// blend returns the bits, in format to, of a + g·(b-a), exact and rounded once.
// a and b are keys in format f with a <= b; g are the bits of float64 weights,
// 0 <= g < 1; all have one shape. Where g is 0, b is not looked at; where a is
// NaN, g must be 0 or b NaN too. Of a float dtype to is f, of integers
// Float64.
//
// The order of summation keeps every bit that matters in 192. Floats are added
// as (a - g·a) + g·b: for g >= 2^-64 the first sum has at most 53+64+53 bits, so
// nothing is lost in it, and the second loses bits of one term only, where the
// terms do not cancel. For smaller g it is (a + g·b) - g·a: the first sum loses
// nothing where its terms cancel, having 107 bits then. Where it loses bits of
// g·b, less than 2^-75·|a|, the result is a; where bits of a, it is g·b with a
// tail of a's sign; -g·a changes neither. Integers are added as a + g·(b-a).
func (f format) blend(to format, a, b, g *Node, known weights) *Node {
	low, high := f.keyBits(a), f.keyBits(b)
	x := f.split(low)
	var sum wide
	switch {
	case f.float() && known.halves:
		sum = x.half().plus(f.split(high).half())
	case known.halves:
		sum = x.widen().plus(f.gap(a, Where(isZero(g), a, b)).half())
	case !f.float():
		sum = x.widen().plus(f.gap(a, b).times(formatOf(dtypes.Float64).split(g)))
	default:
		weight := formatOf(dtypes.Float64).split(g)
		first, last := x.negative().times(weight), f.split(high).times(weight)
		if known.tiny {
			small := LessThan(weight.top, constant(g, -63))
			first, last = choose(small, last, first), choose(small, first, last)
			sum = x.widen().plus(first).normal()
			sum = choose(LogicalAnd(small, sum.sticky), sum, sum.plus(last))
		} else {
			sum = x.widen().plus(first).normal().plus(last)
		}
	}
	bits := to.round(sum.normal())
	if !f.float() {
		return bits
	}
	// The order of what follows is that of precedence, lowest first.
	minus, plus := like(low, f.signBit()|f.infinity()), like(low, f.infinity())
	under, over := Equal(low, minus), Equal(high, plus)
	bits = Where(under, low, bits)
	bits = Where(over, high, bits)
	bits = Where(LogicalAnd(under, over), like(low, f.nan()), bits)
	whole := LogicalOr(isZero(g), Equal(f.oneZero(a), f.oneZero(b)))
	return Where(whole, low, bits)
}

// gap returns b-a for the keys of integers.
func (f format) gap(a, b *Node) part {
	return newPart(NotEqual(a, a), u64(Sub(b, a)), constant(a, 0))
}
