package ogive_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"pgregory.net/rapid"
)

// rolled are the operations on windows, by that on one.
var rolled = map[ogive.Op]func(x *ogive.Tensor, qs []float64, window int, opts ...ogive.Option) (*ogive.Tensor, error){
	ogive.OpQuantile:    ogive.RollingQuantiles,
	ogive.OpNaNQuantile: ogive.NaNRollingQuantiles,
	ogive.OpMedian: func(x *ogive.Tensor, _ []float64, window int, opts ...ogive.Option) (*ogive.Tensor, error) {
		return ogive.RollingMedian(x, window, opts...)
	},
	ogive.OpNaNMedian: func(x *ogive.Tensor, _ []float64, window int, opts ...ogive.Option) (*ogive.Tensor, error) {
		return ogive.NaNRollingMedian(x, window, opts...)
	},
}

// rollingCall is a call of an operation on windows: call is that for the elements of
// one, along a single axis.
type rollingCall struct {
	call
	window int
	least  int // of MinCount, or 0 without it
}

// axis is the one of the call for so many dimensions.
func (c rollingCall) axis(ndim int) int {
	if c.axes == nil {
		return 0
	}
	return (c.axes[0] + ndim) % ndim
}

func (c rollingCall) String() string {
	return fmt.Sprintf("%v window=%d least=%d", c.call, c.window, c.least)
}

// spans returns the first and the last element of each window, plus one.
func (c rollingCall) spans(n int) (spans [][2]int) {
	for end := 1; end <= n; end++ {
		if end >= c.window || c.least > 0 {
			spans = append(spans, [2]int{max(end-c.window, 0), end})
		}
	}
	return spans
}

// want asks one for the answer of each window, and puts these together.
func (c rollingCall) want(x *oracle.Array, one func(c call, x *oracle.Array) answer) (a answer) {
	axis := c.axis(len(x.Shape))
	n := x.Shape[axis]
	if c.least == 0 && c.window > n {
		return answer{err: oracle.ErrShape}
	}
	spans := c.spans(n)
	blocks := max(c.asked(), 1)
	a.shape = slices.Clone(x.Shape)
	a.shape[axis] = len(spans)
	inner, outer := 1, blocks
	for _, d := range x.Shape[axis+1:] {
		inner *= d
	}
	for _, d := range x.Shape[:axis] {
		outer *= d
	}
	if !c.isMedian() {
		a.shape = append([]int{blocks}, a.shape...)
	}
	for k, span := range spans {
		var at []int
		for i := span[0]; i < span[1]; i++ {
			at = append(at, i)
		}
		own := c.call
		own.axes = []int{axis}
		part := taken(x, axis, at)
		p := one(own, part)
		if p.err != nil {
			return p
		}
		size := p.dt.Size()
		if a.values == nil {
			a.dt, a.values = p.dt, make([]byte, outer*len(spans)*inner*size)
		}
		few := c.tooFew(part, axis)
		nan := (&oracle.Array{DType: p.dt, Bits: []oracle.Bits{{Re: dtype.CanonicalNaN(p.dt)}}}).Bytes()
		for o := range outer {
			for i := range inner {
				value := p.values[(o*inner+i)*size:][:size]
				if few[o%(outer/blocks)*inner+i] {
					value = nan
				}
				copy(a.values[((o*len(spans)+k)*inner+i)*size:], value)
			}
		}
	}
	return a
}

// tooFew tells of each lane of a window whether it has fewer values than are asked for.
func (c rollingCall) tooFew(x *oracle.Array, axis int) []bool {
	n, inner := x.Shape[axis], 1
	for _, d := range x.Shape[axis+1:] {
		inner *= d
	}
	few := make([]bool, len(x.Bits)/max(n, 1))
	for lane := range few {
		values := 0
		for i := range n {
			b := x.Bits[(lane/inner*n+i)*inner+lane%inner]
			if !c.skipNaN() || !oracle.Decode(x.DType, b.Re).IsNaN() {
				values++
			}
		}
		few[lane] = values < c.least
	}
	return few
}

func (c rollingCall) options(t failer) []ogive.Option {
	opts := c.call.options(t)
	if c.least > 0 {
		opts = append(opts, ogive.MinCount(c.least))
	}
	return append(opts, c.fractions()...)
}

// check holds the answer to that for each window, once with each of the lists of options.
func (c rollingCall) check(t failer, in *input, one func(c call, x *oracle.Array) answer, lists ...[]ogive.Option) {
	t.Helper()
	want := c.want(in.ref, one)
	for _, opts := range lists {
		opts = append(c.options(t), opts...)
		values, err := rolled[c.op](in.tensor, c.qs, c.window, opts...)
		got := read(t, values, nil, err)
		if want.values == nil && want.err == nil {
			want.dt = got.dt // which no window tells
		}
		compare(t, c.String(), got, want)
		in.unchanged(t, c.String())
		if err != nil {
			continue
		}
		out := junkTensor(t, got.dt, got.shape)
		if values, err = rolled[c.op](in.tensor, c.qs, c.window, append(opts, ogive.Out(out))...); values != out {
			t.Errorf("%v: Out is not what is returned (%v)", c, err)
		}
		compare(t, c.String()+" with Out", read(t, values, nil, err), want)
	}
}

