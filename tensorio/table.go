package tensorio

import (
	"bytes"
	"io"
	"iter"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ogive-go/ogive"
)

// headBytes is how much of a text is looked at for a header.
const headBytes = 1 << 20

// columnBytes is about what a column takes before anything of it is read: its name, where
// it lies, and its vector in three blocks.
const columnBytes = 1 << 10

// headRows is how many rows are looked at for a header, and headCells how many cells they
// have, but for the first and as many as it takes for three.
const (
	headRows  = 100
	headCells = 1 << 16
)

// textTable is a table in a delimited text. It is parsed when a column is asked for:
// all that hold numbers, or those that Options.Columns chose, at once.
//
// A column holds numbers if its first cell that is not missing is one (and if it has
// none such), bools if that is true or false, and otherwise text. A column that
// Options.Columns names may be one of dates and times too. A later cell that does not
// fit is an error, or counted and missing under SkipInvalid.
//
// Numbers are int64 if all are whole and fit, uint64 if all fit that, and float64
// otherwise, each rounded once.
type textTable struct {
	dialect
	cells
	name    string
	data    []byte // the text, if it lies in memory; else it is file's
	file    io.ReaderAt
	size    int64
	most    int64 // Options.Memory
	start   int64 // of the first row of data
	line    int   // that it lies in
	begin   int   // of the first line's columns: the length of the mark of an encoding
	width   int
	header  bool
	doubt   HeaderDoubt
	meter   *ogive.Meter
	columns []*textColumn // all there are
	keys    []*textColumn // of them, those that are read beside the chosen ones that hold numbers
	chosen  []int         // of them, by Options.Columns; nil: all
	groups  []*textColumn // those of Options.Groups, read as such

	settling sync.Mutex
	once     sync.Once
	vectors  []vector     // of the columns that hold numbers
	held     atomic.Int64 // what they take
	err      error
}

// textColumn is a column of a textTable.
type textColumn struct {
	name    string
	index   int
	asked   bool // by name or number
	kind    cellKind
	reason  error // why it holds no numbers
	settled bool  // its kind has been looked for
	place   int   // among those that are parsed together, from 1; 0: by itself
}

// HeaderDoubt says that a first row may be names as well as data.
type HeaderDoubt struct {
	Line  int  // of the row; 0 where there is no doubt
	Names bool // it was taken as names
}

// readTable returns the reader of a delimited text; delimiter 0 is to be found.
func readTable(delimiter rune) func(*source, Options) (*File, error) {
	return func(s *source, o Options) (*File, error) {
		t := &textTable{name: s.name, file: s.file, size: s.size, meter: o.Progress, most: o.Memory}
		if s.file == nil {
			data, err := s.all()
			if err != nil {
				return nil, err
			}
			t.data, t.size = data, int64(len(data))
		}
		return t.open(delimiter, o)
	}
}

// open reads the first rows.
func (t *textTable) open(delimiter rune, o Options) (*File, error) {
	if t.size == 0 {
		return nil, errEmpty()
	}
	var memory []byte
	head, err := t.read(&memory, 0, min(t.size, headBytes))
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\xFF\xFE")) || bytes.HasPrefix(head, []byte("\xFE\xFF")) {
		return nil, malformed("UTF-16 is not supported; convert the file to UTF-8")
	}
	if bytes.HasPrefix(head, []byte("\uFEFF")) {
		t.start, t.begin, head = 3, 3, head[3:]
	}
	t.line = 1
	if t.dialect, err = dialectOf(head, delimiter, o); err != nil {
		return nil, err
	}
	t.cells = newCells(&t.dialect, o)
	if head, err = t.wholeRow(&memory, head); err != nil {
		return nil, err
	}
	rows, second, line, err := t.firstRows(head)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, malformed("the file holds no rows")
	}
	t.width = len(rows[0])
	t.header = o.Header == HeaderYes
	if o.Header == HeaderAuto {
		t.header, t.doubt = t.hasHeader(rows)
	}
	if t.header {
		t.start, t.line, t.begin = t.start+int64(second), line, 0
	}
	names := make([]string, t.width)
	for i, c := range rows[0] {
		if t.header {
			names[i] = string(bytes.TrimSpace(c.text))
		}
		if names[i] == "" {
			names[i] = strconv.Itoa(i + 1)
		}
	}
	if err := t.resolve(names, o.Columns); err != nil {
		return nil, err
	}
	if part := o.Part; part != (Part{}) {
		if part.From < t.start || part.From > part.To || part.To > t.size {
			return nil, malformed("has no rows from byte %d to %d; it had when it was divided", part.From, part.To)
		}
		t.start, t.size, t.line, t.begin = part.From, part.To, int(part.Line), 0
	}
	t.beside(o)
	if err := t.findKinds(append(t.wanted(), t.keys...)); err != nil {
		return nil, err
	}
	return t.asFile(o)
}

