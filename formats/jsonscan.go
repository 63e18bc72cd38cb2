package formats

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// jsonScan is one walk over a JSON file.
type jsonScan struct {
	*jsonTable
	dec     *jsontext.Decoder
	lines   *lineReader
	start   int64 // where the text of dec begins
	root    jsonNode
	columns []*jsonColumn
	byName  map[string]*jsonColumn
	bare    bool // rows are numbers, not objects
	keep    bool // values are stored
	budget  int  // how many more; the scan stops keeping them when it is spent
	padded  int  // missing values put in before others
	rows    int
	row     func() error // called after each row, if not nil
	room    *textRoom    // of all texts
	keys    int64        // what keys and columns take
}

// jsonNode is a key, in an object that is the value of another.
type jsonNode struct {
	parent   *jsonNode
	name     string
	raw      []byte // the key as it is written
	children map[string]*jsonNode
	likely   *jsonNode // whose key came after this one's the last time
	inner    *jsonNode // whose key came first in this object
	column   *jsonColumn
	ignored  bool // it is a column that nobody wants
}

// all walks over the file.
func (s *jsonScan) all() error {
	r, err := s.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	b := bufio.NewReaderSize(r, 1<<16)
	s.lines = &lineReader{r: b, line: 1, most: s.share() / parserTimes}
	if mark, _ := b.Peek(3); string(mark) == "\uFEFF" {
		b.Discard(3)
	}
	s.dec = newDecoder(s.lines)
	if err := s.top(); err != nil {
		return s.placed(err)
	}
	return nil
}

func newDecoder(r io.Reader) *jsontext.Decoder {
	// Of a key given twice the second value is found out by its column.
	return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true))
}

// placed returns an error with the line where it was found.
func (s *jsonScan) placed(err error) error {
	if _, ok := err.(*ogive.Error); ok || err == errStop {
		return err
	}
	if read, ok := errors.AsType[*ogive.Error](err); ok { // of a compressed file, or of lines
		return read
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		cause := syntax.Err
		if cause == io.ErrUnexpectedEOF {
			return malformed("line %d: the JSON ends too early", s.line(s.start+syntax.ByteOffset))
		}
		return malformed("line %d: %s", s.line(s.start+syntax.ByteOffset), strings.TrimPrefix(cause.Error(), "jsontext: "))
	}
	if err == io.ErrUnexpectedEOF {
		return s.wrong("the JSON ends too early")
	}
	return err
}

// line returns the line of an offset, of those not yet passed.
func (s *jsonScan) line(offset int64) int { return s.lines.at(offset) }

// wrong returns an error at the value that was read last.
func (s *jsonScan) wrong(format string, args ...any) *ogive.Error {
	e := malformed(format, args...)
	e.Detail = malformed("line %d: ", s.line(s.start+s.dec.InputOffset())).Detail + e.Detail
	return e
}

// top reads the values of the file.
func (s *jsonScan) top() error {
	switch s.dec.PeekKind() {
	case '[':
		if err := s.array(); err != nil {
			return err
		}
		return s.end("behind the array")
	case '{':
		first, err := s.dec.ReadValue()
		if err != nil {
			return err
		}
		first = bytes.Clone(first)
		walk := s.object
		if s.dec.PeekKind() == 0 && allArrays(first) {
			walk = s.arrays
		}
		if err := s.within(first, walk); err != nil {
			return err
		}
	default:
		s.bare = true
	}
	for s.dec.PeekKind() != 0 {
		if err := s.value(); err != nil {
			return err
		}
	}
	return s.end("")
}

// end checks that nothing follows, and that there was something.
func (s *jsonScan) end(after string) error {
	if s.dec.PeekKind() != 0 {
		return s.wrong("there is more %s", after)
	}
	if _, err := s.dec.ReadToken(); err != io.EOF {
		return err
	}
	if s.rows == 0 && s.dec.InputOffset() == 0 {
		return malformed("the file holds no values")
	}
	return nil
}

