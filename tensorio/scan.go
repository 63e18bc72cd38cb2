package tensorio

import (
	"bytes"
	"math/bits"

	"github.com/ogive-go/ogive/internal/kernel"
)

// scanner splits a text into rows of cells. Where quotes count it does so by the rules
// of RFC 4180 as encoding/csv reads it: quoted cells with doubled quotes and line
// breaks in them, \n and \r\n, empty lines skipped.
type scanner struct {
	*dialect
	data    []byte
	pos     int
	line    int       // of pos, from 1
	begin   int       // where that line begins
	rowLine int       // where the row begins
	count   int       // of the row's cells
	wanted  []int     // which cells of a row are kept, ascending; nil: all
	cells   []cell    // those of the row
	buf     []byte    // the content of quoted cells of this row that are not as in the text
	special [256]bool // what may end a cell that is not quoted

	marks  [256]kernel.Marks // of a part of the text that fits a first-level cache
	marked int               // which 64 bytes of the text the first of them is of
}

// cell is one cell of a row and where it begins, line and byte counted from 1.
type cell struct {
	text         []byte
	line, column int
}

func newScanner(data []byte, d *dialect) *scanner {
	s := &scanner{dialect: d}
	s.special[d.delim[0]], s.special[d.eol], s.special['"'] = true, true, d.quotes
	if d.blanks {
		s.special['\t'] = true
	}
	s.reset(data, 1, 0)
	return s
}

// reset sets the text, which line it begins in, and where that begins.
func (s *scanner) reset(data []byte, line, begin int) {
	s.data, s.pos, s.line, s.begin = data, 0, line, begin
	s.mark(0)
}

// next reads a row into s.cells, valid until the next call. It returns false
// at the end.
func (s *scanner) next() (bool, error) {
	s.cells, s.buf, s.count = s.cells[:0], s.buf[:0], 0
	for {
		if s.pos >= len(s.data) {
			return false, nil
		}
		if n := s.lineBreak(); n > 0 {
			s.breakLine(n)
		} else if len(s.comment) == 0 && !s.blanks || !s.leftOut() {
			break
		}
	}
	s.rowLine = s.line
	if s.blanks {
		return true, s.blankRow()
	}
	if s.plainRow() {
		return true, nil
	}
	for {
		more, err := false, error(nil)
		if s.quotes && s.pos < len(s.data) && s.data[s.pos] == '"' {
			more, err = s.quoted()
		} else {
			more, err = s.plain()
		}
		if !more || err != nil {
			return err == nil, err
		}
	}
}

// plainRow reads a row without quotes between delimiters of one byte, and reports
// whether this is one. All that it does the other methods do too, in more time: it looks
// at the marks of 64 bytes at once. These begin where the row does, so that most rows
// need no others.
func (s *scanner) plainRow() bool {
	if len(s.delim) > 1 {
		return false
	}
	cells, next, count, from := s.cells, s.nextWanted(0), 0, s.pos
	for base := s.pos; ; base += 64 {
		i := uint(base)/64 - uint(s.marked)
		if i >= uint(len(s.marks)-1) {
			s.mark(base / 64)
			i = 0
		}
		low, high, n := &s.marks[i], &s.marks[i+1], uint(base)%64
		delims, stops := low.Delims>>n|high.Delims<<1<<(63-n), low.Stops>>n|high.Stops<<1<<(63-n)
		delims &= stops&-stops - 1 // those before the first stop, or all
		for next >= 0 && next-count < bits.OnesCount64(delims) {
			for ; count < next; count++ {
				from = base + bits.TrailingZeros64(delims) + 1
				delims &= delims - 1
			}
			end := base + bits.TrailingZeros64(delims)
			delims &= delims - 1
			cells = append(cells, cell{s.data[from:end], s.line, from - s.begin + 1})
			count, from, next = count+1, end+1, s.nextWanted(len(cells))
		}
		if delims != 0 { // of cells that are not wanted
			count += bits.OnesCount64(delims)
			from = base + bits.Len64(delims)
		}
		if stops == 0 {
			continue
		}
		end := base + bits.TrailingZeros64(stops)
		if end < len(s.data) && s.data[end] != s.eol {
			return false // a quote
		}
		if count == next {
			cells = append(cells, cell{s.data[from:s.endOfLast(from, end)], s.line, from - s.begin + 1})
		}
		s.cells, s.count = cells, count+1
		s.endRow(end)
		return true
	}
}

// mark makes as many marks of the text as there is room for, from its 64 bytes of the
// given number on. The end of the text stops a row as a line break does.
func (s *scanner) mark(first int) {
	rest, quote := s.data[first*64:], s.eol
	if s.quotes {
		quote = '"'
	}
	last := len(rest) / 64
	kernel.MarkText(s.marks[:min(last+1, len(s.marks))], rest, s.delim[0], s.eol, quote)
	if last < len(s.marks) {
		s.marks[last].Stops |= 1 << (len(rest) % 64)
	}
	s.marked = first
}

// nextWanted returns which cell of a row is kept after so many.
func (s *scanner) nextWanted(kept int) int {
	switch {
	case s.wanted == nil:
		return kept
	case kept < len(s.wanted):
		return s.wanted[kept]
	}
	return -1
}

