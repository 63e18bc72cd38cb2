package ogive_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
)

// The sweep holds every operation to the oracle over dtypes, layouts, axis
// sets, options and NaN patterns. A subtest is an operation and a dtype;
// failures print all that is needed to repeat them.

// orderStatistics lists the operations that a call can name.
var orderStatistics = []ogive.Op{ogive.OpQuantile, ogive.OpNaNQuantile, ogive.OpPercentile, ogive.OpNaNPercentile,
	ogive.OpMedian, ogive.OpNaNMedian, ogive.OpArgQuantile, ogive.OpNaNArgQuantile}

// ordered are the dtypes with an order.
var ordered = slices.DeleteFunc(dtype.All(), dtype.DType.IsComplex)

// methods lists all of them.
var methods = slices.Concat(oracle.Interpolating, oracle.Discrete)

// specialQs are quantiles at which rank arithmetic has gone wrong somewhere.
var specialQs = []float64{0, math.Copysign(0, -1), 5e-324, 0x3p-54, 0.1, 0.25, 0.29, 0.3, 1.0 / 3, 0.5, 0.57, 0.75, 0.95, 1 - 0x1p-53, 1}

// specialShapes has every number of dimensions up to four, lengths around
// small networks, and zeros.
var specialShapes = [][]int{{}, {1}, {2}, {3}, {5}, {17}, {33}, {100}, {1000}, {0}, {1, 1}, {3, 5}, {17, 2}, {2, 33}, {40, 7},
	{0, 4}, {4, 0}, {2, 3, 4}, {5, 1, 6}, {3, 0, 2}, {9, 4, 11}, {2, 3, 4, 5}, {3, 1, 2, 33}}

// sampler draws calls; the same name gives the same calls.
type sampler struct {
	rng  *rand.Rand
	name string
}

func newSampler(name string) *sampler {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &sampler{rand.New(rand.NewPCG(h.Sum64(), 1)), name}
}

func pick[T any](s *sampler, list []T) T { return list[s.rng.IntN(len(list))] }

// chance is true once in n times.
func (s *sampler) chance(n int) bool { return s.rng.IntN(n) == 0 }

// axes draws an axis set for a number of dimensions: none, or some in any
// order, some of them negative.
func (s *sampler) axes(ndim int) []int {
	if s.chance(4) {
		return nil
	}
	if ndim == 0 {
		return []int{pick(s, []int{0, -1})}
	}
	axes := s.rng.Perm(ndim)[:1+s.rng.IntN(ndim)]
	for i := range axes {
		if s.chance(3) {
			axes[i] -= ndim
		}
	}
	return axes
}

// quantiles draws what is asked for.
func (s *sampler) quantiles(c *call) {
	n := 1
	if c.scalar = s.chance(2); !c.scalar {
		if n += s.rng.IntN(4); s.chance(6) {
			n += s.rng.IntN(30)
		}
	}
	ratio := s.chance(4) && (c.op == ogive.OpQuantile || c.op == ogive.OpNaNQuantile)
	if ratio {
		c.den = pick(s, denominators)
	}
	for range n {
		switch {
		case ratio:
			c.nums = append(c.nums, s.rng.Int64N(c.den)+int64(s.rng.IntN(2)))
		case c.isPercent() && s.chance(2):
			c.qs = append(c.qs, float64(s.rng.IntN(101)))
		case c.isPercent():
			c.qs = append(c.qs, s.rng.Float64()*100)
		case s.chance(2):
			c.qs = append(c.qs, pick(s, specialQs))
		default:
			c.qs = append(c.qs, s.rng.Float64())
		}
	}
}

// denominators are those of fractions that are drawn.
var denominators = []int64{1, 2, 3, 4, 5, 7, 10, 100, 1000, math.MaxInt64}

// few gives the call up to so many quantiles: special ones, or fractions.
func (s *sampler) few(c *call, most int) {
	if s.chance(3) {
		c.den = pick(s, denominators)
	}
	for range 1 + s.rng.IntN(most) {
		if c.den != 0 {
			c.nums = append(c.nums, s.rng.Int64N(c.den)+int64(s.rng.IntN(2)))
		} else {
			c.qs = append(c.qs, pick(s, specialQs))
		}
	}
}

