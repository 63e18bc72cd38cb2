package main

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

// value is a number or a date of the command line, or an edge between such, exactly.
type value struct {
	text string   // as it was given
	rat  *big.Rat // of a date nanoseconds since 1970; nil for an infinity
	inf  int      // the sign of an infinity
	date bool
	edge bool // it was computed, and is not rounded to the dtype of what it is compared with
}

// parseValue reads a number, or a date or time as tables have them.
func parseValue(flag, text string) (v value, err error) {
	v.text = strings.TrimSpace(text)
	f, err := strconv.ParseFloat(v.text, 64)
	number := (err == nil || strings.Contains(err.Error(), strconv.ErrRange.Error())) && !strings.ContainsAny(v.text, "xX_pP")
	switch {
	case number && f != f:
	case number && f-f != 0 && f > 0:
		v.inf = 1
		return v, nil
	case number && f-f != 0:
		v.inf = -1
		return v, nil
	case number && f == 0: // the exponent of 1e-999999999 would make a fraction of a gigabyte
		v.rat = new(big.Rat)
		return v, nil
	case number:
		v.rat, _ = new(big.Rat).SetString(v.text)
		return v, nil
	default:
		if ns, ok := parseDate(v.text); ok {
			v.rat, v.date = new(big.Rat).SetInt64(ns), true
			return v, nil
		}
	}
	return v, usageError("", "%s: %q is neither a number nor a date", flag, v.text)
}

// parseDate reads a date or time as nanoseconds, by the rules for cells of tables.
func parseDate(text string) (ns int64, ok bool) {
	o := tensorio.Options{Format: "tsv", Header: tensorio.HeaderNo, Columns: []string{"1"}, Quote: tensorio.QuoteNone}
	file, err := tensorio.Read(strings.NewReader(text+"\n"), "", o)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	c, err := file.Column("1")
	if err != nil || c.Unit == tensorio.UnitNone || c.Values.Len() != 1 {
		return 0, false
	}
	return ogive.Must(ogive.Values[int64](c.Values))[0] * nanoseconds[c.Unit.Base()], true
}

// nanoseconds are those of the units.
var nanoseconds = map[tensorio.Unit]int64{
	tensorio.UnitDay: 86400e9, tensorio.UnitSecond: 1e9, tensorio.UnitMillisecond: 1e6, tensorio.UnitMicrosecond: 1e3, tensorio.UnitNanosecond: 1,
}

// in returns a value in the unit that a column counts.
func (v value) in(o *operand) (value, error) {
	switch {
	case v.date && o.Unit == tensorio.UnitNone:
		return v, usageError("-c reads a column of dates as such", "%s is a date, and %s holds numbers", v.text, columnTitle(o))
	case !v.date && !v.edge && o.Unit != tensorio.UnitNone:
		return v, usageError("for example 2012-01-31", "%s is a number, and %s holds dates", v.text, columnTitle(o))
	case v.date:
		v.rat = new(big.Rat).Quo(v.rat, new(big.Rat).SetInt64(nanoseconds[o.Unit.Base()]))
	}
	return v, nil
}

// columnTitle is what messages call an operand.
func columnTitle(o *operand) string {
	if o.name == "" {
		return "the file"
	}
	return "column " + o.name
}

// cut is a value as the type of a column's values has it: between two of them, or one.
type cut[T int64 | uint64 | float64] struct {
	at    T
	exact bool // at is the value; otherwise the first of T that is above it
	side  int  // not 0: all of T are below (1) or above (-1)
}

// above reports whether the value is above x.
func (c cut[T]) above(x T) bool { return c.side > 0 || c.side == 0 && x < c.at }

// is reports whether the value is x.
func (c cut[T]) is(x T) bool { return c.side == 0 && c.exact && x == c.at }

// wholeCut returns the cut of a value among integers.
func wholeCut[T int64 | uint64](v value, get func(*big.Int) (T, bool)) cut[T] {
	if v.rat == nil {
		return cut[T]{side: v.inf}
	}
	up := ceil(v.rat)
	at, ok := get(up)
	if !ok {
		return cut[T]{side: up.Sign()} // negative ones are below all of uint64
	}
	return cut[T]{at: at, exact: v.rat.IsInt()}
}

