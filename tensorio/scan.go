package tensorio

import "bytes"

// scanner splits a table into rows of cells by the rules of RFC 4180 as
// encoding/csv reads it: quoted cells with doubled quotes and line breaks in
// them, \n and \r\n, empty lines skipped.
type scanner struct {
	data  []byte
	delim []byte
	pos   int
	line  int // of pos, from 1
	begin int // where that line begins
	cells []cell
	buf   []byte // the content of quoted cells of this row that are not as in the file
}

// cell is one cell of a row and where it begins, line and byte counted from 1.
type cell struct {
	text         []byte
	line, column int
}

func newScanner(data, delim []byte) *scanner {
	return &scanner{data: data, delim: delim, line: 1}
}

// next reads a row into s.cells, valid until the next call. It returns false
// at the end.
func (s *scanner) next() (bool, error) {
	s.cells, s.buf = s.cells[:0], s.buf[:0]
	for n := s.lineBreak(); n > 0 || s.pos >= len(s.data); n = s.lineBreak() {
		if s.pos >= len(s.data) {
			return false, nil
		}
		s.breakLine(n)
	}
	for {
		more, err := false, error(nil)
		if s.pos < len(s.data) && s.data[s.pos] == '"' {
			more, err = s.quoted()
		} else {
			more, err = s.plain()
		}
		if !more || err != nil {
			return err == nil, err
		}
	}
}

// lineBreak returns the length of the line break at pos, 0 if there is none.
// A \r that ends the file counts as one.
func (s *scanner) lineBreak() int {
	rest := s.data[s.pos:]
	switch {
	case len(rest) > 0 && rest[0] == '\n':
		return 1
	case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
		return 2
	case len(rest) == 1 && rest[0] == '\r':
		return 1
	}
	return 0
}

// breakLine skips the n bytes of a line break.
func (s *scanner) breakLine(n int) {
	s.pos += n
	s.line++
	s.begin = s.pos
}

// plain reads a cell without quotes and what ends it, and reports whether that
// is a delimiter.
func (s *scanner) plain() (more bool, err error) {
	from, d0 := s.pos, s.delim[0]
	i := from
	for ; i < len(s.data); i++ {
		c := s.data[i]
		if c == d0 && (len(s.delim) == 1 || bytes.HasPrefix(s.data[i:], s.delim)) {
			s.add(s.data[from:i], from)
			s.pos = i + len(s.delim)
			return true, nil
		}
		if c == '\n' {
			break
		}
		if c == '"' {
			return false, s.fail(i, "a quote within a cell that does not begin with one")
		}
	}
	end := i
	if end > from && s.data[end-1] == '\r' {
		end--
	}
	s.add(s.data[from:end], from)
	s.pos = i
	if i < len(s.data) {
		s.breakLine(1)
	}
	return false, nil
}

// quoted reads a cell in quotes and what ends it, and reports whether that is
// a delimiter.
func (s *scanner) quoted() (more bool, err error) {
	start, line, column := s.pos, s.line, s.pos-s.begin+1
	s.pos++
	from, used := s.pos, len(s.buf)
	whole := true // the content is as in the file
	for {
		n := bytes.IndexByte(s.data[s.pos:], '"')
		if n < 0 {
			s.line, s.begin = line, start-column+1
			return false, s.fail(start, "the quoted cell that begins here has no end")
		}
		part := s.data[s.pos : s.pos+n]
		if breaks := bytes.Count(part, []byte("\n")); breaks > 0 {
			s.line += breaks
			s.begin = s.pos + bytes.LastIndexByte(part, '\n') + 1
		}
		after := s.pos + n + 1
		doubled := after < len(s.data) && s.data[after] == '"'
		if whole && (doubled || bytes.Contains(part, []byte("\r\n"))) {
			whole = false
		}
		if !whole {
			s.buf = append(s.buf, bytes.ReplaceAll(part, []byte("\r\n"), []byte("\n"))...)
		}
		if doubled {
			s.buf = append(s.buf, '"')
			s.pos = after + 1
			continue
		}
		c := cell{s.data[from : after-1], line, column}
		if !whole {
			c.text = s.buf[used:len(s.buf):len(s.buf)]
		}
		s.cells = append(s.cells, c)
		s.pos = after
		if bytes.HasPrefix(s.data[after:], s.delim) {
			s.pos += len(s.delim)
			return true, nil
		}
		if n := s.lineBreak(); n > 0 {
			s.breakLine(n)
		} else if s.pos < len(s.data) {
			return false, s.fail(after-1, "text after the quote that ends the cell")
		}
		return false, nil
	}
}

// add appends a cell that begins at the given position of the current line.
func (s *scanner) add(text []byte, at int) {
	s.cells = append(s.cells, cell{text, s.line, at - s.begin + 1})
}

// fail returns an error at a position of the current line.
func (s *scanner) fail(at int, what string) error {
	return malformedAt(s.line, at-s.begin+1, "%s", what)
}