// weighted gives the call weights of a random kind, some zero, of x's shape or
// along the axes.
func (s *sampler) weighted(t failer, c *call, shape []int) {
	along := slices.Clone(shape)
	if c.axes != nil && len(shape) > 0 && s.chance(2) {
		along = nil
		for _, a := range c.axes {
			along = append(along, shape[(a+len(shape))%len(shape)])
		}
	}
	dt := pick(s, []dtype.DType{dtype.Bool, dtype.Int8, dtype.Uint8, dtype.Uint16, dtype.Int64})
	kind := "smallrange"
	if c.method == "inverted_cdf" && s.chance(2) {
		dt = pick(s, []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64})
		kind = "random"
	}
	w := fill(kind, dt, s.rng.Uint64(), along...)
	for i := range w.Bits {
		if s.chance(5) {
			w.Bits[i].Re = 0
		}
	}
	c.weights = pick(s, layouts).lay(t, w)
}

// call draws one call and its input.
func (s *sampler) call(t failer, op ogive.Op, dt dtype.DType) (call, *input) {
	shape, kind, l, seed := pick(s, specialShapes), pick(s, testkit.Kinds(dt)), pick(s, layouts), s.rng.Uint64N(1000)
	c := call{op: op, axes: s.axes(len(shape)), keep: s.chance(2)}
	if s.chance(12) {
		shape, c.axes = s.aroundThresholds(2000)
	}
	c.note = fmt.Sprintf("of %s%v %s layout=%s seed=%d sampler=%s", dt, shape, kind, l.name, seed, s.name)
	switch {
	case c.isMedian():
		c.mode = pick(s, []string{"", "avg", "lower", "upper"})
		c.indices = c.mode != "avg" && s.chance(2)
	case c.isArg() && !s.chance(10):
		c.method = pick(s, oracle.Discrete)
	case !s.chance(6):
		c.method = pick(s, methods)
	}
	if !c.isMedian() {
		s.quantiles(&c)
	}
	in := l.lay(t, fill(kind, dt, seed, shape...))
	if len(in.ref.Bits) > 0 && s.chance(6) {
		s.weighted(t, &c, shape)
	}
	return c, in
}

// TestSweepOrderStatistics draws from the whole product of shapes, axes,
// layouts, kinds of data and options.
func TestSweepOrderStatistics(t *testing.T) { sweepOrderStatistics(t, 800, nil) }

func sweepOrderStatistics(t *testing.T, count int, into []forced) {
	for _, op := range orderStatistics {
		for _, dt := range ordered {
			name := fmt.Sprintf("%s/%s", op, dt)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newSampler(name)
				for range testkit.Share(count) {
					c, in := s.call(t, op, dt)
					c.forced = into
					c.check(t, in)
				}
			})
		}
		for _, dt := range []dtype.DType{dtype.Complex64, dtype.Complex128} {
			t.Run(fmt.Sprintf("%s/%s", op, dt), func(t *testing.T) {
				c := call{op: op, qs: []float64{0.5}, scalar: true, method: "lower"}
				if c.isMedian() {
					c.method = ""
				}
				c.check(t, layouts[0].lay(t, fill("random", dt, 1, 3)))
			})
		}
	}
}

// TestSweepMethods is every method on every kind of data, at every special q
// in one call, for small lanes as rows.
func TestSweepMethods(t *testing.T) {
	lengths := []int{1, 2, 3, 4, 5, 6, 7, 16, 17, 33, 100}
	if testing.Short() {
		lengths = []int{1, 3, 4, 17}
	}
	for _, method := range methods {
		for _, dt := range ordered {
			t.Run(fmt.Sprintf("%s/%s", method, dt), func(t *testing.T) {
				t.Parallel()
				for k, kind := range testkit.Kinds(dt) {
					n, l := lengths[k%len(lengths)], layouts[k%len(layouts)]
					for _, op := range []ogive.Op{ogive.OpQuantile, ogive.OpNaNQuantile} {
						in := l.lay(t, fill(kind, dt, uint64(n), 3, n))
						c := call{op: op, qs: specialQs, axes: []int{1}, method: method}
						c.note = fmt.Sprintf("of %s[3 %d] %s layout=%s seed=%d", dt, n, kind, l.name, n)
						c.check(t, in)
						c.qs, c.nums, c.den = nil, []int64{0, 1, 29, 33, 50, 66, 75, 99, 100}, 100
						c.check(t, in)
					}
				}
			})
		}
	}
}