// leftOut skips a line that is a comment or, where blanks are delimiters, has nothing
// else, and reports whether it did.
func (s *scanner) leftOut() bool {
	rest := s.data[s.pos:]
	end := bytes.IndexByte(rest, s.eol)
	if end < 0 {
		end = len(rest)
	}
	comment := len(s.comment) > 0 && bytes.HasPrefix(rest, s.comment)
	if !comment && !(s.blanks && len(bytes.TrimLeft(rest[:end], " \t\r")) == 0) {
		return false
	}
	s.breakLine(min(end+1, len(rest)))
	return true
}

// lineBreak returns the length of the line break at pos, 0 if there is none.
// A \r that ends the text counts as one.
func (s *scanner) lineBreak() int {
	rest := s.data[s.pos:]
	switch {
	case len(rest) > 0 && rest[0] == s.eol:
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
	from := s.pos
	i := from
	for ; i < len(s.data); i++ {
		c := s.data[i]
		if !s.special[c] {
			continue
		}
		if c == s.delim[0] && (len(s.delim) == 1 || bytes.HasPrefix(s.data[i:], s.delim)) {
			s.add(s.data[from:i], from)
			s.pos = i + len(s.delim)
			return true, nil
		}
		if c == s.eol {
			break
		}
		if c == '"' && s.quotes {
			return false, s.fail(i, "a quote within a cell that does not begin with one")
		}
	}
	s.add(s.data[from:s.endOfLast(from, i)], from)
	s.endRow(i)
	return false, nil
}

// endOfLast returns where the cell ends that begins at from and reaches to the line break
// at to.
func (s *scanner) endOfLast(from, to int) int {
	if to > from && s.data[to-1] == '\r' && s.eol == '\n' {
		return to - 1
	}
	return to
}

// endRow goes behind the line break at a position, or to it if it is the end of the text.
func (s *scanner) endRow(at int) {
	if s.pos = at; at < len(s.data) {
		s.breakLine(1)
	}
}

// blankRow reads a row whose cells stand between runs of blanks.
func (s *scanner) blankRow() error {
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' && s.eol == '\n' }
	i := s.pos
	for {
		for i < len(s.data) && blank(s.data[i]) {
			i++
		}
		if i >= len(s.data) || s.data[i] == s.eol {
			break
		}
		from := i
		if s.quotes && s.data[i] == '"' {
			s.pos = i
			if err := s.quotedText(); err != nil {
				return err
			}
			if i = s.pos; i < len(s.data) && !blank(s.data[i]) && s.data[i] != s.eol {
				return s.fail(i-1, "text after the quote that ends the cell")
			}
			continue
		}
		for i < len(s.data) && !blank(s.data[i]) && s.data[i] != s.eol {
			i++
		}
		s.add(s.data[from:i], from)
	}
	s.endRow(i)
	return nil
}

// quoted reads a cell in quotes and what ends it, and reports whether that is
// a delimiter.
func (s *scanner) quoted() (more bool, err error) {
	if err := s.quotedText(); err != nil {
		return false, err
	}
	if bytes.HasPrefix(s.data[s.pos:], s.delim) {
		s.pos += len(s.delim)
		return true, nil
	}
	if n := s.lineBreak(); n > 0 {
		s.breakLine(n)
	} else if s.pos < len(s.data) {
		return false, s.fail(s.pos-1, "text after the quote that ends the cell")
	}
	return false, nil
}

// quotedText reads a cell in quotes, up to the closing one.
func (s *scanner) quotedText() error {
	start, line, column := s.pos, s.line, s.pos-s.begin+1
	s.pos++
	from, used := s.pos, len(s.buf)
	whole := true // the content is as in the text
	for {
		n := bytes.IndexByte(s.data[s.pos:], '"')
		if n < 0 {
			s.line, s.begin = line, start-column+1
			return s.fail(start, "the quoted cell that begins here has no end")
		}
		part := s.data[s.pos : s.pos+n]
		if breaks := bytes.Count(part, []byte{s.eol}); breaks > 0 {
			s.line += breaks
			s.begin = s.pos + bytes.LastIndexByte(part, s.eol) + 1
		}
		after := s.pos + n + 1
		doubled := after < len(s.data) && s.data[after] == '"'
		if whole && (doubled || bytes.Contains(part, []byte("\r\n"))) {
			whole = false
		}
		if !whole {
			s.buf = append(s.buf, bytes.ReplaceAll(part, []byte("\r\n"), []byte("\n"))...)
		}
		s.pos = after
		if doubled {
			s.buf = append(s.buf, '"')
			s.pos++
			continue
		}
		text := s.data[from : after-1]
		if !whole {
			text = s.buf[used:len(s.buf):len(s.buf)]
		}
		s.keep(cell{text, line, column})
		return nil
	}
}

// add counts a cell that begins at the given position of the current line.
func (s *scanner) add(text []byte, at int) { s.keep(cell{text, s.line, at - s.begin + 1}) }

// keep counts a cell, and keeps it if it is wanted.
func (s *scanner) keep(c cell) {
	if s.count == s.nextWanted(len(s.cells)) {
		s.cells = append(s.cells, c)
	}
	s.count++
}

// fail returns an error at a position of the current line.
func (s *scanner) fail(at int, what string) error {
	return malformedAt(s.line, at-s.begin+1, "%s", what)
}