// rollingCall draws a call for an operation and the dtype.
func (s *sampler) rollingCall(t failer, op ogive.Op, dt dtype.DType) (rollingCall, *input) {
	shape := pick(s, [][]int{{1}, {2}, {7}, {40}, {90}, {300}, {5, 3}, {60, 4}, {3, 50}, {20, 40}, {4, 0}, {0, 4}, {6, 2, 3}, {2, 70, 2}, {1, 5, 1, 45}})
	kind, seed := pick(s, testkit.Kinds(dt)), s.rng.Uint64N(1000)
	l := pick(s, layouts)
	c := rollingCall{call: call{op: op}}
	axis := 0
	if s.chance(2) {
		axis = s.rng.IntN(len(shape))
		c.axes = []int{axis - len(shape)*s.rng.IntN(2)}
	}
	if c.isMedian() {
		c.mode = pick(s, []string{"", "avg", "lower", "upper"})
	} else {
		c.method = pick(s, append(methods, ""))
		s.few(&c.call, pick(s, []int{3, 3, 3, 30}))
	}
	n := shape[axis]
	c.window = pick(s, []int{1, 2, 3, 5, 8, 9, 32, 33, 1 + s.rng.IntN(n+1), max(n, 1), n + 1})
	discrete := c.mode == "lower" || c.mode == "upper" || slices.Contains(oracle.Discrete, c.method)
	if s.chance(3) {
		if c.least = 1; dt.IsFloat() || !discrete {
			c.least += s.rng.IntN(c.window)
		}
	}
	in := l.lay(t, fill(kind, dt, seed, shape...))
	c.note = fmt.Sprintf("of %s%v %s layout=%s seed=%d sampler=%s", dt, shape, kind, l.name, seed, s.name)
	return c, in
}

// TestSweepRolling holds the operations on windows to the oracle, window by window.
func TestSweepRolling(t *testing.T) {
	tuned := tuning.Default
	tuned.SoloWork, tuned.TaskElements = 0, 8
	for _, op := range groupedOps {
		for _, dt := range ordered {
			t.Run(fmt.Sprintf("%v/%v", op, dt), func(t *testing.T) {
				t.Parallel()
				s := newSampler("rolling " + op.String() + dt.String())
				for range testkit.Share(100) {
					c, in := s.rollingCall(t, op, dt)
					opts := []ogive.Option{ogive.Workers(s.rng.IntN(4))}
					if s.chance(2) {
						opts = append(opts, ogive.Tuned(&tuned))
					}
					c.check(t, in, byOracle, opts)
				}
			})
		}
	}
}

// TestRollingLong holds windows of many elements, in which the sets of ranks have
// several levels, to the operation on each.
func TestRollingLong(t *testing.T) {
	for _, dt := range []dtype.DType{dtype.Int8, dtype.Float16, dtype.Float32, dtype.Float64} {
		for _, kind := range testkit.Kinds(dt) {
			t.Run(dt.String()+"/"+kind, func(t *testing.T) {
				t.Parallel()
				in := plain(t, fill(kind, dt, 3, 12_000))
				for _, window := range []int{33, 700, 6000} {
					x := in.tensor
					got := ogive.Must(x.RollingMedian(window))
					dropped := ogive.Must(x.NaNRollingQuantiles([]float64{0.9, 0, 0.3}, window, ogive.MinCount(window/2), ogive.Workers(3)))
					for i := 0; i <= 12_000-window; i += 97 {
						part := ogive.Must(x.Slice(0, i, i+window, 1))
						sameElement(t, fmt.Sprintf("median of window %d at %d", window, i), ogive.Must(got.At(i)), ogive.Must(part.Median()))
						values := ogive.Must(part.NaNQuantiles([]float64{0.9, 0, 0.3}))
						finite := ogive.Must(ogive.CountTrue(ogive.Must(part.IsNaN())))
						if finite > window-window/2 {
							continue
						}
						for q := range 3 {
							sameElement(t, fmt.Sprintf("quantile %d of window %d at %d", q, window, i), ogive.Must(dropped.At(q, i+window-1)), ogive.Must(values.At(q)))
						}
					}
				}
			})
		}
	}
}

func sameElement(t failer, what string, got, want *ogive.Tensor) {
	t.Helper()
	if d := testkit.Diff(want.DType(), content(t, got), content(t, want)); d != "" {
		t.Fatalf("%s: %s", what, d)
	}
}

func TestPropRolling(t *testing.T) { rapid.Check(t, propRolling) }
func FuzzPropRolling(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propRolling)) }

// propRolling: the answer of a window is that for its elements.
func propRolling(t *rapid.T) {
	a := drawVector(t, ordered)
	n := len(a.Bits)
	c := rollingCall{call: call{op: rapid.SampledFrom(groupedOps).Draw(t, "op"), qs: []float64{drawQ(t, "q")}, method: drawMethod(t)}}
	if c.isMedian() {
		c.qs, c.method = nil, ""
	}
	c.window = rapid.IntRange(1, n).Draw(t, "window")
	if rapid.Bool().Draw(t, "partial") {
		c.least = 1
	}
	tuned := tuning.Default
	tuned.SoloWork, tuned.TaskElements = 0, rapid.IntRange(1, 64).Draw(t, "task")
	c.check(t, plain(t, a), byPlainCall(t), []ogive.Option{ogive.Tuned(&tuned), ogive.Workers(2)})
}
