package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// lookup is what a TEST of isin holds.
type lookup struct {
	operand
	title  string
	list   bool           // a text of one column
	file   *tensorio.File // of a text table
	column string         // its name there: of a list the first line, if that is not a value like the others
	broken error          // why the lines are no table: they are texts alone
}

// lookup reads a TEST. Lines of several words, and those of which not all have as many, are
// a list of their own where the ending is that of no table.
func (f *opener) lookup(path string) (lookup, error) {
	l, words, err := f.lookupIn(path, 0)
	if !wordy(path) || !words && (err == nil || !errors.Is(err, ogive.ErrFormat)) {
		return l, err
	}
	lines, _, bad := f.lookupIn(path, noDelimiter)
	switch {
	case bad != nil && err != nil:
		return l, err
	case bad != nil:
		return lines, bad
	}
	lines.broken = err
	return lines, nil
}

// lookupIn reads a TEST with a delimiter, 0 for the one that is found, and reports whether
// it is several columns of text, which say nothing: they are not read.
func (f *opener) lookupIn(path string, delimiter rune) (l lookup, words bool, err error) {
	file, err := f.input(path, tensorio.Options{Text: true, Delimiter: delimiter})
	if err != nil {
		return l, false, err
	}
	l.title = title(path)
	columns, isText := file.Columns(), file.Format() == "csv" || file.Format() == "tsv"
	one := len(columns) == 1 && file.member == ""
	if l.list = isText && one; isText {
		l.file = file.File
	}
	switch {
	case isText && file.member == "" && len(columns) > 1 && len(file.Names()) == 0 && wordy(path):
		f.close(file.File)
		return l, true, nil
	case l.list, one && len(file.Text()) == 1:
		l.column = columns[0]
		l.operand.Column, err = await(f.ctx, func() (tensorio.Column, error) { return orText(file.File, l.column, file.Key) })
		l.x = l.Values
	default:
		l.operand, err = f.sideIn(file)
		if l.column = l.name; l.column == "" {
			l.column = withoutName
		}
	}
	if err != nil {
		f.close(file.File)
	}
	return l, false, err
}

// noDelimiter is a character that no text has.
const noDelimiter = '\x1f'

// wordy reports whether a TEST may be lines of words: it has the ending of no table, and can
// be read again.
func wordy(path string) bool {
	ending := filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".zst"))
	return path != stdinName && ending != ".csv" && ending != ".tsv"
}

// orText reads a column by a function, and as text where it begins with numbers and has
// other cells.
func orText(file *tensorio.File, name string, read func(string) (tensorio.Column, error)) (tensorio.Column, error) {
	c, err := read(name)
	if err != nil {
		if text, bad := textOf(file, name); bad == nil {
			return text, nil
		}
	}
	return c, err
}

// textOf reads a column as the text of its cells.
func textOf(file *tensorio.File, name string) (tensorio.Column, error) {
	c, err := file.Group(name)
	if err != nil {
		return c, err
	}
	o := operand{name: name, x: c.Values, Column: c}
	err = o.toText()
	return o.Column, err
}

// of returns what to look for in a column of FILE.
func (l *lookup) of(e *operand, nans bool) (*ogive.Tensor, error) {
	switch {
	case e.Labels != nil:
		texts, err := l.texts(e)
		if err != nil {
			return nil, err
		}
		return e.codes(texts)
	case l.broken != nil:
		return nil, l.broken
	case l.Labels != nil:
		return l.numbers(e, l.Labels)
	case l.Rounded > 0 && l.file != nil && e.Unit == l.Unit && !e.x.DType().IsFloat():
		c, err := textOf(l.file, l.column)
		if err != nil {
			return nil, err
		}
		return l.numbers(e, c.Labels)
	case e.Unit != l.Unit:
		if l.Unit.Kind() == e.Unit.Kind() {
			return nil, usageError("", "%s and %s hold %s of different units", columnTitle(e), l.title, e.Unit.Kind())
		}
		return nil, usageError("", "%s holds %s, and %s %s", columnTitle(e), e.Unit.Kind(), l.title, l.Unit.Kind())
	}
	return l.values(nans)
}

// texts are the cells as they are written, to be looked up in a column of text: those
// of a list, with the first line unless it is the column's name.
func (l *lookup) texts(e *operand) ([]string, error) {
	texts, ok := l.Labels, l.Labels != nil
	if l.list && !ok {
		c, err := textOf(l.file, l.column)
		if err != nil {
			return nil, err
		}
		texts, ok = c.Labels, true
	}
	if !ok {
		return nil, usageError("name a column of text: ids.csv:name", "%s holds text, and %s numbers", columnTitle(e), l.title)
	}
	if l.list && l.column != e.name && l.column != withoutName {
		texts = append(slices.Clip(texts), l.column)
	}
	return texts, nil
}

// withoutName is what the column of a file without a header is called.
const withoutName = "1"

// numbers are the texts that are numbers, or dates, to be looked up in a column of such.
// The others are in none.
func (l *lookup) numbers(e *operand, texts []string) (*ogive.Tensor, error) {
	if l.list && l.column != withoutName {
		texts = append(slices.Clip(texts), l.column)
	}
	var values []value
	for _, text := range texts {
		if v, err := parseValue(l.title, text); err == nil {
			values = append(values, v)
		}
	}
	if len(values) == 0 && len(texts) > 0 {
		return nil, usageError("", "%s holds text, and %s numbers", l.title, columnTitle(e))
	}
	return e.amongValues(values)
}
