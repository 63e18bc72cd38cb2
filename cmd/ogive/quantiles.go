package main

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// quantiles are the values of --q or --p.
type quantiles struct {
	name   string    // "q" or "p"
	scalar bool      // without a dimension in the result
	list   []rank.Q  // of 1, those of --p too
	values []float64 // as they were given, for the JSON document; NaN of fractions
	labels []string  // each as the user is to see it
	file   string    // where they are to be read from, by load
}

// quantileUsage returns what --q or --p takes.
func quantileUsage(flag string) string {
	if flag == "p" {
		return "a `number` (50), a list (5,50,95), a list of one (50,) or a file (@p.npy); several add up"
	}
	return "a `number` (0.5), a list (0.05,0.5), a list of one (0.5,), exact fractions (1/3) or a file (@q.npy); several add up"
}

// quantileHint is quantileUsage as a hint has it.
func quantileHint(flag string) string { return strings.ReplaceAll(quantileUsage(flag), "`", "") }

// joinQuantiles returns the values of a flag that may be given several times as one list.
func joinQuantiles(flag string, given []string) (string, error) {
	if len(given) == 1 {
		return given[0], nil
	}
	list := make([]string, len(given))
	for i, text := range given {
		if strings.HasPrefix(text, "@") {
			return "", usageError("", "--%s %s takes all from a file, and another --%s is given", flag, text, flag)
		}
		if list[i] = strings.TrimSuffix(strings.TrimSpace(text), ","); list[i] == "" {
			return "", usage{flag + " is empty", ogive.ErrQ}
		}
	}
	return strings.Join(list, ","), nil
}

// parseQuantiles reads the text of a flag: "0.5" is a scalar, "0.5," and
// "0.1,0.5" are lists, and "@q.npy" names a file, for load. Decimals are taken
// exactly, 0.9 as 9/10, and so are fractions; a decimal whose reduced fraction does not
// fit in 64 bits is the nearest float64.
func parseQuantiles(name, text string) (*quantiles, error) {
	switch path, ok := strings.CutPrefix(text, "@"); {
	case ok && path == "":
		return nil, usageError(name+" takes "+quantileHint(name), "--%s @ names no file", name)
	case ok:
		return &quantiles{name: name, file: path}, nil
	}
	qs := &quantiles{name: name, scalar: !strings.Contains(text, ",")}
	var fields []string
	if strings.TrimSpace(text) == "" {
		qs.scalar = false
	} else {
		fields = strings.Split(text, ",")
		if n := len(fields); strings.TrimSpace(fields[n-1]) == "" {
			fields = fields[:n-1]
		}
	}
	if len(fields) == 1 && strings.TrimSpace(fields[0]) == "" {
		fields = nil
	}
	for i, field := range fields {
		if err := qs.add(i, strings.TrimSpace(field)); err != nil {
			return nil, err
		}
	}
	if len(qs.list) == 0 {
		return nil, usage{name + " is empty", ogive.ErrQ}
	}
	return qs, nil
}

