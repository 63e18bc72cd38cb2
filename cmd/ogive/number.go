package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// cells returns a function that formats value i of the answer, in C order: dates and
// times by ISO 8601, and all else as the function cells does.
func (p *part) cells() (func(i int) string, error) {
	if p.unit == 0 || p.values.DType() != dtype.Int64 {
		return cells(p.values)
	}
	return cellsOf(p.values, func(v int64) string { return whenCell(v, p.unit) })
}

// cells returns a function that formats element i of t, in C order: integers
// and bools plainly, floats in the shortest decimal that means the same number
// in t's dtype (see formatFloat). Complex results do not exist.
func cells(t *ogive.Tensor) (func(i int) string, error) {
	switch t.DType() {
	case dtype.Bool:
		return cellsOf(t, strconv.FormatBool)
	case dtype.Int8:
		return cellsOf(t, formatInt[int8])
	case dtype.Int16:
		return cellsOf(t, formatInt[int16])
	case dtype.Int32:
		return cellsOf(t, formatInt[int32])
	case dtype.Int64:
		return cellsOf(t, formatInt[int64])
	case dtype.Uint8:
		return cellsOf(t, formatUint[uint8])
	case dtype.Uint16:
		return cellsOf(t, formatUint[uint16])
	case dtype.Uint32:
		return cellsOf(t, formatUint[uint32])
	case dtype.Uint64:
		return cellsOf(t, formatUint[uint64])
	case dtype.Float16:
		return cellsOf(t, func(h dtype.F16) string { return formatHalf(h.String()) })
	case dtype.BFloat16:
		return cellsOf(t, func(h dtype.BF16) string { return formatHalf(h.String()) })
	case dtype.Float32:
		return cellsOf(t, func(f float32) string { return formatFloat(float64(f), 32) })
	case dtype.Float64:
		return cellsOf(t, func(f float64) string { return formatFloat(f, 64) })
	}
	return nil, fmt.Errorf("results of dtype %v cannot be written as text", t.DType())
}

func cellsOf[T dtype.Element](t *ogive.Tensor, format func(T) string) (func(int) string, error) {
	values, err := ogive.Values[T](t)
	if err != nil {
		return nil, err
	}
	return func(i int) string { return format(values[i]) }, nil
}

func formatInt[T int8 | int16 | int32 | int64](v T) string {
	return strconv.FormatInt(int64(v), 10)
}

func formatUint[T uint8 | uint16 | uint32 | uint64](v T) string {
	return strconv.FormatUint(uint64(v), 10)
}

// The names of numbers without digits, which Python, R and Go read back.
const (
	textNaN    = "NaN"
	textPosInf = "Inf"
	textNegInf = "-Inf"
)

// formatFloat writes f, a float of the given bits, with the fewest digits that
// mean the same number; positional from 1e-6 up to 1e21, with an exponent
// outside (encoding/json's rule).
func formatFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return textNaN
	case math.IsInf(f, 1):
		return textPosInf
	case math.IsInf(f, -1):
		return textNegInf
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.FormatFloat(f, format, -1, bits)
}

// formatHalf writes a 16-bit float, given as its shortest decimal, in
// formatFloat's way.
func formatHalf(shortest string) string {
	f, err := strconv.ParseFloat(shortest, 64)
	if err != nil {
		return shortest
	}
	return formatFloat(f, 64)
}