// wholeRow returns the text from start on, of which head is known, with the first row
// whole.
func (t *textTable) wholeRow(memory *[]byte, head []byte) ([]byte, error) {
	for n := int64(2 * headBytes); t.start+int64(len(head)) < t.size && t.cut(head) == 0; n *= 2 {
		if n > longestRow {
			return nil, malformed("the first row has more than %d bytes", len(head))
		}
		if err := t.room(t.start, n, 3); err != nil { // it is kept apart, and its names
			return nil, err
		}
		var err error
		if head, err = t.read(memory, t.start, min(t.start+n, t.size)); err != nil {
			return nil, err
		}
	}
	return head, nil
}

// firstRows returns some rows of the head, as far as they are whole and well formed,
// and where the second begins. A first row of more columns than Options.Memory holds is an
// error.
func (t *textTable) firstRows(head []byte) (rows [][]cell, second, line int, err error) {
	if t.start+int64(len(head)) < t.size {
		if n := t.cut(head); n > 0 {
			head = head[:n]
		}
	}
	if line, _, _ := bytes.Cut(head, []byte{t.eol}); !t.blanks {
		if err := t.roomFor(bytes.Count(line, t.delim[:])); err != nil { // before there is a cell of each
			return nil, 0, 0, err
		}
	}
	s := newScanner(head, &t.dialect)
	s.begin = -t.begin
	for cells := 0; len(rows) < headRows && (cells < headCells || len(rows) < 3); cells += len(s.cells) {
		ok, err := s.next()
		if err != nil && len(rows) == 0 {
			return nil, 0, 0, err
		}
		if !ok || err != nil {
			break
		}
		if len(rows) == 0 {
			second, line = s.pos, s.line
			if err := t.roomFor(len(s.cells)); err != nil {
				return nil, 0, 0, err
			}
		}
		rows = append(rows, cloned(s.cells))
	}
	return rows, second, line, nil
}

// roomFor checks that so many columns may be had.
func (t *textTable) roomFor(columns int) error {
	return in(Message("%d columns", columns), TooLarge(int64(columns)*columnBytes, t.most))
}

// cloned returns cells with their texts in memory of their own.
func cloned(cells []cell) []cell {
	row, n := slices.Clone(cells), 0
	for _, c := range row {
		n += len(c.text)
	}
	text := make([]byte, 0, n)
	for i, c := range row {
		from := len(text)
		text = append(text, c.text...)
		row[i].text = text[from:len(text):len(text)]
	}
	return row
}

// hasHeader reports whether the first row holds names. It does if no cell of it is a
// value; if a word stands above values, or a number above bools or dates; and if it is
// as ogive writes it. Of a row of words above words and numbers above numbers it is
// taken for names if no word comes again below it and no number lies among those below
// it, with doubt.
func (t *textTable) hasHeader(rows [][]cell) (header bool, doubt HeaderDoubt) {
	first, words, values := rows[0], 0, 0
	again, among, sure, own := false, false, false, false
	for i, c := range first {
		b := trim(c.text)
		kind := t.kind(b)
		if kind == missingCell {
			continue
		}
		var below [textCell + 1]int
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, row := range rows[1:] {
			if i >= len(row) {
				continue
			}
			x := trim(row[i].text)
			k := t.kind(x)
			below[k]++
			if k == numberCell {
				v, _, _ := t.parse(x)
				lo, hi = min(lo, v), max(hi, v)
			}
			again = again || kind == textCell && string(x) == string(b)
		}
		others := below[boolCell] + below[dayCell] + below[timeCell]
		switch {
		case kind == textCell:
			words++
			own = own || ownHeading(string(b))
			sure = sure || below[textCell] == 0 && below[numberCell]+others > 0
		case kind == numberCell:
			values++
			v, _, _ := t.parse(b)
			among = among || lo <= v && v <= hi || len(rows) < 3
			sure = sure || below[numberCell] == 0 && others > 0
		default:
			values++
		}
	}
	switch {
	case sure:
		return true, doubt
	case words == 0:
		return false, doubt
	case values == 0, own:
		return true, doubt
	case again:
		return false, doubt
	}
	return !among, HeaderDoubt{Line: first[0].line, Names: !among}
}

