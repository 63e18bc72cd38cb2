package tensorio

import (
	"math"
	"time"
)

// parseDay reads a date, 2012-01-31 or 2012/01/31, as days since 1970-01-01.
func parseDay(b []byte) (days int64, ok bool) {
	t, rest, ok := cutDay(b)
	return t.Unix() / 86400, ok && len(rest) == 0
}

// parseTime reads a date, and a date and time of day in the forms of ISO 8601 and RFC
// 3339 (2012-01-31T09:30, 2012-01-31 09:30:15.25+01:00), in UTC unless a zone is
// given, as nanoseconds since 1970-01-01T00:00:00Z. ok is false for one that an int64
// does not hold.
func parseTime(b []byte) (ns int64, zoned, ok bool) {
	t, rest, ok := cutDay(b)
	if !ok {
		return 0, false, false
	}
	var of time.Duration
	if len(rest) > 0 {
		if rest[0] != 'T' && rest[0] != 't' && rest[0] != ' ' {
			return 0, false, false
		}
		if of, rest, ok = cutClock(rest[1:]); !ok {
			return 0, false, false
		}
		zone, ok := parseZone(rest)
		if !ok {
			return 0, false, false
		}
		of -= zone
		zoned = len(rest) > 0
	}
	t = t.Add(of)
	if t.Before(time.Unix(0, math.MinInt64)) || t.After(time.Unix(0, math.MaxInt64)) {
		return 0, false, false
	}
	return t.UnixNano(), zoned, true
}

// cutDay reads a date at the begin of b.
func cutDay(b []byte) (t time.Time, rest []byte, ok bool) {
	if len(b) < 10 || b[4] != '-' && b[4] != '/' || b[7] != b[4] {
		return t, nil, false
	}
	year, ok1 := digits(b[:4])
	month, ok2 := digits(b[5:7])
	day, ok3 := digits(b[8:10])
	t = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	_, m, d := t.Date() // a day that does not exist has become another
	return t, b[10:], ok1 && ok2 && ok3 && int(m) == month && d == day
}

// cutClock reads a time of day, to the nanosecond, at the begin of b.
func cutClock(b []byte) (of time.Duration, rest []byte, ok bool) {
	units := []time.Duration{time.Hour, time.Minute, time.Second}
	limits := []int{24, 60, 60}
	read := 0
	for read < len(units) && len(b) >= 2 {
		n, isNumber := digits(b[:2])
		if !isNumber || n >= limits[read] {
			return 0, nil, false
		}
		of += time.Duration(n) * units[read]
		b = b[2:]
		read++
		if len(b) == 0 || b[0] != ':' || read == len(units) {
			break
		}
		b = b[1:]
	}
	if read < 2 {
		return 0, nil, false
	}
	if read == len(units) && len(b) > 0 && (b[0] == '.' || b[0] == ',') {
		unit := time.Second / 10
		i := 1
		for ; i < len(b) && b[i]-'0' <= 9; i++ {
			of += time.Duration(b[i]-'0') * unit
			unit /= 10 // what is finer than a nanosecond is dropped
		}
		if i == 1 {
			return 0, nil, false
		}
		b = b[i:]
	}
	return of, b, true
}

// parseZone reads how far a zone is ahead of UTC: Z, +01:00, +0100, +01 or nothing.
func parseZone(b []byte) (ahead time.Duration, ok bool) {
	switch {
	case len(b) == 0, len(b) == 1 && b[0]|0x20 == 'z':
		return 0, true
	case b[0] != '+' && b[0] != '-':
		return 0, false
	}
	minutes := 0
	switch rest := b[1:]; {
	case len(rest) == 5 && rest[2] == ':':
		minutes, ok = digits(rest[3:])
	case len(rest) == 4:
		minutes, ok = digits(rest[2:])
	default:
		ok = len(rest) == 2
	}
	if !ok {
		return 0, false
	}
	hours, ok := digits(b[1:3])
	ahead = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if b[0] == '-' {
		ahead = -ahead
	}
	return ahead, ok && hours < 24 && minutes < 60
}

// digits reads a number of digits alone.
func digits(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, len(b) > 0
}
