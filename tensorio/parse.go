package tensorio

import (
	"bytes"
	"slices"
	"strconv"
)

// DefaultNA lists the cells that mean a missing value, beside those of Options.NA.
var DefaultNA = []string{"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None"}

// cellKind is what a cell looks like.
type cellKind uint8

const (
	missingCell cellKind = iota
	numberCell
	boolCell
	dayCell
	timeCell
	textCell
	groupCell // whatever it looks like: Options.Groups
)

// cells tells what cells mean.
type cells struct {
	*dialect
	na      []string
	numbers []naNumber // those of na
	skip    bool       // take what is invalid as missing
	asText  bool       // take all as text: Options.Verbatim
	apart   bool       // take what is invalid as missing, and keep the first: Options.Apart
	text    bool       // what is asked for may be text: Options.Text
	buf     []byte
}

// naNumber is a number that means a missing value.
type naNumber struct {
	v    float64
	n    int64
	kind numberKind
}

func newCells(d *dialect, o Options) cells {
	c := cells{dialect: d, na: slices.Concat(DefaultNA, o.NA), skip: o.SkipInvalid, apart: o.Apart, asText: o.Verbatim, text: o.Text}
	for _, s := range o.NA {
		if v, n, kind := c.parse([]byte(s)); kind != notNumber && v == v {
			c.numbers = append(c.numbers, naNumber{v, n, kind})
		}
	}
	return c
}

// parse reads a number in the text's own form.
func (c *cells) parse(b []byte) (v float64, n int64, kind numberKind) {
	if len(c.decimal)+len(c.thousands) > 0 {
		var ok bool
		if c.buf, ok = c.number(c.buf, b); !ok {
			return 0, 0, notNumber
		}
		b = c.buf
	}
	return parseNumber(b)
}

// missing reports whether a trimmed cell means a missing value.
func (c *cells) missing(b []byte) bool {
	for _, s := range c.na {
		if string(b) == s {
			return true
		}
	}
	return false
}

// missingNumber reports whether a number means a missing value.
func (c *cells) missingNumber(v float64, n int64, kind numberKind) bool {
	if v != v {
		return true
	}
	for _, na := range c.numbers {
		if na.v != v {
			continue
		}
		if na.whole() && (naNumber{v, n, kind}).whole() {
			return na.kind == kind && na.n == n
		}
		return na.exact() && (naNumber{v, n, kind}).exact()
	}
	return false
}

// whole reports whether n is the number.
func (x naNumber) whole() bool { return x.kind == wholeNumber || x.kind == largeNumber }

// exact reports whether v is the number, as far as can be told.
func (x naNumber) exact() bool {
	switch x.kind {
	case wholeNumber:
		return holds53(magnitude(x.n))
	case largeNumber:
		return holds53(uint64(x.n))
	}
	return true
}

// kind returns what a trimmed cell looks like.
func (c *cells) kind(b []byte) cellKind {
	if c.missing(b) {
		return missingCell
	}
	if v, n, kind := c.parse(b); kind != notNumber {
		if c.missingNumber(v, n, kind) {
			return missingCell
		}
		return numberCell
	}
	if _, ok := parseBool(b); ok {
		return boolCell
	}
	if _, ok := parseDay(b); ok {
		return dayCell
	}
	if _, _, ok := parseTime(b); ok {
		return timeCell
	}
	return textCell
}

