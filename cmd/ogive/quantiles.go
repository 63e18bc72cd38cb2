package main

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// quantiles are the values of --q or --p.
type quantiles struct {
	name   string // "q" or "p"
	scalar bool   // without a dimension in the result
	values []float64
	nums   []int64 // with den instead of values: fractions over a common denominator
	den    int64
	labels []string // each as the user is to see it
	file   string   // where they are to be read from, by load
}

// quantileUsage returns what --q or --p takes.
func quantileUsage(flag string) string {
	if flag == "p" {
		return "a number (50), a list (5,50,95), a list of one (50,) or a file (@p.npy)"
	}
	return "a number (0.5), a list (0.05,0.5,0.95), a list of one (0.5,), fractions (1/3) or a file (@q.npy)"
}

// parseQuantiles reads the text of a flag: "0.5" is a scalar, "0.5," and
// "0.1,0.5" are lists, "1/3" and "1/3,2/3" are exact fractions, and "@q.npy"
// names a file, for load. Numbers out of range are left to the library.
func parseQuantiles(name, text string) (*quantiles, error) {
	if path, ok := strings.CutPrefix(text, "@"); ok {
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
	if strings.Contains(text, "/") {
		return qs, qs.setFractions(fields)
	}
	for i, field := range fields {
		field = strings.TrimSpace(field)
		v, err := strconv.ParseFloat(field, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // too large is an infinity, which is out of range
			return nil, usageError(name+" takes "+quantileUsage(name), "%s[%d] = %q is not a number", name, i, field)
		}
		qs.values = append(qs.values, v)
		qs.labels = append(qs.labels, formatFloat(v, 64))
	}
	return qs, nil
}

// setFractions reads fractions, and decimals among them exactly, and brings
// them over their least common denominator.
func (qs *quantiles) setFractions(fields []string) error {
	if qs.name != "q" {
		return usageError("quantile --q 1/3 is exact", "--%s takes decimal numbers, not fractions", qs.name)
	}
	nums, dens, common := make([]*big.Int, len(fields)), make([]*big.Int, len(fields)), big.NewInt(1)
	for i, field := range fields {
		field = strings.TrimSpace(field)
		var ok bool
		if nums[i], dens[i], ok = parseFraction(field); !ok {
			return usageError("q takes "+quantileUsage("q"), "q[%d] = %q is not a fraction", i, field)
		}
		if dens[i].Sign() == 0 {
			return usage{fmt.Sprintf("q[%d] = %s: the denominator must be positive", i, field), ogive.ErrQ}
		}
		if dens[i].Sign() <= 0 || nums[i].Sign() < 0 || nums[i].Cmp(dens[i]) > 0 {
			return usage{fmt.Sprintf("q[%d] = %s is outside [0, 1]", i, field), ogive.ErrQ}
		}
		gcd := new(big.Int).GCD(nil, nil, common, dens[i])
		common.Mul(common, new(big.Int).Div(dens[i], gcd))
		qs.labels = append(qs.labels, field)
	}
	if !common.IsInt64() {
		return usageError("use fewer or simpler fractions in one call", "the common denominator %v of q is over 2^63-1", common)
	}
	qs.den = common.Int64()
	for i := range nums {
		scaled := new(big.Int).Mul(nums[i], new(big.Int).Div(common, dens[i]))
		qs.nums = append(qs.nums, scaled.Int64())
	}
	return nil
}

// parseFraction reads 1/3, or a plain decimal, as an exact fraction.
func parseFraction(field string) (num, den *big.Int, ok bool) {
	if strings.Trim(field, "+-.0123456789") == "" && len(field) < 40 {
		if r, ok := new(big.Rat).SetString(field); ok {
			return r.Num(), r.Denom(), true
		}
		return nil, nil, false
	}
	n, d, _ := strings.Cut(field, "/")
	num, okNum := new(big.Int).SetString(strings.TrimSpace(n), 10)
	den, okDen := new(big.Int).SetString(strings.TrimSpace(d), 10)
	return num, den, okNum && okDen
}

// load reads the file that the flag names, if it names one: no dimension is a
// scalar, one a list.
func (qs *quantiles) load(files *opener) error {
	if qs == nil || qs.file == "" {
		return nil
	}
	t, err := files.side(qs.file)
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
	qs.scalar = t.NDim() == 0
	if qs.values, err = ogive.Values[float64](t); err != nil {
		return err
	}
	for _, v := range qs.values {
		qs.labels = append(qs.labels, formatFloat(v, 64))
	}
	return nil
}

// option returns the library's form.
func (qs *quantiles) option() ogive.Option {
	switch {
	case qs.den != 0 && qs.scalar:
		return ogive.Ratio(qs.nums[0], qs.den)
	case qs.den != 0:
		return ogive.Ratios(qs.nums, qs.den)
	case qs.name == "p" && qs.scalar:
		return ogive.P(qs.values[0])
	case qs.name == "p":
		return ogive.Ps(qs.values)
	case qs.scalar:
		return ogive.Q(qs.values[0])
	}
	return ogive.Qs(qs.values)
}

// json returns the values as a JSON document shows them: numbers, fractions as
// strings, a scalar without brackets.
func (qs *quantiles) json() any {
	list := make([]any, len(qs.labels))
	for i, label := range qs.labels {
		list[i] = label
		if qs.den == 0 {
			list[i] = qs.values[i]
		}
	}
	if qs.scalar {
		return list[0]
	}
	return list
}
