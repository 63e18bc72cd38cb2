package main

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
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
		{"q", "0.5", quantiles{scalar: true, list: ratios(1, 2), values: []float64{0.5}, labels: []string{"0.5"}}},
		{"q", "0.50,", quantiles{list: ratios(1, 2), values: []float64{0.5}, labels: []string{"0.5"}}},
		{"q", " 0.1 , 1 ", quantiles{list: ratios(1, 10, 1, 1), values: []float64{0.1, 1}, labels: []string{"0.1", "1"}}},
		{"q", "-0,1e-3", quantiles{list: ratios(0, 1, 1, 1000), values: []float64{math.Copysign(0, -1), 1e-3}, labels: []string{"-0", "0.001"}}},
		{"q", "1/3", quantiles{scalar: true, list: ratios(1, 3), values: []float64{math.NaN()}, labels: []string{"1/3"}}},
		{"q", "0.9,1/4,1/6", quantiles{list: ratios(9, 10, 1, 4, 1, 6), values: []float64{0.9, math.NaN(), math.NaN()}, labels: []string{"0.9", "1/4", "1/6"}}},
		{"q", "1/9223372036854775807,1/2", quantiles{list: ratios(1, math.MaxInt64, 1, 2), values: []float64{math.NaN(), math.NaN()}, labels: []string{"1/9223372036854775807", "1/2"}}},
		{"q", "1e-30,5e-324,1e-999", quantiles{list: []rank.Q{rank.At(1e-30), rank.At(5e-324), rank.Ratio(0, 1)}, values: []float64{1e-30, 5e-324, 0}, labels: []string{"1e-30", "5e-324", "0"}}},
		{"q", "0.1234567890123456789", quantiles{scalar: true, list: []rank.Q{rank.At(0.12345678901234568)}, values: []float64{0.12345678901234568}, labels: []string{"0.12345678901234568"}}},
		{"p", "1e-30,12.34567890123456789", quantiles{list: []rank.Q{rank.At(1e-30 / float64(100)), rank.At(float64(12.345678901234567) / 100)}, values: []float64{1e-30, 12.345678901234567}, labels: []string{"1e-30", "12.345678901234567"}}},
		{"q", "@q.npy", quantiles{file: "q.npy"}},
		{"p", "99.9", quantiles{scalar: true, list: ratios(999, 1000), values: []float64{99.9}, labels: []string{"99.9"}}},
	} {
		got, err := parseQuantiles(c.flag, c.text)
		c.want.name = c.flag
		if diff := cmp.Diff(&c.want, got, cmp.AllowUnexported(quantiles{}), cmpopts.EquateNaNs()); err != nil || diff != "" {
			t.Errorf("--%s %q: %v\n%s", c.flag, c.text, err, diff)
		}
	}
}

// ratios returns the fractions of numerators and denominators in turn.
func ratios(terms ...int64) (list []rank.Q) {
	for i := 0; i < len(terms); i += 2 {
		list = append(list, rank.Ratio(terms[i], terms[i+1]))
	}
	return list
}

func TestParseQuantilesErrors(t *testing.T) {
	for _, c := range []struct {
		flag, text, want string
		is               error
	}{
		{"q", "x", `q[0] = "x" is not a number`, errUsage},
		{"q", "0.1,,0.2", `q[1] = "" is not a number`, errUsage},
		{"q", "0.1;0.2", `q[0] = "0.1;0.2" is not a number`, errUsage},
		{"q", "nan", "q[0] is NaN", ogive.ErrQ},
		{"q", "1e999", "q[0] = Inf is outside [0, 1]", ogive.ErrQ},
		{"q", "", "q is empty", ogive.ErrQ},
		{"q", ",", "q is empty", ogive.ErrQ},
		{"q", "1.00000000000000000001", "q[0] = 1.00000000000000000001 is outside [0, 1]", ogive.ErrQ},
		{"q", "0x1p-1", `q[0] = "0x1p-1" is not a number`, errUsage},
		{"p", "101", "p[0] = 101 is outside [0, 100]", ogive.ErrQ},
		{"q", "1/2/3", `q[0] = "1/2/3" is not a fraction`, errUsage},
		{"q", "4/3", `q[0] = 4/3 is outside [0, 1]`, ogive.ErrQ},
		{"q", "0/1,-1/3", `q[1] = -1/3 is outside [0, 1]`, ogive.ErrQ},
		{"q", "1/0", `q[0] = 1/0: the denominator must be positive`, ogive.ErrQ},
		{"q", "1/9223372036854775808", "q[0] = 1/9223372036854775808 is too long for an exact quantile", errUsage},
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
		op: ogive.OpQuantile, files: []string{"x.csv"}, method: "hazen", weights: "w.npy",
		input:   tensorio.Options{Columns: []string{"a", "b"}, Delimiter: '\t', Header: tensorio.HeaderNo, NA: []string{"NA", "", "none"}, SkipInvalid: true},
		options: []ogive.Option{ogive.Axis(0, -1), ogive.KeepDims(), ogive.Method(rank.Hazen)},
		qs:      &quantiles{name: "q", scalar: true, list: ratios(1, 2), values: []float64{0.5}, labels: []string{"0.5"}},
		output:  outputFlags{path: "out.npy", format: "json"},
		work:    workFlags{workers: 3, quiet: true},
	}
	opts := cmp.Options{
		cmp.AllowUnexported(orderOptions{}, quantiles{}, outputFlags{}, windowFlags{}, workFlags{}),
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
		if diff := cmp.Diff(c.options, o.options, sameOptions); !slices.Equal(o.files, []string{c.file}) || o.mode != c.mode || diff != "" {
			t.Errorf("%q: file %s, mode %s\n%s", c.args, o.files, o.mode, diff)
		}
	}
}

func TestParseCharacter(t *testing.T) {
	for text, want := range map[string]rune{"": 0, "blanks": ' ', ";": ';', "tab": '\t', `\t`: '\t', "\t": '\t', "§": '§'} {
		if got, err := parseCharacter("delimiter", text); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"ab", "::", "\xff"} {
		if _, err := parseCharacter("delimiter", text); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
