package ogive_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// parameter is what a function takes and Prepare is told by an option.
type parameter struct {
	set     string // the option: Q, P, Ratio, Test, or none
	numbers []float64
	nums    []int64
	den     int64
	list    bool // of the functions for several quantiles
	test    *ogive.Tensor
}

func quantilesOf(qs ...float64) parameter {
	return parameter{set: "Q", numbers: qs, list: len(qs) > 1}
}

func percentsOf(ps ...float64) parameter {
	return parameter{set: "P", numbers: ps, list: len(ps) > 1}
}

func testOf(t *ogive.Tensor) parameter { return parameter{set: "Test", test: t} }

// with puts the parameter in front of the options.
func (p parameter) with(opts []ogive.Option) []ogive.Option {
	var o ogive.Option
	switch {
	case p.set == "Q" && p.list:
		o = ogive.Qs(p.numbers)
	case p.set == "Q":
		o = ogive.Q(p.numbers...)
	case p.set == "P" && p.list:
		o = ogive.Ps(p.numbers)
	case p.set == "P":
		o = ogive.P(p.numbers...)
	case p.set == "Ratio" && p.list:
		o = ogive.Ratios(p.nums, p.den)
	case p.set == "Ratio":
		o = ogive.Ratio(p.nums[0], p.den)
	case p.set == "Test":
		o = ogive.Test(p.test)
	default:
		return opts
	}
	return append([]ogive.Option{o}, opts...)
}

// callWith makes the eager call.
func callWith(op ogive.Op, x *ogive.Tensor, p parameter, opts []ogive.Option) (*ogive.Tensor, error) {
	switch op {
	case ogive.OpMedian:
		return ogive.Median(x, opts...)
	case ogive.OpNaNMedian:
		return ogive.NaNMedian(x, opts...)
	case ogive.OpIsIn:
		return ogive.IsIn(x, p.test, opts...)
	}
	for _, e := range elementTests {
		if e.name == op.String() {
			return e.run(x, opts...)
		}
	}
	nan := op == ogive.OpNaNQuantile
	switch {
	case p.set == "Ratio" && p.list && nan:
		return ogive.NaNQuantileRatios(x, p.nums, p.den, opts...)
	case p.set == "Ratio" && p.list:
		return ogive.QuantileRatios(x, p.nums, p.den, opts...)
	case p.set == "Ratio" && nan:
		return ogive.NaNQuantileRatio(x, p.nums[0], p.den, opts...)
	case p.set == "Ratio":
		return ogive.QuantileRatio(x, p.nums[0], p.den, opts...)
	case p.list:
		return eagerForms[op].many(x, p.numbers, opts...)
	default:
		return eagerForms[op].one(x, p.numbers[0], opts...)
	}
}

// flaw is something wrong with a call of quantile.
type flaw struct {
	name     string
	sentinel error
	spoil    func(c *flawedCall)
}

type flawedCall struct {
	x    *ogive.Tensor
	q    float64
	opts []ogive.Option
}

// with adds an option.
func with(o ogive.Option) func(*flawedCall) {
	return func(c *flawedCall) { c.opts = append(c.opts, o) }
}

