package ogive_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
)

// fractionInputs are arrays whose values between order statistics tell an exact weight from
// the float64 nearest to it: half of the elements are -3 and half 3, between which a weight
// next to 1/2 gives what is next to 0; or they are apart by about what they are.
func fractionInputs(dt dtype.DType, shape ...int) map[string]*oracle.Array {
	halves := fill("two", dt, 1, shape...)
	ends := oracle.Ints(dt, []int64{-3, 3}).Bits
	if dt.IsFloat() {
		ends = oracle.Floats(dt, []float64{-3, 3}).Bits
	}
	for i := range halves.Bits {
		halves.Bits[i] = ends[(i+i/shape[len(shape)-1])%2] // half in rows and in columns
	}
	return map[string]*oracle.Array{"halves": halves, "normal": fill("normal", dt, 7, shape...)}
}

// nextToHalf is a fraction whose nearest float64 is 1/2: so many of these.
var nextToHalf = struct{ num, den int64 }{1 << 61, 1<<62 - 1}

// fractionCalls are an operation's calls by one fraction, some, and many.
func fractionCalls(op ogive.Op) (calls []call) {
	one := call{op: op, den: nextToHalf.den, nums: []int64{nextToHalf.num}}
	some := call{op: op, den: 7, nums: []int64{1, 3, 6}}
	many := call{op: op, den: 49}
	for i := range int64(49) {
		many.nums = append(many.nums, i)
	}
	third := call{op: op, den: 3, nums: []int64{1}, scalar: true}
	next := call{op: op, den: nextToHalf.den, nums: []int64{nextToHalf.num, nextToHalf.den / 3, 5}}
	return []call{one, some, many, third, next}
}

// fractionShapes lead lanes into all ways of selection.
var fractionShapes = []struct{ shape, axes []int }{
	{[]int{2}, nil}, {[]int{100}, nil}, {[]int{20, 30}, []int{0}}, {[]int{30, 20}, []int{1}}, {[]int{2, 70}, []int{0}}, {[]int{3, 5, 6}, []int{0, 2}},
	{[]int{3000}, nil}, {[]int{80, 40}, []int{0}}, {[]int{40, 80}, []int{1}}, {[]int{20, 2000}, []int{1}},
}

// TestFractionsInEveryWay: whatever way order statistics are selected in, a fraction keeps
// its exact weight to the last rounding.
func TestFractionsInEveryWay(t *testing.T) {
	for _, dt := range []dtype.DType{dtype.Int16, dtype.Int64, dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			fractionsInEveryWay(t, dt, len(fractionShapes), nil)
		})
	}
}

// fractionsInEveryWay is TestFractionsInEveryWay of a dtype, some of the shapes, and regimes.
func fractionsInEveryWay(t *testing.T, dt dtype.DType, shapes int, regimes []forced) {
	for _, s := range fractionShapes[:shapes] {
		for name, a := range fractionInputs(dt, s.shape...) {
			for _, op := range []ogive.Op{ogive.OpQuantile, ogive.OpNaNQuantile} {
				b := a
				if op == ogive.OpNaNQuantile && dt.IsFloat() {
					b = withHoles(a)
				}
				in := plain(t, b)
				for _, c := range fractionCalls(op) {
					c.axes, c.forced, c.note = s.axes, regimes, fmt.Sprintf("of %s%v %s", dt, s.shape, name)
					c.check(t, in)
				}
			}
		}
	}
}

// withHoles returns a with some elements NaN: none of some lanes, two of others.
func withHoles(a *oracle.Array) *oracle.Array {
	b := *a
	b.Bits = slices.Clone(a.Bits)
	hole := oracle.Floats(a.DType, []float64{math.NaN()}, 1).Bits[0]
	for _, at := range []int{5, 6, len(b.Bits) / 2, len(b.Bits) - 1} {
		if len(b.Bits) > 10 {
			b.Bits[at] = hole
		}
	}
	return &b
}

// TestFractionsOfGroupsAndWindows is TestFractionsInEveryWay of groups, windows and
// frequencies.
func TestFractionsOfGroupsAndWindows(t *testing.T) {
	const n = 150
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = int64(i * i % 7)
	}
	frequencies := plain(t, fill("smallrange", dtype.Uint8, 3, n))
	for i := range frequencies.ref.Bits {
		frequencies.ref.Bits[i].Re = frequencies.ref.Bits[i].Re%3 + 1
	}
	frequencies = plain(t, frequencies.ref)
	for _, dt := range []dtype.DType{dtype.Int64, dtype.Float32, dtype.Float64} {
		for name, a := range fractionInputs(dt, n) {
			for _, op := range []ogive.Op{ogive.OpQuantile, ogive.OpNaNQuantile} {
				in := plain(t, a)
				for _, c := range fractionCalls(op) {
					c.note = fmt.Sprintf("of %s %s", dt, name)
					if c.scalar {
						c.scalar = false // groups and windows take lists
					}
					groupCall{c, keyInput(keys)}.check(t, in, byOracle, nil)
					for _, window := range []int{2, 10, 40} {
						rollingCall{call: c, window: window}.check(t, in, byOracle, nil)
					}
					if dt.IsFloat() {
						rollingCall{call: c, window: 40, least: 3}.check(t, in, byOracle, nil)
					}
					c.weights = frequencies
					c.check(t, in)
					groupCall{c, keyInput(keys)}.check(t, in, byOracle, nil)
				}
			}
		}
	}
}
