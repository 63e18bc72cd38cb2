package formats

import (
	"bytes"
	"math"
	"math/bits"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// jsonKind is what is known of a column so far.
type jsonKind uint8

const (
	jsonUnknown jsonKind = iota // only missing values yet
	jsonInt
	jsonUint // and one that int64 does not hold, none negative
	jsonFloat
	jsonBool
	jsonText
	jsonArray // left out
)

// values are those of a column; one of the lists is in use.
type values struct {
	ints    []int64 // of jsonText the codes, of jsonUint the bits
	floats  []float64
	bools   []bool
	missing []bool // nil as long as all are there
}

// jsonColumn is a column being read.
type jsonColumn struct {
	name     string
	asked    bool // by Options.Columns: it holds numbers
	group    bool // by Options.Groups: it holds text
	kind     jsonKind
	negative bool // an integer was
	n        int  // rows
	invalid  int  // those that hold something and were taken as missing
	rounded  int  // integers that float64 does not hold, of those kept
	reason   error
	bad      *ogive.Error // the first value that is not of its kind, under Options.Apart
	values
	codes
}

// typed returns a column of the same type without values.
func (c *jsonColumn) typed() *jsonColumn {
	return &jsonColumn{name: c.name, asked: c.asked, group: c.group, kind: c.kind, negative: c.negative, reason: c.reason}
}

// kindName says what a value is, for messages.
func kindName(k jsontext.Kind) string {
	switch k {
	case 't', 'f':
		return "true or false"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case 'n':
		return "null"
	}
	return "an object"
}

// add adds the value of row s.rows.
func (c *jsonColumn) add(s *jsonScan, k jsontext.Kind, raw []byte) error {
	if c.n > s.rows {
		return s.wrong("key %q is given twice", c.name)
	}
	if gap := s.rows - c.n; gap > 0 {
		// Rows that lack the key cost no input, so that memory for them is bounded by
		// what has been read.
		if s.padded += gap; s.keep && int64(s.padded) > 1<<24+64*s.lines.n {
			return s.wrong("key %q: rows with few of %d keys are more than memory is given for", c.name, len(s.columns))
		}
		s.spend(gap)
		c.miss(s.keep, gap)
	}
	s.spend(1)
	if c.group && k != 'n' {
		return c.label(s, k, raw)
	}
	switch k {
	case 'n':
		c.miss(s.keep, 1)
		return nil
	case '0':
		if c.number(s.keep, raw) {
			return nil
		}
	case '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return err
		}
		if v, ok := word(string(text)); ok && c.kind <= jsonFloat {
			c.float(s.keep, v)
			return nil
		}
		if slices.Contains(s.o.NA, string(text)) {
			c.miss(s.keep, 1)
			return nil
		}
		if c.kind == jsonUnknown && !c.asked {
			c.beginText(s, raw)
		}
		if c.kind == jsonText {
			return c.text(s, text)
		}
	case 't', 'f':
		if c.kind == jsonUnknown {
			c.kind = jsonBool
			c.floats = nil
			c.bools = make([]bool, len(c.missing), len(c.missing)+1)
		}
		if c.kind == jsonBool {
			c.n++
			if s.keep {
				c.bools = append(c.bools, k == 't')
				c.there()
			}
			return nil
		}
	case '[':
		if c.kind == jsonUnknown && !c.asked {
			c.kind, c.reason = jsonArray, s.wrong("column %q holds arrays", c.name)
			c.values = values{}
		}
	}
	switch {
	case c.kind == jsonArray:
		c.n++
		return nil
	case c.kind == jsonText:
		return c.text(s, raw)
	case s.o.SkipInvalid:
		c.invalid++
	case c.bad == nil:
		c.bad = s.wrong("column %q: %s is not %s", c.name, quoted(raw), c.holds())
		c.bad.Kind = tensorio.ErrColumn
		if !s.o.Apart {
			return c.bad
		}
	}
	c.miss(s.keep, 1)
	return nil
}

// spend takes note of values that are to be kept, and forgets all once they are too many.
func (s *jsonScan) spend(n int) {
	if s.keep {
		if s.budget -= n; s.budget < 0 {
			s.forget()
		}
	}
}

// forget gives up the values that were kept, and keeps none any more.
func (s *jsonScan) forget() {
	s.keep = false
	for _, c := range s.columns {
		c.values, c.codes = values{}, codes{}
	}
}

// beginText makes a column without values one of text, by its first value.
func (c *jsonColumn) beginText(s *jsonScan, raw []byte) {
	c.kind, c.reason = jsonText, s.wrong("column %q holds text: %s", c.name, quoted(raw))
	c.floats = nil
	c.ints = make([]int64, len(c.missing), len(c.missing)+1)
}

// label adds the value of a row to a column that makes groups: a string is itself, a
// number the shortest text of its value, and "NaN" is missing as the number is.
func (c *jsonColumn) label(s *jsonScan, k jsontext.Kind, raw []byte) error {
	text := raw
	switch k {
	case '"':
		var err error
		if text, err = jsontext.AppendUnquote(nil, raw); err != nil {
			return err
		}
		if string(text) == tensorio.TextNaN || slices.Contains(s.o.NA, string(text)) {
			c.miss(s.keep, 1)
			return nil
		}
	case '0':
		if bytes.ContainsAny(raw, ".eE") || string(raw) == "-0" { // other integers keep all digits
			v := tensorio.ParseFloat(raw) // out of range: ±Inf
			text = []byte(tensorio.FormatFloat(v+0, 64))
		}
	}
	if c.kind == jsonUnknown {
		c.beginText(s, raw)
	}
	return c.text(s, text)
}

