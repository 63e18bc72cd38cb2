package gomlx

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
)

// Quantile is [ogive.Quantile] of x: the order statistics of the slices of x
// along the reduced axes (ogive.Axis; all of them by default) between which q
// falls, interpolated by ogive.Method, exact and rounded once. Interpolating
// methods keep float dtypes and give Float64 for integers and Bool; methods
// that choose an element keep the dtype. The reduced axes stay with dimension 1
// under ogive.KeepDims.
//
// Special cases are:
//   - a slice that holds a NaN gives the canonical NaN
//   - one infinite end with a weight between 0 and 1 gives that infinity, -Inf
//     with +Inf gives NaN
//   - a slice without elements is ogive.ErrEmpty, unless the result has none
//
// The gradient is that of grad.Quantile: 1-g to the position of the lower order
// statistic and g to that of the upper one, where position decides between
// equal elements.
//
// Errors and cost are in the package comment.
func Quantile(x *Node, q float64, opts ...ogive.Option) *Node {
	return order(ogive.OpQuantile, x, []float64{q}, opts, ogive.Q(q))
}

// Quantiles is [Quantile] for several quantiles at once: element i of the
// result's leading axis is the quantile qs[i]. Selection costs as much for each
// distinct lower order statistic; where several quantiles select one element
// their gradients add up in the order of qs.
func Quantiles(x *Node, qs []float64, opts ...ogive.Option) *Node {
	return order(ogive.OpQuantile, x, qs, opts, ogive.Qs(qs))
}

// NaNQuantile is [Quantile] with NaNs dropped, [ogive.NaNQuantile]. A slice of
// nothing but NaN, or without elements, gives the canonical NaN; its gradient
// goes to the first element.
func NaNQuantile(x *Node, q float64, opts ...ogive.Option) *Node {
	return order(ogive.OpNaNQuantile, x, []float64{q}, opts, ogive.Q(q))
}

// NaNQuantiles is [Quantiles] with NaNs dropped; see [NaNQuantile].
func NaNQuantiles(x *Node, qs []float64, opts ...ogive.Option) *Node {
	return order(ogive.OpNaNQuantile, x, qs, opts, ogive.Qs(qs))
}

// Median is [ogive.Median] of x: [Quantile] of 0.5 with ogive.Mode saying which
// value is the median of an even number of values. A slice without elements
// gives NaN where the result is floating.
//
// The gradient is that of grad.Median: it is shared evenly by all elements equal
// to the median, or half by those equal to each of the two middle values; in a
// slice that holds a NaN, by its NaNs.
func Median(x *Node, opts ...ogive.Option) *Node {
	return order(ogive.OpMedian, x, []float64{0.5}, opts)
}

// NaNMedian is [Median] with NaNs dropped, [ogive.NaNMedian].
func NaNMedian(x *Node, opts ...ogive.Option) *Node {
	return order(ogive.OpNaNMedian, x, []float64{0.5}, opts)
}

// order builds an order statistic.
func order(op ogive.Op, x *Node, qs []float64, opts []ogive.Option, param ...ogive.Option) *Node {
	plan := prepare(op, x, opts, param...)
	s := statistic{plan: plan, in: formatOf(x.DType()), even: op.Facts().Median}
	s.out = s.in
	if plan.DType() != ogiveDType(op, x) {
		s.out = formatOf(dtypes.Float64)
	}
	s.lanes = newLanes(x.Shape().Dimensions, plan.Axes())
	if s.rows*len(qs) == 0 || s.n == 0 {
		nan := s.out.fromBits(number(x.Graph(), s.out.key, s.out.nan()))
		return BroadcastToDims(nan, plan.Shape()...)
	}
	if !s.in.float() {
		return withoutGradient(op, x.DType(), s.build(x, qs))
	}
	value := s.build(StopGradient(x), qs)
	return withGradient(value, x, s.pull)
}

// statistic is an order statistic in the making.
type statistic struct {
	plan    *ogive.Plan
	in, out format
	even    bool // the gradient goes by the even rule
	lanes

	keys   *Node // rows × n
	packed *Node // the same, lengthened
	wants  []want
}

// want is one quantile: its order statistics lo and lo+1 in each row, with the
// weight g of the upper one.
type want struct {
	lo, g *Node // rows × 1: a count, and the bits of a float64
	whole bool  // g is 0 in every row
	a, b  *Node // keys, rows × 1; b of nothing if whole
}