// TestFirstError: of two flaws the one named is the earlier in the order nil x,
// dtype, option, method, q, axis, empty, weights, out, device.
func TestFirstError(t *testing.T) {
	device := newFakeDevice("first")
	far := ogive.Must(ogive.Must(ogive.Zeros(dtype.Float64, 3)).To(device))
	flaws := []flaw{
		{"x nil", ogive.ErrShape, func(c *flawedCall) { c.x = nil }},
		{"complex", ogive.ErrDType, func(c *flawedCall) { c.x = ogive.Must(ogive.Zeros(dtype.Complex64, 2, 3)) }},
		{"option", ogive.ErrOption, with(ogive.Invert())},
		{"method", ogive.ErrMethod, with(ogive.Method(99))},
		{"q", ogive.ErrQ, func(c *flawedCall) { c.q = 1.5 }},
		{"axis", ogive.ErrAxis, with(ogive.Axis(0, 0))},
		{"empty", ogive.ErrEmpty, func(c *flawedCall) { c.x = ogive.Must(ogive.Zeros(dtype.Float64, 0, 3)) }},
		{"weights", ogive.ErrWeights, with(ogive.Weights(vec[int64](-1)))},
		{"out", ogive.ErrOut, with(ogive.Out(vec(1.0)))},
		{"device", ogive.ErrDevice, with(ogive.Out(far))},
	}
	for i, first := range flaws {
		for _, second := range flaws[i:] {
			// The second first, so that the order of options cannot decide;
			// of two outputs and two inputs the last one wins.
			c := flawedCall{x: ogive.Must(ogive.Zeros(dtype.Float64, 2, 3)), q: 0.5, opts: []ogive.Option{ogive.Axis(0)}}
			second.spoil(&c)
			first.spoil(&c)
			if _, err := ogive.Quantile(c.x, c.q, c.opts...); !errors.Is(err, first.sentinel) {
				t.Errorf("%s and %s: %v", first.name, second.name, err)
			}
		}
	}
	// Methods that suit neither the operation nor the weights come before q.
	x := vec(1.0, 2)
	_, err := x.ArgQuantile(7, ogive.Method(rank.Linear))
	if !errors.Is(err, ogive.ErrMethod) {
		t.Errorf("argquantile with linear and q 7: %v", err)
	}
	for name, opts := range map[string][]ogive.Option{"q": nil, "axis": {ogive.Axis(5)}} {
		q := 0.5
		if name == "q" {
			q = 7
		}
		if _, err = x.Quantile(q, append(opts, ogive.Weights(vec(1.0, 2)))...); !errors.Is(err, ogive.ErrMethod) {
			t.Errorf("linear with float weights and a bad %s: %v", name, err)
		}
	}
	_, _, err = x.MedianWithIndex(ogive.Mode(ogive.ModeAvg), ogive.Axis(7))
	if !errors.Is(err, ogive.ErrOption) {
		t.Errorf("avg with indices and axis 7: %v", err)
	}
}

// TestLastOptionWins: of several of one kind; a list of them is not a union.
func TestLastOptionWins(t *testing.T) {
	x := of([]float64{4, 1, 3, 2}, 2, 2)
	got, err := x.Quantile(0.5, ogive.Axis(7), ogive.Axis(0), ogive.Method(rank.Lower), ogive.Method(rank.Higher))
	wantFloats(t, "the last axis and method", got, err, []int{2}, 4, 2)
	p, err := ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{2}, ogive.Q(7), ogive.Ratio(1, 2))
	if err != nil || len(p.Shape()) != 0 {
		t.Errorf("the last of Q and Ratio: %v", err)
	}
}

// optionSamples has one of every kind of option, by name.
func optionSamples(t *testing.T) map[string]ogive.Option {
	x := vec(1.0)
	return map[string]ogive.Option{
		"Axis": ogive.Axis(0), "KeepDims": ogive.KeepDims(), "Method": ogive.Method(rank.Lower), "Mode": ogive.Mode(ogive.ModeLower),
		"Weights": ogive.Weights(vec[int64](1)), "Out": ogive.Out(vec(0.0)), "OutIndices": ogive.OutIndices(vec[int64](0)), "Overwrite": ogive.Overwrite(),
		"Invert": ogive.Invert(), "AssumeUnique": ogive.AssumeUnique(), "Kind": ogive.Kind(ogive.KindSort), "EqualNaN": ogive.EqualNaN(),
		"Workers": ogive.Workers(1), "Context": ogive.Context(t.Context()), "Progress": ogive.Progress(new(ogive.Meter)),
		"Q": ogive.Q(0.5), "P": ogive.P(50), "Ratio": ogive.Ratio(1, 2), "Test": ogive.Test(x), "MinCount": ogive.MinCount(1),
	}
}

