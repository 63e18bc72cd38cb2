package ogive_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// call is one call of an order statistic, as ogive and the oracle both
// understand it.
type call struct {
	op      ogive.Op
	qs      []float64 // quantiles, or percentiles
	nums    []int64   // with den, fractions instead of qs
	den     int64
	scalar  bool
	axes    []int
	keep    bool
	method  string // "" means the default
	mode    string // of the median family; "" means the default
	indices bool   // of the median family
	weights *input
	forced  []forced // the regimes that check leads into; the ordinary ones if nil
	note    string   // where the data come from, for messages
}

func (c call) skipNaN() bool { return strings.HasPrefix(c.op.String(), "nan") }

func (c call) isMedian() bool { return c.op == ogive.OpMedian || c.op == ogive.OpNaNMedian }

func (c call) isPercent() bool { return c.op == ogive.OpPercentile || c.op == ogive.OpNaNPercentile }

func (c call) isArg() bool { return c.op == ogive.OpArgQuantile || c.op == ogive.OpNaNArgQuantile }

// String says all that a failure needs to be repeated.
func (c call) String() string {
	var b strings.Builder
	b.WriteString(c.op.String())
	switch {
	case c.isMedian():
		fmt.Fprintf(&b, " mode=%q indices=%v", c.mode, c.indices)
	case c.den != 0:
		fmt.Fprintf(&b, " q=%v/%d scalar=%v", c.nums, c.den, c.scalar)
	default:
		fmt.Fprintf(&b, " q=%x scalar=%v", c.qs, c.scalar)
	}
	if c.axes == nil {
		b.WriteString(" axes=all")
	} else {
		fmt.Fprintf(&b, " axes=%v", c.axes)
	}
	fmt.Fprintf(&b, " keep=%v method=%q", c.keep, c.method)
	if w := c.weights; w != nil {
		fmt.Fprintf(&b, " weights=%s%v", w.ref.DType, w.ref.Shape)
	}
	return b.String() + " " + c.note
}

// asked returns how many quantiles are asked for.
func (c call) asked() int { return len(c.qs) + len(c.nums) }

// fractions returns the option of fractions, of calls that have some.
func (c call) fractions() (opts []ogive.Option) {
	if c.den != 0 {
		opts = append(opts, ogive.Ratios(c.nums, c.den))
	}
	return opts
}

// quantiles returns the oracle's form of q.
func (c call) quantiles() []oracle.Q {
	var qs []oracle.Q
	for _, num := range c.nums {
		qs = append(qs, oracle.Ratio(num, c.den))
	}
	for _, q := range c.qs {
		if c.isPercent() {
			qs = append(qs, oracle.Percent(q))
		} else {
			qs = append(qs, oracle.At(q))
		}
	}
	return qs
}

// answer is what a call gives: values, indices, or an error.
type answer struct {
	dt      dtype.DType
	shape   []int
	values  []byte
	indices []byte
	err     error
}

// want asks the oracle.
func (c call) want(x *oracle.Array) answer {
	o := oracle.Options{Axes: c.axes, KeepDims: c.keep, Method: c.method, SkipNaN: c.skipNaN()}
	if c.weights != nil {
		o.Weights = c.weights.ref
	}
	var values, indices *oracle.Array
	var err error
	switch {
	case c.isMedian() && c.indices:
		mode := c.mode
		if mode == "" {
			mode = "lower"
		}
		values, indices, err = oracle.MedianWithIndex(x, mode, o)
	case c.isMedian():
		mode := c.mode
		if mode == "" {
			mode = "avg"
		}
		values, err = oracle.Median(x, mode, o)
	case c.isArg():
		values, err = oracle.ArgQuantile(x, c.quantiles(), c.scalar, o)
	default:
		values, err = oracle.Quantile(x, c.quantiles(), c.scalar, o)
	}
	if err != nil {
		return answer{err: err}
	}
	a := answer{dt: values.DType, shape: values.Shape, values: values.Bytes()}
	if indices != nil {
		a.indices = indices.Bytes()
	}
	return a
}

// modes are the names of the oracle.
var modes = map[string]ogive.MedianMode{"avg": ogive.ModeAvg, "lower": ogive.ModeLower, "upper": ogive.ModeUpper}