// TestSweepSmallLengths is every length up to 70, where networks, insertion
// and the ends of vectors meet.
func TestSweepSmallLengths(t *testing.T) { sweepSmallLengths(t, ordered, nil) }

func sweepSmallLengths(t *testing.T, dtypes []dtype.DType, into []forced) {
	for _, dt := range dtypes {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			s := newSampler("small" + dt.String())
			for n := 1; n <= 70; n++ {
				if !testkit.Whole() && (n+s.rng.IntN(3))%3 != 0 {
					continue
				}
				for _, op := range []ogive.Op{ogive.OpQuantile, ogive.OpNaNMedian, ogive.OpNaNArgQuantile} {
					kind, l, seed := pick(s, testkit.Kinds(dt)), pick(s, layouts), s.rng.Uint64N(1000)
					c := call{op: op, forced: into, axes: []int{0}}
					c.note = fmt.Sprintf("of %s[%d 5] %s layout=%s seed=%d", dt, n, kind, l.name, seed)
					if !c.isMedian() {
						c.qs = []float64{s.rng.Float64(), 0.5, s.rng.Float64(), 1}
					}
					if c.isArg() {
						c.method = pick(s, oracle.Discrete)
					}
					c.check(t, l.lay(t, fill(kind, dt, seed, n, 5)))
					c.axes = []int{1}
					c.note = fmt.Sprintf("of %s[5 %d] %s layout=%s seed=%d", dt, n, kind, l.name, seed)
					c.check(t, l.lay(t, fill(kind, dt, seed, 5, n)))
				}
			}
		})
	}
}

// regime is a shape whose reduction leads into another regime of selection.
type regime struct {
	shape []int
	axes  []int
	kinds int // how many kinds of data to try, 0 for all
}

var regimeShapes = []regime{
	{[]int{257}, nil, 0}, {[]int{1000}, nil, 0}, {[]int{5000}, nil, 0}, {[]int{70000}, nil, 4},
	{[]int{3, 1025}, []int{1}, 6}, {[]int{1025, 3}, []int{0}, 6}, {[]int{20, 300}, []int{0}, 6},
	{[]int{31, 65, 9}, []int{0}, 4}, {[]int{31, 65, 9}, []int{1}, 4}, {[]int{31, 65, 9}, []int{2, 0}, 4},
	{[]int{129, 128}, []int{0}, 3}, {[]int{5, 4000}, []int{1}, 3}, {[]int{4000, 5}, []int{0}, 3},
}

// TestSweepRegimes crosses the lengths at which selection changes its way.
func TestSweepRegimes(t *testing.T) { sweepRegimes(t, ordered, nil) }

func sweepRegimes(t *testing.T, dtypes []dtype.DType, into []forced) {
	for _, dt := range dtypes {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			s := newSampler("regimes" + dt.String())
			for _, r := range regimeShapes {
				kinds := testkit.Kinds(dt)
				s.rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
				if r.kinds > 0 {
					kinds = kinds[:min(r.kinds, len(kinds))]
				}
				if kinds = kinds[:testkit.Share(len(kinds))]; r.shape[0] > 5000 && testing.Short() {
					continue
				}
				for _, kind := range kinds {
					l, seed, op := pick(s, layouts[:7]), s.rng.Uint64N(1000), pick(s, orderStatistics)
					c := call{op: op, forced: into, axes: r.axes}
					c.note = fmt.Sprintf("of %s%v %s layout=%s seed=%d", dt, r.shape, kind, l.name, seed)
					switch {
					case c.isMedian():
						c.indices = s.chance(2)
					case c.isArg():
						c.method = pick(s, oracle.Discrete)
						s.quantiles(&c)
					default:
						c.method = pick(s, methods)
						s.quantiles(&c)
					}
					c.check(t, l.lay(t, fill(kind, dt, seed, r.shape...)))
				}
			}
		})
	}
}

