package tensorio

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ogive-go/ogive"
)

// DefaultNA lists the cells that mean a missing value unless Options.NA says
// otherwise. "NaN" and "nan" are there for the choice of columns: a first cell
// of either says nothing about its column.
var DefaultNA = []string{"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None"}

// readTable returns the reader of a delimited table.
//
// A column holds numbers if its first cell that is not missing is one (and if
// it has none such); otherwise it holds text and is left out. A later cell
// that is not a number is an error, or counted and missing under SkipInvalid.
//
// A column is float64. If every cell is a plain integer and there is one that
// float64 does not hold exactly, it is int64; integers beyond int64, and those
// in a column with missing values or fractions, round to the nearest float64.
func readTable(delimiter rune) func(*source, Options) (*File, error) {
	return func(s *source, o Options) (*File, error) {
		data, err := s.all()
		if err != nil {
			return nil, err
		}
		if o.Delimiter == 0 {
			o.Delimiter = delimiter
		}
		return parseTable(s.name, data, o)
	}
}

// columnKind is what is known of a column so far.
type columnKind uint8

const (
	unknownColumn columnKind = iota // only missing cells yet
	exactColumn                     // plain integers that float64 holds
	floatColumn
	intColumn // plain integers, one of which float64 does not hold
	textColumn
)

// column is a column being read.
type column struct {
	name   string
	index  int
	asked  bool // named by Options.Columns
	kind   columnKind
	floats []float64 // all kinds but intColumn
	ints   []int64
	reason error // why it is text
}

// table is the state of reading a table.
type table struct {
	o         Options
	scan      *scanner
	na        []string
	naNumbers bool // a string of na is a number
	width     int
	columns   []*column
	skipped   int
}

func parseTable(name string, data []byte, o Options) (*File, error) {
	if r := o.Delimiter; r == '"' || r == '\r' || r == '\n' || r == utf8.RuneError || !utf8.ValidRune(r) {
		return nil, misused("%q cannot be a delimiter", r)
	}
	if len(data) == 0 {
		return nil, errEmpty()
	}
	if bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")) {
		return nil, malformed("UTF-16 is not supported; convert the file to UTF-8")
	}
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data[:len(data)-1], '\r') >= 0 && bytes.IndexByte(data, '"') < 0 {
		return nil, malformed("its lines end in \\r alone; convert them to \\n or \\r\\n")
	}
	t := &table{o: o, na: o.NA, scan: newScanner(data, utf8.AppendRune(nil, o.Delimiter))}
	if o.NA == nil {
		t.na = DefaultNA
	}
	for _, s := range t.na {
		v, _, kind := parseNumber([]byte(s))
		t.naNumbers = t.naNumbers || kind != notNumber && v == v
	}
	if bytes.HasPrefix(data, []byte("\uFEFF")) {
		t.scan.pos, t.scan.begin = 3, 3
	}
	if err := t.head(); err != nil {
		return nil, err
	}
	if err := t.body(); err != nil {
		return nil, err
	}
	return t.file(name)
}

// head reads the first row: names, or the first data.
func (t *table) head() error {
	ok, err := t.scan.next()
	if err != nil {
		return err
	}
	if !ok {
		return malformed("the file holds no rows")
	}
	first := t.scan.cells
	t.width = len(first)
	header := t.o.Header == HeaderYes || t.o.Header == HeaderAuto && t.looksLikeNames(first)
	names := make([]string, len(first))
	for i, c := range first {
		if header {
			names[i] = strings.TrimSpace(string(c.text))
		}
		if names[i] == "" {
			names[i] = strconv.Itoa(i + 1)
		}
	}
	if t.o.Columns == nil {
		for i, name := range names {
			t.columns = append(t.columns, &column{name: name, index: i})
		}
	}
	for _, name := range t.o.Columns {
		i := slices.Index(names, name)
		if i < 0 {
			return misused("has no column %q; it has %s", name, strings.Join(names, ", "))
		}
		if j := slices.Index(names[i+1:], name); j >= 0 {
			return sameName(name, i, i+1+j)
		}
		if slices.ContainsFunc(t.columns, func(c *column) bool { return c.index == i }) {
			return misused("column %q is asked for twice", name)
		}
		t.columns = append(t.columns, &column{name: name, index: i, asked: true})
	}
	if header {
		return nil
	}
	return t.row()
}