// build returns the value, without its gradient.
func (s *statistic) build(x *Node, qs []float64) *Node {
	s.keys = s.in.keys(s.split(x))
	s.packed = s.in.pack(s.keys)
	known := s.findRanks(qs)

	if s.in.float() && !s.plan.SkipNaN() {
		s.aimAtNaN()
	}
	ks := make([]*Node, 0, len(s.wants))
	index := map[*Node]int{} // of a rank in ks
	for _, w := range s.wants {
		if _, ok := index[w.lo]; !ok {
			index[w.lo] = len(ks)
			ks = append(ks, w.lo)
		}
	}
	selected := selectRanks(s.packed, s.in.width, ks)
	next := make([]*Node, len(ks))
	var as, bs, gs []*Node
	for i := range s.wants {
		w := &s.wants[i]
		at := index[w.lo]
		w.a = selected[at]
		as = append(as, w.a)
		if w.b = w.a; !w.whole {
			if next[at] == nil {
				next[at] = following(s.packed, w.a, w.lo)
			}
			w.b = next[at]
		}
		bs, gs = append(bs, w.b), append(gs, w.g)
	}
	return Reshape(s.out.fromBits(s.values(as, bs, gs, known)), s.plan.Shape()...)
}

// aimAtNaN makes every want of a row that holds a NaN its last NaN, which is its
// largest element.
func (s *statistic) aimAtNaN() {
	g := s.keys.Graph()
	nan := Equal(Reshape(ReduceMax(s.keys, 1), s.rows, 1), like(s.keys, s.in.top()))
	last, none := number(g, counter(s.n), uint64(s.n-1)), number(g, dtypes.Uint64, 0)
	aimed := map[*Node]*Node{}
	for i := range s.wants {
		w := &s.wants[i]
		if aimed[w.lo] == nil {
			aimed[w.lo] = Where(nan, last, w.lo)
		}
		w.lo, w.g = aimed[w.lo], Where(nan, none, w.g)
	}
}

// values returns the bits of the results.
func (s *statistic) values(as, bs, gs []*Node, known weights) *Node {
	a := Concatenate(as, 0)
	for _, w := range s.wants {
		if !w.whole {
			return s.in.blend(s.out, a, Concatenate(bs, 0), Concatenate(gs, 0), known)
		}
	}
	if s.out.dtype == s.in.dtype {
		return s.in.keyBits(a)
	}
	return s.out.round(s.in.split(s.in.keyBits(a)).widen())
}

// findRanks sets wants, and returns what is known of the weights.
func (s *statistic) findRanks(qs []float64) weights {
	g := s.keys.Graph()
	method := s.plan.Method()
	s.wants = make([]want, len(qs))
	all := weights{halves: true}
	note := func(w *want, p rank.Position) {
		w.whole = w.whole && p.G == 0
		all = all.with(p.G)
	}
	if s.in.float() && s.plan.SkipNaN() {
		valid := count(LessThan(s.packed, like(s.keys, s.in.top())))
		for i, q := range qs {
			w := &s.wants[i]
			w.whole = true
			los, bits := make([]uint64, s.n+1), make([]uint64, s.n+1)
			for n := 1; n <= s.n; n++ {
				p := method.Position(int64(n), rank.At(q))
				note(w, p)
				los[n], bits[n] = uint64(p.Lo), math.Float64bits(p.G)
			}
			w.lo = column(Gather(table(g, counter(s.n), los), valid), s.rows)
			w.g = column(Gather(Const(g, bits), valid), s.rows)
		}
		return all
	}
	counts := map[int64]*Node{}
	for i, q := range qs {
		w := &s.wants[i]
		w.whole = true
		p := method.Position(int64(s.n), rank.At(q))
		note(w, p)
		if counts[p.Lo] == nil {
			counts[p.Lo] = column(number(g, counter(s.n), uint64(p.Lo)), s.rows)
		}
		w.lo = counts[p.Lo]
		w.g = column(number(g, dtypes.Uint64, math.Float64bits(p.G)), s.rows)
	}
	return all
}

// table returns values as a constant of a counter's dtype.
func table(g *Graph, dt dtypes.DType, values []uint64) *Node {
	if dt == dtypes.Int64 {
		return Const(g, signed(values))
	}
	narrow := make([]int32, len(values))
	for i, v := range values {
		narrow[i] = int32(v)
	}
	return Const(g, narrow)
}

// signed returns the values as int64.
func signed(values []uint64) []int64 {
	r := make([]int64, len(values))
	for i, v := range values {
		r[i] = int64(v)
	}
	return r
}
