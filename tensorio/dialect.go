package tensorio

import (
	"bytes"
	"unicode/utf8"
)

// QuoteMode says whether quotes around a cell of a table are part of it.
type QuoteMode uint8

const (
	// QuoteAuto is QuoteDouble, but QuoteNone between blanks, and between tabs unless a
	// cell near the begin stands in quotes that it needs: for a tab, a line break or a
	// doubled quote in it, or because the line would be empty.
	QuoteAuto QuoteMode = iota
	// QuoteDouble is RFC 4180: a cell may stand in double quotes, and then hold
	// delimiters, line breaks and quotes, which are doubled.
	QuoteDouble
	// QuoteNone takes quotes as any other character.
	QuoteNone
)

// Blanks is the delimiter of cells between runs of blanks and tabs. Those at the ends
// of a line separate nothing.
const Blanks = ' '

// dialect says how a text is divided into lines, cells and digits.
type dialect struct {
	delim     []byte
	blanks    bool // runs of blanks are the delimiters
	quotes    bool
	eol       byte   // '\n', or '\r' where no line ends in '\n'
	comment   []byte // what begins a line to leave out; empty for none
	decimal   []byte // in place of the point
	thousands []byte // between groups of three digits; empty for none
}

// delimiters are those that are found by looking. A comma comes last: it may stand in
// every number.
var delimiters = []rune{'\t', ';', '|', ','}

// dialectOf returns the dialect of a text that begins with head; standard is the
// delimiter of its format, 0 if it is to be found.
func dialectOf(head []byte, standard rune, o Options) (d dialect, err error) {
	for _, r := range []rune{o.Delimiter, o.Decimal, o.Thousands} {
		if r == '"' || r == '\r' || r == '\n' || r == utf8.RuneError || !utf8.ValidRune(r) {
			return d, misused("%q cannot separate cells or digits", r)
		}
	}
	d.eol = '\n'
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		d.eol = '\r'
	}
	if o.Comment != "" {
		if bytes.ContainsAny([]byte(o.Comment), "\r\n\"") {
			return d, misused("%q cannot begin a comment", o.Comment)
		}
		d.comment = []byte(o.Comment)
	}
	r := o.Delimiter
	if r == 0 {
		r = standard
	}
	if r == 0 {
		r = d.findDelimiter(head[:min(len(head), sniffed)], o.Quote)
	}
	d.delim, d.blanks = utf8.AppendRune(nil, r), r == Blanks
	d.quotes = o.Quote == QuoteDouble || o.Quote == QuoteAuto && !d.blanks && (r != '\t' || d.needsQuotes(head))
	if o.Decimal != 0 && o.Decimal != '.' {
		d.decimal = utf8.AppendRune(nil, o.Decimal)
	}
	if o.Thousands != 0 {
		d.thousands = utf8.AppendRune(nil, o.Thousands)
	}
	switch {
	case o.Decimal == o.Thousands && o.Decimal != 0:
		return d, misused("%q cannot be both the decimal and the thousands separator", o.Decimal)
	case r == o.Decimal && !d.quotes, r == o.Thousands && !d.quotes:
		return d, misused("%q separates cells: it cannot separate digits where nothing is quoted", r)
	}
	return d, nil
}

// findDelimiter returns the delimiter of which all lines of head have as many: the
// first of the table, else blanks, else a comma, of which there is none.
func (d dialect) findDelimiter(head []byte, quote QuoteMode) rune {
	for _, r := range delimiters {
		d.delim = utf8.AppendRune(nil, r)
		d.quotes = quote == QuoteDouble || quote == QuoteAuto && (r != '\t' || d.needsQuotes(head))
		if n := d.cellsOfAll(head); n > 1 {
			return r
		}
	}
	d.delim, d.blanks, d.quotes = []byte{Blanks}, true, false
	if n := d.cellsOfAll(head); n > 1 {
		return Blanks
	}
	return ','
}

// cellsOfAll returns how many cells all whole lines of head have, 0 if not all have
// as many.
func (d *dialect) cellsOfAll(head []byte) (cells int) {
	s := newScanner(head, d)
	for {
		ok, err := s.next()
		if !ok || err != nil {
			return cells // what breaks off in a quoted cell is not a whole line
		}
		switch {
		case s.pos >= len(head) && cells > 0 && head[len(head)-1] != d.eol:
			return cells // nor is the last one
		case cells == 0:
			cells = s.count
		case cells != s.count:
			return 0
		}
	}
}

// needsQuotes reports whether cells of head stand in quotes: all lines have as many cells
// then, and one holds what only a quoted cell can, or is empty where it is alone.
func (d dialect) needsQuotes(head []byte) bool {
	if bytes.IndexByte(head, '"') < 0 {
		return false
	}
	d.quotes = true
	s := newScanner(head, &d)
	cells, needed := 0, false
	for {
		from := s.pos
		ok, err := s.next()
		cut := len(head) >= sniffed && (err == nil && s.pos >= len(head) && s.count < cells || err != nil && bytes.Count(head[from:], []byte{'"'})%2 == 1)
		switch {
		case !ok && err == nil, cut: // what breaks off is not a whole line
			return needed
		case err != nil, cells > 0 && s.count != cells:
			return false
		}
		cells = s.count
		for _, c := range s.cells {
			needed = needed || cells == 1 && len(c.text) == 0 || bytes.ContainsAny(c.text, "\"\n\r") || bytes.Contains(c.text, d.delim)
		}
	}
}

// number writes a cell with separators of its own in Go's way, into buf. It returns
// false where a separator stands in a wrong place.
func (d *dialect) number(buf, cell []byte) ([]byte, bool) {
	buf = buf[:0]
	group, grouped, fraction := 0, false, false // digits since the last separator
	for i := 0; i < len(cell); {
		switch rest := cell[i:]; {
		case len(d.thousands) > 0 && bytes.HasPrefix(rest, d.thousands):
			if fraction || group == 0 || group > 3 || grouped && group != 3 {
				return buf, false
			}
			group, grouped = 0, true
			i += len(d.thousands)
			continue
		case len(d.decimal) > 0 && bytes.HasPrefix(rest, d.decimal), len(d.decimal) == 0 && cell[i] == '.':
			if fraction || grouped && group != 3 {
				return buf, false
			}
			fraction = true
			buf = append(buf, '.')
			i += max(len(d.decimal), 1)
			continue
		case cell[i] == '.':
			return buf, false
		case '0' <= cell[i] && cell[i] <= '9':
			group++
		case grouped && !fraction && group != 3:
			return buf, false
		default:
			fraction = fraction || grouped // no groups after an exponent
		}
		buf = append(buf, cell[i])
		i++
	}
	return buf, !grouped || fraction || group == 3
}