// ownHeading reports whether a cell is a heading of a result of ogive, beside quantiles.
func ownHeading(s string) bool {
	axis, ok := strings.CutPrefix(s, "axis")
	_, err := strconv.Atoi(axis)
	return s == "column" || s == "file" || ok && err == nil
}

// resolve makes the columns, and chooses those asked for, all of them if none are.
func (t *textTable) resolve(names, asked []string) error {
	for i, name := range names {
		t.columns = append(t.columns, &textColumn{name: name, index: i})
	}
	if asked == nil {
		return nil
	}
	t.chosen = []int{}
	var place places
	chosen := make([]bool, len(names))
	for _, want := range asked {
		list, named, err := chooseColumns(names, &place, want)
		if err != nil {
			return err
		}
		for _, i := range list {
			c := t.columns[i]
			if named && c.asked {
				return misused("column %q is asked for twice", c.name)
			}
			c.asked = c.asked || named
			if !chosen[i] {
				chosen[i] = true
				t.chosen = append(t.chosen, i)
			}
		}
	}
	return nil
}

// wanted returns the columns that are chosen.
func (t *textTable) wanted() (list []*textColumn) {
	if t.chosen == nil {
		return slices.Clone(t.columns)
	}
	for _, i := range t.chosen {
		list = append(list, t.columns[i])
	}
	return list
}

// chooseColumns returns the columns that a name, a number or a pattern means, and
// whether it is one of the former. place is that of the names.
func chooseColumns(names []string, place *places, want string) (list []int, named bool, err error) {
	if i := place.of(names, want); i >= 0 {
		if j, ok := place.again[want]; ok {
			return nil, false, sameName(want, i, j)
		}
		return []int{i}, true, nil
	}
	if n, err := strconv.Atoi(want); err == nil && 1 <= n && n <= len(names) {
		return []int{n - 1}, true, nil
	}
	if strings.ContainsAny(want, "*?[") {
		for i, name := range names {
			if ok, err := path.Match(want, name); err != nil {
				return nil, false, misused("%q is not a pattern of columns", want)
			} else if ok {
				list = append(list, i)
			}
		}
	}
	if len(list) == 0 {
		return nil, false, misused("has no column %q; it has %s", want, shownText(ShownList(names)))
	}
	return list, false, nil
}

func sameName(name string, i, j int) error {
	e := malformed("columns %d and %d have the same name, %q", i+1, j+1, name)
	e.Kind = ErrColumn
	return e
}

// findKinds looks at the first cell of columns that is not missing.
func (t *textTable) findKinds(open []*textColumn) error {
	source := t.blocks(nil)
	line := t.line
	for b := (block{}); len(open) > 0; {
		ok, err := source.next(&b)
		if !ok || err != nil {
			return err
		}
		s := newScanner(b.data, &t.dialect)
		s.line = line
		for len(open) > 0 {
			ok, err := s.next()
			if err != nil || ok && s.count != t.width {
				return nil // parsing tells
			}
			if !ok {
				break
			}
			open = slices.DeleteFunc(open, func(c *textColumn) bool {
				c.decide(t, &s.cells[c.index])
				return c.kind != missingCell
			})
		}
		line = s.line
	}
	return nil
}

// settle finds the kind of a column that was not chosen.
func (t *textTable) settle(c *textColumn) error {
	t.settling.Lock()
	defer t.settling.Unlock()
	if c.kind != missingCell || c.settled {
		return nil
	}
	c.settled = true
	return t.findKinds([]*textColumn{c})
}

