package main

import (
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
	list   bool
	file   *tensorio.File // of a list
	column string         // its name: the first line, if that is not a value like the others
}

// lookup reads a TEST.
func (f *opener) lookup(path string) (l lookup, err error) {
	file, err := f.input(path, tensorio.Options{Text: true})
	if err != nil {
		return l, err
	}
	if file.wordy() {
		f.close(file.File)
		if file, err = f.input(path, tensorio.Options{Text: true, Delimiter: noDelimiter}); err != nil {
			return l, err
		}
	}
	l.title = title(path)
	if columns := file.Columns(); len(columns) == 1 && file.member == "" && (file.Format() == "csv" || file.Format() == "tsv") {
		l.list, l.file, l.column = true, file.File, columns[0]
		l.operand.Column, err = await(f.ctx, func() (tensorio.Column, error) { return orText(file.File, l.column, file.Key) })
		l.x = l.Values
		return l, err
	}
	l.operand, err = f.sideIn(file)
	return l, err
}

// noDelimiter is a character that no text has.
const noDelimiter = '\x1f'

// wordy reports whether a TEST is lines of several words each, which were taken for columns
// of text: it has the ending of no table.
func (in *input) wordy() bool {
	if in.path == stdinName || in.member != "" || len(in.Columns()) < 2 || len(in.Names()) > 0 || in.Format() != "csv" && in.Format() != "tsv" {
		return false
	}
	ending := filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(in.path), ".gz"), ".zst"))
	return ending != ".csv" && ending != ".tsv"
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
	case l.Labels != nil:
		return l.numbers(e)
	case e.Unit != l.Unit:
		kind := map[bool]string{true: "numbers", false: "dates"}
		if l.Unit != tensorio.UnitNone && e.Unit != tensorio.UnitNone {
			return nil, usageError("", "%s and %s hold dates of different units", columnTitle(e), l.title)
		}
		return nil, usageError("", "%s holds %s, and %s %s", columnTitle(e), kind[e.Unit == tensorio.UnitNone], l.title, kind[l.Unit == tensorio.UnitNone])
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
func (l *lookup) numbers(e *operand) (*ogive.Tensor, error) {
	texts := l.Labels
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
