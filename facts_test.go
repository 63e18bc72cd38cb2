package ogive_test

import (
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/stream"
)

// Options print as the functions that make them.
func TestOptionString(t *testing.T) {
	for want, o := range map[string]ogive.Option{
		"none":     {},
		"Axis":     ogive.Axis(1),
		"Method":   ogive.Method(rank.Hazen),
		"Weights":  ogive.Weights(nil),
		"EqualNaN": ogive.EqualNaN(),
		"Ratio":    ogive.Ratio(1, 3),
		"Test":     ogive.Test(nil),
	} {
		if got := o.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestFacts: operations that drop NaNs differ in that alone from those that do not, and the
// names of both say so.
func TestFacts(t *testing.T) {
	if f := ogive.Op(0).Facts(); f != (ogive.Facts{}) {
		t.Error("no operation:", f)
	}
	if f := ogive.Op(200).Facts(); f != (ogive.Facts{}) {
		t.Error("an unknown operation:", f)
	}
	ops := ogive.Ops()
	if ops[0] != ogive.OpQuantile || ops[len(ops)-1] != ogive.OpIsIn {
		t.Error("the operations are", ops)
	}
	for _, op := range ops {
		f := op.Facts()
		base, drops := strings.CutPrefix(op.String(), "nan")
		if f.SkipNaN != drops {
			t.Errorf("%v drops NaNs: %v", op, f.SkipNaN)
		}
		if twin := ogive.Must(ogive.ParseOp(base)); drops {
			f.SkipNaN = false
			if f != twin.Facts() {
				t.Errorf("%v: %+v, and %v: %+v", op, f, twin, twin.Facts())
			}
		}
		var opts []ogive.Option
		switch f.Param {
		case "q":
			opts = append(opts, ogive.Q(0.5))
		case "p":
			opts = append(opts, ogive.P(50))
		}
		if op == ogive.OpIsIn {
			opts = append(opts, ogive.Test(vec(1.0)))
		}
		plan, err := ogive.Prepare(op, dtype.Float64, []int{3}, opts...)
		if err != nil {
			t.Errorf("%v: %v", op, err)
			continue
		}
		want := dtype.Bool
		switch {
		case f.Index:
			want = dtype.Int64
		case f.Order:
			want = dtype.Float64
		}
		if plan.DType() != want {
			t.Errorf("%v has %v, want %v", op, plan.DType(), want)
		}
		_, err = stream.New(op, dtype.Float64, stream.MinBudget, opts...)
		if f.Passes != (err == nil) {
			t.Errorf("%v in passes: %v", op, err)
		}
	}
}
