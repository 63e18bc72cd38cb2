package nd

import (
	"bytes"
	"fmt"
	"math"

	"github.com/ogive-go/ogive/dtype"
)

// floats formats numbers that stand in a column: notation and widths are
// chosen for all of them.
type floats struct {
	find  decimals
	plus  bool // positive numbers carry a sign
	exp   bool // scientific notation
	left  int  // characters before the decimal point
	right int  // characters after it
	frac  int  // digits after the point in scientific notation
	power int  // digits of the exponent
}

// newFloats chooses the notation for x, numbers of dtype dt.
func newFloats(dt dtype.DType, x []float64, plus bool) *floats {
	f := &floats{find: decimals{format: floatFormatOf(dt)}, plus: plus}
	f.exp = needsExponent(dt, x)
	nan, inf, negInf := false, false, false
	for _, v := range x {
		switch {
		case math.IsNaN(v):
			nan = true
			continue
		case math.IsInf(v, 0):
			inf = true
			negInf = negInf || v < 0
			continue
		}
		sign := len(f.sign(v))
		if f.exp {
			d := f.find.of(math.Abs(v), places{relative: true, must: -anywhere, stop: precision})
			_, frac := d.scientific()
			f.frac = max(f.frac, len(frac))
			f.power = max(f.power, len(power(d.exp, 0))-2)
			f.left = max(f.left, sign+1)
		} else {
			whole, frac := f.find.of(math.Abs(v), places{must: anywhere, stop: -precision}).positional()
			f.left = max(f.left, sign+len(whole))
			f.right = max(f.right, len(frac))
		}
	}
	if f.exp {
		f.right = f.frac + 2 + f.power
	}
	if nan || inf {
		// "nan" and "inf" fill the whole cell; room for a sign is kept for
		// both.
		signed := 0
		if plus || negInf {
			signed = 1
		}
		f.left = max(f.left, len("inf")+signed-f.right-1)
	}
	return f
}

// needsExponent reports whether the non-zero finite numbers are too large, too
// small or too different for positional notation. Bounds and ratio are rounded
// to the dtype.
func needsExponent(dt dtype.DType, x []float64) bool {
	least, most := math.Inf(1), 0.0
	for _, v := range x {
		if v = math.Abs(v); v > 0 && !math.IsInf(v, 0) { // false for NaN
			least, most = min(least, v), max(most, v)
		}
	}
	if most == 0 {
		return false
	}
	return most >= round(dt, 1e8) || least < round(dt, 1e-4) || round(dt, most/least) > 1000
}

// round rounds v to a float dtype.
func round(dt dtype.DType, v float64) float64 {
	switch dt {
	case dtype.Float16:
		return dtype.ToF16(v).Float64()
	case dtype.BFloat16:
		return dtype.ToBF16(v).Float64()
	case dtype.Float32:
		return float64(float32(v))
	default:
		return v
	}
}

// sign returns the sign that is printed before v.
func (f *floats) sign(v float64) string {
	switch {
	case math.Signbit(v):
		return "-"
	case f.plus:
		return "+"
	default:
		return ""
	}
}

// cell formats v to the width of the column.
func (f *floats) cell(v float64) []byte {
	switch {
	case math.IsNaN(v):
		v = math.Copysign(v, 1)
		return padLeft([]byte(f.sign(v)+"nan"), f.left+1+f.right)
	case math.IsInf(v, 0):
		return padLeft([]byte(f.sign(v)+"inf"), f.left+1+f.right)
	}
	b := []byte(f.sign(v))
	if f.exp {
		d := f.find.of(math.Abs(v), places{relative: true, must: f.frac, stop: f.frac})
		first, frac := d.scientific()
		b = padLeft(append(b, first), f.left)
		b = append(append(b, '.'), frac...)
		b = append(b, bytes.Repeat([]byte{'0'}, f.frac-len(frac))...)
		return append(b, power(d.exp, f.power)...)
	}
	whole, frac := f.find.of(math.Abs(v), places{must: 0, stop: -precision}).positional()
	b = padLeft(append(b, whole...), f.left)
	b = append(append(b, '.'), frac...)
	return append(b, bytes.Repeat([]byte{' '}, f.right-len(frac))...)
}

// power formats an exponent with at least two digits, and at least width.
func power(exp, width int) string {
	sign := '+'
	if exp < 0 {
		sign, exp = '-', -exp
	}
	return fmt.Sprintf("e%c%0*d", sign, max(width, 2), exp)
}

// shortest formats v, a number of dtype dt, with the digits that tell it from
// its neighbours, in scientific notation below 1e-4 and from 1e16 on. Whole
// numbers in positional notation end with the given suffix.
func shortest(dt dtype.DType, v float64, suffix string, plus bool) string {
	f := floats{find: decimals{format: floatFormatOf(dt)}, plus: plus}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return string(f.cell(v))
	}
	mag := math.Abs(v)
	d := f.find.of(mag, places{must: anywhere, stop: -anywhere})
	if mag != 0 && (mag >= 1e16 || mag < 1e-4) {
		first, frac := d.scientific()
		return f.sign(v) + string(first) + point(frac, "") + power(d.exp, 0)
	}
	whole, frac := d.positional()
	return f.sign(v) + string(whole) + point(frac, suffix)
}

// point returns the decimal point and the digits after it, or the suffix if
// there are none.
func point(frac []byte, suffix string) string {
	if len(frac) == 0 {
		return suffix
	}
	return "." + string(frac)
}