// decide sets the kind of a column by a cell, unless it is missing.
func (c *textColumn) decide(t *textTable, x *cell) {
	b := trim(x.text)
	if c.kind = t.kind(b); t.asText {
		c.kind, c.asked = textCell, false
	}
	isTime := c.kind == dayCell || c.kind == timeCell
	if c.kind != textCell && (!isTime || c.asked) {
		return
	}
	if c.asked && t.text {
		return
	}
	if c.asked { // an error where it is parsed, or invalid
		c.kind = numberCell
		return
	}
	c.kind = numberCell
	c.reason = c.invalid(&cell{nil, x.line, x.column}, b)
	c.kind = textCell
}

// estimate returns how many rows the text has, about, by its first block.
func (t *textTable) estimate(b *block) int {
	if len(b.vectors) == 0 || len(b.data) == 0 {
		return 0
	}
	rows := float64(len(b.vectors[0].bits)) / float64(len(b.data)) * float64(t.size)
	return int(rows*1.02) + 16
}

// valueBytes is what a value takes in a vector, with whether it is missing in a list that
// grows, and labelBytes what a label takes beside its text, in the map that finds it too.
const (
	valueBytes = 11
	labelBytes = 96
)

// grownTimes is how many times its bytes a text's values take in vectors that grow as they
// are read: a row has a byte at least for each of its columns.
const grownTimes = 32