// TestSweepManyQuantiles asks for more order statistics than values, sorted
// and not.
func TestSweepManyQuantiles(t *testing.T) { sweepManyQuantiles(t, ordered, nil) }

func sweepManyQuantiles(t *testing.T, dtypes []dtype.DType, into []forced) {
	for _, dt := range dtypes {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			s := newSampler("many" + dt.String())
			for _, n := range []int{1, 7, 100, 3000} {
				for _, op := range []ogive.Op{ogive.OpQuantile, ogive.OpNaNPercentile} {
					kind, seed := pick(s, testkit.Kinds(dt)), s.rng.Uint64N(1000)
					c := call{op: op, forced: into, axes: []int{-1}, method: pick(s, methods)}
					for range testkit.Share(400) {
						c.qs = append(c.qs, s.rng.Float64())
					}
					c.note = fmt.Sprintf("of %s[2 %d] %s seed=%d", dt, n, kind, seed)
					c.check(t, layouts[0].lay(t, fill(kind, dt, seed, 2, n)))
				}
			}
		})
	}
}

// TestSweepPredicates is every element test on every dtype, layout and kind.
func TestSweepPredicates(t *testing.T) { sweepPredicates(t) }

func sweepPredicates(t *testing.T, opts ...ogive.Option) {
	ops := map[string]struct {
		op  ogive.Op
		run func(*ogive.Tensor, ...ogive.Option) (*ogive.Tensor, error)
	}{
		"isposinf": {ogive.OpIsPosInf, ogive.IsPosInf}, "isneginf": {ogive.OpIsNegInf, ogive.IsNegInf},
		"isinf": {ogive.OpIsInf, ogive.IsInf}, "isnan": {ogive.OpIsNaN, ogive.IsNaN},
		"isfinite": {ogive.OpIsFinite, ogive.IsFinite}, "signbit": {ogive.OpSignBit, ogive.SignBit},
		"isreal": {ogive.OpIsReal, ogive.IsReal},
	}
	shapes := [][]int{{}, {0}, {1}, {33}, {257}, {3, 17}, {2, 0, 3}, {4, 5, 6}, {5000}}
	for _, name := range oracle.Predicates {
		for _, dt := range dtype.All() {
			t.Run(fmt.Sprintf("%s/%s", name, dt), func(t *testing.T) {
				t.Parallel()
				for i, kind := range testkit.Kinds(dt) {
					for j, shape := range shapes {
						if !testkit.Whole() && (i+j)%4 != 0 {
							continue
						}
						l := layouts[(i+j)%len(layouts)]
						what := fmt.Sprintf("%s of %s%v %s layout=%s seed=%d", name, dt, shape, kind, l.name, i)
						in := l.lay(t, fill(kind, dt, uint64(i), shape...))
						want := fromOracle(oracle.Predicate(name, in.ref))
						got, err := ops[name].run(in.tensor, opts...)
						compare(t, what, read(t, got, nil, err), want)
						compare(t, "prepared "+what, runPlan(t, ops[name].op, in.tensor, opts...), want)
						in.unchanged(t, what)
					}
				}
			})
		}
	}
}

// fromOracle turns the oracle's result into an answer.
func fromOracle(a *oracle.Array, err error) answer {
	if err != nil {
		return answer{err: err}
	}
	return answer{dt: a.DType, shape: a.Shape, values: a.Bytes()}
}

// runPlan prepares and runs an operation into junk.
func runPlan(t failer, op ogive.Op, x *ogive.Tensor, opts ...ogive.Option) answer {
	t.Helper()
	p, err := ogive.Prepare(op, x.DType(), x.Shape(), opts...)
	if err != nil {
		return answer{err: err}
	}
	out, err := ogive.Zeros(p.DType(), p.Shape()...)
	if err == nil {
		err = p.Run(x, out)
	}
	if err != nil {
		return answer{err: err}
	}
	return read(t, out, nil, nil)
}
