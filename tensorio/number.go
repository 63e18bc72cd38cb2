package tensorio

import (
	"math"
	"strconv"
	"unsafe"
)

// numberKind is what the text of a cell is.
type numberKind uint8

const (
	notNumber numberKind = iota
	realNumber
	wholeNumber // digits with a sign or none, that fit an int64; not -0
	largeNumber // digits with a plus or none, that fit a uint64 and no int64
	longNumber  // digits with a sign or none, that fit neither
)

// tens are the powers of ten that a float64 holds exactly.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseNumber reads a decimal number: digits with an optional sign, point and
// exponent, or inf, infinity or nan in any case, and nothing else. v is rounded
// once to nearest, so that a number too large is infinite; n is the value of a
// whole number, and of a large one as the uint64 of the same bits.
func parseNumber(b []byte) (v float64, n int64, kind numberKind) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i, negative = 1, b[0] == '-'
	}
	first := i
	var mantissa uint64
	for i < len(b) && b[i]-'0' <= 9 {
		mantissa = 10*mantissa + uint64(b[i]-'0')
		i++
	}
	digits := i - first
	if i == len(b) && 0 < digits && digits < 19 { // below 10^18: no overflow
		if negative {
			if mantissa == 0 {
				return math.Copysign(0, -1), 0, realNumber
			}
			return -float64(mantissa), -int64(mantissa), wholeNumber
		}
		return float64(mantissa), int64(mantissa), wholeNumber
	}
	return parseReal(b, i, digits, mantissa, negative)
}

// parseReal continues parseNumber behind the digits before the point.
func parseReal(b []byte, i, digits int, mantissa uint64, negative bool) (v float64, n int64, kind numberKind) {
	if digits > 0 && i == len(b) {
		return parseLong(b, negative)
	}
	exponent := 0
	if i < len(b) && b[i] == '.' {
		i++
		from := i
		for i < len(b) && b[i]-'0' <= 9 {
			mantissa = 10*mantissa + uint64(b[i]-'0')
			i++
		}
		exponent = from - i
		digits += i - from
	}
	if digits == 0 {
		return parseWord(b, negative)
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		sign := 1
		if i < len(b) && (b[i] == '-' || b[i] == '+') {
			if b[i] == '-' {
				sign = -1
			}
			i++
		}
		from, e := i, 0
		for i < len(b) && b[i]-'0' <= 9 {
			e = min(10*e+int(b[i]-'0'), 1<<20)
			i++
		}
		if i == from {
			return 0, 0, notNumber
		}
		exponent += sign * e
	}
	if i < len(b) {
		return 0, 0, notNumber
	}
	// Both operands are exact, so that the one operation rounds correctly.
	if digits <= 19 && mantissa < 1<<53 && -22 <= exponent && exponent <= 22 {
		v = float64(mantissa)
		if exponent < 0 {
			v /= tens[-exponent]
		} else {
			v *= tens[exponent]
		}
		if negative {
			v = -v
		}
		return v, 0, realNumber
	}
	return parseSlow(b)
}

// parseLong reads digits with a sign or none.
func parseLong(b []byte, negative bool) (v float64, n int64, kind numberKind) {
	if n, err := strconv.ParseInt(text(b), 10, 64); err == nil && (n != 0 || !negative) {
		return float64(n), n, wholeNumber
	}
	unsigned := b
	if b[0] == '+' {
		unsigned = b[1:]
	}
	if u, err := strconv.ParseUint(text(unsigned), 10, 64); err == nil {
		return float64(u), int64(u), largeNumber
	}
	v, _, kind = parseSlow(b)
	if v != 0 { // not many digits of -0
		kind = longNumber
	}
	return v, 0, kind
}

// parseSlow reads a number whose syntax has been checked.
func parseSlow(b []byte) (v float64, n int64, kind numberKind) {
	return ParseFloat(b), 0, realNumber
}

// parseWord reads the values that are not finite.
func parseWord(b []byte, negative bool) (v float64, n int64, kind numberKind) {
	word := b
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		word = b[1:]
	}
	switch {
	case isWord(word, "nan"):
		return math.NaN(), 0, realNumber
	case !isWord(word, "inf") && !isWord(word, "infinity"):
		return 0, 0, notNumber
	case negative:
		return math.Inf(-1), 0, realNumber
	}
	return math.Inf(1), 0, realNumber
}

// isWord reports whether b is the lower-case word in any case.
func isWord(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, c := range b {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}

// plainInteger reads an int64 that is written as FormatInt writes it, so that the number
// tells the text.
func plainInteger(b []byte) (n int64, ok bool) {
	digits := b
	if len(b) > 0 && b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 19 || digits[0] == '0' && len(b) > 1 {
		return 0, false
	}
	var magnitude uint64 // below 10^19: no overflow
	for _, c := range digits {
		if c -= '0'; c > 9 {
			return 0, false
		}
		magnitude = 10*magnitude + uint64(c)
	}
	if len(digits) < len(b) {
		return -int64(magnitude), magnitude <= 1<<63
	}
	return int64(magnitude), magnitude < 1<<63
}

// text returns b as a string for the time of a call.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