// within walks over a value that has been read as a whole.
func (s *jsonScan) within(raw []byte, walk func() error) error {
	outer := s.dec
	s.start = outer.InputOffset() - int64(len(raw))
	s.dec = newDecoder(bytes.NewReader(raw))
	err := walk()
	if err != nil {
		return s.placed(err)
	}
	s.dec, s.start = outer, 0
	return nil
}

// value reads a row.
func (s *jsonScan) value() error {
	switch k := s.dec.PeekKind(); {
	case k == '{' && !s.bare:
		return s.object()
	case k == '{':
		s.dec.ReadToken()
		return s.wrong("an object after numbers")
	case !s.bare:
		if _, err := s.dec.ReadValue(); err != nil {
			return err
		}
		return s.wrong("%s after objects", kindName(k))
	case k == '[':
		if _, err := s.dec.ReadToken(); err != nil {
			return err
		}
		return s.wrong("an array in an array, or one on each line; rows are objects or numbers")
	}
	c, err := s.child(&s.root, []byte(`"`+bareColumn+`"`), bareColumn)
	if err == nil {
		err = s.scalar(c)
	}
	if err != nil {
		return err
	}
	return s.next()
}

// array reads the rows of an array.
func (s *jsonScan) array() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	s.bare = s.dec.PeekKind() != '{'
	for {
		switch s.dec.PeekKind() {
		case 0, ']':
			_, err := s.dec.ReadToken()
			return err
		}
		if err := s.value(); err != nil {
			return err
		}
	}
}

// object reads a row of named values.
func (s *jsonScan) object() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	if err := s.members(&s.root); err != nil {
		return err
	}
	return s.next()
}

// next ends a row.
func (s *jsonScan) next() error {
	s.rows++
	s.lines.pass(s.start + s.dec.InputOffset())
	if s.row != nil {
		return s.row()
	}
	return nil
}

// members reads an object behind its brace.
func (s *jsonScan) members(parent *jsonNode) error {
	last := parent
	for {
		switch s.dec.PeekKind() {
		case 0, '}':
			_, err := s.dec.ReadToken()
			return err
		}
		raw, err := s.dec.ReadValue()
		if err != nil {
			return err
		}
		n := last.likely
		if n == nil || n.parent != parent || !bytes.Equal(n.raw, raw) {
			name, err := jsontext.AppendUnquote(nil, raw)
			if err != nil {
				return err
			}
			if n, err = s.child(parent, raw, string(name)); err != nil {
				return err
			}
			last.likely = n
		}
		last = n
		switch s.dec.PeekKind() {
		case '{':
			if _, err := s.dec.ReadToken(); err != nil {
				return err
			}
			likely := n.likely // of the key after this one, which its own first key would replace
			n.likely = n.inner
			if err := s.members(n); err != nil {
				return err
			}
			n.inner, n.likely = n.likely, likely
		default:
			if err := s.scalar(n); err != nil {
				return err
			}
		}
	}
}

// child returns the node of a key.
func (s *jsonScan) child(parent *jsonNode, raw []byte, name string) (*jsonNode, error) {
	n := parent.children[name]
	if n == nil {
		s.keys += keyBytes + 4*int64(len(raw))
		if err := tensorio.TooLarge(s.keys, s.share()); err != nil {
			return nil, in(s.wrong("so many keys").Detail, err)
		}
		n = &jsonNode{parent: parent, raw: bytes.Clone(raw), name: name}
		if parent.children == nil {
			parent.children = map[string]*jsonNode{}
		}
		parent.children[name] = n
	}
	return n, nil
}

// path returns the name of a node's column.
func (n *jsonNode) path() string {
	var keys []string
	for ; n.parent != nil; n = n.parent {
		keys = append(keys, n.name)
	}
	slices.Reverse(keys)
	return strings.Join(keys, ".")
}

// scalar reads a value that is no object into the column of n.
func (s *jsonScan) scalar(n *jsonNode) error {
	k := s.dec.PeekKind()
	raw, err := s.dec.ReadValue()
	if err != nil {
		return err
	}
	if n.column == nil && !n.ignored {
		n.column = s.open(n.path())
		n.ignored = n.column == nil
	}
	if n.ignored {
		return nil
	}
	return n.column.add(s, k, raw)
}