// options returns those that eager and prepared calls share.
func (c call) options(t failer) []ogive.Option {
	t.Helper()
	var opts []ogive.Option
	if c.axes != nil {
		opts = append(opts, ogive.Axis(c.axes...))
	}
	if c.keep {
		opts = append(opts, ogive.KeepDims())
	}
	if c.method != "" {
		opts = append(opts, ogive.Method(methodOf(t, c.method)))
	}
	if c.mode != "" {
		opts = append(opts, ogive.Mode(modes[c.mode]))
	}
	if c.weights != nil {
		opts = append(opts, ogive.Weights(c.weights.tensor))
	}
	return opts
}

func methodOf(t failer, name string) rank.Method {
	t.Helper()
	m, err := rank.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// forms are those of a function: for a scalar q and for a list.
type forms struct {
	one  func(*ogive.Tensor, float64, ...ogive.Option) (*ogive.Tensor, error)
	many func(*ogive.Tensor, []float64, ...ogive.Option) (*ogive.Tensor, error)
}

var eagerForms = map[ogive.Op]forms{
	ogive.OpQuantile:       {ogive.Quantile, ogive.Quantiles},
	ogive.OpNaNQuantile:    {ogive.NaNQuantile, ogive.NaNQuantiles},
	ogive.OpPercentile:     {ogive.Percentile, ogive.Percentiles},
	ogive.OpNaNPercentile:  {ogive.NaNPercentile, ogive.NaNPercentiles},
	ogive.OpArgQuantile:    {ogive.ArgQuantile, ogive.ArgQuantiles},
	ogive.OpNaNArgQuantile: {ogive.NaNArgQuantile, ogive.NaNArgQuantiles},
}

// eager makes the call by its function.
func (c call) eager(t failer, x *ogive.Tensor, extra ...ogive.Option) answer {
	t.Helper()
	opts := append(c.options(t), extra...)
	var values, indices *ogive.Tensor
	var err error
	switch {
	case c.op == ogive.OpMedian && c.indices:
		values, indices, err = ogive.MedianWithIndex(x, opts...)
	case c.op == ogive.OpNaNMedian && c.indices:
		values, indices, err = ogive.NaNMedianWithIndex(x, opts...)
	case c.op == ogive.OpMedian:
		values, err = ogive.Median(x, opts...)
	case c.op == ogive.OpNaNMedian:
		values, err = ogive.NaNMedian(x, opts...)
	case c.den != 0 && c.op == ogive.OpQuantile && c.scalar:
		values, err = ogive.QuantileRatio(x, c.nums[0], c.den, opts...)
	case c.den != 0 && c.op == ogive.OpQuantile:
		values, err = ogive.QuantileRatios(x, c.nums, c.den, opts...)
	case c.den != 0 && c.op == ogive.OpNaNQuantile && c.scalar:
		values, err = ogive.NaNQuantileRatio(x, c.nums[0], c.den, opts...)
	case c.den != 0 && c.op == ogive.OpNaNQuantile:
		values, err = ogive.NaNQuantileRatios(x, c.nums, c.den, opts...)
	case c.scalar:
		values, err = eagerForms[c.op].one(x, c.qs[0], opts...)
	default:
		values, err = eagerForms[c.op].many(x, c.qs, opts...)
	}
	return read(t, values, indices, err)
}

// read turns ogive's results into an answer.
func read(t failer, values, indices *ogive.Tensor, err error) answer {
	t.Helper()
	if err != nil {
		if values != nil || indices != nil {
			t.Errorf("a result beside the error %v", err)
		}
		return answer{err: err}
	}
	a := answer{dt: values.DType(), shape: values.Shape(), values: content(t, values)}
	if indices != nil {
		if indices.DType() != dtype.Int64 || !slices.Equal(indices.Shape(), a.shape) {
			t.Errorf("indices are %s %v, values %v", indices.DType(), indices.Shape(), a.shape)
		}
		a.indices = content(t, indices)
	}
	return a
}

// prepare makes the plan. ok is false where the form of q has no option.
func (c call) prepare(t failer, x *ogive.Tensor, extra ...ogive.Option) (p *ogive.Plan, err error, ok bool) {
	t.Helper()
	opts := append(c.options(t), extra...)
	switch n := len(c.qs) + len(c.nums); {
	case c.isMedian():
	case n == 1 && !c.scalar || n == 0:
		return nil, nil, false
	case c.den != 0 && n == 1:
		opts = append(opts, ogive.Ratio(c.nums[0], c.den))
	case c.den != 0:
		opts = append(opts, ogive.Ratios(c.nums, c.den))
	case c.isPercent():
		opts = append(opts, ogive.P(c.qs...))
	default:
		opts = append(opts, ogive.Q(c.qs...))
	}
	if c.indices && c.mode == "" {
		opts = append(opts, ogive.Mode(ogive.ModeLower))
	}
	p, err = ogive.Prepare(c.op, x.DType(), x.Shape(), opts...)
	return p, err, true
}

// prepared makes the call by a plan, twice, into an output full of junk.
func (c call) prepared(t failer, x *ogive.Tensor, extra ...ogive.Option) (a answer, ok bool) {
	t.Helper()
	p, err, ok := c.prepare(t, x, extra...)
	if !ok || err != nil {
		return answer{err: err}, ok
	}
	if p.Op() != c.op || p.KeepDims() != c.keep || p.SkipNaN() != c.skipNaN() {
		t.Errorf("plan says %s, keepdims %v, skip NaN %v", p.Op(), p.KeepDims(), p.SkipNaN())
	}
	shape := p.Shape()
	dt := p.DType()
	there := x.Device()
	out := ogive.Must(junkTensor(t, dt, shape).To(there))
	var indices *ogive.Tensor
	for range 2 {
		if c.indices {
			indices = ogive.Must(junkTensor(t, dtype.Int64, shape).To(there))
			err = p.RunIndex(x, out, indices)
		} else {
			err = p.Run(x, out)
		}
		if err != nil {
			return answer{err: err}, true
		}
	}
	return read(t, out, indices, nil), true
}

// junkTensor returns a tensor that no operation left behind.
func junkTensor(t failer, dt dtype.DType, shape []int) *ogive.Tensor {
	t.Helper()
	n := 1
	for _, d := range shape {
		n *= d
	}
	return tensorOf(t, dt, testkit.Fill("random", dt, n, 4711), shape)
}

// sentinels are the errors by the oracle's names.
var sentinels = map[oracle.Kind]error{
	oracle.ErrAxis: ogive.ErrAxis, oracle.ErrQ: ogive.ErrQ, oracle.ErrMethod: ogive.ErrMethod,
	oracle.ErrOption: ogive.ErrOption, oracle.ErrDType: ogive.ErrDType, oracle.ErrShape: ogive.ErrShape,
	oracle.ErrEmpty: ogive.ErrEmpty, oracle.ErrOut: ogive.ErrOut, oracle.ErrWeights: ogive.ErrWeights,
}

// compare fails the test unless the answers agree bit for bit, or both are
// errors of the same kind.
func compare(t failer, what string, got, want answer) {
	t.Helper()
	if want.err != nil {
		var kind oracle.Kind
		if !errors.As(want.err, &kind) {
			t.Fatalf("%s: the oracle failed: %v", what, want.err)
		}
		if !errors.Is(got.err, sentinels[kind]) {
			t.Fatalf("%s: got error %v, want %s", what, got.err, kind)
		}
		return
	}
	if got.err != nil {
		t.Fatalf("%s: unexpected error: %v", what, got.err)
	}
	if got.dt != want.dt || !slices.Equal(got.shape, want.shape) {
		t.Fatalf("%s: got %s %v, want %s %v", what, got.dt, got.shape, want.dt, want.shape)
	}
	if d := testkit.Diff(want.dt, got.values, want.values); d != "" {
		t.Fatalf("%s: %s", what, d)
	}
	if d := testkit.Diff(dtype.Int64, got.indices, want.indices); want.indices != nil && d != "" {
		t.Fatalf("%s: indices: %s", what, d)
	}
}

// check holds ogive's answers to the oracle's: by function and by plan.
func (c call) check(t failer, in *input) {
	t.Helper()
	want := c.want(in.ref)
	regimes := c.forced
	if regimes == nil {
		regimes = []forced{{tuned: tuning.Default}}
	}
	for i := range regimes {
		r := &regimes[i]
		what, opt, x := r.name+c.String(), ogive.Tuned(&r.tuned), in.tensor
		if r.device != nil {
			if c.weights != nil {
				continue
			}
			x = in.on(t, r.device)
		}
		compare(t, "eager "+what, c.eager(t, x, opt), want)
		if a, ok := c.prepared(t, x, opt); ok {
			compare(t, "prepared "+what, a, want)
		}
		in.unchanged(t, what)
	}
	if c.weights != nil {
		c.weights.unchanged(t, c.String()+" (weights)")
	}
}