// looksLikeNames reports whether a first row is one of names: a cell that is
// not missing and none that is a number.
func (t *table) looksLikeNames(cells []cell) bool {
	some := false
	for _, c := range cells {
		b := bytes.TrimSpace(c.text)
		if t.missing(b) {
			continue
		}
		if _, _, kind := parseNumber(b); kind != notNumber {
			return false
		}
		some = true
	}
	return some
}

func sameName(name string, i, j int) error {
	return malformed("columns %d and %d have the same name, %q", i+1, j+1, name)
}

// body reads the other rows.
func (t *table) body() error {
	for {
		ok, err := t.scan.next()
		if !ok || err != nil {
			return err
		}
		if len(t.scan.cells) != t.width {
			return malformedAt(t.scan.cells[0].line, 0, "%d cells, the first row has %d", len(t.scan.cells), t.width)
		}
		if err := t.row(); err != nil {
			return err
		}
	}
}

// row adds the scanned row to the columns.
func (t *table) row() error {
	for _, c := range t.columns {
		if c.kind == textColumn {
			continue
		}
		if err := t.add(c, &t.scan.cells[c.index]); err != nil {
			return err
		}
	}
	return nil
}

// missing reports whether a trimmed cell means a missing value.
func (t *table) missing(b []byte) bool {
	for _, s := range t.na {
		if string(b) == s {
			return true
		}
	}
	return false
}

// add adds a cell to its column.
func (t *table) add(c *column, x *cell) error {
	b := trim(x.text)
	if (c.kind == unknownColumn || t.naNumbers) && t.missing(b) {
		c.addMissing()
		return nil
	}
	v, n, kind := parseNumber(b)
	if kind != notNumber {
		c.add(v, n, kind == wholeNumber)
		return nil
	}
	if t.missing(b) {
		c.addMissing()
		return nil
	}
	err := malformedAt(x.line, x.column, "column %q: %s is not a number", c.name, quoted(b))
	switch {
	case c.kind == unknownColumn && !c.asked:
		c.kind, c.floats, c.reason = textColumn, nil, err
	case t.o.SkipInvalid:
		t.skipped++
		c.addMissing()
	default:
		return err
	}
	return nil
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

// addMissing adds a NaN.
func (c *column) addMissing() {
	if c.kind == unknownColumn {
		c.floats = append(c.floats, math.NaN())
		return
	}
	c.add(math.NaN(), 0, false)
}

// add adds a number, n if it is whole.
func (c *column) add(v float64, n int64, whole bool) {
	switch {
	case c.kind == intColumn && whole:
		c.ints = append(c.ints, n)
		return
	case c.kind == intColumn: // the one rounding of each is that of its text
		c.floats = make([]float64, len(c.ints), len(c.ints)+1)
		for i, n := range c.ints {
			c.floats[i] = float64(n)
		}
		c.kind, c.ints = floatColumn, nil
	case c.kind == unknownColumn && whole && len(c.floats) == 0:
		c.kind = exactColumn
	case c.kind == unknownColumn, c.kind == exactColumn && !whole:
		c.kind = floatColumn
	}
	if c.kind == exactColumn && !holds53(magnitude(n)) {
		c.ints = make([]int64, len(c.floats), 2*len(c.floats)+1)
		for i, v := range c.floats {
			c.ints[i] = int64(v)
		}
		c.ints = append(c.ints, n)
		c.kind, c.floats = intColumn, nil
		return
	}
	c.floats = append(c.floats, v)
}

// file returns the columns.
func (t *table) file(name string) (*File, error) {
	f := Table{Name: name, Skipped: t.skipped}
	at := map[string]int{}
	for _, c := range t.columns {
		if i, ok := at[c.name]; ok && c.kind != textColumn {
			return nil, sameName(c.name, i, c.index)
		}
		at[c.name] = c.index
		f.Columns = append(f.Columns, c.name)
		f.Text = append(f.Text, c.reason)
	}
	f.Load = func(i int) (c Column, err error) {
		if t.columns[i].kind == intColumn {
			c.Values, err = ogive.FromSlice(t.columns[i].ints)
		} else {
			c.Values, err = ogive.FromSlice(t.columns[i].floats)
		}
		return c, err
	}
	return f.File(), nil
}
