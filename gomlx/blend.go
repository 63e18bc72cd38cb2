package gomlx

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// tinyWeight is the weight below which the sum of blend goes another way.
const tinyWeight = 0x1p-64

// blend returns the bits, in format to, of a + g·(b-a), exact and rounded once.
// a and b are keys in format f with a <= b; g are the bits of float64 weights,
// 0 <= g < 1; all have one shape. Where g is 0, b is not looked at; where a is
// NaN, g must be 0 or b NaN too. Of a float dtype to is f, of integers
// Float64. tiny says that some g may be below [tinyWeight].
//
// The order of summation keeps every bit that matters in 192. Floats are added
// as (a - g·a) + g·b: for g >= 2^-64 the first sum has at most 53+64+53 bits, so
// nothing is lost in it, and the second loses bits of one term only, where the
// terms do not cancel. For smaller g it is (a + g·b) - g·a: the first sum loses
// nothing where its terms cancel, having 107 bits then. Where it loses bits of
// g·b, less than 2^-75·|a|, the result is a; where bits of a, it is g·b with a
// tail of a's sign; -g·a changes neither. Integers are added as a + g·(b-a).
func (f format) blend(to format, a, b, g *Node, tiny bool) *Node {
	low, high := f.keyBits(a), f.keyBits(b)
	x, weight := f.split(low), formatOf(dtypes.Float64).split(g)
	var sum wide
	if !f.float() {
		gap := newPart(NotEqual(a, a), u64(Sub(b, a)), constant(g, 0))
		sum = x.widen().plus(gap.times(weight))
	} else {
		first, last := x.negative().times(weight), f.split(high).times(weight)
		if tiny {
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