// open returns the column with the given name, a new one where all are wanted.
func (s *jsonScan) open(name string) *jsonColumn {
	if c := s.named(name); c != nil || s.types != nil {
		return c
	}
	c := &jsonColumn{name: name, asked: !s.o.Text && slices.Contains(s.o.Columns, name)}
	c.group, c.codes.room = !c.asked && slices.Contains(s.o.Groups, name), s.room
	s.columns = append(s.columns, c)
	if s.byName == nil {
		s.byName = map[string]*jsonColumn{}
	}
	s.byName[name] = c
	return c
}

// named returns a column, nil if there is none.
func (s *jsonScan) named(name string) *jsonColumn {
	if s.byName != nil {
		return s.byName[name]
	}
	for _, c := range s.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// allArrays reports whether the values of an object are arrays, and there are some.
func allArrays(object []byte) bool {
	dec := newDecoder(bytes.NewReader(object))
	dec.ReadToken()
	for n := 0; ; n++ {
		if dec.PeekKind() == '}' {
			return n > 0
		}
		if dec.SkipValue() != nil || dec.PeekKind() != '[' || dec.SkipValue() != nil {
			return false
		}
	}
}

// arrays reads the only object of a file, each of whose arrays is a column.
func (s *jsonScan) arrays() error {
	s.budget = math.MaxInt // they have been read as a whole
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	length, first := -1, ""
	for s.dec.PeekKind() != '}' {
		key, err := s.dec.ReadToken()
		if err != nil {
			return err
		}
		name := key.String()
		c := s.open(name)
		if c.n > 0 {
			return s.wrong("key %q is given twice", name)
		}
		if _, err := s.dec.ReadToken(); err != nil {
			return err
		}
		for s.rows = 0; s.dec.PeekKind() != ']'; s.rows++ {
			k := s.dec.PeekKind()
			raw, err := s.dec.ReadValue()
			if err != nil {
				return err
			}
			if k == '{' {
				return s.wrong("key %q: an object in an array", name)
			}
			if err := c.add(s, k, raw); err != nil {
				return err
			}
		}
		if _, err := s.dec.ReadToken(); err != nil {
			return err
		}
		if length >= 0 && s.rows != length {
			return s.wrong("key %q has %d values, %q has %d", name, s.rows, first, length)
		}
		length, first = s.rows, name
	}
	return nil
}

// lineReader knows the lines of what has been read and not yet been passed.
type lineReader struct {
	r      io.Reader
	n      int64   // bytes read
	passed int64   // of them
	line   int     // the line of the first newline that is kept
	breaks []int64 // where lines end
	most   int64   // bytes that have not been passed, and their lines; 0 for no bound
}

// breakBytes is what a line's end takes while the list grows.
const breakBytes = 24

func (l *lineReader) Read(p []byte) (int, error) {
	held := l.n - l.passed + breakBytes*int64(len(l.breaks))
	if err := tensorio.TooLarge(held, l.most); err != nil {
		return 0, in(malformed("line %d: a row, or what is between two", l.line).Detail, err)
	}
	n, err := l.r.Read(p)
	for i := 0; ; {
		j := bytes.IndexByte(p[i:n], '\n')
		if j < 0 {
			break
		}
		i += j + 1
		l.breaks = append(l.breaks, l.n+int64(i))
	}
	l.n += int64(n)
	return n, err
}

// at returns the line of an offset.
func (l *lineReader) at(offset int64) int {
	i := 0
	for i < len(l.breaks) && l.breaks[i] <= offset {
		i++
	}
	return l.line + i
}

// pass forgets the lines before an offset.
func (l *lineReader) pass(offset int64) {
	i := 0
	for i < len(l.breaks) && l.breaks[i] <= offset {
		i++
	}
	l.line += i
	l.breaks = l.breaks[i:]
	l.passed = max(l.passed, offset)
}