// add adds one quantile of the command line.
func (qs *quantiles) add(i int, field string) error {
	if strings.Contains(field, "/") {
		q, err := qs.fraction(i, field)
		qs.list, qs.values, qs.labels = append(qs.list, q), append(qs.values, math.NaN()), append(qs.labels, field)
		return err
	}
	v, err := strconv.ParseFloat(field, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(field, "xX") { // too large is an infinity, which is out of range
		return usageError(qs.name+" takes "+quantileHint(qs.name), "%s[%d] = %q is not a number", qs.name, i, field)
	}
	if err := qs.addFloat(i, v); err != nil {
		return err
	}
	exact := new(big.Rat)
	if v != 0 { // the exponent of 1e-999999999 would make a fraction of a gigabyte
		exact.SetString(field)
	}
	exact.Quo(exact, new(big.Rat).SetInt64(qs.top()))
	switch {
	case exact.Cmp(big.NewRat(1, 1)) > 0:
		return qs.outside(i, field)
	case exact.Num().IsInt64() && exact.Denom().IsInt64():
		qs.list[i] = rank.Ratio(exact.Num().Int64(), exact.Denom().Int64())
	}
	return nil
}

// fraction reads quantile i as a fraction.
func (qs *quantiles) fraction(i int, field string) (q rank.Q, err error) {
	if qs.name != "q" {
		return q, usageError("quantile --q 1/3 is exact", "--%s takes decimal numbers, not fractions", qs.name)
	}
	num, den, _ := strings.Cut(field, "/")
	n, okNum := new(big.Int).SetString(strings.TrimSpace(num), 10)
	d, okDen := new(big.Int).SetString(strings.TrimSpace(den), 10)
	switch {
	case !okNum || !okDen:
		return q, usageError("q takes "+quantileHint("q"), "q[%d] = %q is not a fraction", i, field)
	case d.Sign() <= 0:
		return q, usage{fmt.Sprintf("q[%d] = %s: the denominator must be positive", i, field), ogive.ErrQ}
	case n.Sign() < 0 || n.Cmp(d) > 0:
		return q, qs.outside(i, field)
	}
	exact := new(big.Rat).SetFrac(n, d)
	if !exact.Denom().IsInt64() {
		return q, usageError("a decimal may be as long as you like, and is then the nearest float64", "q[%d] = %s is too long for an exact quantile", i, field)
	}
	return rank.Ratio(exact.Num().Int64(), exact.Denom().Int64()), nil
}

// addFloat adds quantile i as a float64.
func (qs *quantiles) addFloat(i int, v float64) error {
	label, top := tensorio.FormatFloat(v, 64), float64(qs.top())
	switch {
	case v != v:
		return usage{fmt.Sprintf("%s[%d] is NaN", qs.name, i), ogive.ErrQ}
	case v < 0 || v > top:
		return qs.outside(i, label)
	}
	qs.list, qs.values, qs.labels = append(qs.list, rank.At(v/top)), append(qs.values, v), append(qs.labels, label)
	return nil
}

// outside is the error of quantile i, which is too small or too large.
func (qs *quantiles) outside(i int, text string) error {
	return usage{fmt.Sprintf("%s[%d] = %s is outside [0, %d]", qs.name, i, text, qs.top()), ogive.ErrQ}
}

// top returns the largest value.
func (qs *quantiles) top() int64 {
	if qs.name == "p" {
		return 100
	}
	return 1
}

// load reads the file that the flag names, if it names one: no dimension is a
// scalar, one a list.
func (qs *quantiles) load(files *opener) error {
	if qs == nil || qs.file == "" {
		return nil
	}
	o, err := files.side(qs.file)
	if err != nil {
		return err
	}
	t, err := o.values(true)
	if err != nil {
		return err
	}
	if t.NDim() > 1 {
		return usage{fmt.Sprintf("%s must be a scalar or 1-D, got shape %v", qs.name, t.Shape()), ogive.ErrQ}
	}
	if t.DType().IsComplex() || t.DType().IsBool() {
		return usage{fmt.Sprintf("%s must be numbers, got %v", qs.name, t.DType()), ogive.ErrQ}
	}
	if t, err = t.Cast(dtype.Float64); err != nil {
		return err
	}
	if err := inFile(tensorio.TooLarge(int64(t.Len())*quantileBytes, files.budget.answers()), fmt.Sprintf("%d quantiles", t.Len()), ""); err != nil {
		return err
	}
	qs.scalar = t.NDim() == 0
	values, err := ogive.Values[float64](t)
	if err != nil {
		return err
	}
	return qs.addAll(values)
}

// quantileBytes is about what a quantile takes, with its label and what is known of it in a
// pass.
const quantileBytes = 400

// addAll adds the quantiles of a file, of which there must be some.
func (qs *quantiles) addAll(values []float64) error {
	for i, v := range values {
		if err := qs.addFloat(i, v); err != nil {
			return err
		}
	}
	if len(values) == 0 {
		return usage{qs.name + " is empty", ogive.ErrQ}
	}
	return nil
}

// option returns the library's form, for op.
func (qs *quantiles) option() ogive.Option {
	switch q := qs.list[0]; {
	case !qs.scalar:
		return ogive.Fractions(qs.list...)
	case q.Den > 0:
		return ogive.Ratio(q.Num, q.Den)
	default:
		return ogive.Q(q.Value)
	}
}

// op returns the operation that takes the option in place of op: percentiles are
// quantiles.
func (qs *quantiles) op(op ogive.Op) ogive.Op {
	switch op {
	case ogive.OpPercentile:
		return ogive.OpQuantile
	case ogive.OpNaNPercentile:
		return ogive.OpNaNQuantile
	}
	return op
}

// json returns the values as a JSON document shows them: numbers, fractions as
// strings, a scalar without brackets.
func (qs *quantiles) json() any {
	list := make([]any, len(qs.labels))
	for i, v := range qs.values {
		if list[i] = v; v != v {
			list[i] = qs.labels[i]
		}
	}
	if qs.scalar {
		return list[0]
	}
	return list
}