// parseBool reads true or false, as Go, Python, R and C write them.
func parseBool(b []byte) (v, ok bool) {
	switch string(b) {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

// what names the values of a kind, for messages.
func (k cellKind) what() string {
	switch k {
	case boolCell:
		return "true or false"
	case dayCell:
		return "a date"
	case timeCell:
		return "a date and time"
	}
	return "a number"
}

// parser parses blocks.
type parser struct {
	cells
	t       *textTable
	columns []*textColumn // in the order of their cells
	scan    *scanner
}

func newParser(t *textTable, columns []*textColumn) *parser {
	p := &parser{cells: t.cells, t: t, columns: columns, scan: newScanner(nil, &t.dialect)}
	p.cells.buf = nil
	p.scan.wanted = make([]int, len(columns))
	for i, c := range columns {
		p.scan.wanted[i] = c.index
	}
	return p
}

// parse parses a block whose first line has a number.
func (p *parser) parse(b *block, line int) {
	if len(b.vectors) != len(p.columns) {
		b.vectors = make([]vector, len(p.columns))
	}
	for i := range b.vectors {
		b.vectors[i].reset()
	}
	s := p.scan
	begin := 0
	if b.first {
		begin = -p.t.begin
	}
	s.reset(b.data, line, begin)
	for {
		from := s.pos
		ok, err := s.next()
		switch {
		case err == nil && !ok:
			b.lines = s.line - line
			return
		case err == nil && s.count != p.t.width:
			err = p.uneven(s.data[from:s.pos])
		case err == nil:
			err = p.row(b.vectors)
		}
		if err != nil {
			b.err = err
			return
		}
	}
}

// uneven is the error of a row of another number of cells than the first, which ends the
// given text.
func (p *parser) uneven(text []byte) error {
	if p.t.quotes && bytes.IndexByte(text, '"') >= 0 {
		text = nil // it may stand in a cell
	}
	for i, c := range text {
		if c == '\r' && p.t.eol == '\n' && i+1 < len(text) && text[i+1] != '\n' {
			line := p.scan.line - bytes.Count(text[i:], []byte{'\n'})
			column := i - bytes.LastIndexByte(text[:i], '\n')
			return malformedAt(line, column, "a carriage return without a line feed, in a row of %d cells where the first has %d; convert the line ends", p.scan.count, p.t.width)
		}
	}
	return malformedAt(p.scan.rowLine, 0, "%d cells, the first row has %d", p.scan.count, p.t.width)
}

// row adds the scanned row to the vectors.
func (p *parser) row(vectors []vector) error {
	for i, c := range p.columns {
		if err := p.add(&vectors[i], c, &p.scan.cells[i]); err != nil {
			return err
		}
	}
	return nil
}

// add adds a cell to its column.
func (p *parser) add(v *vector, c *textColumn, x *cell) error {
	if p.asText {
		v.addLabel(x.text)
		return nil
	}
	b := trim(x.text)
	switch c.kind {
	case groupCell:
		p.addGroup(v, b)
		return nil
	case missingCell, numberCell:
		f, n, kind := p.cells.parse(b)
		if kind != notNumber {
			if f != f || p.numbers != nil && p.missingNumber(f, n, kind) {
				v.addMissing()
			} else {
				v.addNumber(f, n, kind)
			}
			return nil
		}
	case boolCell:
		if is, ok := parseBool(b); ok {
			bit := uint64(0)
			if is {
				bit = 1
			}
			v.add(boolVector, bit)
			return nil
		}
	case dayCell:
		if days, ok := parseDay(b); ok {
			v.add(dayVector, uint64(days))
			return nil
		}
	case timeCell:
		if ns, zoned, ok := parseTime(b); ok {
			v.zoned = v.zoned || zoned
			v.add(timeVector, uint64(ns))
			return nil
		}
	}
	if p.missing(b) {
		v.addMissing()
		return nil
	}
	if c.kind == textCell {
		v.addLabel(b)
		return nil
	}
	switch {
	case p.skip:
		v.invalid++
	case v.bad == nil:
		if v.bad = c.misfit(x, b); !p.apart {
			return v.bad.unsuitable()
		}
	}
	v.addMissing()
	return nil
}

// addGroup adds the trimmed cell of a column that makes groups.
func (p *parser) addGroup(v *vector, b []byte) {
	n, plain := plainInteger(b)
	if p.numbers != nil {
		if f, n, kind := p.cells.parse(b); kind != notNumber && f == f && p.missingNumber(f, n, kind) {
			v.addMissing()
			return
		}
	}
	switch {
	case plain && v.kind <= intVector:
		v.kind = intVector
		v.push(uint64(n))
	case !plain && p.missing(b):
		v.addMissing()
	default:
		v.label()
		v.addLabel(b)
	}
}

// invalid is the error of a column of text, whose first cell does not fit numbers.
func (c *textColumn) invalid(x *cell, b []byte) error {
	return malformedAt(x.line, x.column, "column %q: %s is not %s", c.name, quoted(b), c.kind.what())
}

// misfit is a cell that does not fit its column.
func (c *textColumn) misfit(x *cell, b []byte) *badCell {
	return &badCell{x.line, x.column, Message("column %q: %s is not %s", c.name, quoted(b), c.kind.what())}
}

// trim drops blanks around a cell.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// quoted returns a cell for a message, shortened.
func quoted(b []byte) string {
	const most = 40
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "…"
	}
	return strconv.Quote(string(b))
}
