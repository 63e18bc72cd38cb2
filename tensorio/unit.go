package tensorio

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Unit is what the integers of a column count.
type Unit uint8

const (
	UnitNone        Unit = iota
	UnitDay              // days since 1970-01-01
	UnitSecond           // seconds since 1970-01-01T00:00:00Z
	UnitMillisecond      // milliseconds since then
	UnitMicrosecond      // microseconds since then
	UnitNanosecond       // nanoseconds since then

	// UnitLocal beside another unit, by |, says that the times have no zone: they count
	// from 1970-01-01T00:00:00 of wherever they were taken.
	UnitLocal Unit = 1 << 3
	// UnitDuration beside seconds or parts of them, by |, says that they are durations.
	UnitDuration Unit = 1 << 4
	// UnitTimeOfDay beside seconds or parts of them, by |, says that they count from
	// midnight.
	UnitTimeOfDay Unit = 1 << 5

	unitBase Unit = 1<<3 - 1
)

// Base returns what is counted: the unit without what stands beside it.
func (u Unit) Base() Unit { return u & unitBase }

// Valid reports whether u is one of the units, and beside it only what may be.
func (u Unit) Valid() bool {
	base := u.Base()
	switch u &^ unitBase {
	case 0:
		return base <= UnitNanosecond
	case UnitLocal, UnitDuration, UnitTimeOfDay:
		return UnitSecond <= base && base <= UnitNanosecond
	}
	return false
}

// Kind returns what values of the unit are called: numbers, dates (times too), durations
// or times of day.
func (u Unit) Kind() string {
	switch {
	case u&UnitDuration != 0:
		return "durations"
	case u&UnitTimeOfDay != 0:
		return "times of day"
	case u != UnitNone:
		return "dates"
	}
	return "numbers"
}

// Join returns the unit of values of two units together, and whether there is one: times
// without a zone are UTC beside those that have one.
func (u Unit) Join(v Unit) (Unit, bool) {
	if u == v {
		return u, true
	}
	u &^= UnitLocal
	return u, u == v&^UnitLocal
}

// Format writes a date or time by ISO 8601: 2012-01-31, 2012-01-31T09:30:00.25Z, without the
// Z where it has no zone; a time of day as 09:30:00.25; a duration as time.Duration prints
// it, 1h2m3.5s, of any length; a number that counts nothing plainly.
func (u Unit) Format(v int64) string {
	switch {
	case u&UnitDuration != 0:
		return u.formatDuration(v)
	case u&UnitTimeOfDay != 0:
		return u.formatClock(v)
	}
	var t time.Time
	switch u.Base() {
	case UnitNone:
		return strconv.FormatInt(v, 10)
	case UnitDay:
		return time.Unix(v*86400, 0).UTC().Format(time.DateOnly)
	case UnitSecond:
		t = time.Unix(v, 0)
	case UnitMillisecond:
		t = time.UnixMilli(v)
	case UnitMicrosecond:
		t = time.UnixMicro(v)
	default:
		t = time.Unix(0, v)
	}
	if u&UnitLocal != 0 {
		return t.UTC().Format("2006-01-02T15:04:05.999999999")
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func (u Unit) formatDuration(v int64) string {
	sign, hours, rest := u.hours(v)
	if hours == 0 {
		return sign + rest.String()
	}
	// An hour more, of which the digit is cut off, makes String write minutes of 0 too.
	return sign + strconv.FormatUint(hours, 10) + (time.Hour + rest).String()[1:]
}

func (u Unit) formatClock(v int64) string {
	sign, hours, rest := u.hours(v)
	text := fmt.Sprintf("%s%02d:%02d:%02d", sign, hours, rest/time.Minute, rest%time.Minute/time.Second)
	if part := rest % time.Second; part != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%09d", part), "0")
	}
	return text
}

// hours returns the sign of v, and its size as whole hours and the rest: more nanoseconds
// than an int64 holds may be meant.
func (u Unit) hours(v int64) (sign string, hours uint64, rest time.Duration) {
	size := uint64(v)
	if v < 0 {
		sign, size = "-", -size
	}
	each := time.Nanosecond
	switch u.Base() {
	case UnitSecond:
		each = time.Second
	case UnitMillisecond:
		each = time.Millisecond
	case UnitMicrosecond:
		each = time.Microsecond
	}
	per := uint64(time.Hour / each)
	return sign, size / per, time.Duration(size%per) * each
}