// TestOptionsOfEachOperation: every operation takes its own options, eagerly
// and prepared, and every other one is ErrOption.
func TestOptionsOfEachOperation(t *testing.T) {
	common := []string{"Out", "Workers", "Context", "Progress"}
	order := append([]string{"Axis", "KeepDims", "Weights", "Overwrite"}, common...)
	quantile, median := append([]string{"Method"}, order...), append([]string{"Mode", "OutIndices"}, order...)
	takes := map[ogive.Op][]string{ // parameters of the functions after a bar
		ogive.OpQuantile: append(quantile, "|", "Q", "Ratio"), ogive.OpNaNQuantile: append(quantile, "|", "Q", "Ratio"),
		ogive.OpPercentile: append(quantile, "|", "P"), ogive.OpNaNPercentile: append(quantile, "|", "P"),
		ogive.OpMedian: append(median, "|"), ogive.OpNaNMedian: append(median, "|"),
		ogive.OpArgQuantile: append(quantile, "|", "Q", "Ratio"), ogive.OpNaNArgQuantile: append(quantile, "|", "Q", "Ratio"),
		ogive.OpIsIn: append([]string{"Invert", "AssumeUnique", "Kind", "EqualNaN"}, append(common, "|", "Test")...),
	}
	for _, e := range elementTests {
		takes[ogive.Must(ogive.ParseOp(e.name))] = append(slices.Clone(common), "|")
	}
	for op := ogive.OpQuantile; op <= ogive.OpIsIn; op++ {
		bar := slices.Index(takes[op], "|")
		if bar < 0 {
			t.Fatalf("no row for %v", op)
		}
		eager, params := takes[op][:bar], takes[op][bar+1:]
		base := q1
		switch op {
		case ogive.OpIsIn:
			base = testOf(vec(1.0))
		case ogive.OpPercentile, ogive.OpNaNPercentile:
			base = p1
		}
		for name, o := range optionSamples(t) {
			opts := []ogive.Option{o}
			if op == ogive.OpArgQuantile || op == ogive.OpNaNArgQuantile {
				opts = append(opts, ogive.Method(rank.Lower))
			}
			_, err := callWith(op, vec(1.0), base, opts)
			if got, want := errors.Is(err, ogive.ErrOption), !slices.Contains(eager, name); got != want {
				t.Errorf("%v with %s: %v", op, name, err)
			}
			prepared := opts
			if len(params) > 0 && !slices.Contains(params, name) {
				prepared = base.with(opts)
			}
			_, err = ogive.Prepare(op, dtype.Float64, []int{1}, prepared...)
			want := !slices.Contains(takes[op], name) || name == "Out" || name == "OutIndices"
			if got := errors.Is(err, ogive.ErrOption); got != want {
				t.Errorf("Prepare(%v) with %s: %v", op, name, err)
			}
		}
	}
	_, err := vec(1.0).Quantile(0.5, ogive.Mode(ogive.ModeLower))
	wantError(t, "quantile", err, ogive.ErrOption, `quantile: option Mode is not taken; allowed: Axis, KeepDims, Method, Weights, Out, Overwrite, Workers, Context, Progress`)
	_, err = ogive.Prepare(ogive.OpMedian, dtype.Float64, []int{1}, ogive.Out(vec(1.0)))
	wantError(t, "Prepare", err, ogive.ErrOption, `median: option Out is not taken; allowed: Axis, KeepDims, Mode, Weights, Overwrite, Workers, Context, Progress`)
}

