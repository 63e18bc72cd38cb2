package tensorio

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"sync"
)

// ParseFloat returns the float64 nearest to a decimal number, ±Inf beyond the largest, as
// strconv.ParseFloat does; the syntax has been checked. Numbers below the least normal one
// take no longer than others.
func ParseFloat(b []byte) float64 {
	if v, ok := parseSubnormal(b); ok {
		return v
	}
	v, _ := strconv.ParseFloat(text(b), 64) // out of range: ±Inf
	return v
}

// The powers of ten with which a number of up to 19 digits may be subnormal.
const (
	leastTen = -343
	mostTen  = -308
)

// leastUnit is the exponent of two of the least float64 above 0.
const leastUnit = -1074

// tenth is a power of ten: high·2^64 + low, cut off, times 2^-shift.
type tenth struct {
	high, low uint64
	shift     int
}

// tenths are the powers of ten from leastTen to mostTen, each with 128 bits.
var tenths = sync.OnceValue(func() (list [mostTen - leastTen + 1]tenth) {
	for i := range list {
		five := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-leastTen-i)), nil)
		shift := 127 + five.BitLen() // so that the quotient has 128 bits
		q := new(big.Int).Lsh(big.NewInt(1), uint(shift))
		q.Quo(q, five)
		list[i] = tenth{new(big.Int).Rsh(q, 64).Uint64(), new(big.Int).And(q, new(big.Int).SetUint64(math.MaxUint64)).Uint64(), shift}
	}
	return list
})

// parseSubnormal parses a number below the least normal one, or about it. ok is false for
// all others, and where the digits that it looks at do not decide how it is rounded.
func parseSubnormal(b []byte) (v float64, ok bool) {
	mantissa, exponent, cut, negative := decimalOf(b)
	if mantissa == 0 || exponent < leastTen || exponent > mostTen {
		return 0, false
	}
	p := tenths()[exponent-leastTen]
	// The number is between m·p and (m+1)·(p+1), or m·(p+1) with all digits, in units of
	// 2^-shift; never in the middle of two floats, for no number of so few digits is.
	down := p.shift + leastUnit
	if down < 1 || down > 191 {
		return 0, false
	}
	high, low := bits.Mul64(mantissa, p.low)
	top, mid := bits.Mul64(mantissa, p.high)
	least := wide{low: low}
	var carry uint64
	least.mid, carry = bits.Add64(mid, high, 0)
	least.high = top + carry
	most := least.plus(wide{low: mantissa})
	if cut {
		most = most.plus(wide{low: p.low, mid: p.high}).plus(wide{low: 1})
	}
	q := least.rounded(down)
	if q != most.rounded(down) || q >= 1<<53 {
		return 0, false
	}
	v = math.Float64frombits(q) // the unit is that of the least normal numbers too
	if negative {
		v = -v
	}
	return v, true
}

// wide is an integer of 192 bits.
type wide struct{ high, mid, low uint64 }

func (x wide) plus(y wide) wide {
	var carry uint64
	x.low, carry = bits.Add64(x.low, y.low, 0)
	x.mid, carry = bits.Add64(x.mid, y.mid, carry)
	x.high += y.high + carry
	return x
}

// rounded returns x/2^n, rounded half up, for n from 1 to 191; more than 2^63 as 2^63.
func (x wide) rounded(n int) uint64 {
	var half wide
	switch at := n - 1; {
	case at < 64:
		half.low = 1 << at
	case at < 128:
		half.mid = 1 << (at - 64)
	default:
		half.high = 1 << (at - 128)
	}
	x = x.plus(half)
	for ; n >= 64; n -= 64 {
		x = wide{0, x.high, x.mid}
	}
	if n > 0 {
		x = wide{x.high >> n, x.mid>>n | x.high<<(64-n), x.low>>n | x.mid<<(64-n)}
	}
	if x.high|x.mid != 0 || x.low > 1<<63 {
		return 1 << 63
	}
	return x.low
}

// decimalOf returns the first 19 digits of a number, the power of ten that they count, and
// whether digits other than 0 were cut off.
func decimalOf(b []byte) (mantissa uint64, exponent int, cut, negative bool) {
	i := 0
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i, negative = 1, b[0] == '-'
	}
	digits, point := 0, false
	for ; i < len(b); i++ {
		switch d := b[i] - '0'; {
		case b[i] == '.':
			point = true
			continue
		case d > 9:
			return mantissa, exponent + exponentOf(b[i:]), cut, negative
		case mantissa == 0 && d == 0:
		case digits == 19:
			cut = cut || d != 0
			if !point {
				exponent++
			}
			continue
		default:
			mantissa = 10*mantissa + uint64(d)
			digits++
		}
		if point {
			exponent--
		}
	}
	return mantissa, exponent, cut, negative
}

// exponentOf returns the exponent of a number, from its letter on; one beyond all others
// for what is none.
func exponentOf(b []byte) int {
	const none = 1 << 20
	if len(b) == 0 || b[0]|0x20 != 'e' {
		return none
	}
	b = b[1:]
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative, b = b[0] == '-', b[1:]
	}
	e := 0
	for _, c := range b {
		if c-'0' > 9 {
			return none
		}
		e = min(10*e+int(c-'0'), none)
	}
	if negative {
		return -e
	}
	return e
}