// parsed parses some columns whole. Where Options.Memory may not suffice the rows are counted
// first, so that vectors are made of the size that they need, or none is.
func (t *textTable) parsed(columns []*textColumn) ([]vector, error) {
	sorted, place := inOrder(columns)
	vectors := make([]vector, len(sorted))
	rows := 0 // at most, or about
	if t.most > 0 && t.size > t.most/grownTimes {
		var err error
		if rows, err = t.mostRows(); err != nil {
			return nil, err
		}
		if err := TooLarge(int64(rows)*int64(len(sorted))*valueBytes+t.held.Load(), t.most-t.most/blockShare); err != nil {
			return nil, in(Message("%d columns of up to %d rows", len(sorted), rows), err)
		}
	}
	labels, failed := t.held.Load(), error(nil)
	err := t.each(sorted, func(b *block) bool {
		for i := range vectors {
			v := &vectors[i]
			if b.first { // slices.Grow would clear it, and hold up a garbage collection meanwhile
				n := rows
				if n == 0 {
					n = t.estimate(b)
				}
				v.bits = make([]uint64, 0, n)
			}
			had := len(v.labels)
			v.join(&b.vectors[i])
			for _, text := range v.labels[had:] {
				labels += int64(len(text)) + labelBytes
			}
		}
		failed = in("texts", TooLarge(labels, t.most-t.most/blockShare))
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	list := make([]vector, len(columns))
	for i := range list {
		list[i] = vectors[place[i]]
	}
	return list, err
}

// mostRows returns how many rows the text has at most: it counts where lines end.
func (t *textTable) mostRows() (int, error) {
	n, size := 1, int64(blockBytes)
	var memory []byte
	for at := t.start; at < t.size; at += size {
		b, err := t.read(&memory, at, min(at+size, t.size))
		if err != nil {
			return 0, err
		}
		n += bytes.Count(b, []byte{t.eol})
	}
	return n, nil
}

// inOrder returns columns in the order of their cells, each once, and the place of
// each among them.
func inOrder(columns []*textColumn) (sorted []*textColumn, place []int) {
	sorted = slices.Clone(columns)
	slices.SortFunc(sorted, func(a, b *textColumn) int { return a.index - b.index })
	sorted = slices.Compact(sorted)
	at := make(map[*textColumn]int, len(sorted))
	for i, c := range sorted {
		at[c] = i
	}
	for _, c := range columns {
		place = append(place, at[c])
	}
	return sorted, place
}

// numbers returns the columns of numbers, whose names differ: under Options.Apart others
// are columns of text.
func (t *textTable) numbers(o Options) (list []*textColumn, err error) {
	at := map[string]int{}
	for _, c := range t.wanted() {
		if c.kind == textCell {
			continue
		}
		j, again := at[c.name]
		if !again {
			at[c.name] = c.index
			list = append(list, c)
			continue
		}
		if !o.Apart {
			return nil, sameName(c.name, j, c.index)
		}
		for _, same := range []*textColumn{t.columns[j], c} {
			if same.kind != textCell {
				same.kind, same.reason = textCell, sameName(c.name, j, c.index)
			}
		}
	}
	return slices.DeleteFunc(list, func(c *textColumn) bool { return c.kind == textCell }), nil
}

// asFile returns the table as an open file.
func (t *textTable) asFile(o Options) (*File, error) {
	table := Table{Name: t.name, Chosen: t.chosen}
	numbers, err := t.numbers(o)
	if err != nil {
		return nil, err
	}
	numbers = t.together(numbers, o)
	for i, c := range numbers {
		c.place = i + 1
	}
	for _, c := range t.columns {
		table.Columns, table.Text = append(table.Columns, c.name), append(table.Text, c.reason)
	}
	load := func(c *textColumn) (Column, error) {
		if c.place > 0 {
			t.once.Do(func() {
				t.vectors, t.err = t.parsed(numbers)
				for i := range t.vectors {
					t.held.Add(int64(cap(t.vectors[i].bits))*8 + int64(cap(t.vectors[i].missing)))
				}
			})
			if t.err != nil {
				return Column{}, t.err
			}
			return t.vectors[c.place-1].column()
		}
		if err := t.settle(c); err != nil {
			return Column{}, err
		}
		vectors, err := t.parsed([]*textColumn{c})
		if err != nil {
			return Column{}, err
		}
		return vectors[0].column()
	}
	table.Load = func(i int) (Column, error) { return load(t.columns[i]) }
	table.Group = func(i int) (Column, error) {
		if g := t.group(i); g != nil {
			return load(g)
		}
		return load(t.asGroup(i))
	}
	table.Batches, table.Parts = t.batches, t.parts
	f := table.File()
	f.doubt, f.size = t.doubt, t.size
	return f, nil
}

// beside finds the columns of Options.Keys that are not chosen, and those of
// Options.Groups.
func (t *textTable) beside(o Options) {
	wanted := t.wanted()
	for _, c := range t.columns {
		if slices.Contains(o.Keys, c.name) && !slices.Contains(wanted, c) {
			t.keys = append(t.keys, c)
		}
		if slices.Contains(o.Groups, c.name) {
			t.groups = append(t.groups, t.asGroup(c.index))
		}
	}
}

// together returns the columns that are read with those that hold numbers, of which one
// that makes groups is left out unless it is asked for.
func (t *textTable) together(numbers []*textColumn, o Options) []*textColumn {
	for _, c := range t.wanted() {
		if c.kind == textCell && slices.Contains(o.Keys, c.name) {
			t.keys = append(t.keys, c)
		}
	}
	numbers = append(numbers, t.keys...)
	for _, g := range t.groups {
		is := func(c *textColumn) bool { return c.index == g.index }
		if i := slices.IndexFunc(numbers, is); i < 0 || !numbers[i].asked {
			numbers = append(slices.DeleteFunc(numbers, is), g)
		}
	}
	return numbers
}

// asGroup returns a column as one that makes groups.
func (t *textTable) asGroup(i int) *textColumn {
	return &textColumn{name: t.columns[i].name, index: i, kind: groupCell}
}

// group returns a column of Options.Groups, nil if it is none.
func (t *textTable) group(i int) *textColumn {
	if at := slices.IndexFunc(t.groups, func(g *textColumn) bool { return g.index == i }); at >= 0 {
		return t.groups[at]
	}
	return nil
}

// batches yields some columns in the blocks of the text, in memory that is used
// again.
func (t *textTable) batches(columns []int) iter.Seq2[[]Column, error] {
	return func(yield func([]Column, error) bool) {
		var asked []*textColumn
		for _, i := range columns {
			if g := t.group(i); g != nil {
				asked = append(asked, g)
				continue
			}
			if err := t.settle(t.columns[i]); err != nil {
				yield(nil, err)
				return
			}
			asked = append(asked, t.columns[i])
		}
		sorted, place := inOrder(asked)
		list := make([]Column, len(columns))
		var failed error
		err := t.each(sorted, func(b *block) bool {
			for i := range list {
				if list[i], failed = b.vectors[place[i]].column(); failed != nil {
					return false
				}
			}
			return yield(list, nil)
		})
		if err == nil {
			err = failed
		}
		if err != nil {
			yield(nil, err)
		}
	}
}
