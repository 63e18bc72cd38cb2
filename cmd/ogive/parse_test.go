package main

import (
	"context"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

func TestParseQuantiles(t *testing.T) {
	for _, c := range []struct {
		flag, text string
		want       quantiles
	}{
		{"q", "0.5", quantiles{scalar: true, values: []float64{0.5}, labels: []string{"0.5"}}},
		{"q", "0.50,", quantiles{values: []float64{0.5}, labels: []string{"0.5"}}},
		{"q", " 0.1 , 1 ", quantiles{values: []float64{0.1, 1}, labels: []string{"0.1", "1"}}},
		{"q", "5e-324,-0", quantiles{values: []float64{5e-324, math.Copysign(0, -1)}, labels: []string{"5e-324", "-0"}}},
		{"q", "nan", quantiles{scalar: true, values: []float64{math.NaN()}, labels: []string{"NaN"}}},
		{"q", "1e999", quantiles{scalar: true, values: []float64{math.Inf(1)}, labels: []string{"Inf"}}},
		{"q", "", quantiles{}},
		{"q", ",", quantiles{}},
		{"q", "1/3", quantiles{scalar: true, nums: []int64{1}, den: 3, labels: []string{"1/3"}}},
		{"q", "29/100,", quantiles{nums: []int64{29}, den: 100, labels: []string{"29/100"}}},
		{"q", "1/4,1/6,5/6", quantiles{nums: []int64{3, 2, 10}, den: 12, labels: []string{"1/4", "1/6", "5/6"}}},
		{"q", "1/9223372036854775807", quantiles{scalar: true, nums: []int64{1}, den: math.MaxInt64, labels: []string{"1/9223372036854775807"}}},
		{"q", "@q.npy", quantiles{file: "q.npy"}},
		{"p", "99.9", quantiles{scalar: true, values: []float64{99.9}, labels: []string{"99.9"}}},
	} {
		got, err := parseQuantiles(c.flag, c.text)
		c.want.name = c.flag
		if diff := cmp.Diff(&c.want, got, cmp.AllowUnexported(quantiles{}), cmpopts.EquateNaNs()); err != nil || diff != "" {
			t.Errorf("--%s %q: %v\n%s", c.flag, c.text, err, diff)
		}
	}
}

func TestParseQuantilesErrors(t *testing.T) {
	for _, c := range []struct {
		flag, text, want string
		is               error
	}{
		{"q", "x", `q[0] = "x" is not a number`, errUsage},
		{"q", "0.1,,0.2", `q[1] = "" is not a number`, errUsage},
		{"q", "0.1;0.2", `q[0] = "0.1;0.2" is not a number`, errUsage},
		{"q", "1/2,1e-1", `q[1] = "1e-1" is not a fraction`, errUsage},
		{"q", "1/2/3", `q[0] = "1/2/3" is not a fraction`, errUsage},
		{"q", "4/3", `q[0] = 4/3 is outside [0, 1]`, ogive.ErrQ},
		{"q", "0/1,-1/3", `q[1] = -1/3 is outside [0, 1]`, ogive.ErrQ},
		{"q", "1/0", `q[0] = 1/0: the denominator must be positive`, ogive.ErrQ},
		{"q", "1/9223372036854775807,1/2", "the common denominator 18446744073709551614 of q is over 2^63-1", errUsage},
		{"p", "1/3", "--p takes decimal numbers, not fractions", errUsage},
	} {
		_, err := parseQuantiles(c.flag, c.text)
		if err == nil || err.Error() != c.want || !errors.Is(err, c.is) {
			t.Errorf("--%s %q: %v, want %s", c.flag, c.text, err, c.want)
		}
		if statusOf(err) != statusUsage {
			t.Errorf("--%s %q: exit status %d", c.flag, c.text, statusOf(err))
		}
	}
}

// parsed runs a command line of an order statistic as far as its options.
func parsed(t *testing.T, args ...string) *orderOptions {
	t.Helper()
	var got *orderOptions
	keep := func(_ context.Context, o *orderOptions, _ streams) error { got = o; return nil }
	s := streams{out: io.Discard, err: io.Discard}
	for _, cmd := range append(newQuantileCmds(s, keep), newMedianCmds(s, keep)...) {
		if cmd.Name() != args[0] {
			continue
		}
		cmd.GroupID = ""
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(args[1:])
		if err := cmd.Execute(); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
	}
	if got == nil {
		t.Fatalf("%q did not run", args)
	}
	return got
}

// sameOptions compares what options set.
var sameOptions = cmp.Options{cmp.AllowUnexported(ogive.Option{}), cmpopts.EquateEmpty()}

func TestOrderFlags(t *testing.T) {
	o := parsed(t, "quantile", "x.csv", "--q", "0.5", "--axis", "0,-1", "--keepdims", "--method", "type5", "--weights", "w.npy",
		"-c", "a,b", "-d", "tab", "--no-header", "--na", "NA,,none", "--skip-invalid", "-o", "out.npy", "-f", "json", "--workers", "3", "--quiet")
	want := &orderOptions{
		op: ogive.OpQuantile, file: "x.csv", method: "hazen", weights: "w.npy",
		input:   tensorio.Options{Columns: []string{"a", "b"}, Delimiter: '\t', Header: tensorio.HeaderNo, NA: []string{"NA", "", "none"}, SkipInvalid: true},
		options: []ogive.Option{ogive.Axis(0, -1), ogive.KeepDims(), ogive.Method(rank.Hazen)},
		qs:      &quantiles{name: "q", scalar: true, values: []float64{0.5}, labels: []string{"0.5"}},
		output:  outputFlags{path: "out.npy", format: "json"},
		work:    workFlags{workers: 3, quiet: true},
	}
	opts := cmp.Options{
		cmp.AllowUnexported(orderOptions{}, quantiles{}, outputFlags{}, workFlags{}),
		sameOptions,
	}
	if diff := cmp.Diff(want, o, opts); diff != "" {
		t.Error(diff)
	}
}

func TestMedianFlags(t *testing.T) {
	for _, c := range []struct {
		args    []string
		file    string
		mode    string
		options []ogive.Option
	}{
		{[]string{"median"}, "-", "avg", nil},
		{[]string{"nanmedian", "x.npy", "--mode", "min"}, "x.npy", "lower", []ogive.Option{ogive.Mode(ogive.ModeLower)}},
		{[]string{"median", "--indices", "i.npy"}, "-", "lower", []ogive.Option{ogive.Mode(ogive.ModeLower)}},
		{[]string{"median", "--indices", "i.npy", "--mode", "upper"}, "-", "upper", []ogive.Option{ogive.Mode(ogive.ModeUpper)}},
		{[]string{"median", "--axis="}, "-", "avg", []ogive.Option{ogive.Axis()}},
	} {
		o := parsed(t, c.args...)
		if diff := cmp.Diff(c.options, o.options, sameOptions); o.file != c.file || o.mode != c.mode || diff != "" {
			t.Errorf("%q: file %s, mode %s\n%s", c.args, o.file, o.mode, diff)
		}
	}
}

func TestParseDelimiter(t *testing.T) {
	for text, want := range map[string]rune{"": 0, ";": ';', "tab": '\t', `\t`: '\t', "\t": '\t', "§": '§'} {
		if got, err := parseDelimiter(text); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"ab", "::", "\xff"} {
		if _, err := parseDelimiter(text); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
