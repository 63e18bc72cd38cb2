package nd

import (
	"math"
	"math/big"
	"slices"

	"github.com/ogive-go/ogive/dtype"
)

// floatFormat describes a binary floating-point format: its mantissa bits without
// the leading one, and the exponent of its smallest normal number.
type floatFormat struct{ mant, emin int }

// floatFormatOf returns the format of a float dtype.
func floatFormatOf(dt dtype.DType) floatFormat {
	switch dt {
	case dtype.Float16:
		return floatFormat{10, -14}
	case dtype.BFloat16:
		return floatFormat{7, -126}
	case dtype.Float32:
		return floatFormat{23, -126}
	default:
		return floatFormat{52, -1022}
	}
}

// decimal is a number's digits, values 0 to 9, the first at the place 10^exp and
// not 0, except in the number 0.
type decimal struct {
	digits []byte
	exp    int
}

// places says how far the digits of a number reach: they do not end before
// 10^must and do not go beyond 10^stop, where these are counted down from the
// first digit if relative is set.
type places struct {
	relative   bool
	must, stop int
}

// anywhere is a place beyond those of all numbers: a must of anywhere and a
// stop of -anywhere (the other way round if relative) mean no bound.
const anywhere = 1 << 20

// decimals finds the digits of numbers of one format. It is Steele and White's
// and Dragon4's algorithm in integers: x, its distances to the midpoints with
// its neighbours, and the place of the current digit are all over one scale.
// Digits end where they tell the number from its neighbours; those asked for
// beyond are of the exact value; the last one is rounded, ties to even.
type decimals struct {
	format                      floatFormat
	x, scale, below, above, tmp big.Int
}

var ten = big.NewInt(10)

// of returns the digits of x, a non-negative finite number of the format.
func (d *decimals) of(x float64, p places) decimal {
	if x == 0 {
		return decimal{digits: []byte{0}}
	}
	even := d.setup(x)
	exp := d.align(x)
	must, stop := p.must, p.stop
	if p.relative {
		must, stop = exp-must, exp-stop
	}
	first := exp
	var digits []byte
	for {
		d.tmp.QuoRem(&d.x, &d.scale, &d.x)
		digit := byte(d.tmp.Uint64())
		low := d.x.Cmp(&d.below)
		high := d.tmp.Add(&d.x, &d.above).Cmp(&d.scale)
		down := low < 0 || low == 0 && even // the digits so far are x's alone
		up := high > 0 || high == 0 && even // and with the last one increased
		if (down || up) && exp <= must || exp == stop {
			if down == up {
				c := d.tmp.Lsh(&d.x, 1).Cmp(&d.scale)
				down = c < 0 || c == 0 && digit&1 == 0
			}
			digits = append(digits, digit)
			if down {
				return decimal{digits, first}
			}
			return increased(digits, first)
		}
		digits = append(digits, digit)
		d.x.Mul(&d.x, ten)
		d.below.Mul(&d.below, ten)
		d.above.Mul(&d.above, ten)
		exp--
	}
}

// setup puts x and half of its distances to the neighbours below and above
// over a scale, and reports whether the mantissa is even: then a midpoint
// rounds to x.
func (d *decimals) setup(x float64) (even bool) {
	_, e := math.Frexp(x)
	exp := max(e-1, d.format.emin) - d.format.mant // of the last place
	m := uint64(math.Ldexp(x, -exp))
	d.x.SetUint64(m)
	d.scale.SetUint64(1)
	d.below.SetUint64(1)
	shift := uint(1)
	if m == 1<<d.format.mant && exp > d.format.emin-d.format.mant {
		shift = 2 // the neighbour below a power of two is half as far
	}
	d.x.Lsh(&d.x, shift)
	d.scale.Lsh(&d.scale, shift)
	d.above.Lsh(&d.below, shift-1)
	if exp < 0 {
		d.scale.Lsh(&d.scale, uint(-exp))
	} else {
		d.x.Lsh(&d.x, uint(exp))
		d.below.Lsh(&d.below, uint(exp))
		d.above.Lsh(&d.above, uint(exp))
	}
	return m&1 == 0
}

// align scales by a power of ten so that x/scale lies in [1, 10), and returns
// the exponent of x's first digit.
func (d *decimals) align(x float64) int {
	exp := int(math.Floor(math.Log10(x))) // off by one at worst, made good below
	d.tmp.Exp(ten, d.tmp.SetInt64(int64(max(exp, -exp))), nil)
	if exp > 0 {
		d.scale.Mul(&d.scale, &d.tmp)
	} else {
		d.x.Mul(&d.x, &d.tmp)
		d.below.Mul(&d.below, &d.tmp)
		d.above.Mul(&d.above, &d.tmp)
	}
	for d.x.Cmp(&d.scale) < 0 {
		d.x.Mul(&d.x, ten)
		d.below.Mul(&d.below, ten)
		d.above.Mul(&d.above, ten)
		exp--
	}
	for d.tmp.Mul(&d.scale, ten).Cmp(&d.x) <= 0 {
		d.scale.Set(&d.tmp)
		exp++
	}
	return exp
}

// increased returns the number with one added to its last digit.
func increased(digits []byte, exp int) decimal {
	n := len(digits)
	for n > 0 && digits[n-1] == 9 {
		n--
	}
	if n == 0 {
		return decimal{[]byte{1}, exp + 1}
	}
	digits = digits[:n]
	digits[n-1]++
	return decimal{digits, exp}
}

// at returns the digit at the place 10^place as a character.
func (d decimal) at(place int) byte {
	if i := d.exp - place; i >= 0 && i < len(d.digits) {
		return '0' + d.digits[i]
	}
	return '0'
}

// positional returns the digits before and after the decimal point, without
// trailing zeros after it.
func (d decimal) positional() (whole, frac []byte) {
	for place := max(d.exp, 0); place >= 0; place-- {
		whole = append(whole, d.at(place))
	}
	return whole, trimZeros(d.after(-1))
}

// scientific returns the first digit and those after it, without trailing zeros.
func (d decimal) scientific() (first byte, frac []byte) {
	return d.at(d.exp), trimZeros(d.after(d.exp - 1))
}

// after returns the digits from 10^place on.
func (d decimal) after(place int) (frac []byte) {
	for last := d.exp - len(d.digits) + 1; place >= last; place-- {
		frac = append(frac, d.at(place))
	}
	return frac
}

func trimZeros(b []byte) []byte {
	n := len(b)
	for n > 0 && b[n-1] == '0' {
		n--
	}
	return slices.Clip(b[:n])
}