// holds says what a column holds, for messages.
func (c *jsonColumn) holds() string {
	if c.kind == jsonBool {
		return "true or false, as its first value is"
	}
	return "a number"
}

// quoted returns the text of a value for a message, shortened.
func quoted(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return string(raw[:most]) + "…"
	}
	return string(raw)
}

// word returns the number that a string stands for.
func word(s string) (float64, bool) {
	switch s {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

// there notes that the last value is there.
func (c *jsonColumn) there() {
	if c.missing != nil {
		c.missing = append(c.missing, false)
	}
}

// miss adds missing values.
func (c *jsonColumn) miss(keep bool, n int) {
	if !keep || c.kind == jsonArray {
		c.n += n
		return
	}
	if c.missing == nil {
		c.missing = make([]bool, c.n, c.n+n)
	}
	for range n {
		c.missing = append(c.missing, true)
		switch c.kind {
		case jsonInt, jsonUint, jsonText:
			c.ints = append(c.ints, 0)
		case jsonBool:
			c.bools = append(c.bools, false)
		default:
			c.floats = append(c.floats, math.NaN())
		}
	}
	c.n += n
}

// text adds a text. Where texts are too many a first scan keeps none.
func (c *jsonColumn) text(s *jsonScan, text []byte) error {
	c.n++
	if !s.keep {
		return nil
	}
	code, err := c.of(text)
	if err != nil && s.types == nil {
		s.forget()
		return nil
	}
	if err == nil {
		c.ints = append(c.ints, code)
		c.there()
	}
	return err
}

// float adds a number that is not an integer.
func (c *jsonColumn) float(keep bool, v float64) {
	c.toFloats()
	c.n++
	if keep {
		c.floats = append(c.floats, v)
		c.there()
	}
}

// toFloats makes a column of integers one of float64; each is rounded once.
func (c *jsonColumn) toFloats() {
	if c.kind == jsonInt || c.kind == jsonUint {
		c.floats = make([]float64, len(c.ints), len(c.ints)+1)
		for i, v := range c.ints {
			switch {
			case c.missing != nil && c.missing[i]:
				c.floats[i] = math.NaN()
			case c.kind == jsonUint:
				c.floats[i] = float64(uint64(v))
				c.round(uint64(v))
			default:
				c.floats[i] = float64(v)
				c.round(uint64(max(v, -v)))
			}
		}
		c.ints = nil
	}
	c.kind = jsonFloat
}

// number adds a number; false says that the column holds none.
func (c *jsonColumn) number(keep bool, raw []byte) bool {
	if c.kind > jsonFloat {
		return false
	}
	u, negative, whole := integer(raw)
	if c.kind == jsonUnknown && whole {
		c.kind = jsonInt
		c.floats, c.ints = nil, make([]int64, len(c.floats), len(c.floats)+1)
	}
	if whole && c.kind != jsonFloat {
		c.negative = c.negative || negative
		if u > math.MaxInt64 && !negative {
			c.kind = jsonUint
		}
		if c.kind == jsonInt || !c.negative {
			c.n++
			if keep {
				if negative {
					u = -u
				}
				c.ints = append(c.ints, int64(u))
				c.there()
			}
			return true
		}
		// Between jsonInt and here no value was beyond int64, or none negative: the
		// list is of one kind.
		if !negative {
			c.kind = jsonInt
		}
	}
	v := tensorio.ParseFloat(raw)
	switch {
	case !keep:
	case whole:
		c.round(u)
	case v != 0 && !bytes.ContainsAny(raw, ".eE"): // beyond 64 bits
		c.rounded++
	}
	c.float(keep, v)
	return true
}

// round counts an integer, given by its magnitude, that float64 does not hold.
func (c *jsonColumn) round(u uint64) {
	if bits.Len64(u)-bits.TrailingZeros64(u) > 53 {
		c.rounded++
	}
}

// integer reads a number without point and exponent that int64 or uint64 holds. -0 is
// none: it is a float64.
func integer(raw []byte) (u uint64, negative, ok bool) {
	digits := raw
	if digits[0] == '-' {
		negative, digits = true, digits[1:]
	}
	if len(digits) > 20 {
		return 0, false, false
	}
	for _, b := range digits {
		d := uint64(b - '0')
		if d > 9 || u > (math.MaxUint64-d)/10 {
			return 0, false, false
		}
		u = 10*u + d
	}
	if negative && (u == 0 || u > 1<<63) {
		return 0, false, false
	}
	return u, negative, true
}

// column returns the column with missing values up to the given number of rows.
func (c *jsonColumn) column(rows int) (tensorio.Column, error) {
	if c.bad != nil {
		return tensorio.Column{}, c.bad
	}
	list, err := c.typedValues(rows)
	list.Invalid, list.Rounded = c.invalid, c.rounded
	return list, err
}

func (c *jsonColumn) typedValues(rows int) (tensorio.Column, error) {
	if gap := rows - c.n; gap > 0 {
		c.miss(true, gap)
	}
	switch c.kind {
	case jsonInt:
		return column(c.ints, c.missing)
	case jsonUint:
		list := make([]uint64, len(c.ints))
		for i, v := range c.ints {
			list[i] = uint64(v)
		}
		return column(list, c.missing)
	case jsonBool:
		return column(c.bools, c.missing)
	case jsonText:
		t, err := column(c.ints, c.missing)
		t.Labels = c.labels
		return t, err
	case jsonArray:
		return tensorio.Column{}, c.reason
	}
	return column(c.floats, c.missing)
}