// ceil returns the least integer that is not below r.
func ceil(r *big.Rat) *big.Int {
	up := new(big.Int).Neg(r.Num())
	return up.Neg(up.Div(up, r.Denom())) // Div rounds down, for the denominator is positive
}

// floatCut returns the cut of a value among floats: as a cell of that dtype would hold
// it.
func floatCut(v value, dt dtype.DType) cut[float64] {
	if v.rat == nil {
		return cut[float64]{at: math.Inf(v.inf), exact: true}
	}
	f, _ := v.rat.Float64()
	if !v.edge && dt != dtype.Float64 {
		narrow := ogive.Must(ogive.Scalar(f).Cast(dt))
		f = ogive.Must(ogive.Item[float64](ogive.Must(narrow.Cast(dtype.Float64))))
	}
	return cut[float64]{at: f, exact: true}
}

// vector is an operand in C order, in one of three types that hold its values exactly.
type vector struct {
	ints   []int64
	uints  []uint64
	floats []float64
	gone   []bool
}

// vectorOf returns the values of an operand.
func vectorOf(o *operand) (v vector, err error) {
	dt := o.x.DType()
	if dt.IsComplex() {
		return v, fmt.Errorf("%v has no order", dt)
	}
	if o.Labels != nil {
		return v, fmt.Errorf("%s holds text", columnTitle(o))
	}
	x, err := o.x.Contiguous()
	if err == nil {
		x, err = x.Reshape(x.Len())
	}
	if err != nil {
		return v, err
	}
	v.gone = o.gone()
	wide := dtype.Int64
	switch {
	case dt.IsFloat():
		wide = dtype.Float64
	case dt == dtype.Uint64:
		wide = dtype.Uint64
	}
	if x, err = x.Cast(wide); err != nil {
		return v, err
	}
	switch wide {
	case dtype.Float64:
		v.floats, err = ogive.Values[float64](x)
	case dtype.Uint64:
		v.uints, err = ogive.Values[uint64](x)
	default:
		v.ints, err = ogive.Values[int64](x)
	}
	return v, err
}

// len returns how many values there are.
func (v *vector) len() int { return len(v.ints) + len(v.uints) + len(v.floats) }

// whole returns an integer of a vector of such, and whether int64 holds it.
func (v *vector) whole(i int) (n int64, ok bool) {
	if v.uints != nil {
		return int64(v.uints[i]), v.uints[i] <= math.MaxInt64
	}
	return v.ints[i], true
}

// place tells of each element that is not missing how many of some ascending values are
// at most it, and whether the last of those is it.
func place(o *operand, values []value, tell func(i, atMost int, equal bool)) error {
	x, err := vectorOf(o)
	if err != nil {
		return err
	}
	own := make([]value, len(values))
	for i, v := range values {
		if own[i], err = v.in(o); err != nil {
			return err
		}
	}
	switch {
	case x.floats != nil:
		placeAmong(x.floats, x.gone, own, func(v value) cut[float64] { return floatCut(v, o.x.DType()) }, tell)
	case x.uints != nil:
		placeAmong(x.uints, x.gone, own, func(v value) cut[uint64] {
			return wholeCut(v, func(n *big.Int) (uint64, bool) { return n.Uint64(), n.IsUint64() })
		}, tell)
	default:
		placeAmong(x.ints, x.gone, own, func(v value) cut[int64] {
			return wholeCut(v, func(n *big.Int) (int64, bool) { return n.Int64(), n.IsInt64() })
		}, tell)
	}
	return nil
}

func placeAmong[T int64 | uint64 | float64](x []T, gone []bool, values []value, cutOf func(value) cut[T], tell func(i, atMost int, equal bool)) {
	cuts := make([]cut[T], len(values))
	for i, v := range values {
		cuts[i] = cutOf(v)
	}
	for i, v := range x {
		if v != v || gone != nil && gone[i] {
			continue
		}
		n := sort.Search(len(cuts), func(k int) bool { return cuts[k].above(v) })
		tell(i, n, n > 0 && cuts[n-1].is(v))
	}
}

// sortValues sorts values in ascending order.
func sortValues(values []value) { slices.SortStableFunc(values, compareValues) }

func compareValues(a, b value) int {
	if a.rat == nil || b.rat == nil {
		return a.inf - b.inf // a number's is 0
	}
	return a.rat.Cmp(b.rat)
}