// TestTensorErrors are those of making tensors and views.
func TestTensorErrors(t *testing.T) {
	x := of([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	turned := ogive.Must(x.Transpose())
	fails := func(_ *ogive.Tensor, err error) error { return err }
	value := func(_ any, err error) error { return err }
	for _, c := range []struct {
		name     string
		err      error
		sentinel error
		message  string
	}{
		{"FromSlice", fails(ogive.FromSlice([]int{1, 2, 3}, 2, 2)), ogive.ErrShape, `FromSlice: shape [2 2] holds 4 elements, data has 3`},
		{"a negative dimension", fails(ogive.FromSlice([]int{1}, -1)), ogive.ErrShape, `FromSlice: dimension 0 of shape [-1] is negative`},
		{"17 dimensions", fails(ogive.Zeros(dtype.Int8, slices.Repeat([]int{1}, 17)...)), ogive.ErrShape, `Zeros: 17 dimensions, at most 16`},
		{"no dtype", fails(ogive.Zeros(dtype.Invalid, 1)), ogive.ErrDType, `Zeros: invalid is not a dtype`},
		{"too many elements", fails(ogive.Zeros(dtype.Int8, 1<<30, 1<<30, 1<<30)), ogive.ErrShape, `Zeros: shape [1073741824 1073741824 1073741824] has more elements than memory can hold`},
		{"too many but for a zero", fails(ogive.Zeros(dtype.Int8, 1<<30, 1<<30, 0, 1<<30)), ogive.ErrShape, `Zeros: shape [1073741824 1073741824 0 1073741824] has more elements than memory can hold`},
		{"FromBytes", fails(ogive.FromBytes(dtype.Int16, make([]byte, 5), 2)), ogive.ErrShape, `FromBytes: shape [2] of int16 needs 4 bytes, got 5`},
		{"Values", value(ogive.Values[int64](x)), ogive.ErrDType, `Values: the tensor holds int32, not int64`},
		{"Values of nil", value(ogive.Values[int64](nil)), ogive.ErrShape, `Values: the tensor is nil`},
		{"Item", value(ogive.Item[int32](x)), ogive.ErrShape, `Item: shape [2 3] holds 6 elements, want 1`},
		{"Item's dtype", value(ogive.Item[float32](x)), ogive.ErrDType, `Item: the tensor holds int32, not float32`},
		{"Bytes", value(turned.Bytes()), ogive.ErrShape, `Bytes: a view with shape [3 2] and strides [1 3] is not contiguous`},
		{"Reshape", fails(x.Reshape(4, 2)), ogive.ErrShape, `Reshape: cannot reshape [2 3] (6 elements) to [4 2]`},
		{"Reshape of a view", fails(turned.Reshape(6)), ogive.ErrShape, `Reshape: shape [6] needs a copy of a view with shape [3 2] and strides [1 3]; make it contiguous first`},
		{"Reshape, two open", fails(x.Reshape(-1, -1)), ogive.ErrShape, `Reshape: shape [-1 -1] leaves more than one dimension open`},
		{"Transpose", fails(x.Transpose(0)), ogive.ErrAxis, `Transpose: order [0] names 1 of 2 dimensions`},
		{"Transpose, twice", fails(x.Transpose(0, -2)), ogive.ErrAxis, `Transpose: order [0 -2] names axis 0 twice`},
		{"Slice's axis", fails(x.Slice(2, 0, 1, 1)), ogive.ErrAxis, `Slice: axis 2 is out of range for a 2-d tensor (allowed -2..1)`},
		{"Slice does not wrap", fails(x.Slice(1, 0, -1, 1)), ogive.ErrShape, `Slice: positions 0 to -1 are outside 0..3 for length 3 and step 1`},
		{"Slice's step", fails(x.Slice(1, 0, 1, 0)), ogive.ErrShape, `Slice: step is 0`},
		{"BroadcastTo", fails(x.BroadcastTo(2, 4)), ogive.ErrShape, `BroadcastTo: cannot broadcast [2 3] to [2 4]: dimension 1 is 3`},
		{"BroadcastTo fewer", fails(x.BroadcastTo(3)), ogive.ErrShape, `BroadcastTo: cannot broadcast [2 3] to fewer dimensions [3]`},
		{"Cast", fails(x.Cast(dtype.Invalid)), ogive.ErrDType, `Cast: invalid is not a dtype`},
	} {
		wantError(t, c.name, c.err, c.sentinel, c.message)
	}
	memory := make([]byte, 17)
	for shift := range 2 {
		if _, err := ogive.FromBytes(dtype.Int16, memory[shift:][:16]); (err != nil) != (shift == 1) {
			t.Errorf("memory shifted by %d: %v", shift, err)
		}
	}
	defer func() {
		if r := recover(); r == nil || !errors.Is(r.(error), ogive.ErrShape) {
			t.Errorf("Must panics with %v", fmt.Sprint(r))
		}
	}()
	ogive.Must(x.Reshape(7))
}
