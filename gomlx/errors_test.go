package gomlx_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/gomlx"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// checkError demands that the graph failed as ogive does.
func checkError(t *testing.T, err, want error) {
	t.Helper()
	var e *ogive.Error
	if !errors.As(err, &e) || e.Error() != want.Error() || !errors.Is(err, e.Kind) {
		t.Fatalf("the graph's error is %v, want %v", err, want)
	}
}

// build builds a graph of inputs of the given shapes, without executing it.
func build(fn func(in []*graph.Node) *graph.Node, in ...shapes.Shape) error {
	exec, err := graph.NewExec(backend(), fn)
	if err != nil {
		return err
	}
	defer exec.Finalize()
	_, err = exec.Compile(in...)
	return err
}

// Errors are found when the graph is built. They are ogive's, with its sentinel,
// and come with a stack trace.
func TestErrors(t *testing.T) {
	f32 := shapes.Make(dtypes.Float32, 2, 3)
	x := func(f func(x *graph.Node) *graph.Node) func(in []*graph.Node) *graph.Node {
		return func(in []*graph.Node) *graph.Node { return f(in[0]) }
	}
	quantile := func(q float64, opts ...ogive.Option) func(in []*graph.Node) *graph.Node {
		return func(in []*graph.Node) *graph.Node { return gomlx.Quantile(in[0], q, opts...) }
	}
	for _, c := range []struct {
		name string
		fn   func(in []*graph.Node) *graph.Node
		in   []shapes.Shape
		kind error
		text string
	}{
		{"q", quantile(1.1), []shapes.Shape{f32}, ogive.ErrQ, "quantile: q[0] = 1.1 is outside [0, 1]"},
		{"NaN q", quantile(nan), []shapes.Shape{f32}, ogive.ErrQ, "quantile: q[0] is NaN"},
		{"no q", x(func(x *graph.Node) *graph.Node { return gomlx.NaNQuantiles(x, nil) }), []shapes.Shape{f32}, ogive.ErrQ, "nanquantile: q is empty"},
		{"axis", quantile(.5, ogive.Axis(2)), []shapes.Shape{f32}, ogive.ErrAxis, "quantile: axis 2 is out of range for a 2-d tensor (allowed -2..1)"},
		{"axis twice", quantile(.5, ogive.Axis(0, -2)), []shapes.Shape{f32}, ogive.ErrAxis, "given twice"},
		{"no axes", quantile(.5, ogive.Axis()), []shapes.Shape{f32}, ogive.ErrAxis, "axes list is empty"},
		{"method", quantile(.5, ogive.Method(rank.Method(99))), []shapes.Shape{f32}, ogive.ErrMethod, "unknown method"},
		{"mode", x(func(x *graph.Node) *graph.Node { return gomlx.Median(x, ogive.Mode(9)) }), []shapes.Shape{f32}, ogive.ErrOption, "median: unknown mode 9"},
		{"mode of a quantile", quantile(.5, ogive.Mode(ogive.ModeLower)), []shapes.Shape{f32}, ogive.ErrOption, "option Mode is not taken"},
		{"weights", quantile(.5, ogive.Weights(ogive.Scalar(1))), []shapes.Shape{f32}, ogive.ErrOption, "quantile: option Weights has no meaning in a graph"},
		{"out", quantile(.5, ogive.Out(nil)), []shapes.Shape{f32}, ogive.ErrOption, "option Out has no meaning in a graph"},
		{"another q", quantile(.5, ogive.Ratio(1, 3)), []shapes.Shape{f32}, ogive.ErrOption, "option Ratio has no meaning in a graph"},
		{"empty", quantile(.5, ogive.Axis(0)), []shapes.Shape{shapes.Make(dtypes.Float32, 0, 3)}, ogive.ErrEmpty, "reduce 0 elements"},
		{"nil", func([]*graph.Node) *graph.Node { return gomlx.Median(nil) }, nil, ogive.ErrShape, "median: x is nil"},
		{"int4", quantile(.5), []shapes.Shape{shapes.Make(dtypes.Int4, 4)}, ogive.ErrDType, "is not a dtype of ogive's"},
		{"test is nil", func(in []*graph.Node) *graph.Node { return gomlx.IsIn(in[0], nil) }, []shapes.Shape{f32}, ogive.ErrShape, "isin: test is nil"},
		{"set is nil", func(in []*graph.Node) *graph.Node { return gomlx.IsInSet(in[0], nil) }, []shapes.Shape{f32}, ogive.ErrShape, "isin: test is nil"},
		{"table of floats", func(in []*graph.Node) *graph.Node { return gomlx.IsIn(in[0], in[0], ogive.Kind(ogive.KindTable)) }, []shapes.Shape{f32}, ogive.ErrDType, "isin: kind table takes integers and bool"},
		{"axis of isin", func(in []*graph.Node) *graph.Node { return gomlx.IsIn(in[0], in[0], ogive.Axis(0)) }, []shapes.Shape{f32}, ogive.ErrOption, "option Axis is not taken"},
		{"complex set", func(in []*graph.Node) *graph.Node { return gomlx.IsInSet(in[0], ogive.Scalar(1i)) }, []shapes.Shape{f32}, ogive.ErrDType, "isin: complex128 is not searched in a graph"},
		{"gradient of integers", func(in []*graph.Node) *graph.Node {
			return graph.Gradient(gomlx.Median(in[0]), in[0])[0]
		}, []shapes.Shape{shapes.Make(dtypes.Int32, 3)}, ogive.ErrDType, "median: gradient needs a float input, got int32"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := build(c.fn, c.in...)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
				t.Fatalf("error %v, want %v: %s", err, c.kind, c.text)
			}
			var traced interface{ Format(fmt.State, rune) }
			if !errors.As(err, &traced) || !strings.Contains(fmt.Sprintf("%+v", err), "errors_test.go") {
				t.Errorf("no stack trace that leads to the call: %+v", err)
			}
		})
	}
}

// The options that change nothing for a graph's IsIn are taken, and axes do not
// keep a reduction from the whole.
func TestOptionsThatAreTaken(t *testing.T) {
	x := floats(dtype.Float32, 1, 2, 3)
	for _, o := range []ogive.Option{ogive.AssumeUnique(), ogive.Kind(ogive.KindSort), ogive.Invert(), ogive.EqualNaN()} {
		want := ogive.Must(ogive.IsIn(x, x, o))
		got, err := run(t, func(in []*graph.Node) *graph.Node { return gomlx.IsIn(in[0], in[0], o) }, x)
		if err != nil {
			t.Fatalf("%v: %v", o, err)
		}
		same(t, got, want, "isin with %v", o)
	}
}

// TestCutSet: test values in a mapped file that has been cut are an error of the graph.
func TestCutSet(t *testing.T) {
	testkit.Gone(t, 1<<16) // or skip
	path := filepath.Join(t.TempDir(), "set.npy")
	if err := tensorio.Save(path, ogive.Must(ogive.Zeros(dtype.Float32, 1<<16))); err != nil {
		t.Fatal(err)
	}
	f := ogive.Must(tensorio.Open(path, tensorio.Options{}))
	defer f.Close()
	set := ogive.Must(f.Tensor(""))
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	err := build(func(in []*graph.Node) *graph.Node { return gomlx.IsInSet(in[0], set) }, shapes.Make(dtypes.Float32, 3))
	if !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), "set.npy: byte ") {
		t.Error(err)
	}
}
